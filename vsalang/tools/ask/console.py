"""The dialogue of ``vsac query -i`` without the terminal: it answers a line with lines."""

import inspect
import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from vsalang.base.diagnostics import Diagnostic
from vsalang.base.names import ENGINES, FORMER_ENGINES, EngineName
from vsalang.base.source import Source
from vsalang.engine import EngineError
from vsalang.guard import GuardFailed
from vsalang.guard.examples import DEFAULT_CLOCK
from vsalang.program.action import GESTURES
from vsalang.program.example import Turn
from vsalang.program.ir import Derive, License, Mark, Recognize, Relation, Rule, Write
from vsalang.program.screen_rules import is_match, match_relation
from vsalang.program.text import line
from vsalang.tools.ask.asking import DEFAULT_TIMEOUT, Moment, ask, bring_about
from vsalang.tools.ask.engines import AskError
from vsalang.tools.ask.fragment import Wrong
from vsalang.tools.ask.meaning import meaning_lines, meaning_of
from vsalang.tools.ask.question import Place
from vsalang.tools.ask.render import (
    Style,
    place,
    plain,
    reply_lines,
    rows_text,
    table,
    why_not_lines,
    writers_lines,
)
from vsalang.tools.ask.state import Situation, read_state
from vsalang.tools.ask.wording import Wording
from vsalang.tools.ask.writers import reads_of

GREETING = "A condition asks, :help lists the commands, :quit ends."
"""The greeting for a person."""
ENDS = ("q", "quit", "exit")
"""Words that end the dialogue, with or without a colon."""
STEPS = ("observe", "attempt", "update", "delete", "given", "approve", "refuse", "step")
"""Words that begin a step of a test, and no condition."""
Render = Callable[[Iterable[Diagnostic], "dict[str, Source]"], str]
Loader = Callable[[str, tuple[str, ...]], "Place | str"]
"""Loads a file with policies: returns what can be asked, or the text of its errors."""

_SHOWN = 100


