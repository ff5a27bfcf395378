"""Imports JSON state schemas of apps, and Horn clauses of the VeriSafe Agent paper, as `.vsa` text.

>>> from vsalang.base.source import Source
>>> schema = Source.from_text('{"Timer": {"variables": [{"name": "running", "type": "Boolean"}]}}', "clock.json")
>>> imported = import_schema(schema)
>>> imported.module
'clock'
>>> print(imported.text.splitlines()[-3])
state Timer {

What can be done in the app is proposed; nothing is declared that nobody accepted:

>>> schema = Source.from_text('{"Chat": {"variables": [{"name": "text", "type": "Text"}, '
...     '{"name": "send_clicked", "type": "Boolean"}]}}', "chat.json")
>>> chat = import_schema(schema)
>>> [each.declaration for each in propose(chat.declared)]
['action SendChat(text: Text) "Send chat"']
>>> print(with_actions(chat.text, propose(chat.declared), {"SendChat"}, listed=True).splitlines()[-1])
action SendChat(text: Text) "Send chat"

Clauses need the app that they are about, here one that is not written yet:

>>> from pathlib import Path
>>> clauses = Source.from_text("Timer(running=True) → Done()", "wait.txt")
>>> spec = import_rules(clauses, [App(Path("clock.vsa"), imported.text)])
>>> print(spec.text.splitlines()[-1])
done when Timer(running = true).
"""

from vsalang.language.notations.into.actions import Proposal, propose, with_actions
from vsalang.language.notations.into.imported import ImportedSpec, ImportFailed, ImportResult, Note
from vsalang.language.notations.into.paper_rules import App, import_rules
from vsalang.language.notations.into.schemas import import_schema

__all__ = [
    "App",
    "ImportFailed",
    "ImportResult",
    "ImportedSpec",
    "Note",
    "Proposal",
    "import_rules",
    "import_schema",
    "propose",
    "with_actions",
]
