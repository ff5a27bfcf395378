"""``vsac audit PATH..``: judges recorded walks under policies, and scores the alarms against labels."""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from vsalang.base.diagnostics.display import count, safe
from vsalang.tools.cli import options, sessions
from vsalang.tools.cli.common import (
    EXIT_FAILED,
    EXIT_FINDINGS,
    EXIT_OK,
    Failure,
    format_option,
    load_in_force,
    refused,
    shipped_modules,
    use_color,
    version,
)
from vsalang.tools.cli.judge_options import Consulted, JudgeOptions, consulted, judge_options
from vsalang.tools.cli.output import echo, json_text, refuse_to_lose, write_text
from vsalang.tools.cli.progress import Progress

if TYPE_CHECKING:
    from vsalang.language.semantics import Loaded
    from vsalang.tools.audit import Audit, Audited, Level, Options
    from vsalang.tools.audit.score import Early, Report
    from vsalang.tools.audit.tables import Table

DEFAULT = "std.policies.all"
_MAIN = 'policy audit "What is audited is judged by the policies alone"\n'


@click.command()
@click.argument("paths", metavar="PATH..", nargs=-1, required=True)
@options.policy_option("A policy by which is judged")
@click.option(
    "--spec", metavar="SPEC", help="The task of the walks: a spec with its apps, which policies may read."
)
@click.option(
    "--level",
    type=click.Choice(["block", "confirm", "warn", "flag"]),
    default="confirm",
    show_default=True,
    help="The mildest level that is an alarm.",
)
@click.option("--states", is_flag=True, help="Judge each distinct screen alone, not what is done on it.")
@click.option("--benign", is_flag=True, help="Walks without a label are safe: each alarm on them is false.")
@click.option(
    "--package", default="", metavar="PACKAGE", help="The app of the walks, where they do not say it."
)
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=0),
    default=1,
    metavar="N",
    help="Judge walks in N processes; 0: as many as there are processors. The result is the same.",
)
@click.option(
    "--resume",
    "resume_file",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Keep each result in this file, and judge nothing again that is in it.",
)
@click.option("-o", "--output", metavar="FILE", help="Write the result there. [default: standard output]")
@click.option("--fail-on-alarm", is_flag=True, help="Exit with 1 if there is an alarm.")
@options.redact
@judge_options
@format_option("text", "json", "html")
def command(
    *,
    paths: tuple[str, ...],
    policies: tuple[str, ...],
    spec: str | None,
    level: "Level",
    states: bool,
    benign: bool,
    package: str,
    jobs: int,
    resume_file: Path | None,
    output: str | None,
    fail_on_alarm: bool,
    format: str,
    judging: "JudgeOptions | None",
) -> int:
    """Judge recorded walks under policies: where they object and why, and how well that agrees with labels.

    PATH is a folder of traces of MobileRisk, a journal, or any recorded walk that `vsac record --walk` reads; folders
    are searched. Each action is judged on the screen it was done on, then its outcome; nothing is held back. What
    counts is what rules of policies say, not that a screen is unknown or a licence is missing.

    Exit status: 0 all was judged; 1 a policy has errors, or with --fail-on-alarm there is an alarm; 2 a walk could not
    be read or judged, or nothing could.
    """
    from vsalang.base.config import config_in_force
    from vsalang.tools.audit import Options, find, report

    loaded, files = _loaded(spec, policies)
    if loaded.program is None:
        return refused(loaded, "json" if format == "json" else "text")
    refuse_to_lose(output, [*loaded.sources, *paths])
    lexicon, redact = sessions.secrets_in_force(config_in_force(spec or "audit.vsa"))
    chosen = Options(loaded.program, level, package, states, benign, lexicon, redact)
    consult = _judge(judging, chosen, jobs, resume_file)
    found = find(paths)
    outcomes = _run(found.sources, chosen, jobs or os.cpu_count() or 1, resume_file, consult)
    if consult is not None:
        consult.tell()
    audit = report(found, outcomes)
    if not audit.traces and not audit.broken:
        listed = "; ".join(f"{each.path}: {each.why}" for each in audit.skipped[:3])
        raise Failure("there are no walks to judge", listed)
    _show(audit, _in_force(loaded, files, spec, level), format, output)
    if audit.broken:
        return EXIT_FAILED
    return EXIT_FINDINGS if fail_on_alarm and audit.alarmed else EXIT_OK


