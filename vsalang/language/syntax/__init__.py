"""From text to the syntax tree.

    >>> from vsalang.base.source import Source
    >>> parsed = parse(Source.from_text('spec a "Do it." allow Pay(amount < 10) when Bill(open = true).'))
    >>> parsed.module.items[0].kind
    'allow'

The nodes are in `vsalang.language.syntax.tree`. `parse` never raises: what it could not read is in
`ParseResult.diagnostics`. `vsalang.language.syntax.formatting` writes a file in the one style; `vsalang.program.show`
prints checked conditions and rules.
"""

from vsalang.language.syntax.parser import ParseResult, parse

__all__ = ["ParseResult", "parse"]
