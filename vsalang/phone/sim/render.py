"""Evaluates the templates and expressions of a phone's folder in Jinja2's sandbox."""

import datetime as dt
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, Final

from jinja2 import (
    BytecodeCache,
    FunctionLoader,
    StrictUndefined,
    Template,
    TemplateError,
    TemplateSyntaxError,
    Undefined,
)
from jinja2.bccache import Bucket
from jinja2.sandbox import ImmutableSandboxedEnvironment

from vsalang.phone.sim.spec import PhoneSpecError

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def _plus_days(day: str, count: int) -> str:
    return (dt.date.fromisoformat(day) + dt.timedelta(days=int(count))).isoformat()


def _weekday(day: str) -> str:
    return _DAYS[dt.date.fromisoformat(day).weekday()]


def _short_date(day: str) -> str:
    date = dt.date.fromisoformat(day)
    return f"{_DAYS[date.weekday()]} {date.day} {_MONTHS[date.month - 1]}"


FAILURES = (TemplateError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError)


def context(clock: dt.datetime, *more: Mapping[str, Any]) -> dict[str, Any]:
    """The names a template sees: ``now`` (``12:00``), ``today`` (ISO), and those of `more`; later ones win."""
    names: dict[str, Any] = {"now": clock.strftime("%H:%M"), "today": clock.date().isoformat()}
    for mapping in more:
        names.update(mapping)
    return names


# Many phones are started from one folder: equal texts are compiled once. Compiled templates have no state.


class _TemplateCache(BytecodeCache):
    """The code of templates, by name and text."""

    most = 500

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], Any] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give what was kept of it, if anything."""
        bucket.code = self._kept.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep it."""
        if len(self._kept) >= self.most:
            self._kept.clear()
        self._kept[bucket.key, bucket.checksum] = bucket.code


_COMPILED: Final = _TemplateCache()


def _environment(loader: FunctionLoader | None, *, escape: bool) -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        autoescape=escape,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=loader,
        bytecode_cache=_COMPILED if escape else None,
    )
    environment.filters.update(plus_days=_plus_days, weekday=_weekday, short_date=_short_date)
    return environment


@cache
def _plain() -> ImmutableSandboxedEnvironment:
    return _environment(None, escape=False)


@lru_cache(maxsize=1024)
def _text(source: str) -> Template:
    return _plain().from_string(source)


@lru_cache(maxsize=1024)
def _expression(source: str) -> Any:
    return _plain().compile_expression(source, undefined_to_none=False)


@lru_cache(maxsize=512)
def _names(source: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """The free names of a template, and the templates that it includes."""
    from jinja2 import meta

    tree = _plain().parse(source)
    included = (name for name in meta.find_referenced_templates(tree) if name is not None)
    return frozenset(meta.find_undeclared_variables(tree)), tuple(included)


class Templates:
    """The templates of one phone, by file name; they may include each other.

    Methods raise `PhoneSpecError`, naming `where`, when a template or expression is wrong, fails, or uses
    a name that does not exist.
    """

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = dict(files)
        self._xml = _environment(FunctionLoader(self._load), escape=True)

    def _load(self, name: str) -> tuple[str, str, None] | None:
        source = self._files.get(name)
        return (source, name, None) if source is not None else None

    def check(self, name: str, where: object) -> None:
        """Compile the template in file `name`."""
        try:
            self._xml.get_template(name)
        except TemplateError as error:
            raise PhoneSpecError(f"{self._line(error, name, where)}: {error}") from error

    def names(self, name: str) -> frozenset[str]:
        """The free names of the template in a file, and of those that it includes."""
        free_names: set[str] = set()
        todo, done = [name], set[str]()
        while todo:
            file = todo.pop()
            if file in done or file not in self._files:
                continue
            done.add(file)
            try:
                free, included = _names(self._files[file])
            except TemplateError:
                continue  # `check` reports it
            free_names |= free
            todo += included
        return frozenset(free_names)

    def _line(self, error: BaseException, name: str, where: object) -> str:
        """`where` with the line of the template that caused an error; an included template is named too."""
        file, line = name, 0
        if isinstance(error, TemplateSyntaxError):
            file, line = error.name or name, error.lineno
        step = error.__traceback__
        while step is not None:
            if step.tb_frame.f_code.co_filename in self._files:
                file, line = step.tb_frame.f_code.co_filename, step.tb_lineno
            step = step.tb_next
        if not line:
            return str(where)
        return f"{where}:{line}" if file == name else f"{where}: in {file}:{line}"

    def check_expression(self, source: str, where: object) -> None:
        """Compile an expression."""
        try:
            _expression(source)
        except TemplateError as error:
            raise PhoneSpecError(f"{where}: {source!r}: {error}") from error

    def xml(self, name: str, names: Mapping[str, Any], where: object) -> str:
        """The template in file `name`, filled in; values are escaped for XML."""
        try:
            return self._xml.get_template(name).render(names)
        except FAILURES as error:
            raise PhoneSpecError(f"{self._line(error, name, where)}: {error}") from error

    def text(self, source: str, names: Mapping[str, Any], where: object) -> str:
        """A short template given as text, filled in, nothing escaped."""
        try:
            return _text(source).render(names)
        except FAILURES as error:
            raise PhoneSpecError(f"{where}: {error}") from error

    def evaluate(self, source: str, names: Mapping[str, Any], where: object) -> Any:
        """The value of a Jinja2 expression."""
        try:
            value = _expression(source)(**names)
        except FAILURES as error:
            raise PhoneSpecError(f"{where}: {source!r}: {error}") from error
        if isinstance(value, Undefined):
            raise PhoneSpecError(f"{where}: {source!r} has no value")
        return value
