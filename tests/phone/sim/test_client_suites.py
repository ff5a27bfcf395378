"""What `scripts/framework_suites.py` counts, the stand-in apk, and the phone and spec that the suites run with."""

import tomllib
from pathlib import Path

from scripts.framework_apk import write_apk
from scripts.framework_suites import PAGE, PHONE, SOURCE, Suite, main, outcomes, page
from vsalang import load as load_spec
from vsalang.phone.apk import Manifest, read_manifest
from vsalang.phone.sim import Phone, load

REPORT = """<testsuites><testsuite>
<testcase classname="a.b" name="one"/>
<testcase classname="a.b" name="two"><failure message="m"/></testcase>
<testcase classname="test" name="three"><skipped/></testcase>
<testcase classname="a.b" name="four"/>
</testsuite></testsuites>"""
STRAIGHT = {"a.b: one": "passed", "a.b: two": "failed", "three": "skipped", "a.b: four": "passed"}


def test_outcomes_of_a_report() -> None:
    assert outcomes(REPORT) == STRAIGHT


def test_what_is_counted_and_what_is_explained() -> None:
    table = {"title": "A", "what": "All.", "without": {"*two": "no camera"}, "guarded": {"*four": "the spec"}}
    held = {**STRAIGHT, "a.b: one": "failed", "a.b: four": "failed"}
    suite = Suite("a", table, STRAIGHT, held)
    assert suite.counted == ["a.b: one", "a.b: four"]
    assert suite.unexplained == ["a.b: one"], "only this one has no reason"
    text = page([suite])
    assert "| A | 4 | 1 | 1 | 2 | 2 (100 %) | 0 (0 %) |" in text
    assert "| no camera | `a.b: two` |" in text
    assert "| the spec | `a.b: four` |" in text
    assert "| not explained | `a.b: one` |" in text


def test_a_stand_in_apk_is_read(tmp_path: Path) -> None:
    write_apk(tmp_path / "new" / "a.apk", "org.example.app", ("p.ONE", "p.TWO"))
    manifest = read_manifest((tmp_path / "new" / "a.apk").read_bytes())
    assert manifest == Manifest("org.example.app", ("p.ONE", "p.TWO"))


def test_a_checkout_that_is_missing_is_named(tmp_path: Path, capsys) -> None:  # type: ignore[no-untyped-def]
    assert main([]) == 2
    assert main([str(tmp_path), "adbutils"]) == 2
    assert "git clone --depth 1 https://github.com/openatx/adbutils" in capsys.readouterr().err


def test_phone_and_spec_of_the_suites_are_right() -> None:
    phone = Phone(load(str(PHONE)))
    phone.open_app("com.example.u2testdemo", "addition")
    for name, digits in (("first", "1"), ("second", "2")):
        phone.tap_id(name)
        phone.type_text(digits)
    phone.hide_keyboard()
    phone.tap_id("add")
    assert phone.find("sum").text == "3"
    load_spec(PHONE / "suites.vsa").checked()


def test_the_page_has_every_suite() -> None:
    tables = tomllib.loads(SOURCE.read_text(encoding="utf-8"))
    text = PAGE.read_text(encoding="utf-8")
    assert [table["title"] for table in tables.values() if f"## {table['title']}" not in text] == []
