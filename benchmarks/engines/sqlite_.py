"""sqlite (the standard library's `sqlite3`) in memory: one connection, statements that are prepared once."""

import sqlite3
from collections.abc import Callable
from typing import Any

from benchmarks.engines.atoms import alphas, numbered
from benchmarks.workloads import TODAY, Work
from benchmarks.workloads.w2 import HeadAtom
from benchmarks.workloads.w3 import COLUMNS

NAME = "sqlite"
CANNOT = {
    "w5": "a window over all events so far is a query of its own; it keeps nothing up to date",
    "w5_data": "a window over all events so far is a query of its own; it keeps nothing up to date",
}
Step = Callable[[Any], Any]


def connect() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("pragma journal_mode = off")
    connection.execute("pragma synchronous = off")
    return connection


FORM = ("restaurant", "date", "time", "available", "success")
COMMON = f"restaurant = 'R' and date = '{TODAY}' and time < '19:00:00'"


def w1(work: Work) -> Step:
    base = connect()
    base.execute("create table form (restaurant text, date text, time text, available int, success int)")
    base.execute("insert into form default values")
    writes = [f"update form set {name} = ?" for name in FORM]
    ask = f"select {COMMON} and available, {COMMON} and success, {COMMON} and not available from form"  # three-valued
    execute, names = base.execute, work.relations

    def step(event: Any) -> Any:
        cell, value = event
        execute(writes[cell], (str(value) if 0 < cell < 3 and value is not None else value,))
        return [name for name, holds in zip(names, execute(ask).fetchone(), strict=True) if holds]

    return step


def w2(work: Work) -> Step:
    """A row for each atom that holds, a view for each head; only the atoms that flip are written."""
    spec, numbers = work.spec, numbered(work.spec)
    truth, flips = alphas(spec)
    base = connect()
    base.execute(f"create table atoms ({', '.join(f'a{number} int' for number in range(len(truth)))})")
    base.execute(f"insert into atoms values ({', '.join(str(int(holds)) for holds in truth)})")
    # One select computes all heads, each from the columns of earlier ones: a chain of layers, one for each depth.
    depth: list[int] = []
    for clauses in spec.heads:
        below = [depth[atom.head] for body in clauses for atom in body if isinstance(atom, HeadAtom)]
        depth.append(1 + max(below, default=-1))
    query = "select * from atoms"
    for level in range(max(depth) + 1):
        columns = []
        for head, clauses in enumerate(spec.heads):
            if depth[head] == level:
                bodies = (" and ".join(written(atom, numbers) for atom in body) for body in clauses)
                columns.append(f"({' or '.join(f'({body})' for body in bodies)}) as h{head}")
        query = f"select *, {', '.join(columns)} from ({query})"
    query = f"select {', '.join(f'h{head}' for head in range(len(spec.heads)))} from ({query})"
    execute, names = base.execute, work.relations
    writes = [f"update atoms set a{number} = ?" for number in range(len(truth))]

    def step(event: Any) -> Any:
        for number, holds in flips(event):
            execute(writes[number], (int(holds),))
        return [name for name, holds in zip(names, execute(query).fetchone(), strict=True) if holds]

    return step


def written(atom: Any, numbers: Any) -> str:
    if isinstance(atom, HeadAtom):
        return f"{'not ' if atom.negated else ''}h{atom.head}"
    return f"a{numbers[atom]}"


MARKED = """
with recursive ordered(node) as (
  select c.node from item p join item c on c.parent = p.node where instr(p.text, 'order')
  union select item.node from ordered join item on item.parent = ordered.node)
select item.node from ordered join item on item.node = ordered.node where clickable and enabled
"""
STUCK = """
with recursive off(node) as (
  select c.node from item p join item c on c.parent = p.node where p.enabled = 0
  union select item.node from off join item on item.parent = off.node)
select item.node from off join item on item.node = off.node where clickable
"""
ROWS = """
select l.node, count(c.node) from item l left join item c on c.parent = l.node and c.class = 'ViewGroup'
where l.class = 'RecyclerView' group by l.node
"""
TWICE = "select text from item where text is not null group by text having count(*) > 1"


def w3(work: Work) -> Step:
    base = connect()
    columns = ", ".join(f'"{name}"' for name in COLUMNS[1:])
    base.execute(f"create table item (node integer primary key, {columns})")
    base.execute("create index parents on item(parent)")
    base.execute("create index texts on item(text)")
    base.execute("create index classes on item(class)")
    insert = f"insert or replace into item values ({', '.join('?' * len(COLUMNS))})"
    base.executemany(insert, work.spec)
    execute, many = base.execute, base.executemany

    def step(event: Any) -> Any:
        execute("begin")
        many("delete from item where node = ?", [(old[0],) for old, new in event if new is None])
        many(insert, [new for _, new in event if new is not None])
        execute("commit")
        return [execute(question).fetchall() for question in (MARKED, ROWS, TWICE, STUCK)]

    return step


REACH = """
with recursive reach(node) as (
  select node from start union select target from reach join edge on source = reach.node)
select node from reach
"""


def w4(work: Work) -> Step:
    base = connect()
    base.execute("create table edge (source int, target int, primary key (source, target)) without rowid")
    base.execute("create table start (node int)")
    base.execute("insert into start values (0)")
    base.executemany("insert into edge values (?, ?)", work.spec)
    execute = base.execute

    def step(event: Any) -> Any:
        kind, a, b = event
        if kind == "+":
            execute("insert into edge values (?, ?)", (a, b))
        elif kind == "-":
            execute("delete from edge where source = ? and target = ?", (a, b))
        else:
            execute("update start set node = ?", (a,))
        return execute(REACH).fetchall()

    return step


def w6(work: Work) -> Step:
    """One table for all sessions: cheaper than a connection each."""
    base = connect()
    base.execute(
        "create table form "
        "(session integer primary key, restaurant text, date text, time text, available int, success int)"
    )
    base.executemany("insert into form(session) values (?)", [(number,) for number in range(work.spec)])
    writes = [f"update form set {name} = ? where session = ?" for name in FORM]
    ask = f"select {COMMON} and available, {COMMON} and success, {COMMON} and not available from form where session = ?"
    execute, names = base.execute, work.relations

    def step(event: Any) -> Any:
        session, (cell, value) = event
        execute(writes[cell], (str(value) if 0 < cell < 3 and value is not None else value, session))
        return [name for name, holds in zip(names, execute(ask, (session,)).fetchone(), strict=True) if holds]

    return step


def rows(work: Work) -> Step:
    base = connect()
    base.execute("create table customer (id integer primary key, city text, blocked int)")
    base.execute("create table orders (id integer primary key, customer int, total int)")
    base.execute("create index blocked on customer(blocked)")
    base.execute("create index customers on orders(customer)")
    base.executemany("insert into customer values (?, ?, ?)", work.spec[0])
    base.executemany("insert into orders values (?, ?, ?)", work.spec[1])
    base.execute("analyze")
    write = "update orders set total = ? where id = ?"
    ask = "select o.id, o.total from customer c join orders o on o.customer = c.id where c.blocked and o.total > 90"
    execute = base.execute

    def step(event: Any) -> Any:
        execute(write, (event[1][2], event[1][0]))
        return execute(ask).fetchall()

    return step
