"""A circle through an absence is told as it is: what needs a relation, and what needs that it is not there (E0402)."""

from vsalang.language.semantics import load_text


def _help(third: str) -> str:
    text = f"""app shop package "com.shop" "x"
define Open when Node(id = "a"), not Shut.
define Shut when Node(id = "b"), {third}.
"""
    [finding] = [d for d in load_text(text).diagnostics if d.code == "E0402"]
    return finding.help


def test_both_rest_on_an_absence() -> None:
    assert _help("not Open") == "`Open` needs no `Shut`, `Shut` needs no `Open`"


def test_one_rests_on_an_absence() -> None:
    assert _help("Open") == "`Open` needs no `Shut`, `Shut` needs `Open`"
