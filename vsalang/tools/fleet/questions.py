"""Questions about a store that are ready to ask, and their answers as rows."""

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from vsalang.base.records import dataclass
from vsalang.guard.journal import JournalError, recorded_program
from vsalang.program.ir import Judge
from vsalang.tools.fleet.judging import session_of_rows
from vsalang.tools.fleet.views import rows

if TYPE_CHECKING:
    import duckdb

MOST_PROGRAMS: Final = 200
"""So many different programs are loaded to learn which rules were in force."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question.

    Attributes:
        columns: their names.
        rows: in order.
        label, value: the columns that a chart shows.
        note: what should be known of it; empty: nothing.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    label: tuple[str, ...] = ()
    value: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question.

    Attributes:
        title: what it asks.
        query: in SQL, over the views; ``$days`` is a number of days.
        label, value: as of `Answer`.
    """

    title: str
    query: str
    label: tuple[str, ...]
    value: str


_OFTEN: Final = "count(*) AS times, count(DISTINCT session) AS sessions, count(DISTINCT device) AS devices"
QUESTIONS: Final = {
    "blocked-rules": Question(
        "Which rules block most?",
        f"""SELECT if(rule = '', kind, rule) AS rule, module, {_OFTEN}, min(message) AS example
            FROM reasons WHERE verdict = 'block' AND reason_level = 'block' AND step IS NOT NULL
            GROUP BY 1, 2 ORDER BY times DESC, 1""",
        ("rule",),
        "times",
    ),
    "contracts": Question(
        "Which contracts are violated, by app and version?",
        f"""SELECT package, app_version AS version, module_version AS module, rule, {_OFTEN}, min(message) AS example
            FROM effects WHERE outcome = 'violated' GROUP BY ALL ORDER BY times DESC, 1, 2, 3, 4""",
        ("package", "version", "rule"),
        "times",
    ),
    "alarms": Question(
        "Which alarms are there, by category and effect?",
        f"SELECT category, effect, {_OFTEN} FROM alarms GROUP BY 1, 2 ORDER BY times DESC, 1, 2",
        ("category", "effect"),
        "times",
    ),
    "changes": Question(
        "What changed since last week?",
        """SELECT verdict, rule, this, before, this - before AS change FROM (
               SELECT verdict, if(rule = '', kind, rule) AS rule,
                      count(*) FILTER (written > newest - to_days($days)) AS this,
                      count(*) FILTER (written <= newest - to_days($days)) AS before
               FROM reasons, (SELECT max(written) AS newest FROM records)
               WHERE step IS NOT NULL AND written > newest - to_days(2 * $days) GROUP BY 1, 2)
           WHERE this <> before ORDER BY abs(change) DESC, 1, 2""",
        ("verdict", "rule"),
        "change",
    ),
}
"""The questions that SQL answers, by their names."""
SILENT: Final = "silent-rules"
"""The name of the question which rules never fired."""
NAMES: Final = (*QUESTIONS, SILENT)
TITLES: Final = {name: question.title for name, question in QUESTIONS.items()} | {
    SILENT: "Which rules of policies never fired?"
}
"""What each of `NAMES` asks."""


def ask(connection: "duckdb.DuckDBPyConnection", name: str, days: int) -> Answer:
    """The answer to one of `NAMES`.

    Raises:
        StoreError: it cannot be answered.
    """
    if name == SILENT:
        return silent_rules(connection)
    question = QUESTIONS[name]
    values = {"days": days} if "$days" in question.query else None
    columns, answer = rows(connection, question.query, values)
    return Answer(tuple(columns), tuple(answer), question.label, question.value)


def silent_rules(connection: "duckdb.DuckDBPyConnection") -> Answer:
    """The rules of policies that were in force in some session, and objected in none.

    Raises:
        StoreError: it cannot be answered.
    """
    columns, programs = rows(
        connection,
        """SELECT DISTINCT ON (program) session, number, line, cut, sources,
                  count(*) OVER (PARTITION BY program) AS times
           FROM records WHERE number = 1 ORDER BY program, session LIMIT $most""",
        {"most": MOST_PROGRAMS},
    )
    fired = {rule for (rule,) in rows(connection, "SELECT DISTINCT rule FROM reasons")[1]}
    silent: Counter[tuple[str, str]] = Counter()
    unread = 0
    for each in programs:
        row = dict(zip(columns, each, strict=True))
        try:
            program = recorded_program(session_of_rows([row], with_sources=True)).program
        except JournalError:
            unread += 1
            continue
        assert program is not None
        policies = {module.name for module in program.modules.values() if module.kind == "policy"}
        for rule in program.rules:
            if isinstance(rule.head, Judge) and rule.module in policies and rule.id not in fired:
                silent[rule.id, rule.module] += row["times"]
    answer = tuple((rule, module, times) for (rule, module), times in sorted(silent.items()))
    note = f"{unread} of the recorded programs cannot be read by this version" if unread else ""
    return Answer(("rule", "module", "sessions"), answer, ("rule",), "sessions", note)
