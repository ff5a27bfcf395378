"""The frame of every command: makes its command line from a dataclass of options, and prints its report.

A command is a function from options to a `Report`, or to an exit status if it prints while it works::

    @frame.as_command("text", "json")
    def command(options: ProbeOptions) -> Report: ...
"""

import dataclasses
import datetime as dt
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Final, Literal, Protocol, Union, get_args, get_origin

import click
from click.core import ParameterSource

from vsalang.base.diagnostics import Diagnostic, has_errors, in_order, jsonout
from vsalang.base.diagnostics.display import unsteered
from vsalang.base.options import Group, Option, Reasons, options_of
from vsalang.base.report import Report, Style
from vsalang.base.source import Source
from vsalang.tools.cli.common import EXIT_FAILED, EXIT_FINDINGS, EXIT_OK, render, unread, use_color
from vsalang.tools.cli.output import echo, json_text, print_json, write_text

__all__ = ["Findings", "Output", "Unusable", "as_command"]

# ---------------------------------------------------------------------- reports


@dataclasses.dataclass(frozen=True)
class Findings(Report):
    """Findings in files.

    Attributes:
        diagnostics: the findings.
        sources: the files that they are in.
        end: lines for people after them.
        status: the exit status; negative: 1 if a finding is an error, 2 if a file could not be read.
        errors_first: whether people see errors first, so that a single one is not lost among many findings.
    """

    diagnostics: Iterable[Diagnostic]
    sources: Mapping[str, Source]
    end: tuple[str, ...] = ()
    status: int = -1
    errors_first: bool = False

    def __post_init__(self) -> None:
        items = tuple(in_order(self.diagnostics))
        object.__setattr__(self, "diagnostics", items)
        if self.status < 0:
            status = EXIT_FAILED if unread(items) else EXIT_FINDINGS if has_errors(items) else EXIT_OK
            object.__setattr__(self, "status", status)

    def data(self) -> object:
        """As JSON."""
        return jsonout.to_data(self.diagnostics, self.sources)

    def lines(self, style: Style) -> Iterator[str]:
        """Each finding with its line of the source."""
        first = self.errors_first
        text = render(self.diagnostics, self.sources, "text", color=style.color, errors_first=first)
        yield from text.removesuffix("\n").split("\n") if text else ()
        yield from self.end

    def document(self, format: str, style: Style) -> str:
        """As SARIF, or as annotations of GitHub."""
        return render(self.diagnostics, self.sources, format)


class LoadResult(Protocol):
    """A file that was loaded, such as `vsalang.language.semantics.Loaded`, which most commands need not import."""

    @property
    def diagnostics(self) -> Iterable[Diagnostic]:
        """The findings in it."""
        ...

    @property
    def sources(self) -> Mapping[str, Source]:
        """The files that they are in."""
        ...


class Unusable(Exception):
    """A file has errors, so the command cannot do its work. The frame prints them: for people on standard error.

    Args:
        diagnostics: the errors.
        sources: the files that they are in.
        status: the exit status.
    """

    def __init__(
        self, diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source], status: int = EXIT_FAILED
    ) -> None:
        super().__init__("a file has errors")
        self.findings = Findings(diagnostics, sources, status=status)

    @classmethod
    def of(cls, loaded: LoadResult, status: int = -1) -> "Unusable":
        """The errors of a program; the status is 1, or 2 if a file could not be read, unless it is given."""
        return cls(loaded.diagnostics, loaded.sources, status)


