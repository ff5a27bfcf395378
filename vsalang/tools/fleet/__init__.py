"""Journals of many devices in, one store of them out: figures over all of them, and what a policy would have changed.

    from pathlib import Path
    from vsalang.tools.fleet import Store, read_rows

    with Store(Path("fleet")) as store:
        store.add([read_rows("session.jsonl")])

`schema` says what a row holds, `rows` makes rows of a journal, `store` keeps them. Needs the extra ``fleet``. Nothing
that judges reads a store: what stands in it changes no verdict.
"""

from vsalang.tools.fleet.rows import SessionRows, read_rows, rows_of
from vsalang.tools.fleet.schema import VERSION, StoreError
from vsalang.tools.fleet.store import Relation, Store

__all__ = ["VERSION", "Relation", "SessionRows", "Store", "StoreError", "read_rows", "rows_of"]
