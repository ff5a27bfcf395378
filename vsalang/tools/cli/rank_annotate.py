"""``vsac rank annotate``: a page on which a person says what was right where logic does not tell."""

import sys
from pathlib import Path

from vsalang.agents.rank.annotation_server import AnnotationServer
from vsalang.agents.rank.annotations import AnnotationError, AnswerFile, asked_about
from vsalang.agents.rank.runs import RecordedRun, read_run
from vsalang.base.diagnostics.display import count
from vsalang.base.options import argument, flag, option
from vsalang.base.records import dataclass
from vsalang.guard.journal import JournalError
from vsalang.models.rank import ScorerError
from vsalang.models.rank.pairs import SHARE
from vsalang.tools.cli import frame, shared
from vsalang.tools.cli.common import EXIT_OK, Failure
from vsalang.tools.cli.frame import Output
from vsalang.tools.cli.output import echo, echo_json


@dataclass(frozen=True, slots=True)
class AnnotateOptions:
    """Which runs a person looks at, and where the answers are written."""

    journals: tuple[str, ...] = argument("JOURNAL")
    output: Path = shared.output("FILE", "Where answers are appended, one JSON object a line.")
    share: float = option(
        "--share",
        default=SHARE,
        least=0,
        above=True,
        most=1,
        help="Of the choices that logic leaves open, which share is shown, the least sure first.",
        excludes={"--all": "it shows all"},
    )
    all: bool = flag("--all", help="Show every choice that logic leaves open.")
    port: int | None = option(
        "--port", least=1, most=65535, help="The port on 127.0.0.1.", default_text="a free one"
    )


@frame.as_command("text", "json")
def command(options: AnnotateOptions, output: Output) -> int:
    """Show the choices of recorded runs of which logic does not tell what was right, and write what a person says.

    The page opens in any browser of this machine, at the address that is printed; it needs no script, and the keys
    alone are enough. Each answer is in FILE before the next page shows; answers that are there are not asked again.

    Exit status: 0 the person pressed Stop, or nothing is left to ask; 2 it could not be served; 130 it was
    interrupted (what was answered is in FILE).
    """
    runs = [_run(path) for path in options.journals]
    steps = sum(len(run.choices) for run in runs)
    asked = asked_about(runs, share=1.0 if options.all else options.share)
    try:
        file = AnswerFile(options.output)
    except AnnotationError as error:
        raise Failure(str(error)) from error
    try:
        left = sum(one.name not in file.answers for one in asked)
        summary = {
            "version": 1,
            "choices": steps,
            "asked": len(asked),
            "left": left,
            "file": str(options.output),
        }
        if not left:
            _say(
                output,
                {**summary, "address": None},
                f"Nothing is left to ask: of {count(steps, 'choice')} {len(asked)} need a person.",
            )
            return EXIT_OK
        try:
            server = AnnotationServer(asked, file, options.port or 0)
        except OSError as error:
            raise Failure(
                f"the port {options.port} cannot be listened on: {error}", "name another --port"
            ) from error
        with server:
            words = (
                f"Of {count(steps, 'choice')} {len(asked)} need a person, {left} are left. Open this page:"
            )
            _say(output, {**summary, "address": server.address}, f"{words}\n{server.address}")
            server.wait()
            echo(f"{server.left} are left. The answers are in {options.output}.", err=True)
    finally:
        file.close()
    return EXIT_OK


def _run(path: str) -> RecordedRun:
    try:
        return read_run(path)
    except JournalError as error:
        raise Failure(str(error), "`vsac rank run` and `vsac run` write journals") from error
    except ScorerError as error:
        raise Failure(str(error), error.hint) from error


def _say(output: Output, data: object, text: str) -> None:
    if output.machine:
        echo_json(data)
    else:
        echo(text)
    sys.stdout.flush()
