"""``vsac demo``: runs, lists or copies the examples that come with vsalang."""

import os
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from vsalang.base.options import argument, flag, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Style
from vsalang.base.resources import resource_dir
from vsalang.base.source.suggest import did_you_mean
from vsalang.language.syntax import parse
from vsalang.tools.cli import frame
from vsalang.tools.cli.common import EXIT_OK, Failure, read
from vsalang.tools.cli.frame import Output
from vsalang.tools.cli.output import echo


@dataclass(frozen=True, slots=True)
class Demo:
    """A demonstration: an example whose agent is recorded, and where it runs.

    Attributes:
        device: the simulated phone.
        package: the app that is opened first.
        policy: an example that is in force too.
    """

    device: str
    package: str
    policy: str = ""


DEMOS: Final = {
    "reserve_r": Demo("sim:restaurant", "com.opentable"),
    "quiet_evening": Demo("sim:settings", "org.example.settings", "careful"),
}
"""The examples that can be run, by name; the first is the default."""


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """Which example is watched, listed or copied."""

    name: str = argument("NAME", default=next(iter(DEMOS)))
    rest: tuple[str, ...] = argument("[OPTION]...", default=(), rest=True)
    listed: bool = flag("--list", help="List the examples, run nothing.")
    target: str | None = option(
        "--copy", metavar="DIR", help="Copy the example NAME into DIR, to be changed; run nothing."
    )


@dataclass(frozen=True, slots=True)
class Examples(Report):
    """The examples: their files, kinds of modules, and the texts of their headers."""

    rows: tuple[tuple[Path, str, str], ...]

    def data(self) -> list[dict[str, Any]]:
        return [
            {"name": file.stem, "kind": kind, "text": text, "file": str(file), "runs": file.stem in DEMOS}
            for file, kind, text in self.rows
        ]

    def lines(self, style: Style) -> Iterator[str]:
        width = max(len(file.stem) for file, _, _ in self.rows)
        for file, kind, text in self.rows:
            yield f"{file.stem:{width}}  {kind:6}  {text}" + ("" if file.stem in DEMOS else "  [no agent]")
        yield ""
        where = _near(examples())
        yield f"`vsac demo NAME` runs one, `vsac demo --copy DIR NAME` copies it. They are in {where}."


@frame.as_command(
    "text", "json", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
)
def command(options: DemoOptions, output: Output) -> int:
    """Watch the guard: a recorded agent works on a simulated phone, and each proposal is judged before it arrives.

    NAME is an example that comes with vsalang (the one of the README if left out), OPTIONs after it go to `vsac run`;
    the command is shown before it runs. Journals are written to the working folder.

    Exit status: that of `vsac run`; 0 with --list and --copy; 2 there is no such example.
    """
    name, rest = options.name, options.rest
    if name.startswith("-"):  # `vsac demo --language de`: an option, and the default example
        name, rest = next(iter(DEMOS)), (name, *rest)
    folder = examples()
    files = sorted(folder.glob("*.vsa"))
    if options.listed:
        return output.print(Examples(tuple((file, *_about(file)) for file in files)))
    if output.machine:
        raise click.UsageError("--format json needs --list: behind NAME it goes to `vsac run`.")
    if name not in (names := [file.stem for file in files]):
        raise Failure(
            f"there is no example `{name}`",
            did_you_mean(name, names) or f"the examples are {', '.join(names)}",
        )
    if options.target is not None:
        _copy(folder, name, Path(options.target))
        return EXIT_OK
    if name not in DEMOS:
        raise Failure(
            f"`{name}` has no recorded agent to watch",
            f"`vsac demo --copy DIR {name}` copies it; run: {', '.join(DEMOS)}",
        )
    return _run(folder, name, rest)


def examples() -> Path:
    """The folder of the examples that come with vsalang."""
    return resource_dir("app_specs") / "examples"


def _run(folder: Path, name: str, options: tuple[str, ...]) -> int:
    from vsalang.tools.cli.run import command as run  # loads all that a session needs: slow, if none is run

    demo = DEMOS[name]
    near = _near(folder)
    words = [f"{near}/{name}.vsa", "--device", demo.device, "--open", demo.package]
    words += ["--agent", f"{near}/{name}.agent.jsonl"]
    words += ["--policy", f"{near}/{demo.policy}.vsa"] if demo.policy else []
    words += options
    echo(f"$ vsac run {shlex.join(words)}\n")
    with run.make_context("run", words, parent=click.get_current_context().parent) as inner:
        return int(run.invoke(inner))


def _near(folder: Path) -> str:
    """A folder relative to the working folder, if it is below that."""
    try:
        return folder.relative_to(Path.cwd()).as_posix()
    except (ValueError, OSError):
        return str(folder)


def _about(file: Path) -> tuple[str, str]:
    """What kind of module an example is, and the text of its header."""
    module = parse(read(str(file))).module
    assert module is not None  # the examples parse
    return module.kind, module.doc.value if module.doc is not None else ""


def _copy(folder: Path, name: str, target: Path) -> None:
    """Copy an example, its recorded agent, and the policy of its demonstration; nothing is overwritten."""
    names = [f"{name}.vsa", f"{name}.agent.jsonl"]
    if name in DEMOS and DEMOS[name].policy:
        names.append(f"{DEMOS[name].policy}.vsa")
    names = [each for each in names if (folder / each).is_file()]
    taken = [each for each in names if os.path.lexists(target / each)]
    if taken:
        raise Failure(f"{target / taken[0]} exists already: nothing was copied", "choose another folder")
    target.mkdir(parents=True, exist_ok=True)
    for each in names:
        shutil.copyfile(folder / each, target / each)
        echo(str(target / each))
    echo(f"next: vsac test {shlex.quote(str(target))}")
