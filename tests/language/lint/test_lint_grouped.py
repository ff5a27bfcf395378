"""Findings of one cause are one finding with several places, and `vsac lint` shows what checking warns of."""

import json
from pathlib import Path

import pytest

from vsalang.base.diagnostics import Diagnostic
from vsalang.language.lint import lint, warnings_of_check
from vsalang.language.semantics import load
from vsalang.tools.cli.main import run

APP = """app shop package "com.shop"
state Cart key (id) "A cart" { id: Text "its id" total: Number items: Number "how many" }
view Bill { sum: Number }
action Pay(sum: Number) "Pay"
"""
SPEC = """spec pay "Pay the bill"
import shop
allow Pay(sum <= 5) when Bill(sum < 5), no Cart(id = "a", items > 0).
allow answer(text = "x") when no Bill(sum > 5), every Cart has (total < 5).
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shop.vsa").write_text(APP)
    (tmp_path / "pay.vsa").write_text(SPEC)
    return tmp_path


def places(finding: Diagnostic, text: str) -> list[str]:
    spans = [finding.span, *(label.span for label in finding.labels)]
    return [text[span.start : span.end] for span in spans if span is not None]


def test_what_nothing_writes_is_one_finding_with_places(folder: Path) -> None:
    (found,) = lint(load(folder / "pay.vsa"), select={"L0005"})
    assert places(found, SPEC) == ["sum <= 5", "sum < 5", 'id = "a"', "items > 0", "total < 5"]
    assert "`Pay.sum`, `Bill.sum`, `Cart.id`, `Cart.items` and `Cart.total`" in found.message


def test_it_is_one_finding_beside_rules_too(folder: Path) -> None:
    (folder / "shop.vsa").write_text(
        APP
        + 'update Cart(id = ?t) when Node(id = "cart", text = ?t).\nrecognize Pay when tap(id = "pay").\n'
        + 'complete Cart when Node(id = "all").\n'
    )
    (found,) = lint(load(folder / "pay.vsa"), select={"L0005"})
    assert places(found, SPEC) == ["sum <= 5", "sum < 5", "items > 0", "total < 5"]
    assert found.message.endswith("they are never known")
    assert found.help == "give them in `recognize` or `update` rules of `shop`"


def test_checking_warns_once_of_what_nothing_writes(folder: Path) -> None:
    (found,) = [item for item in load(folder / "pay.vsa").diagnostics if item.code == "W0401"]
    assert places(found, SPEC) == ['no Cart(id = "a", items > 0)'[3:], "Bill(sum > 5)", "Cart"]
    assert "`Cart` and `Bill`: these 3 conditions" in found.message
    (folder / "pay.vsa").write_text(
        SPEC.replace(", every Cart has (total < 5)", "").replace("no Bill", "Bill")
    )
    (found,) = [item for item in load(folder / "pay.vsa").diagnostics if item.code == "W0401"]
    assert "`Cart`: this condition is decided" in found.message and not found.labels


def test_declarations_without_descriptions_are_one_finding(folder: Path) -> None:
    (found,) = lint(load(folder / "shop.vsa"), select={"L0010"})
    assert found.message == "4 declarations lack descriptions"
    assert places(found, APP) == ["shop", "Cart", "Bill", "Pay"]
    assert [label.text for label in found.labels] == [
        "no description of `total`",
        "no description, nor `sum`",
        "no description of `sum`",
    ]


def test_a_comment_takes_out_its_own_place(folder: Path) -> None:
    text = APP.replace("view Bill", "// lint: ignore L0010\nview Bill").replace(
        "app shop package", "// lint: ignore L0010\napp shop package"
    )
    (folder / "shop.vsa").write_text(text)
    (found,) = lint(load(folder / "shop.vsa"), select={"L0010"})
    assert places(found, text) == ["Cart", "Pay"]
    text = SPEC.replace("allow Pay", "// lint: ignore L0005\nallow Pay")
    (folder / "pay.vsa").write_text(text)
    (found,) = lint(load(folder / "pay.vsa"), select={"L0005"})
    assert places(found, text) == ["sum > 5", "total < 5"]


def test_lint_shows_what_checking_warns_of(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(folder / "pay.vsa")
    assert run(["lint", file, "--format", "json"]) == 0
    codes = [item["code"] for item in json.loads(capsys.readouterr().out)["diagnostics"]]
    assert codes.count("W0501") == codes.count("W0401") == 1
    assert run(["lint", "--strict", "--select", "W0501", file]) == 1
    assert "no `done`" in capsys.readouterr().out
    assert run(["lint", "--strict", "--select", "L0001", file]) == 0
    assert run(["lint", "--strict", "--ignore", "W0501,W0401,L0005,L0002", file]) == 0
    assert run(["lint", "--select", "W0999", file]) == 2
    capsys.readouterr()
    (folder / "vsac.toml").write_text('[lint]\nignore = ["W0401"]\nlevels = { W0501 = "error" }\n')
    assert run(["lint", file]) == 1
    out = capsys.readouterr().out
    assert "error[W0501]" in out and "W0401" not in out


def test_nothing_is_said_of_imports_and_broken_files(folder: Path) -> None:
    (folder / "own.vsa").write_text('spec own "Do it"\nimport shop\nallow Pay(sum = 5).\nallow Fly.\n')
    assert warnings_of_check(load(folder / "own.vsa")) == ()
    twice = APP.replace("state Cart", "import std.text\nimport std.text\nstate Cart")
    (folder / "shop.vsa").write_text(twice)
    assert [item.code for item in warnings_of_check(load(folder / "shop.vsa"))] == ["W0201"]
    found = warnings_of_check(load(folder / "pay.vsa"))
    assert {item.where for item in found} == {str(folder / "pay.vsa")}