@dataclass
class Console:
    """One dialogue.

    Args:
        load: loads a program.
        render: shows findings as a text.
        style: how to paint.
        timeout: the time limit of an engine in another process, in seconds.
    """

    load: Loader
    render: Render
    style: Style = plain
    timeout: float = DEFAULT_TIMEOUT
    place: Place | None = None
    situation: Situation = field(default_factory=Situation)
    engine: EngineName = "incremental"
    ended: bool = False
    failed: bool = False
    _before: list[Situation] = field(default_factory=list)
    _moment: tuple[Place, Situation, Moment] | None = None

    def feed(self, text: str) -> list[str]:
        """The answer to an input, which may have several lines. Raises nothing but interruptions."""
        text = text.strip()
        if not text or text.startswith("//"):
            return []
        try:
            if text.startswith(":"):
                name, _, rest = text[1:].partition(" ")
                return self._command(name, rest.strip())
            word = text.rstrip("().").casefold()
            if word in ("help", "?"):
                return self.help("")
            if word in ENDS:
                return self._command("quit", "")
            return self._ask(text)
        except Wrong as wrong:
            if hint := _meant(text):
                return self._error(hint)
            self.failed = True
            return self.render(wrong.diagnostics, dict(wrong.sources)).rstrip().splitlines()
        except (AskError, EngineError, GuardFailed) as error:
            return self._error(str(error))
        except Exception as error:
            return self._error(f"internal error: {type(error).__name__}: {error}")

    def _error(self, message: str) -> list[str]:
        self.failed = True
        return [f"{self.style('error', 'unmet')}: {line(message, 2000)}"]

    def _command(self, name: str, rest: str) -> list[str]:
        if name in ENDS:
            self.ended = True
            return []
        function = COMMANDS.get(name)
        if function is None:
            from vsalang.base.source.suggest import did_you_mean

            hint = _meant(f"{name} {rest}") or did_you_mean(name, [*COMMANDS, "quit"])
            return self._error(f"there is no command :{name}; {hint or ':help lists them'}")
        return function(self, rest)

    # ------------------------------------------------------------------ what is asked about

    @property
    def here(self) -> Place:
        """The program. Raises `AskError` if none is loaded."""
        if self.place is None:
            raise AskError("no program is loaded: :load FILE")
        return self.place

    def moment(self) -> Moment:
        """The state of the questions."""
        here = self.here
        known = self._moment
        if known is None or known[0] is not here or known[1] is not self.situation:
            known = self._moment = (here, self.situation, bring_about(here, self.situation))
        return known[2]

    def _changed(self, situation: Situation) -> list[str]:
        """Use a situation if it can be reached; note if a step failed."""
        before = self.situation
        self.situation = situation
        try:
            failure = self.moment().player.failure
        except BaseException:
            self.situation = before
            raise
        self._before.append(before)
        if failure is None:
            return []
        return [f"{self.style('note', 'unknown')}: a step came out otherwise: {line(failure.problem)}"]

    def _sources(self, *typed: Source) -> dict[str, Source]:
        return dict(self.here.sources(*typed))

    # ------------------------------------------------------------------ asking

    def _ask(self, text: str, *, explain: int = 1) -> list[str]:
        """Ask a condition: rows, and why the first is there."""
        here = self.here
        question = here.question(text)
        reply = ask(here, self.situation, question, engine=self.engine, timeout=self.timeout)
        sources = self._sources(question.source)
        lines = reply_lines(
            reply, sources, self.style, limit=_SHOWN, explain=explain, more=":why explains all"
        )
        for item in reads_of(here, self.situation, reply) if explain > 1 else ():
            lines += ["", *writers_lines(item, sources, self.style)]
        if not reply.holds and self._proposable(text):
            lines += ["", f"what the guard would say to it: :propose {text.strip().rstrip('.')}"]
        return lines

    def _proposable(self, text: str) -> bool:
        """Whether a condition is one gesture or action: it holds only while that is proposed."""
        name = text.partition("(")[0].strip(" .").rpartition(".")[2]
        relations = [each for each in self.here.program.relations.values() if each.short == name]
        return any(each.sort in ("gesture", "action") for each in relations)

    def why(self, rest: str) -> list[str]:
        """:why BODY -- the rows with the reasons of each: rules, values and facts."""
        return self._ask(_wanted(rest, ":why Slot(time = ?t)"), explain=_SHOWN)

    def whynot(self, rest: str) -> list[str]:
        """:whynot BODY -- what is missing: the nearest values, and each condition met, unmet or unknown."""
        here = self.here
        question = here.question(_wanted(rest, ":whynot Slot(available = true)"))
        reply = ask(here, self.situation, question)
        if reply.holds:
            return [f"it holds, with {rows_text(len(reply.rows))}: :why {question.text}"]
        sources = self._sources(question.source)
        lines = why_not_lines(reply, sources, self.style)[1:]
        for item in reads_of(here, self.situation, reply):
            lines += ["", *writers_lines(item, sources, self.style)]
        return lines

    def rows(self, rest: str) -> list[str]:
        """:rows RELATION -- all rows of a relation, believed, seen or derived."""
        relation = self._relation(_wanted(rest, ":rows Slot"))
        if not relation.attrs:
            return ["yes" if any(True for _ in self.moment().facts.rows(relation.name)) else "no"]
        rows = sorted(self.moment().facts.rows(relation.name), key=_by_place(relation))
        lines = table(relation.attrs, rows[:_SHOWN], self.style) if rows else []
        if len(rows) > _SHOWN:
            return [*lines, f"{len(rows)} rows, {_SHOWN} shown"]
        return [*lines, self.style(rows_text(len(rows)), "dim")]

    def _relation(self, name: str) -> Relation:
        try:
            return self.here.relation(name)
        except KeyError as error:
            raise AskError(str(error.args[0])) from error

    # ------------------------------------------------------------------ the program

    def load_file(self, rest: str) -> list[str]:
        """:load FILE [POLICY ...] -- load a program, with policies that are in force; the state begins again."""
        try:
            file, *policies = shlex.split(_wanted(rest, ":load FILE"))
        except ValueError as error:
            raise AskError(f"what is to be loaded: {error}") from error
        loaded = self.load(file, tuple(policies))
        if isinstance(loaded, str):
            self.failed = True
            return loaded.rstrip().splitlines()
        self.place, self.situation, self._before = loaded, Situation(), []
        info = loaded.program.modules[loaded.program.main]
        tests = len(loaded.loaded.own)
        lines = [f"{info.kind} {info.name}" + (f"  {line(info.doc)}" if info.doc else "")]
        if tests:
            lines.append(
                self.style(f"{tests} test{'s' * (tests != 1)}: :state NAME takes the state of one", "dim")
            )
        return lines

    def relations(self, rest: str) -> list[str]:
        """:relations [TEXT] -- the relations and screens of the program, with what they mean."""
        relations = [
            r
            for name, r in sorted(self.here.program.relations.items())
            if (rest or (r.module and not r.module.startswith("std.")))
            and not is_match(name)
            and rest.casefold() in name.casefold()
        ]
        width = max((len(f"{r.sort} {r.short}") for r in relations), default=0)
        return [f"{f'{r.sort} {r.short}':{width}}  {line(r.doc)}".rstrip() for r in relations] or ["none"]

    def rules(self, rest: str) -> list[str]:
        """:rules RELATION -- the rules that derive, write, recognise or allow it, and where they stand."""
        relation = self._relation(_wanted(rest, ":rules Slot"))
        names = {relation.name, match_relation(relation.name)}
        lines: list[str] = []
        for rule in self.here.program.rules:
            if _about(rule) in names and rule.span is not None:
                source = self.here.loaded.sources[rule.span.file]
                lines.append(self.style(f"{rule.id} ({place(rule.span, self._sources())})", "dim"))
                lines += [line(text, 500) for text in source.slice(rule.span).split("\n")]
        return lines or [f"no rule has {relation.short} in its head"]

    def describe(self, rest: str) -> list[str]:
        """:describe [RELATION] -- what was understood of the program in plain words, or the parts of a relation."""
        if not rest:
            from vsalang.language.describe import describe, to_text

            return to_text(describe(self.here.program)).rstrip().splitlines()
        relation = self._relation(rest)
        lines = [f"{relation.sort} {relation.short}" + (f"  {line(relation.doc)}" if relation.doc else "")]
        width = max((len(f"{a.name}: {a.type}") for a in relation.attrs), default=0)
        lines += [f"  {f'{a.name}: {a.type}':{width}}  {line(a.doc)}".rstrip() for a in relation.attrs]
        if relation.identity:
            lines.append(f"  told apart by {', '.join(relation.identity)}")
        return lines

    # ------------------------------------------------------------------ the state

    def state(self, rest: str) -> list[str]:
        """:state [FILE | NAME | none] [N] -- a test, dump, facts or journal (up to step or line N); or show it."""
        if not rest:
            return self._facts()
        if rest == "none":
            return [*self._changed(Situation()), *self._facts()]
        name, _, last = rest.rpartition(" ")
        name, step = (name.strip(), int(last)) if name and last.isdecimal() else (rest, None)
        tests = [example.name for example in self.here.loaded.own]
        if any(name.casefold() in test.casefold() for test in tests):
            name = f"{self.here.loaded.file}::{name}"
        read = read_state(self.here, name, step=step)
        return [*self._changed(read), *self._facts()]

    def _facts(self) -> list[str]:
        player = self.moment().player
        text = " then ".join(self.situation.sources) or "nothing is known"
        return [f"{line(text, 2000)}; {player.now:%Y-%m-%d %H:%M}"]

    def tests(self, rest: str) -> list[str]:
        """:tests -- the tests of the file."""
        examples = [e for e in self.here.loaded.own if rest.casefold() in e.name.casefold()]
        return [
            f"{line(e.name)}  ({sum(turn.kind != 'given' for turn in e.turns)} steps)" for e in examples
        ] or ["none"]

    def screen(self, rest: str) -> list[str]:
        """:screen -- which screens show, and what is seen of the device."""
        player = self.moment().player
        program = self.here.program
        names = sorted(player.guard.screens)
        lines = [
            f"screen {program.relations[n].short}"
            + (f"  {line(program.relations[n].doc)}" if program.relations[n].doc else "")
            for n in names
        ]
        screen = player.story.screen
        for name in sorted(screen.relations()):
            if name in ("Node", "App", "Window", "Toast", "Notification"):
                count = sum(1 for _ in screen.rows(name))
                lines += [f"{name}: {rows_text(count)}"] if count else []
        return lines or ["no screen is known"]

    def set_(self, rest: str) -> list[str]:
        """:set ATOM -- what is seen or believed from now on: :set Slot(restaurant = "R", at = 1, ..)"""
        return self._step(f"observe {_wanted(rest, ':set Relation(attribute = value)').rstrip('.')}.", "set")

    def unset(self, rest: str) -> list[str]:
        """:unset ATOM -- rows that match are gone from now on."""
        return self._step(
            f"observe no {_wanted(rest, ':unset Relation(attribute = value)').rstrip('.')}.", "unset"
        )

    def clock(self, rest: str) -> list[str]:
        """:clock [YYYY-MM-DD] HH:MM -- the device's date and time from now on."""
        text = f"clock {_wanted(rest, ':clock 12:30').rstrip('.')}."
        before = self.situation
        if not any(getattr(move, "kind", "clock") == "clock" for move in before.moves):
            # a first clock step says when the session began: this one is to be about now only
            before = before.at(before.clock or DEFAULT_CLOCK)
        return [*self._changed(before.then(self.here.steps(text).turns, text.rstrip("."))), *self._facts()]

    def do(self, rest: str) -> list[str]:
        """:do STEP -- a step of a test: observe .., attempt .., tap(..); what is allowed is carried out."""
        text = _wanted(rest, ":do attempt Reserve(..)").rstrip(".") + "."
        turns = self.here.steps(text).turns
        lines = self._changed(self.situation.then(turns, text.rstrip("."))) or [
            self.style("done; :undo takes it back", "dim")
        ]
        steps = self.moment().player.steps
        if steps and steps[-1].verdict is not None:
            lines = self._verdict(steps[-1].verdict.level, steps[-1].reasons)
        if self.moment().player.failure is not None:
            self.situation = self._before.pop()  # it was refused: nothing changed
        return lines

    def _step(self, text: str, word: str) -> list[str]:
        turns = self.here.steps(text).turns
        lines = self._changed(self.situation.then(turns, text.rstrip(".")))
        return lines or [self.style(f"{word}; :undo takes it back", "dim")]

    def undo(self, rest: str) -> list[str]:
        """:undo -- take the last change of the state back."""
        if not self._before:
            return self._error("nothing was changed")
        self.situation = self._before.pop()
        return self._facts()

    def propose(self, rest: str) -> list[str]:
        """:propose ACTION -- what it is recognised as, leads to and writes, and what the guard would say to it now."""
        action = _wanted(rest, ":propose Reserve(restaurant = ..)").rstrip(".")
        name = action.partition("(")[0].strip()
        word = (
            ""
            if name in GESTURES or name.split()[0] in ("finish", "attempt", "update", "delete")
            else "attempt "
        )
        turns = self.here.steps(f"{word}{action}.").turns
        proposals: list[Turn] = [turn for turn in turns if turn.kind == "turn"]
        if len(proposals) != 1:
            raise AskError("one action at a time")
        moment = self.moment()
        verdict = moment.player.judge(proposals[0])
        meaning = meaning_lines(moment, meaning_of(moment, verdict))
        width = max((len(word) for word, _ in meaning), default=0)
        lines = [f"{self.style(f'{word:{width}}', 'dim')}  {line(text, 2000)}" for word, text in meaning]
        lines += self._verdict(verdict.level, verdict.reasons)
        words = Wording(moment.facts)
        for grant, rule in moment.player.licences(verdict):
            fact = words.fact(self.here.program.relation(grant.relation), grant.row)
            where = place(rule.span, self._sources())
            lines.append(self.style(f"  {fact} by {rule.id} ({where})", "dim"))
        return lines

    def _verdict(self, level: str, reasons: Iterable[object]) -> list[str]:
        from vsalang.guard.say.verdict import Reason

        how = {"allow": "met", "block": "unmet"}.get(level, "unknown")
        lines = [self.style(level, how)]
        for reason in reasons:
            assert isinstance(reason, Reason)
            lines.append(f"  {line(reason.message, 2000)}" + (f"  [{reason.rule}]" if reason.rule else ""))
            lines += [f"    {line(text, 2000)}" for text in reason.texts() if text not in reason.message]
        return lines

    # ------------------------------------------------------------------ the dialogue

    def engine_(self, rest: str) -> list[str]:
        """:engine [incremental | pydatalog] -- which evaluator gives the rows."""
        if rest and rest not in ENGINES:
            former = f"; {FORMER_ENGINES[rest]}" if rest in FORMER_ENGINES else ""
            return self._error(f"there is no engine {rest}: {', '.join(ENGINES)}{former}")
        if rest:
            self.engine = next(name for name in ENGINES if name == rest)
        return [self.engine]

    def help(self, rest: str) -> list[str]:
        """:help -- this list."""
        usages = [_usage(function) for function in dict.fromkeys(COMMANDS.values())]
        width = max(len(usage) for usage, _ in usages)
        lines = ["A condition asks: Slot(time = ?t), ?t < 19:00", ""]
        lines += [f"{usage:{width}}  {text}" for usage, text in usages]
        return [*lines, f"{':quit':{width}}  end (Ctrl-D too)"]


