"""The store for DuckDB: views over its parts, in which nothing but these files can be read."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from vsalang.tools.fleet.schema import StoreError
from vsalang.tools.fleet.store import Store

if TYPE_CHECKING:
    import duckdb

_ID: Final = "tenant, session, device"
VIEWS: Final = {
    "sessions": f"""
        SELECT {_ID}, head, first.written AS begun, newest, spec, program, mode, completed, ended, redacted, lines,
               steps, blocked, asked
        FROM (SELECT * FROM records WHERE number = 1) AS first
        JOIN (SELECT tenant AS t, session AS s, max(written) AS newest, count(step) AS steps,
                     count(*) FILTER (level = 'block') AS blocked, count(*) FILTER (level = 'confirm') AS asked
              FROM records GROUP BY ALL) AS whole ON first.tenant = t AND first.session = s""",
    "steps": f"""
        SELECT {_ID}, step, number, written, gesture, proposal, note, actions, package, app_version, module_version,
               screen, shown,
               after, after_shown, level, committed, delivered, problem
        FROM records WHERE step IS NOT NULL""",
    "verdicts": f"""
        SELECT {_ID}, step, number, written, package, level, overridden, mode, answer, answered_by, refused, committed
        FROM records WHERE step IS NOT NULL""",
    "reasons": f"""
        SELECT {_ID}, step, number, written, package, level AS verdict, actions, unnest(reasons, max_depth := 2)
        FROM (SELECT * REPLACE (list_transform(reasons, lambda r: struct_pack(
                  kind := r.kind, reason_level := r.level, rule := r.rule, module := r.module, message := r.message,
                  risks := r.risks, severity := r.severity)) AS reasons) FROM records)""",
    "effects": f"""
        SELECT {_ID}, step, number, written, package, app_version, module_version, unnest(contracts, max_depth := 2)
        FROM (SELECT * EXCLUDE (actions) FROM records WHERE step IS NOT NULL)""",
    "alarms": f"""
        SELECT {_ID}, step, number, written, package, kind, rule, message, severity,
               unnest(if(len(coalesce(risks, [])) = 0, ['none'], risks)) AS category,
               coalesce(nullif(split_part(actions[1], '(', 1), ''), 'none') AS effect
        FROM reasons WHERE kind IN ('deny', 'confirm', 'warn', 'flag')
        UNION ALL
        SELECT {_ID}, step, number, written, package, 'contract', rule, message, NULL, 'none',
               coalesce(actions[1], 'none')
        FROM effects WHERE outcome = 'violated'""",
    "edges": """
        SELECT tenant, package, coalesce(shown[1], screen) AS source, proposal AS gesture,
               coalesce(after_shown[1], after) AS target, count(*) AS times, count(DISTINCT device) AS devices
        FROM records WHERE committed AND delivered IS NOT false AND after IS NOT NULL GROUP BY ALL""",
}
"""The views, each made of those before it, and of `records`, which has the columns of the store."""


def connect(store: Store, tenant: str | None = None) -> "duckdb.DuckDBPyConnection":
    """A connection with the views. It can read the store and nothing else, and settings cannot be changed.

    Args:
        store: what is read.
        tenant: whose sessions are there; None: all.

    Raises:
        StoreError: the store is empty, or cannot be read.
    """
    import duckdb

    if not store.parts:
        raise StoreError(f"{store.folder} holds no sessions", "import some: vsac fleet import JOURNAL..")
    paths = [str(store.path(part).resolve()) for part in store.parts]
    if any(sign in paths[0] for sign in "*?["):  # DuckDB reads a path as a pattern
        raise StoreError(f"{store.folder} cannot be asked: its path has one of * ? [", "name it otherwise")
    connection = duckdb.connect(":memory:", config={"threads": 2})
    listed = ", ".join(_quoted(path) for path in paths)
    try:
        connection.execute(f"SET allowed_paths = [{listed}]")
        connection.execute("SET enable_external_access = false")
        only = "" if tenant is None else f" WHERE tenant = {_quoted(tenant)}"
        connection.execute(f"CREATE VIEW records AS SELECT * FROM read_parquet([{listed}]){only}")
        for name, query in VIEWS.items():
            connection.execute(f"CREATE VIEW {name} AS {query}")
        connection.execute("SET lock_configuration = true")
    except duckdb.Error as error:
        connection.close()
        raise StoreError(f"cannot read {store.folder}: {error}") from error
    return connection


def rows(
    connection: "duckdb.DuckDBPyConnection", query: str, values: Mapping[str, Any] | None = None
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The columns and rows of a question.

    Raises:
        StoreError: it cannot be answered.
    """
    import duckdb

    hint = f"there are the views records, {', '.join(VIEWS)}"
    try:
        if len(connection.extract_statements(query)) > 1:
            raise StoreError("the SQL is more than one question", "ask one at a time")
        answer: duckdb.DuckDBPyConnection | None = connection.execute(query, values)
        if answer is None:  # a comment, or nothing at all
            raise StoreError("there is no question in the SQL", hint)
        return [column[0] for column in answer.description or ()], answer.fetchall()
    except duckdb.Error as error:
        raise StoreError(f"the question cannot be answered: {str(error).splitlines()[0]}", hint) from error


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
