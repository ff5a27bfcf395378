"""From text to the syntax tree and back.

    >>> parsed = parse(Source.from_text('spec a "Do it." allow Pay(amount < 10) when Bill(open = true).'))
    >>> show(parsed.module.items[0])
    'allow Pay(amount < 10) when Bill(open = true).'

The nodes are in `vsalang.syntax.tree`. `parse` never raises: what it could not read is in `Parsed.diagnostics`.
"""

from vsalang.core.text import quote
from vsalang.source import Source
from vsalang.syntax.parser import Parsed, parse
from vsalang.syntax.printer import show

__all__ = ["Parsed", "Source", "parse", "quote", "show"]
