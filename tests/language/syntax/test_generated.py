"""Whatever tree the parser can build: all that reads its text agrees. To draw one takes longer than to check it."""

import json
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.language.syntax.printer import show
from tests.language.syntax.strategies import modules, without_spans
from tests.language.syntax.test_fast_matcher import by_arpeggio, by_us
from tests.language.syntax.test_fmt_properties import check, mutated
from tests.language.syntax.test_pygments_lexer import check_lexed
from tests.language.syntax.test_roundtrip import read
from tests.thorough import times
from vsalang.base.source import Source
from vsalang.language.syntax import cache, parse, tree


@pytest.mark.slow
@settings(max_examples=times(25, 150), deadline=None, suppress_health_check=list(HealthCheck))
@given(modules, st.randoms(use_true_random=False))
def test_module(module: tree.Module, random: Random) -> None:
    text = show(module)
    parsed = read(text)
    assert without_spans(parsed) == module
    assert show(parsed) == text
    assert by_us(text) == by_arpeggio(text) is not None
    stored = json.loads(json.dumps(cache._TREES.encode(parsed)))
    assert cache._decode(stored, "shown.vsa") == parsed
    check_lexed(text.replace("\r\n", "\n").replace("\r", "\n"))
    assert without_spans(read(check(text))) == module
    other = mutated(text, random)
    if parse(Source.from_text(other, "mutated.vsa")).diagnostics == ():
        check(other)
