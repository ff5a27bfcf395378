"""``vsac lint``: report what is allowed but probably not meant."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click

from vsalang.base.config import Config, config_for
from vsalang.base.diagnostics import Diagnostic, Severity, has_errors
from vsalang.base.diagnostics.codes import CODES as CHECKED
from vsalang.base.diagnostics.display import count, safe
from vsalang.base.options import argument, flag, group, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report
from vsalang.base.source import Source
from vsalang.base.source.suggest import did_you_mean
from vsalang.language.lint import CODES, lint, warning_codes, warnings_of_check
from vsalang.language.lint.baseline import (
    BaselineError,
    Remaining,
    baseline_text,
    read_baseline,
    without_known,
)
from vsalang.language.lint.ignores import read_ignores
from vsalang.language.lint.run import known_codes
from vsalang.language.semantics import Loaded
from vsalang.language.semantics.kept_results import KeptResults, inputs_of
from vsalang.tools.cli import frame
from vsalang.tools.cli.common import (
    EXIT_FAILED,
    EXIT_FINDINGS,
    EXIT_OK,
    FORMATS,
    Failure,
    files_meant,
    unread,
)
from vsalang.tools.cli.fixing import FixOptions, fix_summary, fixed_file, loader
from vsalang.tools.cli.frame import Findings, Output
from vsalang.tools.cli.lint_own import OWN_CODE, new_rule, own_findings, rule_folders
from vsalang.tools.cli.output import echo, write_text
from vsalang.tools.cli.progress import Progress, telling


def codes_named(text: str) -> frozenset[str]:
    """The codes of a text, which separates them by commas.

    Raises:
        ValueError: it names none, or one that is not a lint rule.
    """
    names = frozenset(name.strip().upper() for name in text.split(",") if name.strip())
    if not names:
        raise ValueError("it names no code; `vsac explain` lists all codes")
    # of the solver's findings the codes begin with V
    known = (*CODES, *warning_codes(), *(code for code in CHECKED if code.startswith("V")))
    for name in sorted(names):
        if name not in known and not OWN_CODE.fullmatch(name):
            hint = did_you_mean(name, known) or "`vsac explain` lists all codes"
            raise ValueError(f"there is no lint rule `{safe(name, 40)}`: {hint}")
    return names


@dataclass(frozen=True, slots=True)
class LintOptions:
    """What is looked at, what is looked for, and whether it is fixed."""

    paths: tuple[str, ...] = argument("FILE", default=())
    select: tuple[frozenset[str], ...] = option(
        "--select",
        default=(),
        metavar="CODES",
        read=codes_named,
        help="Look for these only (L0001,L0003); repeatable.",
    )
    ignore: tuple[frozenset[str], ...] = option(
        "--ignore", default=(), metavar="CODES", read=codes_named, help="Leave these out; repeatable."
    )
    deep: bool = flag("--deep", help="Ask the solver too, as `vsac prove verify` does (needs the extra smt).")
    policies: tuple[str, ...] = option(
        "--policy",
        default=(),
        metavar="FILE",
        help="A policy that is in force in addition to the FILEs; repeatable.",
        needs={"--deep": "without the solver policies are looked at as FILEs of their own"},
        excludes={"FILE -": "standard input is read without a policy"},
    )
    recordings: tuple[str, ...] = option(
        "--recordings",
        default=(),
        metavar="PATH",
        help="A journal or recorded walks: `goto` rules that they refute are found (L0039); repeatable.",
    )
    baseline: str | None = option(
        "--baseline",
        metavar="FILE",
        help="Leave out the findings that FILE holds; default: that of [lint] in vsac.toml.",
    )
    write_baseline: bool = flag(
        "--write-baseline", help="Write all findings of the linter into the baseline."
    )
    project_rules: bool = flag(
        "--project-rules", help="Run the project's own rules (.vsac/rules/*.py), in a process of their own."
    )
    new_rule: str | None = option(
        "--new-rule", metavar="NAME", help="Write a new rule of the project, and stop."
    )
    fixes: FixOptions = group(
        FixOptions, fix="Write into FILEs the fixes that need no choice, then look again."
    )
    strict: bool = flag("--strict", help="Exit with status 1 if there is a warning.")
    quiet: bool = flag("-q", "--quiet", help="Print nothing where nothing was found.")

    @property
    def alone(self) -> bool:
        """Whether findings depend on each file, what it imports and its project only."""
        more = (self.deep, self.policies, self.recordings, self.baseline, self.write_baseline)
        return not any((*more, self.project_rules, self.fixes.fix, self.fixes.diff))

    def wanted(self, config: Config) -> frozenset[str] | None:
        """The codes that are looked for; None: all."""
        return frozenset().union(*self.select) if self.select else config.lint.select

    def unwanted(self, config: Config) -> frozenset[str]:
        """The codes that are left out."""
        return config.lint.ignore.union(*self.ignore)

    def baseline_of(self, looks: "Iterable[_Look]") -> Path | None:
        """The baseline: that of the command line, else the first one that a project of the files names."""
        if self.baseline is not None:
            return Path(self.baseline)
        return next(
            (look.config.lint.baseline for look in looks if look.config.lint.baseline is not None), None
        )


@frame.as_command(*FORMATS)
def command(options: LintOptions, output: Output) -> Report | int:
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
    if options.new_rule is not None:
        echo(f"wrote {new_rule(options.new_rule)}", err=True)
        return EXIT_OK
    files = [each.file for each in files_meant(options.paths)]
    options.fixes.refuse_stdin(files)
    errors: dict[Diagnostic, None] = {}  # each once
    findings: list[Diagnostic] = []
    sources: dict[str, Source] = {}
    fixed = 0
    looks: dict[str, _Look] = {}
    folders = rule_folders(files, asked=options.project_rules)
    asked_for = repr([sorted(frozenset().union(*codes)) for codes in (options.select, options.ignore)])
    kept = KeptResults("lint", asked_for) if options.alone and not folders else None
    for file in Progress(len(files), "files").over(files):
        config = config_for("<stdin>" if file == "-" else file, lint_codes=CODES)
        look = looks[file] = _Look(options, config)
        keeps = kept is not None and config.lint.baseline is None
        if kept is not None and keeps and kept.get(file):
            continue
        loaded, fixes = fixed_file(loader(file), look.fixable, options.fixes, show=not output.machine)
        fixed += fixes
        refuted: Mapping[str, Sequence[str]] | None = None
        if options.recordings:
            refuted, summary = _refuted(loaded, options.recordings)
            if summary and not options.quiet:
                echo(summary, err=True)
        own = tuple(config.lint.weighed(look.findings(loaded, refuted)))
        findings += own
        if kept is not None and keeps and not loaded.errors and not own:
            kept.put(file, inputs_of(loaded), True)
        asked = loaded
        if options.policies:
            source = loaded.sources.get(loaded.file)
            asked = loader(file, options.policies)(source.text if source is not None else None)
        if options.deep:
            findings += config.lint.weighed(look.deep(asked))
        for each in (loaded, asked):
            errors |= dict.fromkeys(each.errors)
            sources.update(each.sources)
    if kept is not None:
        kept.save()
    for finding in own_findings(files, folders, sources):
        if looks[finding.where].shows(finding, sources[finding.where]):
            findings += looks[finding.where].config.lint.weighed([finding])
    baseline = options.baseline_of(looks.values())
    end = []
    if options.write_baseline:
        if baseline is None:
            raise click.UsageError(
                "--write-baseline needs --baseline FILE, or `baseline` under [lint] in vsac.toml"
            )
        write_text(baseline, baseline_text(findings, sources, baseline))
        end.append(f"wrote {count(len(findings), 'finding')} into {baseline}")
        findings = []
    elif baseline is not None:
        remaining = _without(findings, sources, baseline)
        findings = list(remaining.findings)
        if not options.quiet and (remaining.known or remaining.gone):
            gone = (
                f"; {remaining.gone} of it are gone: --write-baseline takes them out"
                if remaining.gone
                else ""
            )
            echo(f"{count(remaining.known, 'finding')} of the baseline left out{gone}", err=True)
    if not options.quiet and not options.fixes.diff:
        if not errors and not findings and not options.write_baseline:
            end.append(f"looked at {count(len(files), 'file')}: nothing found")
        if fixed:
            end.append(fix_summary(fixed))
    together = [*errors, *findings]
    warned = options.strict and any(each.severity is Severity.WARNING for each in findings)
    failed = has_errors(together) or warned or (options.fixes.diff and fixed > 0)
    status = EXIT_FAILED if unread(errors) else EXIT_FINDINGS if failed else EXIT_OK
    return Findings(together, sources, tuple(end), status, errors_first=True)


def _without(findings: list[Diagnostic], sources: Mapping[str, Source], baseline: Path) -> Remaining:
    """The findings that are not in a baseline.

    Raises:
        Failure: it cannot be read.
    """
    try:
        return without_known(findings, sources, baseline, read_baseline(baseline))
    except BaselineError as error:
        raise Failure(str(error)) from error


@dataclass(frozen=True, slots=True)
class _Look:
    """What is looked for in a file.

    Attributes:
        options: of the command line.
        config: of the file's project.
    """

    options: LintOptions
    config: Config

    def findings(
        self, loaded: Loaded, refuted: Mapping[str, Sequence[str]] | None = None
    ) -> tuple[Diagnostic, ...]:
        """The findings without the solver."""
        select, ignore = self.options.wanted(self.config), self.options.unwanted(self.config)
        return (
            *warnings_of_check(loaded, select=select, ignore=ignore),
            *lint(loaded, select=select, ignore=ignore, refuted=refuted),
        )

    def shows(self, finding: Diagnostic, source: Source) -> bool:
        """Whether a finding of the project's own rules is wanted, and no comment ignores it."""
        select, ignore = self.options.wanted(self.config), self.options.unwanted(self.config)
        if finding.code in ignore or (select is not None and finding.code not in select):
            return False
        return not read_ignores(source, known_codes()).hides(finding, source)

    def fixable(self, loaded: Loaded) -> list[Diagnostic]:
        """The errors and findings; the fixes of errors belong to `vsac check --fix`."""
        return [*(replace(each, fixes=()) for each in loaded.errors), *self.findings(loaded)]

    def deep(self, loaded: Loaded) -> list[Diagnostic]:
        """The findings of the solver in the main module of a program without errors."""
        if loaded.program is None:
            return []
        # it loads the guard and the solver, which takes longer than to look for all else
        from vsalang.tools.cli.verify import findings_of

        select: Collection[str] | None = self.options.wanted(self.config)
        ignore = self.options.unwanted(self.config)
        source = loaded.sources[loaded.file]
        ignores = read_ignores(source, known_codes())
        return [
            each
            for each in findings_of(loaded.program)
            if (select is None or each.code in select)
            and each.code not in ignore
            and each.span is not None
            and each.span.file == loaded.file
            and not ignores.hides(each, source)
        ]


def _refuted(loaded: Loaded, recordings: Sequence[str]) -> tuple[Mapping[str, Sequence[str]], str]:
    """The steps that refute `goto` rules of the main module, by the rule's id, and how much the recordings say of it.

    Raises:
        Failure: a recording cannot be read.
    """
    # recordings load the guard, which takes longer than to look for all else
    from vsalang.agents.maps import UTGError
    from vsalang.agents.maps.refuting import refuted_in

    if loaded.program is None:
        return {}, ""
    try:
        with telling() as tell:
            return refuted_in(loaded.program, loaded.file, [Path(each) for each in recordings], tell)
    except UTGError as error:
        raise Failure(str(error), error.hint or "name recordings, as `vsac record` reads them") from error
    except OSError as error:
        raise Failure(f"cannot read {error.filename}: {(error.strerror or str(error)).lower()}") from error
