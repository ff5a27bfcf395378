"""What ships for editors has the words of the language: snippets parse, and lists of words are those of the tables."""

import json
import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from tests.editors.programs import ROOT
from vsalang.base.source import Source
from vsalang.language.syntax.parser import parse
from vsalang.program.reserved_words import (
    AGGREGATES,
    DECLARATIONS,
    ITEM_WORDS,
    MODULE_KINDS,
    RESERVED,
    RULE_KINDS,
    STEP_WORDS,
)

EDITORS: Final = ROOT / "editors"
SNIPPETS: Final[dict[str, dict[str, Any]]] = json.loads(
    (EDITORS / "vscode" / "snippets" / "vsa.json").read_text(encoding="utf-8")
)
CONFIGURATION: Final = json.loads(
    (EDITORS / "vscode" / "language-configuration.json").read_text(encoding="utf-8")
)


def filled(body: list[str]) -> str:
    """A snippet as it stands if the user accepts each proposal."""
    text = "\n".join(body).replace("$0", "")
    text = re.sub(r"\$\{\d+\|([^,|]*)[^}]*\}", r"\1", text)
    return re.sub(r"\$\{\d+:([^}]*)\}", r"\1", text)


@pytest.mark.parametrize("name", SNIPPETS)
def test_snippets_are_programs(name: str) -> None:
    text = filled(SNIPPETS[name]["body"])
    whole = text if name in MODULE_KINDS else f"spec a\n{text}"
    assert "$" not in whole
    assert [found.message for found in parse(Source.from_text(whole, "a.vsa")).diagnostics] == []
    assert SNIPPETS[name]["prefix"] == name


def test_vscode_indents_after_each_kind_of_rule() -> None:
    continued, ended = CONFIGURATION["onEnterRules"]
    for kind in RULE_KINDS:
        assert re.search(continued["beforeText"], f'{kind} A(x = "a.", y < b.c)')
        assert not re.search(continued["beforeText"], f"{kind} A.")
    assert re.search(ended["beforeText"], "  when A(x = 1).")
    assert not re.search(ended["beforeText"], "  when A(x = 1),")


def test_vscode_indents_in_brackets() -> None:
    rules = CONFIGURATION["indentationRules"]
    increase, decrease = (re.compile(rules[f"{name}IndentPattern"]) for name in ("increase", "decrease"))
    assert increase.search("state S {") and increase.search("step { // why")
    assert not increase.search('allow answer(text = "{").') and not increase.search("// {")
    assert decrease.search("  }") and not decrease.search("x }")


def test_neovim_has_each_kind_of_rule() -> None:
    [words] = re.findall(r'local words = "([a-z ]*)"', (EDITORS / "vsa.lua").read_text(encoding="utf-8"))
    assert sorted(words.split()) == sorted(RULE_KINDS)


def test_emacs_has_the_words() -> None:
    text = (EDITORS / "emacs" / "vsa-mode.el").read_text(encoding="utf-8")
    lists = {
        name: set(re.findall(r'"([a-z]+)"', words))
        for name, words in re.findall(r"\(defconst vsa-mode-([a-z]+)\s*'\(([^)]*)\)", text)
    }
    assert lists["licences"] | lists["rules"] == set(RULE_KINDS)
    assert lists["items"] == set(MODULE_KINDS) | set(DECLARATIONS)
    assert lists["steps"] == set(STEP_WORDS)
    assert lists["aggregates"] == set(AGGREGATES)
    assert lists["words"] | lists["constants"] == (RESERVED - ITEM_WORDS - set(MODULE_KINDS)) | {
        "because",
        "or",
        "refines",
    }


def test_helix_has_names_of_its_own_for_indents(tmp_path: Path) -> None:
    """As the guide changes the query; Helix indents by `indent` and `outdent` only."""
    guide = (ROOT / "docs" / "guides" / "editors.md").read_text(encoding="utf-8")
    [command] = re.findall(
        r"^    (sed .*) ~/\.config/helix/runtime/queries/vsa/indents\.scm$", guide, re.MULTILINE
    )
    query = tmp_path / "indents.scm"
    shutil.copy(EDITORS / "tree-sitter-vsa" / "queries" / "indents.scm", query)
    patterns = re.findall(r"\(\w+\)", query.read_text(encoding="utf-8"))
    subprocess.run([*shlex.split(command), query], check=True)
    text = query.read_text(encoding="utf-8")
    assert re.findall(r"@[\w.]+", text) == ["@indent", "@outdent"]
    kept = [pattern for pattern in patterns if "comment" not in pattern and pattern != "(doc_string)"]
    assert re.findall(r"\(\w+\)", text) == kept


def test_helix_and_zed_start_the_server() -> None:
    helix = tomllib.loads((EDITORS / "helix" / "languages.toml").read_text(encoding="utf-8"))
    assert helix["language-server"]["vsac"] == {"command": "vsac", "args": ["lsp"]}
    [language], [grammar] = helix["language"], helix["grammar"]
    assert language["file-types"] == ["vsa"] and language["language-servers"] == ["vsac"]
    assert (language["name"], grammar["name"]) == ("vsa", "vsa")
    zed = tomllib.loads((EDITORS / "zed" / "extension.toml").read_text(encoding="utf-8"))
    config = tomllib.loads(
        (EDITORS / "zed" / "languages" / "vsa" / "config.toml").read_text(encoding="utf-8")
    )
    assert config["grammar"] in zed["grammars"] and zed["language_servers"]["vsac"]["languages"] == [
        config["name"]
    ]
    assert (ROOT / zed["grammars"]["vsa"]["path"] / "src" / "parser.c").is_file()
