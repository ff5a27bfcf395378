"""A small program and helpers for the tests of questions."""

from pathlib import Path

from tests import oracle
from vsalang.base.diagnostics import Severity
from vsalang.engine.api import Row
from vsalang.language.semantics import load, load_text
from vsalang.tools.ask import Place, Question, Reply, Situation, ask
from vsalang.tools.ask.asking import bring_about
from vsalang.tools.ask.console import Console
from vsalang.tools.ask.engines import tell
from vsalang.tools.ask.probes import probed
from vsalang.tools.cli.common import render

ROOT = Path(__file__).resolve().parents[3]

SHOP = """app shop package "com.shop" "A shop"
enum Kind {Fruit, "Dry goods"}

screen Basket "What will be bought" when Node(id = "basket").
screen Offer over Basket "One thing" when Node(id = "offer").

list Item key (name) "A thing in the basket" {
  name: Text "what it is"
  kind: Kind "what sort"
  price: Number "what one costs"
  count: Number "how many"
}
view Bill on Basket "The sum" { total: Number "what all cost"  paid: Bool "whether it is paid" }
update Bill(total = number(?t)) when Node(id = "total", text = ?t).

action Pay(total: Number "how much") "Pay for all"
recognize Pay(total = ?t) when tap(id = "pay") with Bill(total = ?t).
update Bill(paid = true) when Pay.

define Dear(name = ?n) "costs more than ten" when Item(name = ?n, price > 10).
define Dear(name = ?n) when Item(name = ?n, price = ?p, count = ?c), ?p * ?c > 10.
define Cheap(name = ?n) when Item(name = ?n), not Dear(name = ?n).
define After(one = ?a, other = ?b) when Item(at = ?x, name = ?a), Item(at = ?y, name = ?b), ?y = ?x + 1.
define Before(one = ?a, other = ?b) when After(one = ?a, other = ?b).
define Before(one = ?a, other = ?c) when Before(one = ?a, other = ?b), Before(one = ?b, other = ?c).

test "a full basket" {
  clock 2026-04-01 12:00.
  observe screen Basket.
  observe Item(name = "Tea", at = 1, kind = "Dry goods", price = 3, count = 2),
          Item(name = "Fig", at = 2, kind = Fruit, price = 6, count = 2),
          Item(name = "Nut", at = 3, price = 12, count = 1),
          Bill(total = 30).
  attempt Pay(total = 30).
  observe Bill(total = 30, paid = true).
}
test "an empty basket" { observe screen Basket. }
test "what fails" { observe Bill(total = 1). attempt Pay(total = 1) => block. observe Bill(total = 2). }
"""


def shop() -> Place:
    """The shop as it can be asked."""
    loaded = load_text(SHOP, file="shop.vsa")
    assert loaded.program is not None, [d.message for d in loaded.diagnostics]
    return Place(loaded)


def steps(place: Place, text: str) -> Situation:
    """The situation that steps lead to."""
    return Situation().then(place.steps(text).turns, "typed")


def full(place: Place) -> Situation:
    """The situation after the first test."""
    return Situation().then(place.loaded.own[0].turns, "full")


def asked(place: Place, situation: Situation, body: str) -> Reply:
    """The answer to a body."""
    return ask(place, situation, place.question(body))


def console(text: str = SHOP) -> Console:
    """A dialogue about a program; `:load` reads files."""

    def loader(file: str, policies: tuple[str, ...]) -> Place | str:
        loaded = load_text(text, file="shop.vsa") if file == "shop.vsa" else load(file, policies=policies)
        if loaded.program is None:
            errors = [d for d in loaded.diagnostics if d.severity is Severity.ERROR]
            return render(errors, loaded.sources, "text")
        return Place(loaded)

    return Console(loader, lambda found, sources: render(found, sources, "text"))


def by_reference(place: Place, situation: Situation, question: Question) -> frozenset[Row]:
    """The rows that the reference evaluator gives, told the same as the engine."""
    recorder = bring_about(place, situation, question).evaluator
    bare = probed(place.program, [question], explain=False).program
    session = oracle.open_session(
        bare, engine="reference", today=recorder.today, similarity=recorder.similarity
    )
    tell(session, recorder)
    return session.rows(question.relation.name)
