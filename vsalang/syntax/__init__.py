"""From text to the syntax tree.

    >>> parsed = parse(Source.from_text('spec a "Do it." allow Pay(amount < 10) when Bill(open = true).'))
    >>> parsed.module.items[0].kind
    'allow'

The nodes are in `vsalang.syntax.tree`. `parse` never raises: what it could not read is in `ParseResult.diagnostics`.
`vsalang.syntax.formatting` writes a file in the one style; `vsalang.core.show` prints checked conditions and rules.
"""

from vsalang.core.text import quote
from vsalang.source import Source
from vsalang.syntax.parser import ParseResult, parse

__all__ = ["ParseResult", "Source", "parse", "quote"]
