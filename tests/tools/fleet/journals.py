"""Journals of small sessions: a shop by hand, judged by a spec and a policy; quick to write."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.models.risk.traces import dump
from vsalang.guard import Guard, NotAllowed, Settings
from vsalang.guard.journal import Journal, Recorder
from vsalang.language.semantics import load
from vsalang.program.action import Action
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_tree

APP = """app shop package "com.example.shop" "A shop"
screen Page "A page" when Node(class = "Button").
action Pay(what: Text) "Pay for something"
recognize Pay(what = ?t) when tap(text = ?t), ?t matches /^Pay/.
expect Node(text = "Paid") when Pay.
@id("SORRY") expect no Node(text = "Sorry") when Pay.
"""
SPEC = """spec buy "Buy something"
import shop
allow each Pay(what = ?t).
done when Pay earlier.
"""
OLD = """policy old "The policy that was in force"
@id("OLD-1") @risk(financial) @severity(high) deny "Too dear: {?t}" when tap(text = ?t), ?t matches /900/.
@id("OLD-2") @risk(privacy) confirm "Really {?t}?" when tap(text = ?t), ?t matches /data/.
@id("OLD-3") deny "Never" when tap(text = "nothing is called so").
"""
NEW = """policy new "The policy that may come"
import shop
@id("NEW-1") @risk(financial) deny "Still too dear: {?t}" when tap(text = ?t), ?t matches /900|500/.
@id("NEW-2") confirm "Pay a second time: {?t}?" when tap(text = ?t), ?t matches /^Pay/, Pay earlier.
"""
LABELS = ("Next", "Pay 5", "Pay 500", "Pay 900", "Share data", "Pay data")
SHOWN_AFTER = {"Pay 5": "Paid", "Pay 500": "Sorry"}
BUTTONS = (*LABELS, "Pay 20")


def rules(folder: Path) -> Path:
    """The files of the rules, in a folder; the spec among them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (("shop", APP), ("buy", SPEC), ("old", OLD), ("new", NEW)):
        (folder / f"{name}.vsa").write_text(text, encoding="utf-8")
    return folder / "buy.vsa"


def record(
    path: Path,
    taps: Sequence[str],
    *,
    device: str = "phone-1",
    end: bool = True,
    secret: str = "",
    apps: Mapping[str, str] | None = None,
) -> Path:
    """Write the journal of a session in which these buttons were tapped, one after the other.

    Args:
        path: the journal; the rules are in the folder `rules` next to it.
        taps: the texts of buttons; what the guard asks about is approved.
        device: which device it was.
        end: whether the session ended.
        secret: a text that shows, too.
        apps: the versions of apps, by package.
    """
    spec = path.parent / "rules" / "buy.vsa"
    if not spec.exists():
        rules(spec.parent)
    loaded = load(spec, policies=[spec.with_name("old.vsa")])
    assert loaded.program is not None, loaded.diagnostics
    with Journal(path, sync="none", resumable=False) as journal:
        recorder = Recorder(
            journal,
            sources=loaded.sources,
            spec=loaded.file,
            policies=[str(spec.with_name("old.vsa"))],
            device=device,
            apps=apps,
        )
        guard = Guard(loaded.program, settings=Settings(), recorder=recorder)
        guard.observe(page(*BUTTONS, secret))
        for text in taps:
            verdict = guard.propose(Action("tap", {"text": text}), note=f"tap {text}")
            try:
                guard.commit(verdict, approved=verdict.level == "confirm")
            except NotAllowed:
                continue
            guard.observe(page(*BUTTONS, SHOWN_AFTER.get(text, ""), secret), True)
        if end:
            recorder.end(completed=True)
    return path


def page(*texts: str) -> TreeScreen:
    """A screen of the shop."""
    return TreeScreen(load_tree(dump(*(text for text in texts if text))), app=("com.example.shop", None))
