"""Journals of many devices in, one store of them out: figures over all of them, and what a policy would have changed.

    from pathlib import Path
    from vsalang.tools.fleet.rows import read_rows
    from vsalang.tools.fleet.store import Store

    with Store(Path("fleet")) as store:
        store.add([read_rows("session.jsonl")])

`schema` says what a row holds, `rows` makes rows of a journal, `store` keeps them. Needs the extra ``fleet``. Nothing
that judges reads a store: what stands in it changes no verdict. `live` is what guards send while they run.

Nothing is imported here: the process that sends a journal is to start at once.
"""