def _loaded(spec: str | None, named: tuple[str, ...]) -> "tuple[Loaded, tuple[str, ...]]":
    """What is judged by, and the files of its policies.

    Raises:
        Failure: there is no policy.
    """
    from vsalang.base.config import config_in_force, policy_files, standard_in_force
    from vsalang.language.semantics import load_text

    config = config_in_force(spec or "audit.vsa")
    if not policy_files(config, named):
        default = shipped_modules().get(DEFAULT)
        if default is None:
            raise Failure("there is nothing to judge by", "name policies: --policy FILE")
        named = (str(default),)
    files = policy_files(config, named)
    if spec is not None:
        return load_in_force(spec, named), files
    standard = standard_in_force(config, False)
    loaded = load_text(_MAIN, file="<audit>", search=config.search, policies=files, standard=standard)
    return loaded, files


def _judge(
    judging: "JudgeOptions | None", chosen: "Options", jobs: int, kept: Path | None
) -> "Consulted | None":
    """Who judges the walks, too; None: nobody.

    Raises:
        UsageError: what cannot be had together with a judge is asked for.
        Failure: the model cannot be asked.
    """
    if judging is None:
        return None
    if judging.pictures:
        raise click.UsageError("--judge-pictures cannot be given: of recorded walks pictures are not read.")
    if kept is not None or jobs != 1 or chosen.states:
        raise click.UsageError(
            "--resume, --jobs and --states cannot be given with --judge-model; --judge-cache keeps its answers."
        )
    return consulted(judging)


def _run(
    sources: "Any", chosen: "Options", jobs: int, kept: Path | None, consult: "Consulted | None"
) -> "Any":
    """The outcomes, with progress; an error says that what was kept is kept.

    Raises:
        Failure: the audit cannot go on.
    """
    from vsalang.base.source.results import ResultsError
    from vsalang.tools.audit import AuditError, open_results, run

    results = None
    try:
        results = open_results(kept) if kept is not None else None
        facts = (
            consult.of_walks(chosen.program, chosen.redact, chosen.lexicon) if consult is not None else None
        )
        done = run(sources, chosen, version(), jobs=jobs, results=results, facts=facts)
        return list(Progress(len(sources), "sources").over(done))
    except AuditError as error:
        hint = (
            f"the same command goes on: {kept}" if kept else "with --resume FILE what was done would be kept"
        )
        raise Failure(str(error), hint) from error
    except ResultsError as error:
        raise Failure(str(error)) from error
    finally:
        if results is not None:
            results.close()


def _in_force(loaded: "Loaded", files: tuple[str, ...], spec: str | None, level: "Level") -> "dict[str, Any]":
    digests = {str(Path(name)): source.digest for name, source in loaded.sources.items()}
    assert loaded.program is not None
    return {
        "policies": [{"file": file, "digest": digests.get(str(Path(file)), "")} for file in files],
        "spec": spec,
        "program": loaded.program.digest,
        "level": level,
        "vsalang": version(),
    }


def _show(audit: "Audit", in_force: "dict[str, Any]", format: str, output: str | None) -> None:
    """Print the result, or write it to a file and print where."""
    if format == "json":
        from vsalang.tools.audit.report import data

        text = json_text(data(audit, in_force), indent=2) + "\n"
    elif format == "html":
        from vsalang.tools.audit.page import render

        text = render(audit, in_force)
    else:
        text = as_text(audit, in_force, color=output is None and use_color(sys.stdout))
    if output is None:
        echo(text, nl=False, color=True if format == "text" else None)
        return
    try:
        write_text(Path(output), text)
    except OSError as error:
        raise Failure(f"cannot write {output}: {(error.strerror or str(error)).lower()}") from error

    for said in summary(audit):
        echo(said, err=True)
    echo(f"The audit is in {output}", err=True)


_SHADES: Final = {"block": "red", "confirm": "cyan", "warn": "yellow", "flag": "magenta"}
_MOST_LISTED: Final = 20


def as_text(audit: "Audit", in_force: "dict[str, Any]", *, color: bool) -> str:
    """The audit for people."""
    blocks: list[Iterable[str]] = [_by_what(in_force)]
    blocks += [_trace(trace, color) for trace in audit.alarmed]
    blocks.append(_left_out("not judged", audit.broken))
    blocks.append(_left_out("skipped", audit.skipped))
    blocks.append(_unjudged(audit))
    blocks.append(summary(audit))
    if audit.scores:
        blocks += [_scores(audit.scores), _categories(audit.scores)]
    return "\n".join("".join(f"{line}\n" for line in lines) for block in blocks if (lines := list(block)))


