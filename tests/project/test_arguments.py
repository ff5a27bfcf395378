"""No function takes a long row of arguments that only their order tells apart."""

from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from types import CodeType

from tests.house import HOUSE

MOST = 6


def functions(code: CodeType) -> Iterator[CodeType]:
    """All functions that are defined in compiled code: it is kept beside the source, and read in no time."""
    for inside in code.co_consts:
        if isinstance(inside, CodeType):
            yield inside
            yield from functions(inside)


def positional(function: CodeType) -> int:
    """How many arguments may be given by position, without the object itself."""
    return function.co_argcount - (function.co_varnames[:1] in (("self",), ("cls",)))


def too_long(code: CodeType) -> list[str]:
    return [
        f"{code.co_filename}:{each.co_firstlineno} {each.co_name} takes {positional(each)}"
        for each in functions(code)
        if positional(each) > MOST
    ]


def test_no_function_takes_many_arguments_by_position() -> None:
    files = sorted(HOUSE.rglob("*.py"))
    codes = [SourceFileLoader("module", str(file)).get_code("module") for file in files]
    long = [each for code in codes if code is not None for each in too_long(code)]
    assert len(codes) > 500 and not long, (
        "let the last ones be given by name (`*,`), or make a dataclass of them"
    )


def test_functions_inside_others_count() -> None:
    text = """
class A:
    def fits(self, a, b, c, /, d, e, f, *, g): ...
    @staticmethod
    def within():
        async def long(a, b, c, /, d, e, f, g=1): ...
"""
    (found,) = too_long(compile(text, "a.py", "exec"))
    assert found == "a.py:6 long takes 7"
