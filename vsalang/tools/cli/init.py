"""``vsac init``: starts a project that has no errors, whose tests pass, and whose CI file works unchanged."""

import shlex
from collections.abc import Iterator
from pathlib import Path

import click

from vsalang.base.options import argument, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Style
from vsalang.tools.cli import frame
from vsalang.tools.cli.common import Failure
from vsalang.tools.scaffold import NotStarted, Project, needed, start


@dataclass(frozen=True, slots=True)
class InitOptions:
    """Where the project is started, and what it is called."""

    folder: str = argument("DIR", default=".")
    name: str | None = option(
        "--name", metavar="NAME", help="The app module's name.", default_text="the folder's name"
    )
    package: str | None = option(
        "--package",
        metavar="PACKAGE",
        help="The package that Android knows the app by.",
        default_text="com.example.NAME",
    )
    source: str | None = option(
        "--vsalang",
        metavar="URL|WHEEL",
        help="Where CI installs vsalang from: a pinned URL for pip (git+https://HOST/REPOSITORY@COMMIT), or a wheel, "
        "which is copied into the project.",
        default_text="where this vsalang was installed from, if others can reach it",
    )


@dataclass(frozen=True, slots=True)
class InitReport(Report):
    """A project that was started in a folder."""

    folder: str
    project: Project

    def lines(self, style: Style) -> Iterator[str]:
        inside = self.folder != "."
        where = f" in {click.format_filename(Path(self.folder))}" if inside else ""
        yield f"wrote {len(self.project.files)} files{where}:"
        yield from (f"  {file}" for file in self.project.files)
        if self.project.source:
            yield f"CI installs vsalang from {self.project.source} (requirements.txt)"
        else:
            yield f"before CI can run: {needed()}"
        yield f"next: {f'cd {shlex.quote(str(Path(self.folder)))} && ' if inside else ''}vsac test"
        yield (
            f"then: vsac run specs/say_hello.vsa --device sim:phones/{self.project.module} "
            f"--open {self.project.package} --agent specs/say_hello.agent.jsonl"
        )


@frame.as_command()
def command(options: InitOptions) -> Report:
    """Start a project in DIR (the working folder if left out).

    Writes an app module, a spec, a policy, a simulated phone with the app, vsac.toml, a CI file and a README: a small
    example to change, without errors, in which every test passes and a recorded agent runs. Nothing is
    overwritten: if one of the files is there, none is written. Exit status: 0 the project was written, 2 it was not.
    """
    try:
        project = start(
            Path(options.folder), name=options.name, package=options.package, source=options.source
        )
    except NotStarted as error:
        raise Failure(str(error), error.hint) from error
    return InitReport(options.folder, project)