@dataclasses.dataclass(frozen=True, slots=True)
class Output:
    """How the result is printed; for commands that print while they work.

    Attributes:
        format: ``text``, ``json``, ..
    """

    format: str = "text"

    @property
    def machine(self) -> bool:
        """Whether a program reads the result."""
        return self.format != "text"

    @property
    def style(self) -> Style:
        """The style of standard output."""
        return Style(use_color(sys.stdout))

    def text(self, report: Report) -> str:
        """A report as a file holds it: without colours."""
        if self.format == "json":
            return json_text(report.data(), indent=2) + "\n"
        if self.format == "text":
            return "".join(f"{unsteered(line)}\n" for line in report.lines(Style()))
        return report.document(self.format, Style())

    def print(self, report: Report, file: str | None = None) -> int:
        """Print a report; return its exit status.

        Args:
            file: the file that it is written to in place of standard output; if it is empty, nothing is written.
        """
        if file is not None:
            if text := self.text(report):
                write_text(Path(file), text)
        elif self.format == "json":
            print_json(report.data())
        elif self.format == "text":
            for line in report.lines(self.style):
                echo(line, color=True if self.style.color else None)
        else:
            click.echo(report.document(self.format, self.style), nl=False, color=True)
        style = Style(use_color(sys.stderr))
        for line in report.notes(style):
            echo(line, err=True, color=True if style.color else None)
        return report.status

    def complain(self, error: Unusable) -> int:
        """Print why the command could not work; return the exit status."""
        if self.machine:
            print_json(error.findings.data())
        else:
            for line in error.findings.lines(Style(use_color(sys.stderr))):
                click.echo(line, err=True, color=True)
        return error.findings.status


# ---------------------------------------------------------------------- commands


def as_command(
    *formats: str,
    one_of: tuple[str, ...] | Mapping[str, str] = (),
    prepare: Callable[[dict[str, Any]], None] | None = None,
    **more: Any,
) -> Callable[[Callable[..., Report | int]], click.Command]:
    """Make a command of a function from options, and perhaps an `Output`, to a report or an exit status.

    Its docstring is its help. The annotation of its first parameter is the class of its options.

    Args:
        formats: in which ``--format`` (or ``--json``) prints the report, the default first; none: there is no choice.
        one_of: parameters of which at least one must be given; by their names, what each is for, if that is not plain.
        prepare: changes the values of the parameters before they are checked.
        more: further arguments of `click.Command`.
    """

    def made(function: Callable[..., Report | int]) -> click.Command:
        kinds = [kind for name, kind in function.__annotations__.items() if name != "return"]
        options = kinds[0] if kinds else None
        wants_output = kinds[1:] == [Output]
        params, build = _parameters(options) if options is not None else ([], dict)
        if formats:
            params += _format_options(formats)

        def call(**parameters: Any) -> int:
            context = click.get_current_context()
            output = (
                Output(_format(context, parameters.pop("format"), parameters.pop("as_json")))
                if formats
                else Output()
            )
            if prepare is not None:
                prepare(parameters)
                context.params.update(parameters)
            _check(context, one_of)
            values = build(parameters)
            arguments = [] if options is None else [options(**values)]
            try:
                result = function(*arguments, *([output] if wants_output else []))
            except Unusable as error:
                status = output.complain(error)
            else:
                status = result if isinstance(result, int) else output.print(result)
            if status != EXIT_OK:
                context.exit(status)  # click takes no status from what is returned
            return status

        help = more.pop("help", None) or function.__doc__
        return click.Command(more.pop("name", None), callback=call, params=params, help=help, **more)

    return made


def _format_options(formats: tuple[str, ...]) -> list[click.Parameter]:
    kinds = click.Choice(formats)
    help = "How to print the result."
    long = click.Option(["--format"], type=kinds, default=formats[0], show_default=True, help=help)
    return [long, click.Option(["--json", "as_json"], is_flag=True, help="The same as --format json.")]


def _format(context: click.Context, format: str, as_json: bool) -> str:
    if not as_json:
        return format
    if format != "json" and context.get_parameter_source("format") is not ParameterSource.DEFAULT:
        raise click.UsageError(f"--json and --format {format} exclude each other.")
    return "json"


# ---------------------------------------------------------------------- parameters


class Numbers(click.FloatRange):
    """Numbers in a range; `nan` is in none, though click takes it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number that was written."""
        number = float(super().convert(value, param, ctx))
        if number != number:
            self.fail(f"{value} is not a number.", param, ctx)
        return number


