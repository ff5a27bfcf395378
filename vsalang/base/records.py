"""Frozen dataclasses whose methods are made when they are first called: most commands use few of the many classes.

Python makes the methods of a dataclass from text when a module is imported, which takes about a millisecond a class.
What `dataclass` gives here is a dataclass in every other respect: `fields`, `replace`, `copy` and `pickle` work. Its
objects are made in less than half the time, too.
"""

import dataclasses
import inspect
from typing import TYPE_CHECKING, Any, Final

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls=None, /, **options):
        """As `dataclasses.dataclass`; quick for ``frozen=True, slots=True``."""

        def made(cls):
            if options != {"frozen": True, "slots": True} or not _plain(cls):
                return dataclasses.dataclass(**options)(cls)
            return _quick(cls)

        return made if cls is None else made(cls)


_FACTORY: Final = object()
_SET: Final = object.__setattr__


def _plain(cls: type) -> bool:
    """Whether the fields need nothing but what is done here."""
    kinds = [str(kind) for kind in inspect.get_annotations(cls).values()]
    own = [value for value in cls.__dict__.values() if isinstance(value, dataclasses.Field)]
    return (
        not any(hasattr(base, "__dataclass_fields__") for base in cls.__bases__)
        and not any("ClassVar" in kind or "InitVar" in kind or "KW_ONLY" in kind for kind in kinds)
        and not any(one.kw_only is True or not one.init or one.hash is True for one in own)
        and not {"__init__", "__eq__", "__hash__", "__setattr__", "__delattr__"} & cls.__dict__.keys()
    )


def _quick(plain: type) -> type:
    optional = ""
    cls: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(plain)
    for field in dataclasses.fields(cls):  # Python itself looks only when it makes `__init__`
        if (field.default, field.default_factory) != (dataclasses.MISSING, dataclasses.MISSING):
            optional = field.name
        elif optional:
            raise TypeError(
                f"{plain.__qualname__}: the field {field.name} without a default follows {optional}, which has one"
            )
    for name, make in (("__init__", _init), ("__eq__", _eq), ("__hash__", _hash)):
        setattr(cls, name, _late(cls, name, make))
    if "__repr__" not in plain.__dict__:
        cls.__repr__ = _repr
    cls.__setattr__, cls.__delattr__ = _no_set, _no_delete
    cls.__getstate__, cls.__setstate__ = _get_state, _set_state
    return cls  # type: ignore[no-any-return]


def _late(cls: Any, name: str, make: Any) -> Any:
    """A method that makes the real one when it is called, and takes its own place for it."""

    def method(self: Any, *args: Any, **named: Any) -> Any:
        real = make(cls)
        real.__qualname__ = f"{cls.__qualname__}.{name}"
        setattr(cls, name, real)
        return real(self, *args, **named)

    method.__name__ = name
    return method


def _function(text: str, names: dict[str, Any]) -> Any:
    exec(text, names)
    return names["method"]


def _init(cls: type) -> Any:
    names: dict[str, Any] = {"FACTORY_": _FACTORY}
    heads, lines = ["self"], []
    for field in dataclasses.fields(cls):
        name, value = field.name, field.name
        if field.default is not dataclasses.MISSING:
            names[f"default_{name}"] = field.default
            heads.append(f"{name}=default_{name}")
        elif field.default_factory is not dataclasses.MISSING:
            names[f"make_{name}"] = field.default_factory
            heads.append(f"{name}=FACTORY_")
            value = f"make_{name}() if {name} is FACTORY_ else {name}"
        else:
            heads.append(name)
        # a slot sets itself in a third of the time that `object.__setattr__` takes
        names[f"set_{name}"] = cls.__dict__[name].__set__
        lines.append(f"    set_{name}(self, {value})\n")
    if hasattr(cls, "__post_init__"):
        lines.append("    self.__post_init__()\n")
    return _function(f"def method({', '.join(heads)}):\n{''.join(lines) or '    pass'}", names)


def _cells(cls: type, of: str, *, hashed: bool = False) -> str:
    fields = [field for field in dataclasses.fields(cls) if field.compare]
    return "(" + "".join(f"{of}.{field.name}, " for field in fields if not hashed or field.hash is None) + ")"


def _eq(cls: type) -> Any:
    same = f"{_cells(cls, 'self')} == {_cells(cls, 'other')}"
    text = f"def method(self, other):\n    if other.__class__ is self.__class__:\n        return {same}\n"
    return _function(f"{text}    return NotImplemented\n", {})


def _hash(cls: type) -> Any:
    return _function(f"def method(self):\n    return hash({_cells(cls, 'self', hashed=True)})\n", {})


def _repr(self: Any) -> str:
    fields = (f"{one.name}={getattr(self, one.name)!r}" for one in dataclasses.fields(self) if one.repr)
    return f"{type(self).__qualname__}({', '.join(fields)})"


def _no_set(self: Any, name: str, value: Any) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _no_delete(self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _get_state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        _SET(self, field.name, value)
