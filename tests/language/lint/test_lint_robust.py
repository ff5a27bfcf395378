"""The linter never fails, whatever the module, and its findings lie in the text."""

import random

import pytest

from vsalang.base.diagnostics.code import example_files
from vsalang.base.resources import resource_dir
from vsalang.base.source import Source
from vsalang.language.lint import RULES, lint
from vsalang.language.semantics import load_text
from vsalang.language.syntax import parse

TEXTS = [rule.bad for rule in RULES] + [
    (resource_dir("app_specs") / name).read_text(encoding="utf-8")
    for name in ("apps/opentable.vsa", "examples/reserve_r.vsa", "examples/payments.vsa")
]


def mutated(text: str, rng: random.Random) -> str:
    """The text without one item, or with one word put in another's place."""
    if rng.random() < 0.4:
        module = parse(Source.from_text(text)).module
        assert module
        if module.items:
            span = rng.choice(module.items).span
            return text[: span.start] + text[span.end :]
    words = text.split(" ")
    words[rng.randrange(len(words))] = rng.choice(words)
    return " ".join(words)


@pytest.mark.parametrize("seed", range(12))
def test_programs_with_something_changed(seed: int) -> None:
    rng = random.Random(seed)
    linted = 0
    for text in rng.sample(TEXTS, 16):
        loaded = load_text(mutated(text, rng), file="x.vsa")
        found = lint(loaded)
        linted += loaded.ok
        assert loaded.ok or not found
        for item in found:
            assert item.span is not None and item.span.file == "x.vsa"
            assert 0 <= item.span.start <= item.span.end <= len(loaded.sources["x.vsa"].text)
            assert all(edit.span.file == "x.vsa" for fix in item.fixes for edit in fix.edits)
        assert list(found) == sorted(
            found, key=lambda d: (d.span.start if d.span else -1, d.severity.value, d.code)
        )
    assert linted


def test_line_ends_of_windows(tmp_path) -> None:
    def read(example: str, refuted=None):
        files = {name: text.replace("\n", "\r\n") for name, text in example_files(example, "x.vsa").items()}
        for name, text in files.items():
            (tmp_path / name).write_bytes(text.encode())
        name = next(iter(files))
        return lint(load_text(files[name], file=name, path=tmp_path / name), refuted=refuted)

    for rule in RULES:
        assert [item.code for item in read(rule.bad, rule.recorded)] == [rule.code]
        assert read(rule.good) == ()
