"""Source text, and places in it.

>>> source = Source.from_text("spec a\\n  allow X.", "a.vsa")
>>> source.position(9)
Position(line=2, column=3)
"""

from vsalang.base.source.files import Position, Source, SourceError, Span, read_source

__all__ = ["Position", "Source", "SourceError", "Span", "read_source"]
