"""``vsac record``: recorded walks as journals, with what a spec would have said to each step."""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vsalang.cli.common import EXIT_FAILED, EXIT_OK, Failure, format_option, policy_files, report, use_color

if TYPE_CHECKING:
    from vsalang.agents.walks import Turn, Walk
    from vsalang.semantics import Loaded

_WORDS = {
    "allow": ("passes", "green"),
    "warn": ("warned of", "yellow"),
    "confirm": ("asked about", "cyan"),
    "block": ("blocked", "red"),
}


@click.command()
@click.argument("spec", metavar="SPEC")
@click.option(
    "--walk",
    "walks",
    multiple=True,
    required=True,
    metavar="FILE",
    help="Recorded walks, one JSON object a line, plain or .gz; repeatable.",
)
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    required=True,
    help="Where the journals go, one for each walk: FILE-NUMBER.jsonl. Nothing is replaced.",
)
@click.option("--task", metavar="TEXT", help="Only walks whose task holds this text.")
@click.option(
    "--policy", "policies", multiple=True, metavar="FILE", help="A policy that is in force; repeatable."
)
@click.option(
    "--package", default="", metavar="PACKAGE", help="The app of the walks. [default: the only one of SPEC]"
)
@format_option("text", "json")
def command(
    spec: str,
    walks: tuple[str, ...],
    output: str,
    task: str | None,
    policies: tuple[str, ...],
    package: str,
    format: str,
) -> int:
    """Follow recorded walks (DroidTask) under SPEC without holding anything back, and write a journal of each.

    Each action is judged on the screen it was done on, then the walk goes on. `vsac show` shows a journal,
    `vsac replay` judges it by another spec. The walks' screens have no places: they are made up, a line for each node.

    Exit status: 0 they were followed, whatever the verdicts; 1 SPEC has errors; 2 it could not be done.
    """
    from vsalang.agents.walks import WalkError, read_walks
    from vsalang.guard import GuardFailed
    from vsalang.guard.journal import JournalError

    loaded = _load(spec, policies)
    if loaded.program is None:
        status = report(loaded.diagnostics, loaded.sources)
        return EXIT_FAILED if any(d.code.startswith("E000") for d in loaded.diagnostics) else status
    folder = Path(output)
    folder.mkdir(parents=True, exist_ok=True)
    followed = 0
    try:
        for file in walks:
            for number, walk in enumerate(read_walks(file), 1):
                if task is not None and task not in walk.task:
                    continue
                path = folder / f"{Path(file).name.split('.')[0]}-{number}.jsonl"
                turns = _follow(loaded, walk, path, policies, package)
                _say(walk, path, turns, format)
                followed += 1
    except (WalkError, GuardFailed, JournalError) as error:
        raise Failure(str(error)) from error
    if not followed:
        raise Failure("no walk has that task" if task else "there are no walks")
    if format == "text":
        click.echo(f"{followed} walks followed, nothing was held back. The journals are in {folder}")
    return EXIT_OK


def _load(spec: str, policies: tuple[str, ...]) -> "Loaded":
    from vsalang.config import config_for
    from vsalang.semantics import load

    config = config_for(spec)
    loaded = load(spec, policies=policy_files(config, policies), search=config.search)
    program = loaded.program
    if program is not None and program.modules[program.main].kind != "spec":
        raise Failure(
            f"{spec} is not a spec: it is {program.modules[program.main].kind}", "a walk is judged by a spec"
        )
    return loaded


def _follow(
    loaded: "Loaded", walk: "Walk", path: Path, policies: tuple[str, ...], package: str
) -> "list[Turn]":
    from vsalang.agents.walks import follow
    from vsalang.guard.journal import Journal
    from vsalang.journal import Recorder

    assert loaded.program is not None
    with Journal(path, sync="none") as journal:
        recorder = Recorder(
            journal,
            sources=loaded.sources,
            spec=loaded.file,
            policies=[str(Path(policy)) for policy in policies],
            device=f"walk:{walk.app}",
        )
        turns = list(follow(walk, loaded.program, package=package, recorder=recorder))
        last = turns[-1] if turns else None
        recorder.end(
            completed=last is not None and last.action.name == "finish" and last.verdict.level == "allow"
        )
    return turns


def _say(walk: "Walk", path: Path, turns: "list[Turn]", format: str) -> None:
    from vsalang.core.text import line

    counts = Counter(turn.verdict.level for turn in turns)
    if format == "json":
        data: dict[str, Any] = {
            "journal": str(path),
            "app": walk.app,
            "task": walk.task,
            "steps": len(turns),
            **{level: counts[level] for level in _WORDS},  # type: ignore[index]
            "not_followed": [turn.problem for turn in turns if turn.problem],
        }
        click.echo(json.dumps(data, ensure_ascii=False))
        return
    color = use_color(sys.stdout)
    parts = [
        click.style(f"{counts[level]} {word}", fg=shade) if color else f"{counts[level]} {word}"  # type: ignore[index]
        for level, (word, shade) in _WORDS.items()
        if counts[level]  # type: ignore[index]
    ]
    click.echo(f"{path.name}  {line(walk.task, 80)}: {', '.join(parts)}", color=color)
