"""``vsac audit PATH..``: judges recorded walks under policies, and scores the alarms against labels."""

import os
from pathlib import Path
from typing import Any, Literal

from vsalang.base.config import config_in_force, policy_files, standard_in_force
from vsalang.base.options import argument, flag, group, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Style
from vsalang.base.source.results import ResultsError
from vsalang.language.semantics import Loaded, load_text
from vsalang.models.risk.judge.options import JudgeOptions
from vsalang.tools.audit import (
    AuditError,
    Level,
    Options,
    find,
    open_results,
    report,
    run,
)
from vsalang.tools.audit.text import AuditReport, summary
from vsalang.tools.cli import frame, sessions, shared
from vsalang.tools.cli.common import (
    EXIT_FAILED,
    EXIT_FINDINGS,
    EXIT_OK,
    Failure,
    load_in_force,
    shipped_modules,
    version,
)
from vsalang.tools.cli.frame import Output, Unusable
from vsalang.tools.cli.judging import Consultation, consultation
from vsalang.tools.cli.output import echo, json_text, refuse_to_lose, write_text
from vsalang.tools.cli.progress import Progress

DEFAULT = "std.policies.all"
_MAIN = 'policy audit "What is audited is judged by the policies alone"\n'


@dataclass(frozen=True, slots=True)
class AuditOptions:
    """Which walks are judged, by what, and where the result goes."""

    paths: tuple[str, ...] = argument("PATH")
    policies: tuple[str, ...] = option(
        "--policy", default=(), metavar="FILE", help="A policy by which is judged; repeatable."
    )
    spec: str | None = option(
        "--spec", metavar="SPEC", help="The task of the walks: a spec with its apps, which policies may read."
    )
    level: Literal["block", "confirm", "warn", "flag"] = option(
        "--level", default="confirm", help="The mildest level that is an alarm."
    )
    states: bool = flag("--states", help="Judge each distinct screen alone, not what is done on it.")
    benign: bool = flag("--benign", help="Walks without a label are safe: each alarm on them is false.")
    package: str = option(
        "--package", default="", metavar="PACKAGE", help="The app of the walks, where they do not say it."
    )
    jobs: int = shared.jobs("Judge walks")
    resume: Path | None = option(
        "--resume",
        metavar="FILE",
        help="Keep each result in this file, and judge nothing again that is in it.",
    )
    output: str | None = option(
        "-o", "--output", metavar="FILE", help="Write the result there.", default_text="standard output"
    )
    fail_on_alarm: bool = flag("--fail-on-alarm", help="Exit with 1 if there is an alarm.")
    redact: bool = flag(
        "--redact",
        help="Replace secrets (cards, codes, passwords ..) in what the judge is shown and in the result.",
    )
    judge: JudgeOptions | None = group(
        JudgeOptions,
        when="--judge-model",
        without=("pictures",),
        excludes={
            "model": dict.fromkeys(
                ("--resume", "--jobs", "--states"), "--judge-cache keeps the judge's answers"
            )
        },
    )


@frame.as_command("text", "json", "html")
def command(options: AuditOptions, output: Output) -> Report | int:
    """Judge recorded walks under policies: where they object and why, and how well that agrees with labels.

    PATH is a folder of traces of MobileRisk, a journal, or any recorded walk that `vsac record --walk` reads; folders
    are searched. Each action is judged on the screen it was done on, then its outcome; nothing is held back. What
    counts is what rules of policies say, not that a screen is unknown or a licence is missing.

    Exit status: 0 all was judged; 1 a policy has errors, or with --fail-on-alarm there is an alarm; 2 a walk could not
    be read or judged, or nothing could.
    """
    loaded, files = _loaded(options.spec, options.policies)
    if loaded.program is None:
        raise Unusable.of(loaded)
    refuse_to_lose(options.output, [*loaded.sources, *options.paths])
    config = config_in_force(options.spec or "audit.vsa")
    lexicon, redact = sessions.secrets_in_force(config, options.redact)
    chosen = Options(
        loaded.program, options.level, options.package, options.states, options.benign, lexicon, redact
    )
    consult = consultation(options.judge)
    sources = find(options.paths)
    outcomes = _run(sources.sources, chosen, options.jobs or os.cpu_count() or 1, options.resume, consult)
    if consult is not None:
        consult.summarize()
    audit = report(sources, outcomes)
    if not audit.traces and not audit.broken:
        listed = "; ".join(f"{each.path}: {each.why}" for each in audit.skipped[:3])
        raise Failure("there are no walks to judge", listed)
    status = EXIT_FAILED if audit.broken else EXIT_OK
    if options.fail_on_alarm and audit.alarmed:
        status = max(status, EXIT_FINDINGS)
    result = AuditReport(audit, _in_force(loaded, files, options.spec, options.level), status)
    if options.output is not None:
        _write(result, output.format, options.output)
        return status
    return result


def _loaded(spec: str | None, named: tuple[str, ...]) -> tuple[Loaded, tuple[str, ...]]:
    """What is judged by, and the files of its policies.

    Raises:
        Failure: there is no policy.
    """
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


def _run(sources: Any, chosen: Options, jobs: int, kept: Path | None, consult: Consultation | None) -> Any:
    """The outcomes, with progress; an error says that what was kept is kept.

    Raises:
        Failure: the audit cannot go on.
    """
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


def _in_force(loaded: Loaded, files: tuple[str, ...], spec: str | None, level: Level) -> dict[str, Any]:
    digests = {str(Path(name)): source.digest for name, source in loaded.sources.items()}
    assert loaded.program is not None
    return {
        "policies": [{"file": file, "digest": digests.get(str(Path(file)), "")} for file in files],
        "spec": spec,
        "program": loaded.program.digest,
        "level": level,
        "vsalang": version(),
    }


def _write(result: AuditReport, format: str, file: str) -> None:
    """Write the result to a file, and say where on standard error."""
    if format == "json":
        text = json_text(result.data(), indent=2) + "\n"
    elif format == "html":
        text = result.document(format, Style())
    else:
        text = "\n".join(result.lines(Style())) + "\n"
    try:
        write_text(Path(file), text)
    except OSError as error:
        raise Failure(f"cannot write {file}: {(error.strerror or str(error)).lower()}") from error
    for sentence in summary(result.audit):
        echo(sentence, err=True)
    echo(f"The audit is in {file}", err=True)
