"""The syntax tree: what was written, with spans and nothing of its meaning. Immutable.

Every node has `span`, the range of source text from its first to its last token (for an item: from its first
annotation or keyword to its closing period or brace).
"""

import datetime as dt
from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Final, TypeAlias

from vsalang.base.records import dataclass
from vsalang.base.source import Span
from vsalang.program.values import NoneValue


@dataclass(frozen=True, slots=True)
class Name:
    """A name as written, dotted when qualified. `quoted`: it was written in quotes (a member of an enum)."""

    text: str
    span: Span
    quoted: bool = False


# ---------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True)
class Text:
    """A string; `value` is decoded (escapes, or a folded triple-quoted block). `block`: it was triple-quoted."""

    value: str
    span: Span
    block: bool = False


@dataclass(frozen=True, slots=True)
class Scalar:
    """A literal number, date, time, duration, ``true``, ``false`` or ``none``; `raw` is how it was written."""

    value: int | Decimal | bool | dt.date | dt.time | dt.timedelta | NoneValue
    raw: str
    span: Span


@dataclass(frozen=True, slots=True)
class Var:
    """``?name``; `name` is without the question mark."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Ref:
    """A bare name in a value's place: ``today``, an enum member, a constant of `let`; maybe dotted."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Wildcard:
    """``_``: any."""

    span: Span


@dataclass(frozen=True, slots=True)
class Unknown:
    """``unknown`` in a value's place (a head's ``a = unknown``)."""

    span: Span


@dataclass(frozen=True, slots=True)
class Call:
    """``fn(args)``."""

    name: Name
    args: "tuple[Expr, ...]"
    span: Span


@dataclass(frozen=True, slots=True)
class Binary:
    """``left op right`` with op ``+ - *``."""

    op: str
    left: "Expr"
    right: "Expr"
    span: Span


@dataclass(frozen=True, slots=True)
class Negate:
    """Unary minus on something that is not a literal number."""

    operand: "Expr"
    span: Span


@dataclass(frozen=True, slots=True)
class Paren:
    """``(inner)``."""

    inner: "Expr"
    span: Span


@dataclass(frozen=True, slots=True)
class SetOf:
    """``{a, b}``."""

    items: "tuple[Expr, ...]"
    span: Span


@dataclass(frozen=True, slots=True)
class Regex:
    """``/source/flags``; in `source` an escaped slash is a slash."""

    source: str
    flags: str
    span: Span


@dataclass(frozen=True, slots=True)
class WordEntry:
    """An entry of a list of words: its forms, written out (`vsalang.program.word_lists`)."""

    forms: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class WordsOf:
    """The value of a constant: ``words \"\"\"entries\"\"\"`` or ``words "file"``.

    Attributes:
        entries: of a list that stands here.
        file: the name of a file with the list; None if it stands here.
    """

    entries: tuple[WordEntry, ...]
    file: Text | None
    span: Span


Expr: TypeAlias = (
    Text | Scalar | Var | Ref | Wildcard | Unknown | Call | Binary | Negate | Paren | SetOf | Regex | WordsOf
)

# ---------------------------------------------------------------- atoms and literals


@dataclass(frozen=True, slots=True)
class Arg:
    """``attr op value``, ``attr op lo..hi``, ``attr known``, ``attr unknown``.

    Attributes:
        op: with single blanks: ``=``, ``not in``, ``~=``, ``known``.
        value: None for ``known`` and ``unknown``.
        hi: the end of a range.
        op_span: the place of the operator.
    """

    attr: Name
    op: str
    value: Expr | None
    hi: Expr | None
    span: Span
    op_span: Span


@dataclass(frozen=True, slots=True)
class Atom:
    """``Name(args)``. `place` is ``screen`` or ``goto`` for the conditions ``screen S`` and ``goto S``, else empty."""

    name: Name
    args: tuple[Arg, ...]
    span: Span
    place: str = ""
    parens: bool = False


