"""The TextMate grammar: made of the Pygments lexer, and the same colours in the engine of VS Code."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

pytest.importorskip("pygments")

from pygments.token import Text, Whitespace  # type: ignore[import-untyped]

from scripts import textmate
from tests.editors.programs import ROOT
from vsalang.language.syntax.pygments_lexer import VsaLexer

MODULES: Final = ROOT / "build" / "editors" / "vscode" / "node_modules"
COLOURED: Final = ROOT / "editors" / "vscode" / "tests" / "colours.vsa"
SAMPLES: Final = ("app_specs/examples", "app_specs/apps", "stdlib/std", "tests/programs/right")
with_node = pytest.mark.skipif(
    not MODULES.exists(), reason="scripts/editors has not installed the packages of npm"
)


@pytest.fixture(scope="module", autouse=True)
def written() -> None:
    """The grammar is a file that is built, not kept."""
    assert textmate.main() == 0


def test_the_grammar_names_scopes() -> None:
    grammar = json.loads(textmate.FILE.read_text(encoding="utf-8"))
    scopes = {each["name"] for each in grammar["patterns"] if "name" in each}
    assert grammar["scopeName"] == "source.vsa" and all(scope.endswith(".vsa") for scope in scopes)
    assert any(scope.startswith("keyword") for scope in scopes)


def test_the_extension_names_its_grammar() -> None:
    package = json.loads((ROOT / "editors" / "vscode" / "package.json").read_text(encoding="utf-8"))
    [grammar] = package["contributes"]["grammars"]
    assert (ROOT / "editors" / "vscode" / grammar["path"]) == textmate.FILE
    assert grammar["scopeName"] == textmate.grammar()["scopeName"]


@pytest.mark.slow
@with_node
def test_the_colours_that_are_written_down() -> None:
    """Of `vscode-tmgrammar-test`: each comment below a line says which scopes are above it."""
    command = ["npx", "--no", "vscode-tmgrammar-test", "--", "-g", str(textmate.FILE), str(COLOURED)]
    result = subprocess.run(command, cwd=MODULES.parent, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stdout + result.stderr


SCRIPT: Final = r"""
const [grammar, ...files] = process.argv.slice(1);
const fs = require('fs'), path = require('path');
const { Registry, parseRawGrammar, INITIAL } = require('vscode-textmate');
const oniguruma = require('vscode-oniguruma');
const wasm = path.join(path.dirname(require.resolve('vscode-oniguruma')), 'onig.wasm');
(async () => {
  await oniguruma.loadWASM(fs.readFileSync(wasm).buffer);
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: patterns => new oniguruma.OnigScanner(patterns),
      createOnigString: text => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => parseRawGrammar(fs.readFileSync(grammar, 'utf8'), grammar),
  });
  const vsa = await registry.loadGrammar('source.vsa');
  for (const file of files) {
    let state = INITIAL;
    const lines = fs.readFileSync(file, 'utf8').replace(/^\uFEFF/, '').split('\n').map(line => {
      const { tokens, ruleStack } = vsa.tokenizeLine(line, state);
      state = ruleStack;
      return tokens.map(token => [token.startIndex, token.endIndex, token.scopes[token.scopes.length - 1]]);
    });
    console.log(JSON.stringify(lines));
  }
})();
"""


def files() -> list[Path]:
    return [path for folder in SAMPLES for path in sorted((ROOT / folder).glob("*.vsa"))]


def scopes_of(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Line, column, text and scope by the lexer, of each piece of a line that is not blank."""
    line = column = 0
    for token, part in VsaLexer(stripnl=False, ensurenl=False).get_tokens(text):
        for n, piece in enumerate(part.split("\n")):
            if n:
                line, column = line + 1, 0
            if piece.strip() and token not in (Whitespace, Text):
                yield line, column, piece, f"{textmate.SCOPES[token]}.vsa"
            column += len(piece)


def scope_at(tokens: list[list[Any]], column: int) -> str:
    return next(str(scope) for start, end, scope in tokens if start <= column < end)


@pytest.mark.slow
@with_node
def test_vscode_and_pygments_colour_alike() -> None:
    """Each word of the programs, by the engine that VS Code has."""
    command = ["node", "-e", SCRIPT, str(textmate.FILE), *map(str, files())]
    printed = subprocess.run(
        command, cwd=MODULES.parent, capture_output=True, text=True, check=True, timeout=300
    )
    different = []
    for path, line in zip(files(), printed.stdout.splitlines(), strict=True):
        found = json.loads(line)
        text = path.read_bytes().decode("utf-8-sig")
        lines = text.split("\n")
        for row, column, piece, scope in scopes_of(text):
            for place in (column, column + len(piece.rstrip()) - 1):
                # the engine counts in UTF-16
                given = scope_at(found[row], len(lines[row][:place].encode("utf-16-le")) // 2)
                if given != scope:
                    different.append((path.name, row + 1, place + 1, piece, scope, given))
    assert different[:10] == []