COMMANDS: dict[str, Callable[[Console, str], list[str]]] = {
    "load": Console.load_file,
    "state": Console.state,
    "tests": Console.tests,
    "screen": Console.screen,
    "rows": Console.rows,
    "why": Console.why,
    "whynot": Console.whynot,
    "relations": Console.relations,
    "rules": Console.rules,
    "describe": Console.describe,
    "set": Console.set_,
    "unset": Console.unset,
    "clock": Console.clock,
    "do": Console.do,
    "propose": Console.propose,
    "undo": Console.undo,
    "engine": Console.engine_,
    "help": Console.help,
}
"""The commands by name, without the colon."""


def _meant(text: str) -> str:
    """The hint for a text that begins like a step of a test, or like a command without its colon; else "\"."""
    text = " ".join(text.split())
    word = text.partition(" ")[0].partition("(")[0]
    if word in STEPS:
        return f"`{word}` begins a step, not a condition; to carry it out: :do {text}"
    return f"a command begins with a colon: :{text}" if word in COMMANDS else ""


def needs_more(text: str) -> bool:
    """Whether a typed text continues on the next line: a bracket or a text is open, or it ends with a comma."""
    from vsalang.language.syntax.scan import skip_blanks

    text = text.rstrip()
    depth, at = 0, 0
    while at < len(text):
        char = text[at]
        if char == '"':
            at += 1
            while at < len(text) and text[at] not in '"\n':
                at += 2 if text[at] == "\\" else 1
        elif char == "/" and (after := skip_blanks(text, at)) > at:
            at = after
            continue
        depth += (char in "({") - (char in ")}")
        at += 1
    return depth > 0 or text.endswith(",")


def _usage(function: Callable[[Console, str], list[str]]) -> tuple[str, str]:
    usage, _, text = inspect.cleandoc(function.__doc__ or "").partition(" -- ")
    return usage, text.rstrip(".")


def _wanted(rest: str, example: str) -> str:
    if not rest:
        raise AskError(f"something is missing after it, such as {example}")
    return rest


def _about(rule: Rule) -> str:
    """The relation that a rule's head mentions; empty if it mentions none."""
    head = rule.head
    return head.atom.relation if isinstance(head, Derive | Recognize | Mark | Write | License) else ""


def _by_place(relation: Relation) -> Callable[[tuple[object, ...]], tuple[float, str]]:
    """Rows of a list sorted by position, nodes by number, others by value."""
    names = [a.name for a in relation.attrs]
    column = next((names.index(n) for n in ("at", "node") if n in names), None)

    def key(row: tuple[object, ...]) -> tuple[float, str]:
        cell = row[column] if column is not None else None
        return (cell if isinstance(cell, int) else float("inf"), repr(row))

    return key
