"""Options: fields of frozen dataclasses that say how a command line gives them.

A field is declared once, for people at a terminal and for users of the Python interface::

    @dataclass(frozen=True, slots=True)
    class ProbeOptions:
        spec: str = argument("SPEC")
        most: int = option("--most", default=7, least=1, most=50, metavar="N", help="How many questions at most.")
        ask: bool = flag("--ask", help="Ask the questions here.", excludes="--answers")

The annotation says what is read: a flag for `bool`, a choice for a `Literal`, a number, a date, seconds for a
`timedelta`, several values for a tuple. Nothing here loads a library for command lines.
"""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, Final

_KEY: Final = "vsalang.option"
Reasons = Mapping[str, str]
"""Other parameters by the names that people type, each with a reason or an empty text."""
Others = str | tuple[str, ...] | Mapping[str, str | Reasons]
"""Other parameters by the names that people type (``--from``, ``SPEC``, ``--format json``), perhaps with a reason.

What holds for one value only stands below it: ``{"enforce": {"--agent": "what others do cannot be held back"}}``.
"""


@dataclasses.dataclass(frozen=True, slots=True)
class Option:
    """How a command line gives a field.

    Attributes:
        names: what is typed, such as ``("-o", "--output")``; empty for an argument.
        metavar: what stands for the value in the help.
        help: a sentence for the help, empty for an argument.
        least: the smallest number.
        most: the largest number.
        above: whether `least` itself is too small.
        default_text: what the help says of the default, in place of its value.
        show_default: whether the help says the default.
        needs: parameters without which it may not be given, each with a reason or an empty text; below a value those
            without which this value may not be given.
        excludes: parameters with which it may not be given, likewise.
        read: makes the value of the typed text; raises `ValueError` with a message for people.
        choices: the texts that can be typed, where the annotation does not list them.
        required: whether it must be given.
        hidden: whether the usage leaves an argument out.
        variable: the environment variable that gives the value, too; empty: none does.
        rest: whether an argument takes all that is left, options included.
    """

    names: tuple[str, ...]
    metavar: str = ""
    help: str = ""
    least: float | None = None
    most: float | None = None
    above: bool = False
    default_text: str = ""
    show_default: bool = True
    needs: Mapping[str, str | Reasons] = dataclasses.field(default_factory=dict)
    excludes: Mapping[str, str | Reasons] = dataclasses.field(default_factory=dict)
    read: Callable[[str], Any] | None = None
    choices: tuple[str, ...] = ()
    required: bool = False
    hidden: bool = False
    variable: str = ""
    rest: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Group:
    """A field that holds options of another class.

    Attributes:
        kind: the class.
        without: fields of it that the command does not take.
        when: the option that must be given for there to be a value (several with ``or`` between them: one of them);
            empty: there always is one.
        needs: what else fields need in this command, by field, as `Option.needs`; of a group in it as ``FIELD.FIELD``.
        excludes: what else fields exclude in this command, likewise.
        choices: the values that fields take in this command, where the class has more, by field.
        texts: helps of this command in place of those of the class, by field.
    """

    kind: type
    without: tuple[str, ...] = ()
    when: str = ""
    needs: Mapping[str, Mapping[str, str | Reasons]] = dataclasses.field(default_factory=dict)
    excludes: Mapping[str, Mapping[str, str | Reasons]] = dataclasses.field(default_factory=dict)
    choices: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    texts: Mapping[str, str] = dataclasses.field(default_factory=dict)


def option(
    *names: str,
    help: str,
    default: Any = None,
    needs: Others = (),
    excludes: Others = (),
    **more: Any,
) -> Any:
    """A field that an option with a value gives.

    Args:
        names: what is typed.
        help: a sentence for the help.
        default: the value if it is left out; for several values a tuple.
        needs: as `Option.needs`; without reasons also as one name or a tuple of names.
        excludes: as `Option.excludes`, likewise.
        more: further attributes of `Option`.
    """
    made = Option(names, help=help, needs=_reasons(needs), excludes=_reasons(excludes), **more)
    return dataclasses.field(default=default, metadata={_KEY: made})


def flag(*names: str, help: str, default: bool = False, **more: Any) -> Any:
    """A field of type `bool` that an option without a value turns over.

    Args:
        names: what is typed; for a field that is true by default a name such as ``--no-contracts``.
        help: a sentence for the help.
        default: the value if it is left out.
        more: as for `option`.
    """
    return option(*names, help=help, default=default, **more)


def argument(metavar: str, *, required: bool = True, **more: Any) -> Any:
    """A field that an argument gives.

    Args:
        metavar: its name in the help, such as ``SPEC``.
        required: whether it must be given; if not, it is None.
        more: further attributes of `Option`; `default`: the value if it is left out, for several values a tuple.
    """
    rest = {name: value for name, value in more.items() if name not in ("default", "needs", "excludes")}
    made = Option(
        (),
        metavar,
        required=required and "default" not in more,
        needs=_reasons(more.get("needs", ())),
        excludes=_reasons(more.get("excludes", ())),
        **rest,
    )
    if made.required:
        return dataclasses.field(metadata={_KEY: made})
    return dataclasses.field(default=more.get("default"), metadata={_KEY: made})


def group(
    kind: type,
    *,
    without: tuple[str, ...] = (),
    when: str = "",
    needs: Mapping[str, Others] | None = None,
    excludes: Mapping[str, Others] | None = None,
    choices: Mapping[str, tuple[str, ...]] | None = None,
    **texts: str,
) -> Any:
    """A field that holds the options of another class, which the command takes as its own.

    Args:
        kind: the class.
        without: as `Group.without`.
        when: as `Group.when`; without that option the value is None, and the others of the group need it.
        needs: as `Group.needs`.
        excludes: as `Group.excludes`.
        choices: as `Group.choices`.
        texts: as `Group.texts`.
    """
    more_needs = {name: _reasons(others) for name, others in (needs or {}).items()}
    more_excludes = {name: _reasons(others) for name, others in (excludes or {}).items()}
    made = Group(kind, without, when, more_needs, more_excludes, choices or {}, texts)
    if when:
        return dataclasses.field(default=None, metadata={_KEY: made})
    return dataclasses.field(default_factory=kind, metadata={_KEY: made})


def options_of(kind: type) -> dict[str, tuple[dataclasses.Field[Any], Option | Group]]:
    """The fields of a class that a command line gives, in their order."""
    return {
        field.name: (field, field.metadata[_KEY])
        for field in dataclasses.fields(kind)
        if _KEY in field.metadata
    }


def _reasons(others: Others) -> Mapping[str, str | Reasons]:
    if isinstance(others, str):
        return {others: ""}
    return others if isinstance(others, Mapping) else dict.fromkeys(others, "")
