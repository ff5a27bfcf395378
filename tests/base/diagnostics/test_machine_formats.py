"""Findings for programs: JSON, SARIF, GitHub."""

import json

from vsalang.base.diagnostics import Edit, Fix, Label, error, jsonout, sarif, warning
from vsalang.base.diagnostics import github as github_out
from vsalang.base.source import Source, Span

TEXT = "spec a\nallow Slto(é = 1).\n"
SOURCE = Source.from_text(TEXT, "dir/a b.vsa")
SPAN = Span(SOURCE.file, TEXT.index("Slto"), TEXT.index("Slto") + 4)
FINDING = error(
    "E0003",
    SPAN,
    "unknown relation `Slto`",
    label="not declared",
    labels=(Label(Span(SOURCE.file, 0, 6), "in this module"),),
    help="did you mean `Slot`?",
    fixes=(Fix("write `Slot`", (Edit(SPAN, "Slot"),)),),
)
NOWHERE = warning("W0001", None, "odd", file="b.vsa")
SOURCES = {SOURCE.file: SOURCE}


def test_json_shape() -> None:
    start = {"line": 2, "column": 7, "offset": 13}
    end = {"line": 2, "column": 11, "offset": 17}
    first = {"line": 1, "column": 1, "offset": 0}
    assert json.loads(jsonout.render([FINDING, NOWHERE], SOURCES)) == {
        "version": 1,
        "diagnostics": [
            {
                "code": "E0003",
                "severity": "error",
                "message": "unknown relation `Slto`",
                "file": "dir/a b.vsa",
                "span": {"start": start, "end": end},
                "label": "not declared",
                "labels": [
                    {
                        "file": "dir/a b.vsa",
                        "span": {"start": first, "end": {"line": 1, "column": 7, "offset": 6}},
                        "text": "in this module",
                    }
                ],
                "help": "did you mean `Slot`?",
                "fixes": [
                    {
                        "title": "write `Slot`",
                        "edits": [
                            {"file": "dir/a b.vsa", "span": {"start": start, "end": end}, "text": "Slot"}
                        ],
                    }
                ],
            },
            {
                "code": "W0001",
                "severity": "warning",
                "message": "odd",
                "file": "b.vsa",
                "span": None,
                "label": "",
                "labels": [],
                "help": "",
                "fixes": [],
            },
        ],
        "counts": {"error": 1, "warning": 1, "info": 0},
    }


def test_json_is_ascii_and_survives_broken_text() -> None:
    text = jsonout.render([error("E1", None, "é \ud800 \u202e")], {})
    assert text.isascii()
    assert json.loads(text)["diagnostics"][0]["message"] == "é \ud800 \u202e"


def test_json_without_the_text_has_offsets_only() -> None:
    (found,) = jsonout.to_data([FINDING], {})["diagnostics"]
    assert found["span"]["start"] == {"line": None, "column": None, "offset": 13}


def test_sarif_has_what_the_standard_requires() -> None:
    data = json.loads(sarif.render([FINDING, NOWHERE], SOURCES, version="0.1.0"))
    assert data["version"] == "2.1.0"
    assert data["$schema"].endswith("sarif-2.1.0.json")
    (run,) = data["runs"]
    assert run["columnKind"] == "unicodeCodePoints"
    driver = run["tool"]["driver"]
    assert driver["name"] == "vsac"
    assert [rule["id"] for rule in driver["rules"]] == ["E0003", "W0001"]
    assert driver["rules"][0]["defaultConfiguration"] == {"level": "error"}
    for result in run["results"]:
        assert result["message"]["text"]
        assert result["level"] in {"error", "warning", "note"}
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    first, second = run["results"]
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "dir/a%20b.vsa"
    assert place["region"] == {"startLine": 2, "startColumn": 7, "endLine": 2, "endColumn": 11}
    assert first["relatedLocations"][0]["message"]["text"] == "In this module."
    (change,) = first["fixes"][0]["artifactChanges"]
    (replacement,) = change["replacements"]
    assert replacement == {"deletedRegion": place["region"], "insertedContent": {"text": "Slot"}}
    assert second["locations"][0]["physicalLocation"]["region"] == {"startLine": 1}
    assert first["message"]["text"] == "Unknown relation `Slto`: not declared.\nDid you mean `Slot`?"


def test_sarif_uris() -> None:
    def uri(file: str) -> str:
        (run,) = sarif.to_data([error("E1", None, "m", file=file)], {})["runs"]
        return run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]

    assert uri("/abs/ü#.vsa") == "file:///abs/%C3%BC%23.vsa"
    assert uri("C:\\a\\b.vsa") == "file:///C:/a/b.vsa"
    assert uri("a:b?.vsa") == "a%3Ab%3F.vsa"


def test_a_suggestion_is_said_once_and_in_words() -> None:
    fix = Fix("add a period", (Edit(SPAN, "."),))
    finding = error("E0106", SPAN, "a period is missing", help="rules end with a period", fixes=(fix,))
    said = "A period is missing.\nRules end with a period.\nSuggestion: add a period."
    assert sarif.to_data([finding], SOURCES)["runs"][0]["results"][0]["message"]["text"] == said
    assert github_out.render([finding], SOURCES).endswith("::" + said.replace("\n", "%0A") + "\n")


def test_sarif_leaves_out_fixes_it_cannot_place() -> None:
    (run,) = sarif.to_data([FINDING], {})["runs"]
    assert "fixes" not in run["results"][0]


def test_github_commands() -> None:
    shown = github_out.render([FINDING, NOWHERE], SOURCES).split("\n")
    assert shown == [
        "::error file=dir/a b.vsa,line=2,endLine=2,col=7,endColumn=11,title=E0003::"
        "Unknown relation `Slto`: not declared.%0ADid you mean `Slot`?",
        "::warning file=b.vsa,title=W0001::Odd.",
        "",
    ]


def test_github_text_cannot_start_a_command_of_its_own() -> None:
    shown = github_out.render([error("E1", None, "a\n::error::b%\r", file="x,y:z%.vsa")], {})
    assert shown == "::error file=x%2Cy%3Az%25.vsa,title=E1::A%0A::error::b%25.\n"


def test_github_names_no_columns_for_several_lines() -> None:
    shown = github_out.render([error("E1", Span(SOURCE.file, 0, 20), "m")], SOURCES)
    assert "line=1,endLine=2,title" in shown
