"""``--instruction`` without SPEC: a model writes the charter, a person agrees to it, and then it is guarded."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Final, NoReturn

import click

from vsalang.agents.session import SessionOptions
from vsalang.agents.session.opening import owners_policies
from vsalang.base.config import config_in_force, policy_files, standard_in_force
from vsalang.base.diagnostics.display import count, safe
from vsalang.base.options import flag, group, option
from vsalang.base.records import dataclass
from vsalang.guard.user import terminal
from vsalang.guard.user.answering import AnsweringProgram
from vsalang.guard.user.terminal import NobodyThere
from vsalang.language.describe import describe, to_text
from vsalang.language.describe.description import Entry, Section
from vsalang.language.describe.nouns import split_name
from vsalang.language.semantics import Loaded, load_text
from vsalang.models.encode import (
    Formalization,
    InputError,
    Ledger,
    ModelError,
    ModelOptions,
    Moment,
    PriceError,
    Prices,
    PromptError,
    Reader,
    Settings,
    Task,
    encode,
    spec_name,
)
from vsalang.models.encode.charter import EFFECTS
from vsalang.models.encode.joining import NotJoined, charter_of
from vsalang.models.encode.own_tests import run_tests
from vsalang.models.encode.prompting import Prompts
from vsalang.models.encode.provenance import Provenance, answered_by
from vsalang.models.encode.report import judgement_data, judgement_sentence, problem_data
from vsalang.models.encode.review import Reviewing
from vsalang.models.encode.sampling import sampled
from vsalang.program.grave import lowered_action, near_actions
from vsalang.program.ir import License
from vsalang.program.text import join
from vsalang.tools.cli.common import EXIT_FINDINGS, Failure, version
from vsalang.tools.cli.encode_listener import Listener, say
from vsalang.tools.cli.encode_options import require_client
from vsalang.tools.cli.frame import Output, Unusable
from vsalang.tools.cli.output import echo, echo_json, write_new
from vsalang.tools.cli.progress import teller

UNLICENSED: Final = "std.policies.unlicensed"
INJECTION: Final = "std.policies.injection"
JUDGE: Final = "std.policies.judge"
_NO_SPEC: Final = {"SPEC": "SPEC says what is permitted, and no charter is written"}
_ROUNDS: Final = 4
_OF_MODELS: Final = [each.name for each in fields(ModelOptions)]


@dataclass(frozen=True, slots=True)
class CharterOptions:
    """How the charter of an instruction is written.

    Attributes:
        apps: modules of apps that it may use in addition to `std.effects`.
        keep: the file that it is written to; None: it stands in the journal only.
        samples: how many are asked for; an effect passes without a question only if all permit it.
        review: whether its meaning is looked at before a person is asked.
        model: writes it.
    """

    apps: tuple[str, ...] = option(
        "--app",
        default=(),
        metavar="APP",
        help="With --instruction: an app module that the charter may use, too; repeatable.",
        needs="--instruction",
        excludes=_NO_SPEC,
    )
    keep: Path | None = option(
        "--charter",
        metavar="FILE.vsa",
        help="With --instruction: write the charter to this new file, too.",
        default_text="it stands in the journal",
        needs="--instruction",
        excludes=_NO_SPEC,
    )
    samples: int = option(
        "--samples",
        least=1,
        most=20,
        default=1,
        help="With --instruction: how many charters are asked for. What not all of them permit is asked about.",
        needs="--instruction",
        excludes=_NO_SPEC,
    )
    review: bool = flag(
        "--review/--no-review",
        default=True,
        help="With --instruction: have the meaning of the charter looked at first.",
        needs="--instruction",
        excludes=_NO_SPEC,
    )
    model: ModelOptions = group(
        ModelOptions,
        needs=dict.fromkeys(_OF_MODELS, "--instruction"),
        excludes=dict.fromkeys(_OF_MODELS, _NO_SPEC),
    )

    @property
    def place(self) -> Path:
        """The file of the charter, which need not be written."""
        return self.keep or Path("charter.vsa")


@dataclass(frozen=True)
class Charter:
    """A charter that a person agreed to.

    Attributes:
        loaded: the charter with the policies in force.
        options: of the session that it is for.
    """

    loaded: Loaded
    options: SessionOptions


def agreed_charter(
    options: CharterOptions,
    session: SessionOptions,
    answering: AnsweringProgram | None,
    output: Output,
    *,
    judged: bool = False,
) -> Charter:
    """Have the charter of an instruction written, and ask a person to agree to it.

    Args:
        options: how it is written.
        session: the instruction, and the policies in force.
        answering: the program that is asked; None: the terminal is.
        output: how the command prints.
        judged: whether a judge is asked about texts: the policy that puts its answers to the user is in force.

    Raises:
        Failure: nobody can be asked, or the model or a file cannot be used. Nothing was started.
        click.exceptions.Exit: no charter was written, or nobody agreed to it; that was said.
        Unusable: a policy in force has errors.
    """
    assert session.instruction is not None
    if answering is None and not terminal.there():
        raise Failure(
            "nobody can agree to what the agent may do: there is no terminal",
            "run it on a terminal, or name a program that answers: --on-confirm fd:N",
        )
    place = options.place
    _writable(options.keep)
    written = _written(options, session, place, output)
    added = (UNLICENSED, INJECTION, *([JUDGE] if judged else []))
    session = replace(session, policies=(*session.policies, *added))
    loaded = _in_force(written.text, place, session)
    message = _message(session, written, loaded)
    about = _about(session, written)
    if output.machine:
        echo_json({"kind": "charter", **about, "text": written.text, "message": message}, err=False)
    by = _agreement(message, about, answering, output, session)
    if options.keep is not None:
        write_new(options.keep, written.text)
        say(f"wrote {options.keep}")
    return Charter(loaded, replace(session, charter={**about, "agreed": dict(by)}))


@dataclass(frozen=True, slots=True)
class _MadeCharter:
    """A charter as a model wrote it.

    Attributes:
        text: with the comments that say who made it.
        result: of asking.
        model: what answered, and where it was asked.
    """

    text: str
    result: Formalization
    model: Mapping[str, Any]


def _written(options: CharterOptions, session: SessionOptions, place: Path, output: Output) -> _MadeCharter:
    """Ask the model for the charter.

    Raises:
        Failure: it cannot be asked.
        click.exceptions.Exit: it wrote none.
    """
    instruction = session.instruction or ""
    require_client(options.model)
    config = config_in_force(place)
    moment = Moment.of(session.today.isoformat() if session.today else None)
    try:
        asked = options.model.model()
        ledger = Ledger(None, Prices.read(config.encode.prices), None)
        reviewing = None
        if options.review:
            reader = Reader(
                ledger.watch(options.model.model(tell=say), "reader"), moment, Prompts(), charter=True
            )
            reviewing = Reviewing(instruction, reader, teller())
        listener = Listener(asked, None, streams=False, reviews=options.review)
        apps = tuple(dict.fromkeys((EFFECTS, *options.apps)))
        task = Task(instruction, apps, _name(place), place, config.search, moment)
        settings = Settings(_ROUNDS, run_tests, meaning=reviewing)

        def once(number: int) -> Formalization:
            listener.sample = number
            model = options.model.model(number, tell=say)
            return encode(task, ledger.watch(model, "writer", number), settings, listener)

        result = charter_of(sampled(options.samples, once, say), options.samples, task)
    except (ModelError, InputError) as error:
        raise Failure(str(error), error.hint) from error
    except (PriceError, PromptError, NotJoined) as error:
        raise Failure(f"no charter was written: {error}") from error
    if asked.exposes_key:
        say(f"warning: the API key travels unencrypted to {asked.endpoint}")
    if not result.accepted:
        _no_charter(result, output)
    made = Provenance(version(), moment.day, moment, asked, ledger.spent, options.samples)
    answered = ", ".join(answered_by(result)) or None
    model = {"name": asked.name, "answered": answered, "endpoint": asked.endpoint, "samples": options.samples}
    return _MadeCharter(made.above(result), result, model)


def _name(place: Path) -> str:
    try:
        return spec_name(place.stem)
    except InputError as error:
        raise Failure(f"{place.name} cannot name a charter", error.hint) from error


def _writable(keep: Path | None) -> None:
    if keep is None:
        return
    if keep.suffix != ".vsa":
        raise Failure(f"{keep} is not the name of a spec's file", "give a name that ends in .vsa")
    if not keep.parent.is_dir():
        raise Failure(f"{keep.parent} is not a folder", "make it first")
    if keep.exists():
        raise Failure(
            f"{keep} exists already", "to run under it: `vsac run` with it as SPEC; else choose another name"
        )


def _no_charter(result: Formalization, output: Output) -> NoReturn:
    """Say why there is no charter: nothing was started."""
    if output.machine:
        problems = [problem_data(each) for each in result.problems]
        echo_json({"kind": "charter", "refused": result.refused or None, "problems": problems}, err=False)
    elif result.refused:
        echo(f"This cannot be written safely: {safe(result.refused, 600)}", err=True)
    else:
        for problem in result.problems:
            echo(safe(problem.text, 4000), err=True)
        rounds = count(len(result.rounds), "round")
        echo(
            f"no charter was written: the last of {rounds} has {count(len(result.problems), 'error')}",
            err=True,
        )
    echo("Nothing was started.", err=True)
    raise click.exceptions.Exit(EXIT_FINDINGS)


def _in_force(text: str, place: Path, session: SessionOptions) -> Loaded:
    """The charter with all policies in force.

    Raises:
        Unusable: one of them has errors.
    """
    config = config_in_force(place)
    loaded = load_text(
        text,
        file=str(place),
        path=place,
        search=config.search,
        policies=policy_files(config, session.policies),
        standard=standard_in_force(config, session.contracts),
    )
    if loaded.program is None:
        raise Unusable.of(loaded)
    return loaded


# ---------------------------------------------------------------- what a person agrees to


_NOT_SHOWN: Final = ("What is blocked", "What the words mean", "What is left open", "What was not read")


def _message(session: SessionOptions, written: _MadeCharter, loaded: Loaded) -> str:
    """All that a person agrees to, in plain words."""
    result = written.result
    assert result.loaded is not None
    description = describe(result.loaded.checked())
    sections = [each for each in description.sections if each.title not in _NOT_SHOWN]
    sections.append(Section("What is not said above", tuple(_rest(session, loaded))))
    text = to_text(replace(description, sections=tuple(sections)))
    asked = safe(str(written.model["name"]), 80)
    lines = [
        f"{written.model['answered'] or f'A model (asked for as {asked})'} wrote this charter of the instruction.",
        "",
        *text.rstrip().split("\n"),
    ]
    if result.judgement is not None:
        lines += ["", judgement_sentence(result.judgement)]
    if result.doubts:
        lines += ["", f"{count(len(result.doubts), 'doubt')} whether it says what was meant:"]
        lines += [f"  - {safe(each.message, 400)}" for each in result.doubts]
    return "\n".join(lines)


def _rest(session: SessionOptions, loaded: Loaded) -> Sequence[Entry]:
    """What happens to the effects that the charter does not permit, as the policies in force say."""
    program = loaded.checked()
    config = config_in_force(loaded.file)
    owners = set(owners_policies(loaded, config, session.policies))
    lowered = {lowered_action(rule, program.relations) for rule in program.lowered if rule.module in owners}
    allowed = {rule.head.atom.relation for rule in program.rules if isinstance(rule.head, License)}
    effects = [
        each for each in program.relations.values() if each.sort == "action" and each.module == EFFECTS
    ]
    others = [each for each in effects if each.name not in allowed]
    asked = [f'"{split_name(each.short)}"' for each in others if each.name in lowered]
    blocked = [f'"{split_name(each.short)}"' for each in others if each.name not in lowered]
    entries = []
    if asked:
        entries.append(Entry("note", f"You are asked before: {join(asked)}"))
    near = {
        lowered_action(rule, program.relations)
        for rule in program.lowered
        if rule.module in owners and allowed.intersection(near_actions(rule, program.relations))
    }
    warned = [f'"{split_name(each.short)}"' for each in others if each.name in near]
    if warned:
        note = f"Not of all, where it is near to what is permitted; the agent is only warned then: {join(warned)}"
        entries.append(Entry("note", note))
    if blocked:
        entries.append(Entry("note", f"Blocked: {join(blocked)}"))
    names = [
        safe(each, 80)
        for each in program.modules
        if program.modules[each].kind == "policy" and each != UNLICENSED
    ]
    if names:
        entries.append(Entry("note", f"These policies hold, too: {join(names)}"))
    return entries


def _about(session: SessionOptions, written: _MadeCharter) -> dict[str, Any]:
    """What the journal says of a charter."""
    return {
        "instruction": session.instruction,
        "model": dict(written.model),
        "judgement": judgement_data(written.result.judgement),
        "doubts": [each.message for each in written.result.doubts],
    }


def _agreement(
    message: str,
    about: Mapping[str, Any],
    answering: AnsweringProgram | None,
    output: Output,
    session: SessionOptions,
) -> Mapping[str, str]:
    """Who agreed.

    Raises:
        Failure: nobody could be asked.
        click.exceptions.Exit: they did not agree.
    """
    question = "May the agent work under this charter?"
    try:
        if answering is None:
            lines = terminal.whole([*message.split("\n"), "", question])
            agreed, by = terminal.agreed_to(lines), {"by": "the user on the terminal"}
        else:
            if session.ask_timeout is not None:
                answering.limit = session.ask_timeout.total_seconds()
            if not output.machine:
                echo(message, err=True)
            lines = terminal.whole([*message.split("\n"), "", question])
            subject = {"charter": dict(about)}
            agreed, about_answer = answering.agree(subject, "\n".join(lines), terminal.forever)
            by = dict(about_answer)
    except NobodyThere as error:
        raise Failure(f"nobody agreed to the charter: {error}", "nothing was started") from error
    if agreed:
        return by
    why = "nobody answered in time" if agreed is None else "the answer was no"
    if output.machine:
        echo_json({"kind": "charter", "agreed": False, "why": why}, err=False)
    echo(f"Nothing was started: {why}.", err=True)
    raise click.exceptions.Exit(EXIT_FINDINGS)
