"""Fixes of findings: what each writes, that none ends a warning by removing what it depends on, and nested mistakes."""

import difflib
from pathlib import Path

import pytest

from tests.language.lint.test_lint_rules import read
from tests.snapshots import golden
from vsalang.base.diagnostics import has_errors
from vsalang.base.diagnostics.code import example_files
from vsalang.base.diagnostics.fixes import apply_fixes
from vsalang.language.lint import RULES, lint
from vsalang.language.semantics import load_text

FIXED = {
    "L0001", "L0003", "L0007", "L0009", "L0013", "L0016", "L0017", "L0021", "L0022", "L0024", "L0030",
    "L0031", "L0035", "L0042", "L0045", "L0046", "L0048", "L0050", "L0052", "L0054", "L0056", "L0058",
}  # fmt: skip
"""Rules whose bad example is fixed without a choice."""
ELSEWHERE = {"L0004", "L0012", "L0023", "L0036", "L0043", "L0057"}
"""Rules with a fix for some findings, and none for that of the bad example."""


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.code in FIXED], ids=lambda rule: rule.code)
def test_bad_examples_are_fixed(rule, tmp_path: Path) -> None:
    """After the fix the finding is gone, nothing else is found, and the program has no errors."""
    name, text = next(iter(example_files(rule.bad, "bad.vsa").items()))
    read(rule.bad, "bad.vsa", tmp_path)

    def findings(text: str):
        loaded = load_text(text, file=name, path=tmp_path / name)
        return [*loaded.diagnostics, *lint(loaded)]

    fixed = apply_fixes(text, name, findings)
    assert rule.code in [each.code for each in fixed.applied]
    left = findings(fixed.text)
    assert not has_errors(left)
    assert rule.code not in [each.code for each in left]
    lines = difflib.unified_diff(
        text.splitlines(), fixed.text.splitlines(), "before", "after", lineterm="", n=0
    )
    golden("\n".join(lines) + "\n", f"lint/fixes/{rule.code}.diff")


def test_each_rule_says_what_its_fix_does() -> None:
    said = {rule.code for rule in RULES if not rule.fix.startswith("none: ")}
    assert said == FIXED | ELSEWHERE
    assert all(rule.fix and not rule.fix.endswith(".") for rule in RULES)


@pytest.mark.parametrize(
    "rule", [rule for rule in RULES if rule.fix.startswith("none: ")], ids=lambda rule: rule.code
)
def test_rules_without_a_fix_offer_none(rule, tmp_path: Path) -> None:
    """What they say of themselves is so."""
    loaded = read(rule.bad, "bad.vsa", tmp_path)
    refuted = {"shop:1": ["one", "two", "three"], **(rule.recorded or {})}
    found = [each for each in lint(loaded, refuted=refuted) if each.code == rule.code]
    assert found and not any(each.fixes for each in found)


def test_mistakes_inside_a_mistake_are_fixed_at_once() -> None:
    """An unknown name hides what is wrong in its brackets; the fix of all of it is one."""
    text = (
        'spec a "Book R today at 7 PM"\nimport apps.opentable\n'
        'allow Resrve(resturant = "R", date = "today", time = 7pm).\ndone when Resrve earlier.\n'
    )
    fixed = apply_fixes(text, "x.vsa", lambda text: load_text(text, file="x.vsa").diagnostics)
    assert fixed.text == (
        'spec a "Book R today at 7 PM"\nimport apps.opentable\n'
        'allow Reserve(restaurant = "R", date = today, time = 19:00).\ndone when Reserve earlier.\n'
    )


def test_what_cannot_be_fixed_wholly_stays() -> None:
    """Where one of the mistakes that show has no fix, the name is left as it is."""
    text = (
        'spec a "Book"\nimport apps.opentable\nallow Resrve(colour = "R", date = "today").\n'
        "done when answer earlier.\n"
    )
    fixed = apply_fixes(text, "x.vsa", lambda text: load_text(text, file="x.vsa").diagnostics)
    assert "Resrve(colour" in fixed.text


def test_a_rule_that_is_written_twice_is_removed_once() -> None:
    """The second of two equal rules goes, with its line; one that only adds a condition stays."""
    rule = 'deny "no" when tap(id = "a").\n'
    text = f'policy p "P"\n{rule}{rule}'
    fixed = apply_fixes(text, "x.vsa", lambda text: lint(load_text(text, file="x.vsa")))
    assert fixed.text == f'policy p "P"\n{rule}'
    more = f'policy p "P"\n{rule}deny "no" when tap(id = "a"), Node(id = "b").\n'
    assert apply_fixes(more, "x.vsa", lambda text: lint(load_text(text, file="x.vsa"))).text == more