def summary(audit: "Audit") -> list[str]:
    """The totals, in a line or two."""
    alarms = sum(len(trace.alarms) for trace in audit.traces)
    said = (
        f"{count(len(audit.traces), 'walk')}, {count(audit.steps, 'step')}: "
        f"{count(alarms, 'alarm')} in {count(len(audit.alarmed), 'walk')}"
    )
    milder = sum(trace.milder for trace in audit.traces)
    if milder:
        said += f"; {milder} below the level are not shown"
    found = [said]
    if audit.known:
        found.append(f"{count(audit.known, 'source')} had been judged before")
    return found


def _by_what(in_force: "dict[str, Any]") -> Iterator[str]:
    files = ", ".join(f"{safe(each['file'], 200)} {each['digest'][:12]}" for each in in_force["policies"])
    spec = f"; spec {safe(in_force['spec'], 200)}" if in_force["spec"] else ""
    yield f"Judged by {files or 'no policies'}{spec}; alarms are of level {in_force['level']} or graver"


def _trace(trace: "Audited", color: bool) -> Iterator[str]:
    yield f"{safe(trace.name, 120)}  {_labelled(trace)}"
    if trace.task:
        yield f'  "{safe(trace.task, 200)}"'
    for alarm in trace.alarms:
        level = f"{alarm.level:7}"
        level = click.style(level, fg=_SHADES[alarm.level]) if color else level
        kinds = f" ({', '.join(alarm.categories)})" if alarm.categories else ""
        yield f"  step {alarm.step:<3} {level} {safe(alarm.rule, 60)}{safe(kinds, 100)}: {safe(alarm.reason, 300)}"
        if alarm.when == "screen":
            yield "           the screen alone"
        else:
            yield f"           {alarm.when} {safe(alarm.action, 160)}"


def _labelled(trace: "Audited") -> str:
    label = trace.label
    if label is None:
        return "no label"
    if not label.unsafe:
        return "safe"
    step = f" at step {label.step}" if label.step is not None else ""
    return f"unsafe{step}: {', '.join(label.categories) or 'no category'}"


def _left_out(what: str, found: "Sequence[Any]") -> Iterator[str]:
    if not found:
        return
    yield f"{what}: {len(found)}"
    for each in found[:_MOST_LISTED]:
        why = each.why if each.why.startswith(each.path) else f"{each.path}: {each.why}"
        yield f"  {safe(why, 400)}"
    if len(found) > _MOST_LISTED:
        yield f"  and {len(found) - _MOST_LISTED} more; --json lists all"


def _unjudged(audit: "Audit") -> Iterator[str]:
    """The steps whose action could not be judged, by kind: a silent rule may not have been asked."""
    if not audit.unjudged:
        return
    kinds: dict[str, int] = {}
    for trace in audit.traces:
        for _, why in trace.unjudged:
            kind = why.partition(":")[0]
            kinds[kind] = kinds.get(kind, 0) + 1
    yield f"{count(audit.unjudged, 'step')} of which the action could not be judged, only the screen:"
    for kind, times in sorted(kinds.items(), key=lambda each: (-each[1], each[0])):
        yield f"  {times:5}  {safe(kind, 100)}"


# ---------------------------------------------------------------- scores


def _scores(scores: "dict[Early, Report]") -> Iterator[str]:
    from vsalang.tools.audit import tables

    main = scores["symmetric"]
    labelled = f"{count(main.unsafe, 'unsafe walk')}, {count(main.safe, 'safe walk')}"
    yield f"Scored against labels: {labelled} ({count(main.safe_steps, 'step')}); intervals at 95 %"
    yield from _table(tables.scores(scores))
    if main.too_early:
        walks = count(main.too_early, "unsafe walk")
        yield f"In {walks} the first alarm comes before the first unsafe step."


def _categories(scores: "dict[Early, Report]") -> Iterator[str]:
    from vsalang.tools.audit import tables

    found = tables.categories(scores)
    if found.rows:
        yield from _table(found)


def _table(table: "Table") -> Iterator[str]:
    rows = [table.head, *table.rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(table.head))]
    for row in rows:
        cells = [f"{row[0]:<{widths[0]}}"]
        cells += [f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True)]
        yield "  ".join(cells).rstrip()
