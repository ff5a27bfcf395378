"""``vsac demo``: runs, lists or copies the examples that come with vsalang."""

import os
import shlex
import shutil
from pathlib import Path
from typing import Final

import click

from vsalang.base.records import dataclass
from vsalang.tools.cli.common import Failure, format_option
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


@click.command(
    name="demo", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
)
@click.option("--list", "listed", is_flag=True, help="List the examples, run nothing.")
@click.option(
    "--copy", "target", metavar="DIR", help="Copy the example NAME into DIR, to be changed; run nothing."
)
@format_option("text", "json")
@click.argument("name", default=next(iter(DEMOS)), metavar="[NAME]")
@click.argument("options", nargs=-1, type=click.UNPROCESSED, metavar="[OPTION]...")
@click.pass_context
def command(
    ctx: click.Context, listed: bool, target: str | None, format: str, name: str, options: tuple[str, ...]
) -> int:
    """Watch the guard: a recorded agent works on a simulated phone, and each proposal is judged before it arrives.

    NAME is an example that comes with vsalang (the one of the README if left out), OPTIONs after it go to `vsac run`;
    the command is shown before it runs. Journals are written to the working folder.

    Exit status: that of `vsac run`; 0 with --list and --copy; 2 there is no such example.
    """
    if name.startswith("-"):  # `vsac demo --language de`: an option, and the default example
        name, options = next(iter(DEMOS)), (name, *options)
    if listed:
        _list(format)
        return 0
    if format != "text":
        raise click.UsageError("--format is for --list; behind NAME it goes to `vsac run`.")
    folder = examples()
    if not (folder / f"{name}.vsa").is_file() or Path(name).name != name:
        from vsalang.base.source.suggest import did_you_mean

        names = [path.stem for path in sorted(folder.glob("*.vsa"))]
        raise Failure(
            f"there is no example `{name}`",
            did_you_mean(name, names) or f"the examples are {', '.join(names)}",
        )
    if target is not None:
        _copy(folder, name, Path(target))
        return 0
    if name not in DEMOS:
        raise Failure(
            f"`{name}` has no recorded agent to watch",
            f"`vsac demo --copy DIR {name}` copies it; run: {', '.join(DEMOS)}",
        )
    return _run(ctx, folder, name, options)


def examples() -> Path:
    """The folder of the examples that come with vsalang."""
    from vsalang.base.resources import resource_dir

    return resource_dir("app_specs") / "examples"


def _run(ctx: click.Context, folder: Path, name: str, options: tuple[str, ...]) -> int:
    from vsalang.tools.cli.run import command as run

    demo = DEMOS[name]
    near = _near(folder)
    words = [f"{near}/{name}.vsa", "--device", demo.device, "--open", demo.package]
    words += ["--agent", f"{near}/{name}.agent.jsonl"]
    words += ["--policy", f"{near}/{demo.policy}.vsa"] if demo.policy else []
    words += options
    echo(f"$ vsac run {shlex.join(words)}\n")
    with run.make_context("run", words, parent=ctx.parent) as inner:
        return int(run.invoke(inner))


def _near(folder: Path) -> str:
    """A folder relative to the working folder, if it is below that."""
    try:
        return folder.relative_to(Path.cwd()).as_posix()
    except (ValueError, OSError):
        return str(folder)


def _about(file: Path) -> tuple[str, str]:
    """What kind of module an example is, and the text of its header."""
    from vsalang.language.syntax import parse
    from vsalang.tools.cli.common import read

    module = parse(read(str(file))).module
    assert module is not None  # the examples parse
    return module.kind, module.doc.value if module.doc is not None else ""


def _list(format: str) -> None:
    rows = []
    for file in sorted(examples().glob("*.vsa")):
        kind, text = _about(file)
        rows.append(
            {"name": file.stem, "kind": kind, "text": text, "file": str(file), "runs": file.stem in DEMOS}
        )
    if format == "json":
        import json

        click.echo(json.dumps(rows, indent=2))
        return
    width = max(len(str(row["name"])) for row in rows)
    for row in rows:
        echo(
            f"{row['name']:{width}}  {row['kind']:6}  {row['text']}" + ("" if row["runs"] else "  [no agent]")
        )
    echo(
        f"\n`vsac demo NAME` runs one, `vsac demo --copy DIR NAME` copies it. They are in {_near(examples())}."
    )


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
