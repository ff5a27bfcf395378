"""``vsac check``: report the errors and warnings of .vsa files."""

from vsalang.base.diagnostics import Diagnostic, Severity, has_errors
from vsalang.base.diagnostics.display import count
from vsalang.base.options import argument, flag, group
from vsalang.base.records import dataclass
from vsalang.base.report import Report
from vsalang.base.source import Source
from vsalang.language.semantics.kept_results import KeptResults, inputs_of
from vsalang.tools.cli import frame, shared
from vsalang.tools.cli.common import EXIT_FAILED, EXIT_FINDINGS, EXIT_OK, FORMATS, files_meant, unread
from vsalang.tools.cli.fixing import FixOptions, fix_summary, fixed_file, loader
from vsalang.tools.cli.frame import Findings, Output
from vsalang.tools.cli.progress import Progress


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """What is checked, and whether it is fixed."""

    paths: tuple[str, ...] = argument("FILE", default=())
    policies: tuple[str, ...] = shared.policies("each FILE")
    fixes: FixOptions = group(FixOptions)
    quiet: bool = flag("-q", "--quiet", help="Show errors only, and nothing where there are none.")


@frame.as_command(*FORMATS)
def command(options: CheckOptions, output: Output) -> Report:
    """Parse FILEs, resolve their imports, and check names, types, rules and authority.

    A FILE may be a folder: every .vsa file in it and below is meant, except hidden ones and those that `exclude` of
    vsac.toml names. Without a FILE, the working folder is meant. A FILE of - is standard input.

    A fix is applied if it removes the finding and causes no other; imported files are never changed.

    Exit status: 0 no errors (warnings do not count), 1 errors were found, 2 a FILE could not be read.
    With --diff it is also 1 if something would be written; the remaining findings are shown after the difference.
    """
    files = [each.file for each in files_meant(options.paths)]
    options.fixes.refuse_stdin(files)
    findings: dict[Diagnostic, None] = {}  # each once
    sources: dict[str, Source] = {}
    fixed = 0
    kept = None if options.policies or options.fixes.fix or options.fixes.diff else KeptResults("check")
    for file in Progress(len(files), "files").over(files):
        if kept is not None and kept.get(file):
            continue
        loaded, fixes = fixed_file(
            loader(file, options.policies),
            lambda loaded: loaded.diagnostics,
            options.fixes,
            show=not output.machine,
        )
        fixed += fixes
        findings |= dict.fromkeys(loaded.diagnostics)
        sources.update(loaded.sources)
        if kept is not None and not loaded.diagnostics:
            kept.put(file, inputs_of(loaded), True)
    if kept is not None:
        kept.save()
    end = []
    if not options.quiet and not options.fixes.diff:
        if not has_errors(findings):
            end.append(f"checked {count(len(files), 'file')}: no errors")
        if options.fixes.fix and (summary := fix_summary(fixed, sum(bool(each.fixes) for each in findings))):
            end.append(summary)
    failed = has_errors(findings) or (options.fixes.diff and fixed > 0)
    status = EXIT_FAILED if unread(findings) else EXIT_FINDINGS if failed else EXIT_OK
    diagnostics = (each for each in findings if not options.quiet or each.severity is Severity.ERROR)
    return Findings(diagnostics, sources, tuple(end), status)