@dataclass(frozen=True, slots=True)
class Past:
    """``earlier``; ``within``/``for`` with a duration; ``since`` with another atom."""

    op: str
    span: Span
    duration: Expr | None = None
    other: Atom | None = None


@dataclass(frozen=True, slots=True)
class Lit:
    """``[not|no] [before] Atom [past]``; `neg` is ``""``, ``not`` or ``no``."""

    atom: Atom
    span: Span
    neg: str = ""
    before: bool = False
    past: Past | None = None


@dataclass(frozen=True, slots=True)
class Compare:
    """``left op right`` between values; `right` may be a set, a regex, or None for ``known``/``unknown``."""

    left: Expr
    op: str
    right: Expr | None
    hi: Expr | None
    span: Span
    op_span: Span


@dataclass(frozen=True, slots=True)
class Aggregate:
    """``count(A) op right``, ``sum(attr of A) op right``; `fn` is count, sum, min, max or set."""

    fn: Name
    attr: Name | None
    lit: Lit
    op: str
    right: Expr
    hi: Expr | None
    span: Span
    op_span: Span


@dataclass(frozen=True, slots=True)
class Quantified:
    """A condition about the rows that match an atom; the classes below say which one. `neg` as in `Lit`.

    Attributes:
        n: how many rows, a literal or a constant's name; None: no number was written.
        has: what is asked of the rows; None: nothing.
    """

    n: Expr | None
    atom: Atom
    has: tuple[Arg, ...] | None
    span: Span
    neg: str = ""
    before: bool = False

    word = ""
    """The word that is written before the number or the atom."""


class Every(Quantified):
    """``every A has (constraints)``."""

    __slots__ = ()
    word = "every"


class First(Quantified):
    """``first n L(..)`` and ``first n L(..) has (..)``."""

    __slots__ = ()
    word = "first"


QUANTIFIED: Final[Mapping[str, type[Quantified]]] = MappingProxyType({"Every": Every, "First": First})
"""By the names of their rules in the grammar."""


@dataclass(frozen=True, slots=True)
class Spent:
    """``all A``."""

    action: Name
    span: Span


@dataclass(frozen=True, slots=True)
class Then:
    """``A then B``, ``A then B then C``, ``(A, B) then C``: parts in order, each a group of one or more literals."""

    parts: "tuple[tuple[Literal, ...], ...]"
    span: Span


Literal: TypeAlias = Lit | Compare | Aggregate | Quantified | Spent | Then

# ---------------------------------------------------------------- items


