"""Making `.vsa` text from what others have: JSON state schemas of apps.

>>> from vsalang.source import Source
>>> schema = Source.from_text('{"Timer": {"variables": [{"name": "running", "type": "Boolean"}]}}', "clock.json")
>>> imported = import_schema(schema)
>>> imported.module
'clock'
>>> print(imported.text.splitlines()[-3])
state Timer {
"""

from vsalang.importers.model import Imported, ImportFailed, Note
from vsalang.importers.schemas import import_schema

__all__ = ["ImportFailed", "Imported", "Note", "import_schema"]
