"""From text to the syntax tree.

    >>> parsed = parse(Source.from_text('spec a "Do it." allow Pay(amount < 10) when Bill(open = true).'))
    >>> parsed.module.items[0].kind
    'allow'

The nodes are in `vsalang.language.syntax.tree`. `parse` never raises: what it could not read is in
`ParseResult.diagnostics`. `vsalang.language.syntax.formatting` writes a file in the one style; `vsalang.program.show`
prints checked conditions and rules.
"""

from vsalang.base.source import Source
from vsalang.language.syntax.parser import ParseResult, parse
from vsalang.program.text import quote

__all__ = ["ParseResult", "Source", "parse", "quote"]