@dataclass(frozen=True, slots=True)
class Annotation:
    """``@name(args)``."""

    name: Name
    args: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Member:
    """An enum member with its other spellings."""

    name: Name
    spellings: tuple[Text, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class TypeRef:
    """A type as written: `name`, or ``set of`` `elem`, or ``enum {members}``."""

    span: Span
    name: Name | None = None
    elem: "TypeRef | None" = None
    members: tuple[Member, ...] | None = None


@dataclass(frozen=True, slots=True)
class AttrDecl:
    """``name: Type "doc"``: an attribute or a parameter."""

    name: Name
    type: TypeRef
    doc: Text | None
    span: Span


@dataclass(frozen=True, slots=True)
class Let:
    """``let Name = value.``"""

    name: Name
    value: Expr
    annotations: tuple[Annotation, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Enum:
    """``enum Name "doc" {members}``"""

    name: Name
    doc: Text | None
    members: tuple[Member, ...]
    annotations: tuple[Annotation, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Relation:
    """``state``, ``view`` or ``list`` (`sort`); `on`: a view's screens; `within`: a list's ``in`` attributes."""

    sort: str
    name: Name
    on: tuple[Name, ...]
    within: tuple[Name, ...]
    key: tuple[Name, ...]
    doc: Text | None
    attrs: tuple[AttrDecl, ...]
    annotations: tuple[Annotation, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Action:
    """``action Name(params) over A, B refines E(a = ?x) "doc"``"""

    name: Name
    params: tuple[AttrDecl, ...]
    doc: Text | None
    annotations: tuple[Annotation, ...]
    span: Span
    over: tuple[Name, ...] = ()
    refines: Atom | None = None


@dataclass(frozen=True, slots=True)
class AtomHead:
    """The head of define, recognize, complete, top, end, update, delete, allow.

    Attributes:
        quota: of allow: "", ``either``, ``each`` or an expression (a number or a constant's name).
        keep: ``..`` at the end of a view's head.
    """

    atom: Atom
    span: Span
    quota: "str | Expr" = ""
    keep: bool = False


@dataclass(frozen=True, slots=True)
class ScreenHead:
    """``screen S [closed] [over T, U]``"""

    name: Name
    over: tuple[Name, ...]
    closed: bool
    span: Span


@dataclass(frozen=True, slots=True)
class GotoHead:
    """``goto S``"""

    screen: Name
    span: Span


@dataclass(frozen=True, slots=True)
class DoneHead:
    """``done``"""

    span: Span


@dataclass(frozen=True, slots=True)
class JudgeHead:
    """``deny|confirm|warn|flag "message"`` (the rule's `kind` says which)."""

    message: Text
    span: Span


@dataclass(frozen=True, slots=True)
class ExpectHead:
    """``expect Literals``"""

    literals: tuple[Literal, ...]
    span: Span


RuleHead: TypeAlias = AtomHead | ScreenHead | GotoHead | DoneHead | JudgeHead | ExpectHead


@dataclass(frozen=True, slots=True)
class Rule:
    """``[annotations] kind Head "doc" when body [with extra].``

    Attributes:
        kind: the keyword: define, screen, recognize, complete, top, end, update, delete, goto, allow, done, deny,
            confirm, warn, flag, expect.
        extra: what follows ``with``; None where there is none.
    """

    kind: str
    head: RuleHead
    body: tuple[Literal, ...]
    extra: tuple[Literal, ...] | None
    doc: Text | None
    annotations: tuple[Annotation, ...]
    span: Span


# ---------------------------------------------------------------- tests


@dataclass(frozen=True, slots=True)
class Verdict:
    """``=> allow or warn because a, "b"``: `levels` as written (``not allow`` is one level)."""

    levels: tuple[Name, ...]
    because: tuple[Name, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a test, or one part inside ``step { }``.

    Attributes:
        kind: ``given``, ``clock``, ``update``, ``delete``, ``attempt``, ``finish``, ``gesture`` (the atom's name is the
            gesture), ``observe``, ``observe no``, ``observe complete``, ``observe screen``, ``claim``, ``step``,
            ``assume``, ``approve``, ``refuse``.
        atoms: of given .. claim (one or more).
        keep: of ``update``: which of the atoms end in ``..``, by their number.
        parts: of ``step``.
        clock: of ``clock``: the date if given, and the time; each a literal or the name of a constant.
        assumed: of ``assume``: two texts, or names of constants, and the operator (``~=`` or ``!~=``).
    """

    kind: str
    span: Span
    atoms: tuple[Atom, ...] = ()
    keep: tuple[int, ...] = ()
    parts: "tuple[Step, ...]" = ()
    clock: "tuple[Scalar | Ref | None, Scalar | Ref] | None" = None
    assumed: tuple[Text | Ref, str, Text | Ref] | None = None
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Test:
    """``test "name" for target { steps }``"""

    __test__ = False  # not a pytest class

    name: Text
    target: Name | None
    steps: tuple[Step, ...]
    annotations: tuple[Annotation, ...]
    span: Span


Item: TypeAlias = Let | Enum | Relation | Action | Rule | Test


@dataclass(frozen=True, slots=True)
class Import:
    """``import name [as alias]``"""

    name: Name
    alias: Name | None
    span: Span


@dataclass(frozen=True, slots=True)
class Module:
    """A file. `kind` is app, spec, policy or module; `generic`: ``any``; `span` is the header's."""

    kind: str
    name: Name
    packages: tuple[Text, ...]
    doc: Text | None
    imports: tuple[Import, ...]
    items: tuple[Item, ...]
    span: Span
    generic: bool = False
