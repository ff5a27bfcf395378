"""SWI-Prolog: facts are dynamic clauses, each event is a few `retract` and `assertz`, each question a `findall`.

It runs as a program of its own, with a term for each event on a pipe. What counts is the time that it takes inside: the
pipe takes 40 microseconds more, and the answer is not made into Python values. That favours it.
"""

import json
import shutil
import subprocess
import tempfile
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.engines.atoms import alphas, clauses
from benchmarks.engines.clingo_ import TESTS
from benchmarks.engines.pydatalog_best import features
from benchmarks.workloads import Work

NAME = "SWI-Prolog"
CANNOT = {
    "w5": "a rule about time would be a program that somebody writes for it by hand",
    "w5_data": "as w5",
    "w6": "ten thousand sessions are ten thousand programs, or an argument more in each rule",
    "w6_10k": "as w6",
}
PROGRAM = shutil.which("swipl")
if PROGRAM is None:
    raise ImportError("there is no swipl; Debian: apt install swi-prolog-nox")

LOOP = """
:- set_prolog_flag(double_quotes, atom).
:- initialization(serve, main).
put(F) :- assertz(F).
drop(F) :- once(retract(F)).
serve :- repeat, read_term(user_input, T, []), ( T == end_of_file -> ! ; take(T), fail ).
take(e(Gone, Come)) :-
  get_time(Begin), maplist(drop, Gone), maplist(put, Come), answer(A), get_time(End),
  Spent is End - Begin, format("[~12f, ~w]~n", [Spent, A]), flush_output.
"""
"""Answers are lists of numbers, which are JSON as they are written; texts of w3 are passed as numbers."""


class Step:
    """One program in a process of its own; called with the facts that go and come, it gives the answer.

    Attributes:
        seconds: what the last event took inside of it.
    """

    def __init__(self, text: str, facts: Iterable[str]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "program.pl")
            path.write_text(text + LOOP, encoding="utf-8")
            self.process = subprocess.Popen(
                [str(PROGRAM), "-q", "-O", str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
            self.seconds = 0.0
            weakref.finalize(self, self.process.kill)
            self.ask([], facts)  # once it answers, the file was read

    def ask(self, gone: Iterable[str], come: Iterable[str]) -> Any:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(f"e([{','.join(gone)}],[{','.join(come)}]).\n".encode())
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("SWI-Prolog ended")
        self.seconds, answer = json.loads(line)
        return answer


NOT = r"\+ "
W1 = """
:- dynamic restaurant/0, date/0, early/0, available/0, unavailable/0, success/0.
common :- restaurant, date, early.
h(0) :- common, available.
h(1) :- common, success.
h(2) :- common, unavailable.
answer(A) :- findall(H, h(H), A).
"""


class W1Step(Step):
    """Python says which comparisons of the written cell hold, as in w2."""

    def __init__(self, work: Work) -> None:
        super().__init__(W1, [])
        self.names = work.relations
        self.truth = {name: False for cell in TESTS for name, _ in cell}

    def __call__(self, event: Any) -> Any:
        flips = [(name, test(event[1])) for name, test in TESTS[event[0]]]
        flips = [(name, holds) for name, holds in flips if holds is not self.truth[name]]
        self.truth.update(flips)
        answer = self.ask([n for n, holds in flips if not holds], [n for n, holds in flips if holds])
        return [self.names[number] for number in answer]


class W2Step(Step):
    """All heads are asked by plain resolution: tabling, also incremental, is slower here."""

    def __init__(self, work: Work) -> None:
        spec = work.spec
        truth, self.flips = alphas(spec)
        lines = [":- dynamic a/1."]
        for head, body in clauses(spec, "a({})", "h{}", f"{NOT}h{{}}"):
            lines.append(f"h{head} :- {', '.join(body)}.")
        lines += [f"h({head}) :- once(h{head})." for head in range(len(spec.heads))]
        lines.append("answer(A) :- findall(H, h(H), A).")
        self.names = work.relations
        super().__init__("\n".join(lines), [f"a({number})" for number, holds in enumerate(truth) if holds])

    def __call__(self, event: Any) -> Any:
        flips = self.flips(event)
        answer = self.ask(
            [f"a({n})" for n, holds in flips if not holds], [f"a({n})" for n, holds in flips if holds]
        )
        return [self.names[head] for head in answer]


W3 = """
:- dynamic parent/2, clickable/1, enabled/1, disabled/1, recycler/1, group/1, text/2, ordered/1.
above(N, A) :- parent(N, P), ( A = P ; above(P, A) ).
marked(N) :- clickable(N), enabled(N), once(( above(N, A), ordered(A) )).
rows([L, K]) :- recycler(L), aggregate_all(count, ( parent(C, L), group(C) ), K).
twice(T) :- text(A, T), once(( text(B, T), A \\== B )).
stuck(N) :- clickable(N), once(( above(N, A), disabled(A) )).
answer([M, R, T, S]) :-
  findall(N, marked(N), M), findall(X, rows(X), R), findall(X, twice(X), U), sort(U, T), findall(N, stuck(N), S).
"""


class W3Step(Step):
    """What the rules need of a row is asserted and retracted where it changed."""

    def __init__(self, work: Work) -> None:
        self.texts: list[str] = []
        self.numbers: dict[str, int] = {}
        super().__init__(W3, [fact for row in work.spec for fact in self.facts(row)])

    def facts(self, row: Any) -> list[str]:
        return [self.written(name, rest) for name, *rest in features(row)] if row else []

    def written(self, name: str, values: list[Any]) -> str:
        if name == "text":
            number = self.numbers.setdefault(values[1], len(self.texts))
            if number == len(self.texts):
                self.texts.append(values[1])
            values = [values[0], number]
        return f"{name}({','.join(map(str, values))})"

    def __call__(self, event: Any) -> Any:
        gone: list[str] = []
        come: list[str] = []
        for old, new in event:
            before, after = self.facts(old), self.facts(new)
            gone += [fact for fact in before if fact not in after]
            come += [fact for fact in after if fact not in before]
        marked, rows, twice, stuck = self.ask(gone, come)
        return [marked, rows, [self.texts[number] for number in twice], stuck]


W4 = """
:- dynamic edge/2, start/1.
:- use_module(library(nb_set)).
answer(A) :- start(N), empty_nb_set(S), add_nb_set(N, S), reach([N], S), nb_set_to_list(S, A).
reach([], _).
reach([N|Rest], S) :-
  findall(M, ( edge(N, M), add_nb_set(M, S, true) ), More), append(More, Rest, Next), reach(Next, S).
"""


class W4Step(Step):
    """A search that marks what it has seen: left recursion with tabling is slower."""

    def __init__(self, work: Work) -> None:
        self.start = 0
        super().__init__(W4, ["start(0)", *(f"edge({a},{b})" for a, b in work.spec)])

    def __call__(self, event: Any) -> Any:
        kind, a, b = event
        if kind == "+":
            return self.ask([], [f"edge({a},{b})"])
        if kind == "-":
            return self.ask([f"edge({a},{b})"], [])
        before, self.start = self.start, a
        return self.ask([f"start({before})"], [f"start({a})"])


w1, w2, w3, w4 = W1Step, W2Step, W3Step, W4Step
