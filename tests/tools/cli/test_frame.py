"""The frame of commands: options declared as fields of dataclasses, and reports that it prints."""

import dataclasses
import datetime as dt
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import click
import pytest
from click.testing import CliRunner

from vsalang.base.diagnostics import Diagnostic, Severity
from vsalang.base.options import argument, flag, group, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Result, Style
from vsalang.tools.cli import families, frame
from vsalang.tools.cli.frame import Findings, Output
from vsalang.tools.cli.main import imported


def number_of_day(text: str) -> int:
    days = ["mon", "tue"]
    if text not in days:
        raise ValueError(f"{text} is not a day: write mon or tue")
    return days.index(text)


@dataclass(frozen=True, slots=True)
class Inner:
    model: str | None = option("--model", metavar="NAME", help="The model.")
    tokens: int | None = option("--tokens", least=1, help="How many.")
    cache: str | None = option("--cache", help="Where.")


@dataclass(frozen=True, slots=True)
class Options:
    file: str = argument("FILE")
    others: tuple[str, ...] = argument("OTHER", default=())
    level: Literal["low", "high"] = option("--level", default="low", help="The level.")
    many: tuple[str, ...] = option("--many", default=(), help="Several.")
    until: dt.date | None = option("--until", help="A day.")
    wait: dt.timedelta | None = option("--wait", least=0, above=True, help="Seconds.")
    day: int | None = option("--day", read=number_of_day, choices=("mon", "tue"), help="A day of the week.")
    out: Path | None = option("-o", "--out", help="A file.")
    force: bool = flag("--force", help="Replace it.", needs={"--out": "nothing is written without it"})
    quiet: bool = flag("--quiet", help="Say nothing.", excludes="--level high")
    contracts: bool = flag("--no-contracts", default=True, help="Without contracts.")
    step: int | None = option("--step", help="A step.", needs="--out or --until")
    judge: Inner | None = group(Inner, when="--model", without=("cache",), tokens="How many tokens.")


class Values(Report):
    def __init__(self, options: Options) -> None:
        self.options = options
        self.status = 1 if options.level == "high" else 0

    def data(self) -> object:
        return {"file": self.options.file}

    def lines(self, style: Style) -> Iterator[str]:
        yield repr(self.options)

    def notes(self, style: Style) -> Iterator[str]:
        yield "a note"

    def document(self, format: str, style: Style) -> str:
        return ""


@frame.as_command("text", "json")
def values(options: Options) -> Report:
    """Show the values."""
    return Values(options)


def call(*args: str, command: click.Command = values) -> tuple[int, str, str]:
    result = CliRunner().invoke(command, list(args), standalone_mode=False)
    if isinstance(result.exception, click.ClickException):
        return 2, result.stdout, result.exception.format_message()
    if result.exception is not None:
        raise result.exception
    return result.return_value, result.stdout, result.stderr


def shown(*args: str) -> Options:
    _, out, _ = call(*args)
    return eval(out, {**globals(), "PosixPath": Path, "datetime": dt})  # type: ignore[no-any-return]


def test_the_status_is_that_of_the_process() -> None:
    """Also where click alone runs the command, which takes no status from what is returned."""

    @frame.as_command()
    def two() -> int:
        return 2

    assert CliRunner().invoke(two, []).exit_code == 2
    assert CliRunner().invoke(two, [], standalone_mode=False).return_value == 2


@pytest.mark.parametrize("entry", dict(families.every()).values(), ids=dict(families.every()))
def test_required_options_cannot_be_left_out(entry: families.Entry) -> None:
    command = imported("x", entry)
    for param in command.params:
        if isinstance(param, click.Option) and param.required:
            with pytest.raises(click.MissingParameter):
                param.process_value(click.Context(command), param.get_default(click.Context(command)))


