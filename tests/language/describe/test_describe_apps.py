"""What is said of app modules: elements, where values come from, screens and steps, constants."""

import json

import pytest

from vsalang.language.describe import describe, to_text
from vsalang.language.semantics import load_text
from vsalang.tools.cli.main import run

APP = (
    'app a package "a.b" "A"\nimport std.tree\nimport std.lists\n'
    'state Row key (name) "A row" {\n  name: Text "the name"\n  on: Bool "whether it is on"\n'
    '  size: Number "its size"\n}\n'
    'state Total "The total" {\n  name: Text "the name"\n  size: Number "the sum"\n}\n'
    'action Add(name: Text "the name", size: Number "the size") "Add a row"\n'
)


def said(rules: str) -> str:
    loaded = load_text(APP + rules, file="a.vsa")
    assert loaded.program is not None, [d.message for d in loaded.diagnostics]
    return " ".join(to_text(describe(loaded.program, loaded.units)).split())


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        # elements are called by their ids, what is read of them by where it stands
        (
            'update Row(name = ?t, on = ?c) when Node(id = "x", text = ?t, checked = ?c).',
            'It is read of a row that its name is the text of "x" and it is on exactly if "x" is checked, '
            'when there is an element "x".',
        ),
        (
            'update Row(name = ?t, on = flip(?c)) when tap(id = "x", text = ?t, checked = ?c).',
            'Of a row, its name becomes the text of "x" and it is on exactly if "x" is not checked, '
            'when the agent taps "x".',
        ),
        # without ids they get letters, the one that is touched has a name of its own
        (
            'update Total(name = ?t) when Node(class = "A", node = ?l), Part(of = ?l, class = "B", text = ?t).',
            'there is an element (call it element A) with class "A"; and - inside element A, there is an element '
            '(call it element B) with class "B".',
        ),
        (
            "update Total(name = ?t) when tap(node = ?n), Inside(node = ?n, of = ?r), "
            'Part(of = ?r, id = "t", text = ?t).',
            "the element tapped lies inside an element (call it element A); and",
        ),
        # two elements of one id are not told apart by it
        (
            'update Total(name = ?t) when Node(id = "x", node = ?l), Node(id = "x", parent = ?l, text = ?t).',
            'there is an element "x" (call it element A); and - directly inside element A, there is an element "x" '
            "(call it element B).",
        ),
        ('update Total(name = ?t) when Node(id = "s", node = ?n), Caption(control = ?n, text = ?t).', 'caption of "s"'),
        ('complete Row when Node(id = "s", node = ?n), Fits(node = ?n).', "All rows have been seen when: - there is"),
        (
            'update Total(size = 0) when Node(id = "s", node = ?n), Whole(node = ?n), not Part(of = ?n, id = "t").',
            '"s" is not cut off; and - inside "s", no element "t" is seen',
        ),
        ('update Total(name = "x") when press_key(key = "enter").', 'when the agent presses the key "enter"'),
        # values that come from elsewhere say whose they are
        (
            "update Row(name = ?n, size = ?s) when Add(name = ?n, size = ?s).",
            'Of a row, its name and its size are those of the action, after "add".',
        ),
        (
            "update Total(size = ?t + ?s) when Add(size = ?s), Total(size = ?t).",
            'its sum becomes the sum of the total plus the size of the action, after "add", when the sum of the total',
        ),
        ("delete Row(name = ?n) when Add(name = ?n).", 'Rows with name equal to the name of the action are gone after'),
        (
            'recognize Add(name = ?n) when tap(id = "a") with Total(name = ?n).',
            '"add" (add a row) is recognised when the agent taps "a"; its name is that of the total, if the name of '
            "the total is",
        ),
        # steps, screens, words that nothing uses, constants
        ('screen S "x" when Node(id = "s").\ngoto S when Add.', 'The next screen is "s" after "add".'),
        ('screen S "x" when Node(id = "s").\ngoto S when back.', 'The next screen is "s" when the agent goes back.'),
        (
            'screen S "x" when Node(id = "s").\nscreen T closed over S "y" when Node(id = "t").',
            '"t" lies over "s": where both could show, the screen is "t". - On "t", the user is asked before any tap',
        ),
        ("define Big when Row(size > 5).", 'uses - "big" holds when there is a row with size more than 5.'),
        ("let Late = 19:00.", 'Constants - "Late" stands for 7 pm (19:00).'),
        ("let Days = {2026-04-01, 2026-04-02}.", "stands for Wednesday 1 April 2026 and Thursday 2 April 2026."),
        ("let P = /x+/i.", 'stands for the pattern /x+/ (small or capital letters).'),
    ],
)  # fmt: skip
def test_sentences_of_apps(rule: str, words: str) -> None:
    assert words in said(rule + "\n")


def test_constants_in_json(tmp_path, capsys) -> None:
    path = tmp_path / "a.vsa"
    path.write_text('spec s "x"\nlet Yes = "yes".\nallow answer(text = Yes).\ndone when answer earlier.\n')
    assert run(["describe", str(path), "--format", "json"]) == 0
    entry = json.loads(capsys.readouterr().out)["sections"][-1]["entries"][0]
    assert (entry["kind"], entry["rule"], entry["sentence"]) == ("let", None, '"Yes" stands for "yes".')
    assert entry["span"]["start"]["line"] == 2


def test_words_with_further_capitals_stay() -> None:
    text = said(
        'screen Network "Wi-Fi and airplane mode" when Node(id = "n").\n'
        'screen Start "The first page" when Node(id = "s").\n'
    )
    assert 'The screen "network" (Wi-Fi and airplane mode) shows when' in text
    assert 'The screen "start" (the first page) shows when' in text
