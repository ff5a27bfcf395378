"""From text to the syntax tree and back.

    >>> parsed = parse(Source.from_text('spec a "Do it." allow Pay(amount < 10) when Bill(open = true).'))
    >>> parsed.module.items[0].kind
    'allow'
"""

from vsalang.source import Source
from vsalang.syntax.parser import Parsed, parse

__all__ = ["Parsed", "Source", "parse"]