def test_fields_hold_the_typed_values() -> None:
    options = shown(
        *("a", "b", "c", "--level", "high", "--many", "x", "--many", "y", "--until", "2026-12-24"),
        *("--wait", "1.5", "--day", "tue", "-o", "f", "--force", "--no-contracts", "--step", "3"),
    )
    assert options == Options(
        "a", ("b", "c"), "high", ("x", "y"), dt.date(2026, 12, 24), dt.timedelta(seconds=1.5), 1, Path("f"), True,
        False, False, 3,
    )  # fmt: skip


def test_left_out_options_have_the_defaults_of_the_class() -> None:
    assert shown("a") == Options("a")


def test_a_group_is_none_without_its_option() -> None:
    assert shown("a").judge is None
    assert shown("a", "--model", "m", "--tokens", "2").judge == Inner("m", 2)
    assert call("a", "--tokens", "2") == (2, "", "--tokens needs --model.")
    assert "no such option" in call("a", "--cache", "x")[2].lower()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "Missing argument 'FILE'."),
        (("a", "--force"), "--force needs --out: nothing is written without it."),
        (("a", "--step", "1"), "--step needs --out or --until."),
        (("a", "--quiet", "--level", "high"), "--quiet and --level high exclude each other."),
        (("a", "--level", "mid"), "Invalid value for '--level': 'mid' is not one of 'low', 'high'."),
        (("a", "--day", "sun"), "Invalid value for '--day': sun is not a day: write mon or tue"),
        (("a", "--wait", "0"), "Invalid value for '--wait': 0.0 is not in the range x>0."),
        (("a", "--wait", "nan"), "Invalid value for '--wait': nan is not a number."),
        (("a", "--json", "--format", "text"), "--json and --format text exclude each other."),
    ],
)
def test_a_wrong_command_line_is_refused(args: tuple[str, ...], message: str) -> None:
    status, _, error = call(*args)
    assert (status, error) == (2, message)


def test_a_report_is_printed_as_text_or_json() -> None:
    status, out, notes = call("a", "--level", "high", "--json")
    assert (status, json.loads(out), notes) == (1, {"file": "a"}, "a note\n")
    status, out, notes = call("a")
    assert (status, out.startswith("Options("), notes) == (0, True, "a note\n")


def test_a_report_is_written_to_a_file(tmp_path: Path) -> None:
    @frame.as_command("text", "json", "bare")
    def command(options: Options, output: Output) -> int:
        """Write the values."""
        return output.print(Values(options), str(options.out))

    file = tmp_path / "out"
    for format, text in (("text", f"{Options('a', out=file)!r}\n"), ("json", '{\n  "file": "a"\n}\n')):
        assert call("a", "-o", str(file), "--format", format, command=command) == (0, "", "a note\n")
        assert file.read_text() == text
    file.unlink()
    assert call("a", "-o", str(file), "--format", "bare", command=command) == (0, "", "a note\n")
    assert not file.exists()


def test_help_shows_what_was_declared() -> None:
    _, out, _ = call("--help")
    for text in (
        "FILE [OTHER]...",
        "--level [low|high]",
        "[default: low]",
        "--day [mon|tue]",
        "How many tokens.",
    ):
        assert text in out
    assert "--cache" not in out and "Show the values." in out


def test_a_command_may_print_while_it_works() -> None:
    @frame.as_command("text", "json", one_of=("FILE", "--until"))
    def streaming(options: Streaming, output: Output) -> int:
        """Print the format."""
        click.echo(output.format)
        return 3

    assert call("--until", "x", "--json", command=streaming)[:2] == (3, "json\n")
    assert call(command=streaming) == (2, "", "Give FILE or --until.")


@dataclass(frozen=True, slots=True)
class Twice:
    tokens: str | None = option("--words", help="Words.")
    judge: Inner = group(Inner)


def test_fields_of_two_groups_may_have_one_name() -> None:
    @frame.as_command()
    def command(options: Twice) -> Report:
        """Show the values."""
        return Result(dict, lambda style: [repr(options)])

    _, out, _ = call("--words", "two", "--tokens", "3", command=command)
    assert eval(out) == Twice("two", Inner(tokens=3))


