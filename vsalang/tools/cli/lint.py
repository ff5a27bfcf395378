"""``vsac lint``: report what is allowed but probably not meant."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vsalang.base.diagnostics.display import count
from vsalang.tools.cli.common import (
    EXIT_FAILED,
    EXIT_FINDINGS,
    EXIT_OK,
    Failure,
    files_meant,
    format_option,
    render,
    require,
    unread,
    use_color,
)
from vsalang.tools.cli.fixing import fix_file, fix_summary, loader, refuse_stdin
from vsalang.tools.cli.output import echo
from vsalang.tools.cli.progress import Progress, telling

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from vsalang.base.config import Config
    from vsalang.base.diagnostics import Diagnostic
    from vsalang.language.semantics import Loaded


@click.command()
@click.argument("paths", nargs=-1, metavar="[FILE]...")
@click.option(
    "--select", multiple=True, metavar="CODES", help="Look for these only (L0001,L0003); repeatable."
)
@click.option("--ignore", multiple=True, metavar="CODES", help="Leave these out; repeatable.")
@click.option(
    "--deep", is_flag=True, help="Ask the solver too, as `vsac prove verify` does (needs the extra smt)."
)
@click.option(
    "--policy",
    "policies",
    multiple=True,
    metavar="FILE",
    help="With --deep: a policy that is in force in addition to the FILEs; repeatable.",
)
@click.option(
    "--recordings",
    multiple=True,
    metavar="PATH",
    help="A journal or recorded walks: `goto` rules that they refute are found (L0039); repeatable.",
)
@click.option("--fix", is_flag=True, help="Write into FILEs the fixes that need no choice, then look again.")
@click.option("--diff", is_flag=True, help="Show what --fix would write, and write nothing.")
@click.option("--strict", is_flag=True, help="Exit with status 1 if there is a warning.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing where nothing was found.")
@format_option()
def command(
    *,
    paths: tuple[str, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    deep: bool,
    policies: tuple[str, ...],
    recordings: tuple[str, ...],
    fix: bool,
    diff: bool,
    strict: bool,
    quiet: bool,
    format: str,
) -> int:
    """Report what is probably not meant in FILEs that have no errors. Imported files are not checked.

    The warnings of `vsac check` are shown too. A FILE with errors has no lint findings: its errors are shown instead.
    In a file, `// lint: ignore L0003` suppresses a finding on its line or, alone on a line, on the next line.
    `vsac explain L0003` explains a code. The section [lint] of the project's vsac.toml applies too; --select replaces
    its `select`. A FILE may be a folder: every .vsa file in it and below is meant, except hidden ones and those that
    `exclude` of vsac.toml names. Without a FILE, the working folder is meant. A FILE of - is standard input.

    With --deep the solver is asked what `prove verify` asks: rules that never apply, with the conditions that clash,
    states in which the agent can neither act nor finish, and, of the policies named by --policy, whether they forbid
    all that a rule allows. That may take some seconds for each rule.

    With --recordings it is looked for `goto` rules that were tried three times or more and never led to their screen:
    journals, and walks of any format that `vsac record --walk` reads. How many rules were tried is said.

    Exit status: 0 no errors (with --strict: no warnings either; hints do not count), 1 errors (or, with --strict,
    warnings) were found, 2 a FILE or a recording could not be read, or CODES name no rule.
    With --diff it is also 1 if something would be written; the remaining findings are shown after the difference.
    """
    from dataclasses import replace

    from vsalang.base.diagnostics import Diagnostic, Severity, has_errors
    from vsalang.base.source import Source
    from vsalang.language.lint import lint, warnings_of_check

    chosen = _codes(select, "--select") if select else None
    left_out = _codes(ignore, "--ignore") if ignore else frozenset()
    errors: dict[Diagnostic, None] = {}  # each once, in order
    findings: list[Diagnostic] = []
    sources: dict[str, Source] = {}
    fixed = 0
    files = [found.file for found in files_meant(paths)]
    refuse_stdin(files, fix and not diff)
    if policies and not deep:
        raise click.UsageError(
            "--policy needs --deep: without the solver policies are looked at as FILEs of their own"
        )
    if policies and "-" in files:
        raise click.UsageError("--policy needs files: standard input cannot be combined with a policy")
    for file in Progress(len(files), "files").over(files):
        config = _config(file)
        load = loader(file)
        text: str | None = None
        loaded = load(text)

        def found_in(
            loaded: "Loaded",
            config: "Config" = config,
            refuted: "Mapping[str, Sequence[str]] | None" = None,
        ) -> "tuple[Diagnostic, ...]":
            wanted = chosen if chosen is not None else config.lint.select
            without = left_out | config.lint.ignore
            return (
                *warnings_of_check(loaded, select=wanted, ignore=without),
                *lint(loaded, select=wanted, ignore=without, refuted=refuted),
            )

        def look(text: str, load: "Callable[[str | None], Loaded]" = load) -> "list[Diagnostic]":
            # the fixes of errors belong to `vsac check --fix`
            again = load(text)
            return [*(replace(item, fixes=()) for item in again.errors), *found_in(again)]

        source = loaded.sources.get(loaded.file)
        if (fix or diff) and source is not None:
            after = fix_file(source, look, write=not diff, show=format == "text")
            fixed += len(after.applied)
            if not diff:
                loaded = load(None)
            elif after.applied and format == "text":
                text = after.text  # show the findings that remain after the difference
                loaded = load(text)
        sources.update(loaded.sources)
        errors |= dict.fromkeys(loaded.errors)
        refuted, said = refuted_in(loaded, recordings) if recordings else (None, None)
        if said and not quiet:
            echo(said, err=True)
        findings += config.lint.weighed(found_in(loaded, refuted=refuted))
        if deep:
            wanted = chosen if chosen is not None else config.lint.select
            asked = loader(file, policies)(text) if policies else loaded
            sources.update(asked.sources)
            errors |= dict.fromkeys(asked.errors)
            found = deep_findings(asked, select=wanted, ignore=left_out | config.lint.ignore)
            findings += config.lint.weighed(found)
    if format == "text":
        # errors first, so that a single one is not lost among many findings; one line counts all
        from vsalang.base.diagnostics import in_order, terminal

        shown = [*in_order(errors), *in_order(findings)]
        output = terminal.render(shown, sources, color=use_color())
    else:
        output = render([*errors, *findings], sources, format)
    click.echo(output, nl=False, color=True)
    if format == "text" and not quiet and not diff and not errors and not findings:
        click.echo(f"looked at {'1 file' if len(files) == 1 else f'{len(files)} files'}: nothing found")
    if format == "text" and fixed and not quiet and not diff:
        click.echo(fix_summary(fixed))
    if unread(errors):
        return EXIT_FAILED
    warned = strict and any(item.severity is Severity.WARNING for item in findings)
    if has_errors([*errors, *findings]) or warned or (diff and fixed):
        return EXIT_FINDINGS
    return EXIT_OK


def _config(file: str) -> "Config":
    from vsalang.base.config import config_for
    from vsalang.language.lint import CODES

    return config_for("<stdin>" if file == "-" else file, lint_codes=CODES)


def _codes(given: Iterable[str], option: str) -> frozenset[str]:
    """The codes that an option names, separated by commas."""
    from vsalang.base.diagnostics.display import safe
    from vsalang.base.source.suggest import did_you_mean
    from vsalang.language.lint import CODES, warning_codes

    names = [name.strip().upper() for text in given for name in text.split(",") if name.strip()]
    if not names:
        raise click.UsageError(f"{option} names no code; `vsac explain` lists all codes")
    for name in names:
        known = (*CODES, *warning_codes(), *deep_codes())
        if name not in known:
            hint = did_you_mean(name, known) or "`vsac explain` lists all codes"
            raise click.UsageError(f"there is no lint rule `{safe(name, 40)}`: {hint}")
    return frozenset(names)


SECONDS = 10.0
"""How long the solver may take for each question, if the command line does not say."""


def deep_codes() -> frozenset[str]:
    """The codes that only `--deep` finds."""
    from vsalang.base.diagnostics.codes import CODES

    return frozenset(code for code in CODES if code.startswith("V"))


def deep_findings(
    loaded: "Loaded", *, select: "Collection[str] | None", ignore: "Collection[str]", timeout: float = SECONDS
) -> "list[Diagnostic]":
    """The findings of the solver in the main module of a program without errors, in the order of its text.

    A question that was not decided gives a hint: no finding would look like a proof.

    Raises:
        Failure: Z3 is not installed, or the solver and the interpreter disagree.
    """
    if loaded.program is None:
        return []
    require("z3", "smt")
    from vsalang.base.diagnostics import in_order
    from vsalang.engine import EngineError
    from vsalang.language.lint.ignores import read_ignores
    from vsalang.language.lint.run import known_codes
    from vsalang.proof.findings import finding as finding_of
    from vsalang.proof.solver import Alive, Disagreement, analyse
    from vsalang.tools.testing.worlds import interpreter

    program = loaded.program
    try:
        results = list(analyse(program, interpreter(program), timeout=timeout))
    except Disagreement as error:
        raise Failure(
            f"the solver and the interpreter disagree, so nothing can be said: {error}",
            "please report it with the files; nothing is said about them",
        ) from None
    except EngineError as error:
        raise Failure(f"a state of the solver's could not be replayed: {error}") from None
    source = loaded.sources[loaded.file]
    ignores = read_ignores(source, known_codes())
    found = []
    for result in results:
        if isinstance(result, Alive):
            continue
        finding = finding_of(program, result)
        wanted = (select is None or finding.code in select) and finding.code not in ignore
        inside = finding.span is not None and finding.span.file == loaded.file
        if wanted and inside and not ignores.hides(finding, source):
            found.append(finding)
    return list(in_order(found))


def refuted_in(
    loaded: "Loaded", recordings: Sequence[str]
) -> "tuple[Mapping[str, tuple[str, ...]], str | None]":
    """The steps that refute `goto` rules of the main module, by the rule's id, and how much the recordings say of it.

    Nothing is read for a file with errors or without `goto` rules of its own.

    Raises:
        Failure: a recording cannot be read.
    """
    from vsalang.program.ir import Goto

    program = loaded.program
    if program is None:
        return {}, None
    own = {
        rule.id
        for rule in program.rules
        if isinstance(rule.head, Goto) and rule.span is not None and rule.span.file == loaded.file
    }
    if not own:
        return {}, None
    from vsalang.agents.maps import UTGError
    from vsalang.agents.maps.refuting import tried
    from vsalang.program.text import line, quote

    try:
        with telling() as tell:
            found = tried(program, [Path(each) for each in recordings], tell)
    except UTGError as error:
        raise Failure(str(error), error.hint or "name recordings, as `vsac record` reads them") from error
    except OSError as error:
        raise Failure(f"cannot read {error.filename}: {(error.strerror or str(error)).lower()}") from error
    steps = {
        rule: tuple(
            f"{line(each.file, 60)}, {each.step}, which led to {quote(line(each.came, 60))}" for each in led
        )
        for rule, led in found.refuted.items()
        if rule in own
    }
    said = (
        f"{line(loaded.file, 80)}: {count(found.moves, 'recorded step')}, "
        f"{len(found.tried & own)} of {count(len(own), '`goto` rule')} tried"
    )
    return steps, said