class TextType(click.ParamType[Any]):
    """A text that a function of the option reads; its `ValueError` is a usage error with its message."""

    name = "text"

    def __init__(self, read: Callable[[str], Any]) -> None:
        self.read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The value of a text; what is not a text is a default."""
        if not isinstance(value, str):
            return value
        try:
            return self.read(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class _ReadChoice(click.Choice[str]):
    """The same where the texts can be listed."""

    def __init__(self, choices: tuple[str, ...], read: Callable[[str], Any]) -> None:
        super().__init__(choices)
        self._read = TextType(read)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return self._read.convert(value, param, ctx)


class _Parameter:
    """The declaration of a parameter, next to what click knows of it."""

    def __init__(self, declared: Option, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.declared = declared


class _Option(_Parameter, click.Option):
    """An option that knows its declaration."""


class _Argument(_Parameter, click.Argument):
    """An argument that knows its declaration."""


def _parameters(
    options: type, group: Group | None = None
) -> tuple[list[click.Parameter], Callable[[dict[str, Any]], dict[str, Any]]]:
    """The parameters that a class of options declares, and what makes its fields of their values.

    Args:
        options: the class.
        group: the field that holds it; None: it is that of the command.
    """
    arguments: list[click.Parameter] = []
    others: list[click.Parameter] = []
    nested: dict[str, tuple[Group, Callable[[dict[str, Any]], dict[str, Any]]]] = {}
    own: dict[str, str] = {}
    for name, (field, declared) in options_of(options).items():
        if group is not None and name in group.without:
            continue
        if isinstance(declared, Group):
            if group is not None:
                declared = _nested(declared, name, group)
            below, make = _parameters(declared.kind, declared)
            arguments += [each for each in below if isinstance(each, click.Argument)]
            others += [each for each in below if not isinstance(each, click.Argument)]
            nested[name] = declared, make
            continue
        if group is not None:
            declared = _in_group(declared, name, group)
        param = _parameter(name, field, declared)
        own[name] = param.name or ""
        (others if declared.names else arguments).append(param)

    def build(parameters: dict[str, Any]) -> dict[str, Any]:
        values = {name: parameters[param] for name, param in own.items()}
        for name, (each, fields_of) in nested.items():
            fields = fields_of(parameters)
            context = click.get_current_context()
            chosen = not each.when or any(_is_given(context, name) for name in each.when.split(" or "))
            values[name] = each.kind(**fields) if chosen else None
        return values

    params = arguments + others
    if len({param.name for param in params}) < len(params):
        raise TypeError(f"two fields of {options.__name__} have one name on the command line")
    return params, build


def _nested(declared: Group, name: str, group: Group) -> Group:
    """A group in a group: what its fields need in this command stands in the outer one, as ``FIELD.FIELD``."""
    needs = {**declared.needs}
    for path, others in group.needs.items():
        outer, _, field = path.partition(".")
        if outer == name and field:
            needs[field] = {**needs.get(field, {}), **others}
    return dataclasses.replace(declared, needs=needs)


def _in_group(declared: Option, name: str, group: Group) -> Option:
    """A declaration as the command with this group sees it."""
    needs = {**declared.needs, **group.needs.get(name, {})}
    whens = group.when.split(" or ") if group.when else []
    if whens and not {*whens} & {*declared.names} and not needs:
        needs = {group.when: ""}
    excludes = {**declared.excludes, **group.excludes.get(name, {})}
    help = group.texts.get(name, declared.help)
    # a variable of the environment does not turn on what the command does only if it is asked to
    variable = "" if whens else declared.variable
    show_default = declared.show_default and not {*whens} & {*declared.names}
    return dataclasses.replace(
        declared,
        help=help,
        needs=needs,
        excludes=excludes,
        choices=group.choices.get(name, declared.choices),
        variable=variable,
        show_default=show_default,
    )


def _parameter(name: str, field: dataclasses.Field[Any], declared: Option) -> click.Parameter:
    kind, many = _kind(field, declared)
    if field.default is None and (many or kind is click.BOOL):
        raise TypeError(f"the field {name} needs a default: an empty tuple, or False for a flag")
    default = field.default if field.default is not dataclasses.MISSING else None
    if not declared.names:
        if declared.rest:
            kind = click.UNPROCESSED
        metavar = declared.metavar if declared.required else f"[{declared.metavar.strip('[]')}]"
        metavar = f"{metavar}..." if many and not declared.rest else metavar
        return _Argument(
            declared,
            [name],
            type=kind,
            nargs=-1 if many else 1,
            required=declared.required,
            metavar="" if declared.hidden else declared.metavar if declared.rest else metavar,
            **({} if many or default is None else {"default": default}),
        )
    flag = kind is click.BOOL
    off = flag and default is True and not any("/" in each for each in declared.names)
    more: dict[str, Any] = {}
    if flag:
        both = any("/" in each for each in declared.names)
        more = {"show_default": True} if both else {"is_flag": True, "flag_value": not off}
        more["default"] = bool(default)
    elif many:
        more = {"multiple": True} if declared.required else {"multiple": True, "default": default}
    elif not declared.required:  # click takes a default of None for a value
        more = {"default": default}
        show_default = declared.show_default and not declared.default_text
        more["show_default"] = show_default and default is not None and default != ""
    if declared.default_text:
        help = f"{declared.help} [default: {declared.default_text}]"
    else:
        help = declared.help
    return _Option(
        declared,
        declared.names,
        type=None if flag else kind,
        envvar=declared.variable or None,
        metavar=declared.metavar or ("YYYY-MM-DD" if _single(field.type) is dt.date else None),
        help=help,
        required=declared.required,
        **more,
    )


_DAYS: Final = ("%Y-%m-%d",)
_MOMENTS: Final = ("%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", *_DAYS)
"""How a date, and a date with a time, may be written."""
_SIMPLE: Final[Mapping[Any, click.ParamType[Any]]] = {str: click.STRING, bool: click.BOOL}


def _kind(field: dataclasses.Field[Any], declared: Option) -> tuple[click.ParamType[Any], bool]:
    """The type of a field for click, and whether it takes several values.

    Raises:
        TypeError: the annotation is a text, or of a kind that no command line can give.
    """
    kind: Any = field.type
    if isinstance(kind, str):
        raise TypeError(f"the field {field.name} has a quoted annotation: the frame cannot read it")
    kind, many = _single(kind), False
    if get_origin(kind) is tuple and get_args(kind)[1:] == (...,):
        kind, many = _single(get_args(kind)[0]), True
    if declared.read is not None:
        read = declared.read
        return (_ReadChoice(declared.choices, read) if declared.choices else TextType(read)), many
    if declared.choices:
        return click.Choice(declared.choices), many
    if get_origin(kind) is Literal:
        return click.Choice([str(each) for each in get_args(kind)]), many
    if kind in _SIMPLE:
        return _SIMPLE[kind], many
    if kind is Path:
        return click.Path(path_type=Path), many
    if kind is int and declared.least is None and declared.most is None:
        return click.INT, many
    if kind is int:
        least, most = declared.least, declared.most
        return click.IntRange(
            None if least is None else int(least), None if most is None else int(most)
        ), many
    if kind is float:
        return Numbers(declared.least, declared.most, min_open=declared.above), many
    if kind is dt.timedelta:
        numbers = Numbers(declared.least, declared.most, min_open=declared.above)
        return _ConvertedType(numbers, lambda seconds: dt.timedelta(seconds=seconds)), many
    if kind is dt.datetime:
        return click.DateTime(_MOMENTS), many
    if kind is dt.date:
        return _ConvertedType(click.DateTime(_DAYS), dt.datetime.date), many
    raise TypeError(f"the field {field.name} is of a kind that no command line gives: {kind}")


def _single(kind: Any) -> Any:
    """A type without its None."""
    if get_origin(kind) in (Union, UnionType):
        rest = [each for each in get_args(kind) if each is not NoneType]
        if len(rest) == 1:
            return rest[0]
        if set(rest) == {str, Path}:
            return str
    return kind


class _ConvertedType(click.ParamType[Any]):
    """Another type, and what is made of its value."""

    def __init__(self, inner: click.ParamType[Any], convert: Callable[[Any], Any]) -> None:
        self.inner = inner
        self.name = inner.name
        self.make = convert

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The value of a text; what is not a text is a default."""
        return self.make(self.inner.convert(value, param, ctx)) if isinstance(value, str) else value

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:
        """As the inner type."""
        return self.inner.get_metavar(param, ctx)