BOOK = (
    'spec book "Book two tables at R for today"\nimport apps.opentable\n'
    'allow 2 Reserve(restaurant = "R", date = today, time = ?t)\n'
    '  when Slot(restaurant = "R", date = today, time = ?t).\n'
)
BANK = (
    'app bank package "com.bank" "A bank"\n'
    'state Payee{key} "Who is paid" {\n  id: Text "which one"\n  name: Text "the name"\n}\n'
    'update Payee(id = ?i, name = ?n) when Node(id = "to", desc = ?i, text = ?n).\n'
    'update Payee(id = "1", name = unknown) when tap(id = "change").\n'
    'action Pay(amount: Number "how much") "Pay"\n'
    'recognize Pay(amount = number(?a)) when tap(id = "pay"), Node(id = "amount", text = ?a).\n'
    'deny "Only Anna is paid" when Pay, Payee(name {of}).\n'
)
CLOCK = (
    'app clock package "com.clock" "A clock"\n'
    'state Alarm key (id) "An alarm" {\n  id: Text "its id"\n  time: Time "when"\n  on: Bool "whether it is on"\n}\n'
    "update Alarm(id = ?i, time = time(?t), on = ?c)\n"
    '  when Node(id = "alarm", desc = ?i, text = ?t, checked = ?c).\n'
    'action Save "Save it"\nrecognize Save when tap(id = "save").\n'
)
MAIL = (
    'app mail package "com.mail" "A mail app"\n'
    'state Contact "A person" {\n  email: Text "the address"\n}\n'
    'update Contact(email = ?e) when Node(id = "email", text = ?e).\n'
    'action Send(email: Text "to whom") "Send it"\n'
    'recognize Send(email = ?e) when tap(id = "send") with Contact(email = ?e).\n'
)
SHOP = (
    'app shop package "com.shop" "A shop"\n'
    'screen Page "The page of a thing" when Node(id = "title"{asked}).\n'
    'screen Cart "What is to be bought" when Node(id = "cart").\n'
    'view Item "The thing whose page is open" {\n  name: Text "what it is called"\n}\n'
    'update Item(name = ?n) when Node(id = "title", text = ?n).\n'
)


def of_code(code: str, text: str, folder: Path | None = None) -> tuple[str, bool]:
    """The text after the fixes of one rule, and whether the rule finds anything in it before."""
    path = folder / "x.vsa" if folder is not None else None

    def findings(text: str):
        loaded = load_text(text, file="x.vsa", path=path)
        return [*loaded.errors, *lint(loaded, select={code})]

    return apply_fixes(text, "x.vsa", findings).text, code in [each.code for each in findings(text)]


@pytest.mark.parametrize(
    ("code", "text", "old", "new"),
    [
        (
            "L0003",
            BOOK.replace('Slot(restaurant = "R", date = today, time', 'Slot(restaurant = "R", time'),
            "time = ?t).",
            "time = ?t, date = today).",
        ),
        ("L0016", BOOK + "done when Reserve earlier.\n", "Reserve earlier", "all Reserve"),
        (
            "L0017",
            BOOK + "done when all Reserve.\n",
            "all Reserve",
            "all Reserve, ReserveResult(success = true)",
        ),
        ("L0009", SHOP.replace("{asked}", ""), "view Item ", "view Item on Page "),
        (
            "L0031",
            BANK.replace("{key}", "").replace("{of}", 'not in {"Anna", "Ben"}'),
            'Payee(name not in {"Anna", "Ben"})',
            'not Payee(name in {"Anna", "Ben"})',
        ),
    ],
)
def test_fixes_write_what_the_rule_says(code: str, text: str, old: str, new: str) -> None:
    fixed, found = of_code(code, text)
    assert found
    assert fixed == new.join(text.rsplit(old, 1))


def test_identifiers_in_permissions_are_equal(tmp_path: Path) -> None:
    (tmp_path / "mail.vsa").write_text(MAIL, encoding="utf-8")
    spec = 'spec s "Send"\nimport mail\nallow Send(email ~= "a@b.org").\ndone when Send earlier.\n'
    assert of_code("L0012", spec, tmp_path)[0] == spec.replace("~=", "=")


def test_two_conditions_of_a_licence_become_one(tmp_path: Path) -> None:
    """Written as one, they permit less."""
    (tmp_path / "clock.vsa").write_text(CLOCK, encoding="utf-8")
    spec = (
        'spec s "Save"\nimport clock\nallow Save when Alarm(time = 07:00),\n  Alarm(on = true).\n'
        "done when Save earlier.\n"
    )
    fixed, _ = of_code("L0036", spec, tmp_path)
    assert fixed == spec.replace("07:00),\n  Alarm(on", "07:00, on")


@pytest.mark.parametrize(
    ("code", "text"),
    [
        # what is negated, a part of what was done, any number of times
        ("L0003", BOOK.replace("time = ?t).", 'time = ?t), no Slot(restaurant = "R", available = false).')),
        ("L0016", BOOK + 'done when Reserve(restaurant = "R") earlier.\n'),
        ("L0016", BOOK.replace("allow 2", "allow each") + "done when Reserve earlier.\n"),
        # a judgement of what is similar objects to more
        ("L0012", MAIL + 'deny "no" when Send(email ~= "a@b.org").\n'),
        ("L0012", MAIL + 'deny "no" when Send, no Contact(email !~= "a@b.org").\n'),
        # a screen that asks for more than the view does
        ("L0009", SHOP.replace("{asked}", ', text = "Thing"')),
        # one of several rows
        ("L0031", BANK.replace("{key}", " key (id)").replace("{of}", '!= "Anna"')),
        # two conditions of a judgement: one would object to less; a comment between them
        ("L0036", CLOCK + 'deny "Set" when tap(id = "save"), Alarm(time = 07:00), Alarm(on = true).\n'),
    ],
)
def test_what_a_fix_might_get_wrong_stays(code: str, text: str) -> None:
    fixed, found = of_code(code, text)
    assert found
    assert fixed == text