@dataclass(frozen=True, slots=True)
class Streaming:
    file: str | None = argument("FILE", required=False)
    until: str | None = option("--until", help="Until when.")


def test_a_quoted_annotation_is_a_mistake() -> None:
    @dataclass(frozen=True, slots=True)
    class Quoted:
        kind: "str" = option("--kind", help="A kind.")

    with pytest.raises(TypeError, match="kind has a quoted annotation"):

        @frame.as_command()
        def command(options: Quoted) -> int:
            return 0


@dataclass(frozen=True, slots=True)
class Named:
    name: str | None = option("--model", help="The model.")


def test_fields_of_one_name_are_kept_apart() -> None:
    @dataclass(frozen=True, slots=True)
    class Both:
        name: str | None = option("--name", help="A name.")
        inner: Named = group(Named)

    @frame.as_command()
    def both(options: Both) -> int:
        """Print both."""
        click.echo(f"{options.name} {options.inner.name}")
        return 0

    assert call("--name", "a", "--model", "b", command=both)[1] == "a b\n"


def test_two_parameters_of_one_name_are_a_mistake() -> None:
    @dataclass(frozen=True, slots=True)
    class Twice:
        file: str = argument("FILE")
        other: str | None = option("--file", help="Another file.")

    with pytest.raises(TypeError, match="one name on the command line"):

        @frame.as_command()
        def command(options: Twice) -> int:
            return 0


def test_a_flag_without_a_default_is_a_mistake() -> None:
    @dataclass(frozen=True, slots=True)
    class Unset:
        force: bool = option("--force", help="Replace it.")

    with pytest.raises(TypeError, match="force needs a default"):

        @frame.as_command()
        def command(options: Unset) -> int:
            return 0


@dataclass(frozen=True, slots=True)
class Needed:
    out: str = option("--out", required=True, default=dataclasses.MISSING, help="A file.")
    apps: tuple[str, ...] = option("--app", required=True, default=dataclasses.MISSING, help="Apps.")


@pytest.mark.parametrize(("args", "missing"), [(("--app", "a"), "--out"), (("--out", "o"), "--app")])
def test_a_required_option_must_be_given(args: tuple[str, ...], missing: str) -> None:
    @frame.as_command()
    def needed(options: Needed) -> int:
        """Print both."""
        click.echo(f"{options.out} {options.apps}")
        return 0

    assert call("--out", "o", "--app", "a", command=needed)[:2] == (0, "o ('a',)\n")
    status, out, err = call(*args, command=needed)
    assert (status, out) == (2, "") and f"Missing option '{missing}'" in err


def _commands() -> list[Any]:
    return [pytest.param(entry, id=words) for words, entry in families.every()]


@pytest.mark.parametrize("entry", _commands())
def test_declared_needs_name_parameters_of_the_command(entry: families.Entry) -> None:
    command = imported("it", entry)
    known = {name for param in command.params for name in (frame._name(param), *param.opts)}
    for param in command.params:
        if isinstance(param, frame._Parameter):
            for declared in (param.declared.needs, param.declared.excludes):
                for value in (name for name, why in declared.items() if not isinstance(why, str)):
                    assert isinstance(param.type, click.Choice | frame.TextType) or param.name == "on_confirm"
                    assert param.type.convert(value, param, None) == value  # the command takes it
            for _, others, _ in _every(param.declared.needs):
                assert {other.split(" ")[0] for other in others.split(" or ")} <= known, param.name


def _every(declared: Any) -> Iterator[tuple[str, str, str]]:
    values = [name for name, why in declared.items() if not isinstance(why, str)] or [""]
    return itertools.chain.from_iterable(frame._others("it", value, declared) for value in values)


