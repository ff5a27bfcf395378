"""What code-scanning services ask of SARIF: the rules of Sarif.Multitool (`SARIFnnnn`, `GHnnnn`) that they publish.

`Sarif.Multitool validate --rule-kind "Sarif;Ghas"` says the same; where its program is named by `SARIF_MULTITOOL` it is
asked too.
"""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from click.testing import CliRunner

from vsalang.base.diagnostics import codes
from vsalang.base.project import documentation, page_of
from vsalang.language.lint import CODES as LINT
from vsalang.tools.cli.main import cli

ROOT = Path(__file__).resolve().parents[3]
PASCAL = re.compile(r"([A-Z][a-z]+|[0-9]+)+")
FILES = {
    "bad.vsa": 'spec bad "x"\nallow Slto(a == 1).\n',
    "sub dir/nonsense.vsa": "nonsense",
    "odd.vsa": 'spec odd "Book for 5"\nimport opentable\nallow Reserve.\ndone when Reserve earlier.\n',
}


def nodes(data: Any) -> Iterator[dict[str, Any]]:
    """Every object of a document."""
    if isinstance(data, dict):
        yield data
        for value in data.values():
            yield from nodes(value)
    elif isinstance(data, list):
        for value in data:
            yield from nodes(value)


def broken(log: dict[str, Any]) -> Iterator[str]:
    """The rules that a log breaks."""
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    if not log["$schema"].endswith("sarif-2.1.0.json"):
        yield "SARIF1011, SARIF2008: the schema"
    if not re.match(r"[0-9]", driver.get("version", "")) or len(driver["name"].split()) > 3:
        yield "SARIF2005: name and version"
    # while no documentation is published, there is no address: `help` has the text
    if "informationUri" in driver and urlsplit(driver["informationUri"]).scheme != "https":
        yield "SARIF2005, SARIF1005: informationUri"
    for rule in driver["rules"]:
        if not rule.get("help", {}).get("text"):
            yield f"GH2012: help of {rule['id']}"
        if "helpUri" in rule and urlsplit(rule["helpUri"]).scheme != "https":
            yield f"SARIF2012, SARIF1005: helpUri of {rule['id']}"
        if not PASCAL.fullmatch(rule.get("name", "")) or rule["name"] == rule["id"]:
            yield f"SARIF2012, SARIF1001: name of {rule['id']}: {rule.get('name')}"
        if not rule["shortDescription"]["text"].endswith((".", "?", "!")):
            yield f"SARIF2001: description of {rule['id']}"
    bases = run.get("originalUriBaseIds", {})
    for result in run["results"]:
        if driver["rules"][result["ruleIndex"]]["id"] != result["ruleId"]:
            yield "SARIF1009, SARIF1010: the rule of a result"
        if not result["message"]["text"].endswith((".", "?", "!")):
            yield f"SARIF2001: {result['message']['text']}"
        if not result.get("locations"):
            yield "GH1001: a result without a location"
        for place in (*result.get("locations", ()), *result.get("relatedLocations", ())):
            region = place["physicalLocation"].get("region", {})
            if not region.get("startLine"):
                yield "GH1003: a location without a line"
            ends = region.get("endLine", region.get("startLine")), region.get("endColumn", 10**9)
            if ends < (region.get("startLine"), region.get("startColumn", 1)):
                yield "SARIF1007: a region that ends before it begins"
        for place in result.get("relatedLocations", ()):
            if not place.get("message", {}).get("text"):
                yield "GH1007: a related location without a message"
    checkout = any("workingDirectory" in each for each in run.get("invocations", ()))
    for node in nodes(run):
        for place in [node["artifactLocation"]] if "artifactLocation" in node else []:
            absolute = bool(urlsplit(place["uri"]).scheme)
            if absolute and (not place["uri"].startswith("file:///") or not checkout):
                yield f"GH1005, GH1006, SARIF2016: {place['uri']}"
            if absolute == ("uriBaseId" in place) or (not absolute and place["uriBaseId"] not in bases):
                yield f"SARIF1004: the base of {place['uri']}"
            if not re.fullmatch(r"[A-Za-z0-9._~!$&'()*+,;=:@/%-]+", place["uri"]):
                yield f"SARIF1002: {place['uri']}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["check"],
        ["lint"],
        ["check", "{}/bad.vsa"],
        ["check", "no_such_file.vsa"],
        ["check", "{}/../away.vsa"],
    ],
)
def test_code_scanning_takes_it(folder: Path, arguments: list[str]) -> None:
    (folder.parent / "away.vsa").write_text("nonsense")
    words = [word.format(folder) for word in arguments]
    text = CliRunner().invoke(cli, [*words, "--format", "sarif"]).stdout
    log = json.loads(text)
    assert log["runs"][0]["results"]
    assert list(broken(log)) == []
    if program := os.environ.get("SARIF_MULTITOOL"):
        (folder / "log.sarif").write_text(text)
        said = subprocess.run(
            [program, "validate", "log.sarif", "--rule-kind", "Sarif;Ghas", "--level", "Error;Warning"],
            capture_output=True,
            text=True,
        ).stdout
        assert "error" not in said and "warning" not in said, said


def test_every_code_has_a_page_a_name_and_help(folder: Path, installed: Path) -> None:
    from vsalang.base.diagnostics import error, sarif

    known = {**codes.CODES, **LINT}
    log = sarif.to_data(
        [error(code, None, "m", file="a.vsa") for code in known],
        {},
        version="1",
        codes=known,
        page=lambda code: f"https://docs.example.org/{page_of(code)}",
        information="https://docs.example.org/",
    )
    assert list(broken(log)) == []
    for code in known:
        page = Path(unquote(urlsplit(documentation(page_of(code))).path))
        assert page.name == f"{code}.md" and page.is_file() and page.is_relative_to(installed)


def test_the_rules_here_find_what_is_wrong() -> None:
    log = {
        "$schema": "x",
        "runs": [
            {
                "tool": {
                    "driver": {"name": "a b c d", "rules": [{"id": "E1", "shortDescription": {"text": "t"}}]}
                },
                "results": [
                    {
                        "ruleId": "E1",
                        "ruleIndex": 0,
                        "message": {"text": "m"},
                        "relatedLocations": [
                            {"physicalLocation": {"artifactLocation": {"uri": "http://a b"}}}
                        ],
                    }
                ],
            }
        ],
    }
    found = " ".join(broken(log))
    for code in ("1011", "2005", "2012", "GH2012", "2001", "GH1001", "GH1003", "GH1005", "GH1007", "1002"):
        assert code in found, code


def test_the_addresses_that_the_package_names_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    from vsalang.base import project

    monkeypatch.setattr(project, "urls", lambda: {"documentation": "https://docs.example.org/vsa/"})
    assert documentation(page_of("L0001")) == "https://docs.example.org/vsa/reference/lint/L0001.md"
    monkeypatch.setattr(project, "urls", dict)
    assert documentation() == (ROOT / "docs" / "README.md").as_uri()
