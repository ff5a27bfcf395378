"""Writes a guard's session to a journal: what is recorded, and in what words."""

import datetime as dt
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Self

from vsalang.base.names import EngineName
from vsalang.base.source import Source
from vsalang.guard import KnownWorld, ObservationResult, Settings, Verdict
from vsalang.guard.journal.file import Journal
from vsalang.guard.journal.screens_json import screen_json
from vsalang.guard.journal.settings_json import settings_json
from vsalang.guard.journal.values_json import proposal_json, seen_json, times_json
from vsalang.guard.recorder import CommitQuestion
from vsalang.guard.world.clock import Times
from vsalang.program.action import Action
from vsalang.program.delivery import LastLook
from vsalang.program.ir import Program
from vsalang.program.meaning import SEMANTICS
from vsalang.program.screen import FINGERPRINTS, Screen
from vsalang.program.similarity import Behind, Similarity, SimilarityAnswer, behind, name_of, problem_of
from vsalang.program.text import line


class Recorder:
    """Records a session so that it can be read, judged again, and continued.

        with Journal("session.jsonl") as journal:
            guard = Guard(program, recorder=Recorder(journal, sources=loaded.sources))

    Args:
        journal: where to; empty, or continued.
        sources: the text of every file of the program, by the name that spans use: with them the session can be
            judged again although the files have changed.
        spec: the main file's name among them.
        policies: the names of the policies among them that are in force.
        standard: the modules of vsac that are in force although nothing imports them.
        device: which device it is, for readers.
        configuration: the files of configuration that were read for it, each with the SHA-256 of its text.
        charter: how the spec was made of an instruction, and who agreed to it; None: it was not.
        apps: the versions of the apps that the program is about, by package, as the device said them.
    """

    def __init__(
        self,
        journal: Journal,
        *,
        sources: Mapping[str, Source] | None = None,
        spec: str = "",
        policies: Iterable[str] = (),
        standard: Iterable[str] = (),
        device: str = "",
        configuration: Iterable[tuple[Path, str]] = (),
        charter: Mapping[str, Any] | None = None,
        apps: Mapping[str, str] | None = None,
    ) -> None:
        self.journal = journal
        self._about: dict[str, Any] = {
            "sources": [
                {
                    "file": name,
                    "path": str(source.path.resolve()) if source.path else None,
                    "text": source.text,
                }
                for name, source in (sources or {}).items()
            ],
            "file": spec,
            "policies": list(policies),
            "standard": list(standard),
            "device": device,
            "configuration": [{"file": str(path), "digest": digest} for path, digest in configuration],
            **({} if charter is None else {"charter": dict(charter)}),
            **({"apps": dict(apps)} if apps else {}),
        }
        self._proposed: tuple[Verdict, int] | None = None
        self._answerer: Callable[[Verdict | None], Mapping[str, str]] = lambda verdict: {}
        self._commits: dict[int, int] = {}
        self._newest: int | None = None
        self._screens: set[str] = set()
        self._similar: list[list[Any]] = []
        self._answers: dict[tuple[str, str], SimilarityAnswer] = {}
        self._silent = False
        self._last: Screen | None = None
        self._backend = ""
        self._mode = ""
        self._goes_on: dict[str, Any] | None = None

    @classmethod
    def silent(cls, journal: Journal, answers: Mapping[tuple[str, str], SimilarityAnswer]) -> Self:
        """One that records nothing until it is told to go on (`continued`): the session so far is enacted again.

        Args:
            journal: the session's, opened again.
            answers: those of the similarity backend so far.
        """
        recorder = cls(journal)
        recorder._answers.update(answers)
        recorder._silent = True
        return recorder

    # ------------------------------------------------------------------ what the guard tells

    def begin(
        self,
        program: Program,
        settings: Settings,
        engine: EngineName,
        today: dt.date | None,
        now: Times,
        instruction: str | None = None,
    ) -> None:
        from importlib.metadata import PackageNotFoundError, version

        try:
            release = version("vsalang")
        except PackageNotFoundError:
            release = ""
        self._mode = settings.mode
        about: dict[str, Any] = {
            "vsalang": release,
            "semantics": SEMANTICS,
            "fingerprints": FINGERPRINTS,
            "spec": program.main,
            "digest": program.digest,
            "today": today.isoformat() if today is not None else None,
            **times_json(now),
            "engine": engine,
            "settings": settings_json(settings),
            "similarity": self._backend,
            **({} if instruction is None else {"instruction": instruction}),
        }
        if self.journal.redactor is not None:
            about["redacted"] = list(self.journal.redactor.kinds)
        self._write("session", about | self._about)

    def listening(self, similarity: Similarity) -> Similarity:
        self._backend = name_of(similarity)
        return _Listening(similarity, self._answers, self._similar)

    def proposed(self, verdict: Verdict, note: str) -> None:
        if self.journal.redactor is not None:
            self.journal.redactor.learn_typed(verdict.proposal.gesture, self._last)
        data = {
            **times_json(verdict.times or Times.all_at(verdict.at)),
            "token": verdict.token,
            "proposal": proposal_json(verdict.proposal),
            "note": note,
            "verdict": verdict.to_json(),
        }
        self._proposed = None
        number = self._write("propose", data | self._asked())
        self._proposed = (verdict, number)

    def committed(self, answered: CommitQuestion) -> None:
        data = self._answered(answered)
        self._newest = data["propose"]
        if self._newest is not None:
            self._commits[answered.verdict.token] = self._newest
        self._write("commit", data | self._asked())

    def refused(self, answered: CommitQuestion, reason: str) -> None:
        self._write("refused", {**self._answered(answered), "reason": reason} | self._asked())

    def observed(
        self,
        screen: Screen | None,
        delivered: bool | None,
        seen: KnownWorld | None,
        at: Times,
        *,
        today: dt.date,
        screens: frozenset[str],
        observed: ObservationResult,
    ) -> None:
        taken = None
        if screen is not None:
            self._last = screen
            if self.journal.redactor is not None:
                self.journal.redactor.learn_screen(screen)
            screen_parts = screen_json(screen)
            if screen_parts.id not in self._screens:
                self._write("screen", {"id": screen_parts.id, "form": screen_parts.form, **screen_parts.body})
                self._screens.add(screen_parts.id)
            taken = {"id": screen_parts.id, "fingerprint": screen.fingerprint, **screen_parts.look}
        data = {
            **times_json(at),
            "today": today.isoformat(),
            "screen": taken,
            "seen": seen_json(seen),
            "delivered": delivered,
            "point": observed.point,
            "shown": sorted(screens),
            "contracts": [contract.to_json() for contract in observed.contracts],
            "taken_back": [str(action) for action in observed.taken_back],
            "came_late": [str(action) for action in observed.came_late],
            **({"changed": [each.to_json() for each in observed.changed]} if observed.changed else {}),
            "differences": [why.to_json() for why in observed.differences],
            "recorded": [reason.to_json() for reason in observed.recorded],
            "conflicts": [reason.to_json() for reason in observed.conflicts],
        }
        self._write("observe", data | self._asked())

    def closed(self) -> None:
        self._write("close", {})

    def failed(self, error: str) -> None:
        self._write("failed", {"error": error})

    # ------------------------------------------------------------------ what the guard or the loop tells

    def answered(
        self, approved: bool, how: str = "", verdict: Verdict | None = None, refused: str = ""
    ) -> None:
        proposed = self._proposed
        known = proposed is not None and (verdict is None or proposed[0] is verdict)
        data: dict[str, Any] = {"propose": proposed[1] if proposed is not None and known else None}
        data["approved"] = approved
        if how:
            data["how"] = how
        if refused:
            data["refused"] = refused
        asked = verdict if verdict is not None else proposed[0] if proposed is not None else None
        self._write("answer", {**data, **self._answerer(asked)})

    def answered_by(self, about: Callable[[Verdict | None], Mapping[str, str]]) -> None:
        """Record with each answer who gave it (`vsalang.guard.user.answering.AnsweringProgram.about`), not the user."""
        self._answerer = about

    def delivered(
        self,
        delivered: bool | None,
        problem: str = "",
        verdict: Verdict | None = None,
        look: LastLook | None = None,
        *,
        judged: bool = True,
    ) -> None:
        """See `vsalang.guard.recorder.Recorder`.

        Args:
            judged: False for what others did, unasked, before the screen was looked at: its verdict is none.
        """
        number = self._newest if verdict is None else self._commits.get(verdict.token)
        data: dict[str, Any] = {"propose": number, "delivered": delivered, "problem": problem}
        if look is not None:
            data |= {"look_age": look.age, "by_device": look.by_device}
        self._write("outcome", data if judged else {**data, "judged": False})

    def given_back(self, number: int, action: Action, at: Times) -> None:
        self._write("given_back", {**times_json(at), "entry": number, "action": str(action)})

    def turned_away(self, what: str, reason: str) -> None:
        self._write("turned_away", {"request": line(what, 400), "reason": line(reason, 400)})

    def looked(self, rule: str, question: str, outcome: str, by: str, problem: str = "") -> None:
        """Somebody looked, after the newest commit, whether a contract that was left open is met."""
        self._write(
            "looked",
            {
                "propose": self._newest,
                "rule": rule,
                "question": line(question, 1000),
                "outcome": outcome,
                "by": line(by, 100),
                "problem": line(problem, 400),
            },
        )

    def hinted(self, aim: str, screen: str, left: int, text: str) -> None:
        """The agent was told its next steps on a map. No judgement: a replay passes over it.

        Args:
            aim: see `vsalang.guard.say.agent_hints.AgentHint`.
            screen: that showed, as the map calls it.
            left: how many steps there were.
            text: what it was told.
        """
        data = {"aim": aim, "screen": line(screen, 200), "left": left, "text": line(text, 1200)}
        self._write("hint", data)

    def end(self, *, completed: bool | None) -> None:
        """The session is over; `completed` is None if nobody judged that (there was no task)."""
        self._write("end", {"completed": completed})

    # ------------------------------------------------------------------ a journal that is continued

    def continued(
        self,
        proposed: tuple[Verdict, int] | None,
        screens: Iterable[str],
        torn: bytes,
        in_flight: int | None,
        *,
        at_once: bool = True,
    ) -> None:
        """Go on with a journal: what of its records the next ones may refer to. Records that, and what was cut off.

        Args:
            proposed: the newest verdict, and the number of its record.
            screens: the ids of those that the journal holds.
            torn: what a crash left of a line.
            in_flight: the record of the proposal that is under way.
            at_once: record it now; else not before something else is recorded.
        """
        self._proposed = proposed
        self._commits.clear()
        self._newest = in_flight
        self._screens = set(screens)
        self._similar.clear()
        self._silent = False
        self._goes_on = {"in_flight": in_flight, "torn": torn.rstrip(b"\0").decode("utf-8", "replace")}
        if at_once:
            self._go_on()

    def _go_on(self) -> None:
        data, self._goes_on = self._goes_on, None
        if data is not None:
            try:
                self._write("resume", data)
            except BaseException:
                self._goes_on = data  # what comes later still has to be told that it comes later
                raise

    # ------------------------------------------------------------------ writing

    def _answered(self, answered: CommitQuestion) -> dict[str, Any]:
        proposed = self._proposed
        number = proposed[1] if proposed is not None and proposed[0] is answered.verdict else None
        return {
            "propose": number if answered.fresh else None,
            **times_json(answered.at),
            "approved": answered.approved,
            "screen": answered.fingerprint,
        }

    def _asked(self) -> dict[str, Any]:
        """The answers of the similarity backend since the last record."""
        if not self._similar:
            return {}
        return {"similar": list(self._similar)}

    def _write(self, kind: str, data: Mapping[str, Any]) -> int:
        if self._silent:
            return 0
        self._go_on()
        at = dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds")
        # every line says so: none may be taken for one of a session in which the guard decided
        mode = {"mode": self._mode} if self._mode == "shadow" else {}
        number = self.journal.write(kind, {"at": at, **mode, **data})
        if "similar" in data:
            self._similar.clear()
        return number