@dataclass(frozen=True, slots=True)
class Chosen:
    files: tuple[str, ...] = argument("FILE", default=())
    out: str | None = option("--out", help="A file.", excludes={"FILE -": "it is not a file"})
    level: Literal["low", "mid", "high"] = option(
        "--level",
        default="low",
        help="The level.",
        needs={"mid": {"--out": "it is long", "FILE": ""}},
        excludes={"high": {"--out": "it is short"}},
    )


@dataclass(frozen=True, slots=True)
class ChosenBelow:
    chosen: Chosen = group(Chosen, choices={"level": ("low", "mid")})


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--level", "mid"), "--level mid needs --out: it is long."),
        (("--level", "mid", "--out", "a"), "--level mid needs FILE."),
        (("--level", "high", "--out", "a"), "--level high and --out exclude each other: it is short."),
        (("--level", "low", "--out", "a"), ""),
        (("--level", "high"), ""),
        (("a", "-", "--out", "a"), "--out and FILE - exclude each other: it is not a file."),
    ],
)
def test_what_holds_for_one_value(args: tuple[str, ...], message: str) -> None:
    @frame.as_command()
    def chosen(options: Chosen) -> int:
        return 0

    assert call(*args, command=chosen)[::2] == (2 if message else 0, message)


def test_a_group_may_have_fewer_choices() -> None:
    @frame.as_command()
    def chosen(options: ChosenBelow) -> int:
        return 0

    assert call("--level", "high", command=chosen)[2].endswith("'high' is not one of 'low', 'mid'.")
    assert "[low|mid]" in call("--help", command=chosen)[1]


@dataclass(frozen=True, slots=True)
class Model:
    name: str | None = option("--model", variable="TEST_MODEL", help="The model.")
    tokens: int = option("--tokens", default=7, least=1, most=9, variable="TEST_TOKENS", help="How many.")
    again: bool = flag("--again", help="Ask again.")


@dataclass(frozen=True, slots=True)
class Judging:
    file: str | None = argument("[FILE]", required=False)
    more: tuple[str, ...] = argument("MORE", default=(), hidden=True)
    model: Model | None = group(
        Model,
        when="--model or --tokens",
        needs={"again": {"--on": "there is no day"}},
        excludes={"tokens": {"--format json": "it is for people"}},
    )
    on: dt.date | None = option("--on", help="A day.", default_text="today")
    at: dt.datetime | None = option("--at", help="A moment.")
    quiet: bool = flag("-q", "--quiet", help="Say nothing.", excludes={"--on": "", "--lost": ""})
    loud: bool = flag("--loud", help="Say all.", needs="--at", excludes="--on")
    empty: str = option("--empty", default="", help="Nothing.")


@frame.as_command("text", "json")
def judging(options: Judging) -> Report:
    """Show the values."""
    return Result(dict, lambda style: [repr(options)], remarks=["a remark"])


def judged(*args: str) -> Judging:
    _, out, _ = call(*args, command=judging)
    return eval(out, {**globals(), "datetime": dt})  # type: ignore[no-any-return]


def test_any_of_the_options_of_a_group_makes_it() -> None:
    assert judged().model is None
    assert judged("--model", "m").model == Model("m")
    assert judged("--tokens", "3").model == Model(None, 3)


def test_a_variable_turns_no_asked_group_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_MODEL", "m")
    monkeypatch.setenv("TEST_TOKENS", "5")
    assert judged().model is None

    @frame.as_command()
    def always(options: Model) -> int:
        """Print the name."""
        click.echo(f"{options.name} {options.tokens}")
        return 0

    assert call(command=always)[1] == "m 5\n"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--again", "--model", "m"), "--again needs --on: there is no day."),
        (
            ("--tokens", "3", "--format", "json"),
            "--tokens and --format json exclude each other: it is for people.",
        ),
        (("--tokens", "3", "--json"), "--tokens and --format json exclude each other: it is for people."),
        (("--tokens", "10"), "Invalid value for '--tokens': 10 is not in the range 1<=x<=9."),
        (("-q", "--on", "2026-01-05"), "--quiet and --on exclude each other."),
        (("--loud", "--on", "2026-01-05"), "--loud and --on exclude each other."),
    ],
)
def test_a_group_may_need_and_exclude_more(args: tuple[str, ...], message: str) -> None:
    status, _, error = call(*args, command=judging)
    assert (status, error) == (2, message)


