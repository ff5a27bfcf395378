"""Imports JSON state schemas of apps, and Horn clauses of the VeriSafe Agent paper, as `.vsa` text.

>>> from vsalang.source import Source
>>> schema = Source.from_text('{"Timer": {"variables": [{"name": "running", "type": "Boolean"}]}}', "clock.json")
>>> imported = import_schema(schema)
>>> imported.module
'clock'
>>> print(imported.text.splitlines()[-3])
state Timer {

Clauses need the app that they are about, here one that is not written yet:

>>> from pathlib import Path
>>> clauses = Source.from_text("Timer(running=True) → Done()", "wait.txt")
>>> spec = import_rules(clauses, [App(Path("clock.vsa"), imported.text)])
>>> print(spec.text.splitlines()[-1])
done when Timer(running = true).
"""

from vsalang.importers.model import Imported, ImportedSpec, ImportFailed, Note
from vsalang.importers.paper_rules import App, import_rules
from vsalang.importers.schemas import import_schema

__all__ = ["App", "ImportFailed", "Imported", "ImportedSpec", "Note", "import_rules", "import_schema"]