# ---------------------------------------------------------------------- what goes with what


def _check(context: click.Context, one_of: tuple[str, ...] | Mapping[str, str]) -> None:
    """Refuse a command line in which something is missing, or two things do not go together.

    Raises:
        UsageError: it is so; names both, and the reason where there is one.
    """
    if one_of and not any(_is_given(context, each) for each in one_of):
        choices = (
            [f"{name}, {why}" for name, why in one_of.items()] if isinstance(one_of, Mapping) else one_of
        )
        raise click.UsageError(f"Give {' or '.join(choices)}.")
    typed = [
        (_name(param), str(context.params.get(param.name or "")), param.declared)
        for param in context.command.params
        if isinstance(param, _Parameter) and _was_typed(context, param) and not _is_variable(context, param)
    ]
    # what does not go together is said first: no option that is given in addition makes it right
    for name, value, declared in typed:
        for words, other, why in _others(name, value, declared.excludes):
            if _is_given(context, other, absent=False):
                raise click.UsageError(f"{words} and {other} exclude each other{_because(why)}.")
    for name, value, declared in typed:
        for words, other, why in _others(name, value, declared.needs):
            if not any(_is_given(context, each) for each in other.split(" or ")):
                raise click.UsageError(f"{words} needs {other}{_because(why)}.")