def test_moments_are_written_with_or_without_a_time() -> None:
    day = dt.datetime(2026, 1, 5)
    assert [judged("--at", text).at for text in ("2026-01-05", "2026-01-05 09:30", "2026-01-05T09:30")] == [
        day,
        day.replace(hour=9, minute=30),
        day.replace(hour=9, minute=30),
    ]


def test_the_usage_and_the_defaults() -> None:
    _, out, _ = call("--help", command=judging)
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert lines[0] == "Usage: root [OPTIONS] [FILE]"
    for line in ("--on YYYY-MM-DD A day. [default: today]", "--empty TEXT Nothing."):
        assert line in lines
    assert "--tokens INTEGER RANGE How many. [1<=x<=9]" in " ".join(
        lines
    )  # it turns the group on: no default


def test_the_remarks_of_a_result_are_said_apart() -> None:
    assert call(command=judging)[2] == "a remark\n"


def test_a_need_of_no_parameter_is_a_mistake() -> None:
    @dataclass(frozen=True, slots=True)
    class Lost:
        force: bool = flag("--force", help="Replace it.", needs="--lost")

    @frame.as_command()
    def lost(options: Lost) -> int:
        return 0

    with pytest.raises(TypeError, match="has no parameter --lost"):
        call("--force", command=lost)


def test_an_argument_takes_all_that_is_left() -> None:
    @dataclass(frozen=True, slots=True)
    class Started:
        command: tuple[str, ...] = argument("-- COMMAND...", default=(), rest=True)

    @frame.as_command(context_settings={"ignore_unknown_options": True})
    def start(options: Started) -> int:
        """Print the words."""
        click.echo(repr(options.command))
        return 0

    assert call("adb", "--serial", "x", command=start)[1] == "('adb', '--serial', 'x')\n"
    assert "root [OPTIONS] -- COMMAND...\n" in call("--help", command=start)[1]


def test_what_is_prepared_is_what_is_checked() -> None:
    def swap(parameters: dict[str, Any]) -> None:
        parameters["file"], parameters["until"] = parameters["until"], None

    @frame.as_command(one_of=("FILE",), prepare=swap)
    def prepared(options: Streaming) -> int:
        """Print both."""
        click.echo(f"{options.file} {options.until}")
        return 0

    assert call("x", "--until", "y", command=prepared)[:2] == (0, "y None\n")
    assert call("x", command=prepared) == (2, "", "Give FILE.")


def findings(*severities: Severity, code: str = "E0201") -> Findings:
    items = [Diagnostic(code, severity, None, "something") for severity in severities]
    return Findings(items, {}, ("the end",), errors_first=True)


def test_findings_say_errors_first_and_set_the_status() -> None:
    report = findings(Severity.WARNING, Severity.ERROR)
    lines = list(report.lines(Style()))
    kinds = [line.partition("[")[0] for line in lines if line.startswith(("error", "warning"))]
    assert (kinds, lines[-1], report.status) == (["error", "warning"], "the end", 1)
    assert findings(Severity.WARNING).status == findings().status == 0
    assert findings(Severity.ERROR, code="E0001").status == 2  # a file could not be read


def test_no_line_steers_a_terminal_or_reader(tmp_path: Path) -> None:
    report = Result(dict, lambda style: ["\x1b]0;title\x07"])
    Output().print(report, str(tmp_path / "out"))
    assert "\x1b" not in (tmp_path / "out").read_text()
