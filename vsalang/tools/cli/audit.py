"""``vsac audit PATH..``: judges recorded walks under policies, and scores the alarms against labels."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

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
from vsalang.tools.cli.judging import Consulted, JudgeOptions, consulted, judge_options
from vsalang.tools.cli.output import echo, json_text, refuse_to_lose, write_text
from vsalang.tools.cli.progress import Progress

if TYPE_CHECKING:
    from vsalang.language.semantics import Loaded
    from vsalang.tools.audit import Audit, Level, Options

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
    from vsalang.tools.audit import AuditError, Results, ResultsError, run

    results = None
    try:
        results = Results(kept) if kept is not None else None
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
        from vsalang.tools.cli.audit_report import as_text

        text = as_text(audit, in_force, color=output is None and use_color(sys.stdout))
    if output is None:
        echo(text, nl=False, color=True if format == "text" else None)
        return
    try:
        write_text(Path(output), text)
    except OSError as error:
        raise Failure(f"cannot write {output}: {(error.strerror or str(error)).lower()}") from error
    from vsalang.tools.cli.audit_report import summary

    for said in summary(audit):
        echo(said, err=True)
    echo(f"The audit is in {output}", err=True)