def _others(name: str, value: str, declared: Mapping[str, str | Reasons]) -> Iterator[tuple[str, str, str]]:
    """What a parameter, or its value, needs or excludes: the words that were typed, the other parameter, the reason."""
    for other, why in declared.items():
        if isinstance(why, str):
            yield name, other, why
        elif other == value:
            yield from ((f"{name} {value}", each, reason) for each, reason in why.items())


def _because(why: str) -> str:
    return f": {why.removesuffix('.')}" if why else ""


def _name(param: click.Parameter) -> str:
    """A parameter as people type it."""
    if isinstance(param, click.Argument):
        metavar = param.declared.metavar if isinstance(param, _Argument) else param.metavar
        return (metavar or param.name or "").strip("[].- ")
    return max(param.opts, key=len)


def _was_typed(context: click.Context, param: click.Parameter) -> bool:
    source = context.get_parameter_source(param.name or "")
    if context.params.get(param.name or "") is None:
        return False
    return source is not None and source not in (ParameterSource.DEFAULT, ParameterSource.DEFAULT_MAP)


def _is_variable(context: click.Context, param: click.Parameter) -> bool:
    """Whether a variable of the environment gave the value, which this command line need not have a use for."""
    return context.get_parameter_source(param.name or "") is ParameterSource.ENVIRONMENT


def _is_given(context: click.Context, name: str, absent: bool | None = None) -> bool:
    """Whether a parameter was typed; ``--format json``: whether it has this value, or one of its values is it.

    Args:
        absent: the answer if the command has no such parameter.

    Raises:
        TypeError: it has none, and there is no such answer: a mistake in a declaration.
    """
    name, _, value = name.partition(" ")
    for param in context.command.params:
        if name in (_name(param), *param.opts):
            if value:
                chosen = context.params.get(param.name or "")
                texts = chosen if isinstance(chosen, tuple) else (chosen,)
                return value in map(str, texts) or (
                    name == "--format" and value == "json" and bool(context.params.get("as_json"))
                )
            return _was_typed(context, param)
    if absent is not None:
        return absent
    raise TypeError(f"{context.command_path} has no parameter {name}")
