"""``vsac lint``: report what is allowed but probably not meant."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from vsalang.tools.cli.common import (
    EXIT_FAILED,
    EXIT_FINDINGS,
    EXIT_OK,
    files_meant,
    format_option,
    render,
    unread,
    use_color,
)
from vsalang.tools.cli.deep import codes as deep_codes
from vsalang.tools.cli.deep import deep_findings
from vsalang.tools.cli.fixing import fix_file, fix_summary, loader, refuse_stdin
from vsalang.tools.cli.lint_recorded import refuted_in
from vsalang.tools.cli.output import echo
from vsalang.tools.cli.progress import Progress

if TYPE_CHECKING:
    from vsalang.base.config import Config
    from vsalang.base.diagnostics import Diagnostic
    from vsalang.language.semantics import Loaded


@click.command()
@click.argument("paths", nargs=-1, metavar="[FILE]...")
@click.option(
    "--select", multiple=True, metavar="CODES", help="Look for these only (L0001,L0003); repeatable."
)
@click.option("--ignore", multiple=True, metavar="CODES", help="Leave these out; repeatable.")
@click.option("--deep", is_flag=True, help="Ask the solver too, as `vsac verify` does (needs the extra smt).")
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

    With --deep the solver is asked what `vsac verify` asks: rules that can never apply, with the conditions that clash,
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
    errors: list[Diagnostic] = []
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
        errors += [item for item in loaded.errors if item not in errors]
        refuted, said = refuted_in(loaded, recordings) if recordings else (None, None)
        if said and not quiet:
            echo(said, err=True)
        findings += config.lint.weighed(found_in(loaded, refuted=refuted))
        if deep:
            wanted = chosen if chosen is not None else config.lint.select
            asked = loader(file, policies)(text) if policies else loaded
            sources.update(asked.sources)
            errors += [item for item in asked.errors if item not in errors]
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
