"""What the declarations of native relations share."""

from typing import Final

from vsalang.program.ir import TEXT, Attr, Relation, Sort

PACKAGE: Final = Attr("package", TEXT, "the package of the app that shows it")


def relation(
    name: str, sort: Sort, doc: str, *attrs: Attr, key: tuple[str, ...] = (), module: str = ""
) -> Relation:
    """A native relation; of `std.android`, where no module is named."""
    return Relation(name, sort, attrs, key=key, doc=doc, module=module or "std.android")