class _Listening:
    """Passes questions on once, and keeps the answers."""

    def __init__(
        self,
        similarity: Similarity,
        answers: dict[tuple[str, str], SimilarityAnswer],
        new: list[list[Any]],
    ) -> None:
        self.name = name_of(similarity)
        self._similarity = similarity
        self._answers = answers
        self._new = new
        self._problem = ""

    @property
    def problem(self) -> str:
        """Why a question was not answered, also before the session was resumed."""
        return self._problem or problem_of(self._similarity)

    def similar(self, text: str, constant: str) -> bool | None:
        pair = (text, constant)
        if pair not in self._answers:
            # also that it does not know is an answer: judged again it must be the same
            answer = self._similarity.similar(text, constant)
            similarity_answer = SimilarityAnswer(answer, behind(self._similarity, text, constant))
            self._answers[pair] = similarity_answer
            self._new.append([text, constant, answer, similarity_answer.behind.to_json()])
        similarity_answer = self._answers[pair]
        if similarity_answer.behind.problem:
            self._problem = self._problem or str(similarity_answer.behind)
        return similarity_answer.answer

    def behind(self, text: str, constant: str) -> Behind:
        answer = self._answers.get((text, constant))
        return answer.behind if answer is not None else behind(self._similarity, text, constant)
