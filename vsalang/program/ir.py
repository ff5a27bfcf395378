"""The core program: what a checked `.vsa` program means, as small frozen data. The narrow waist of the project.

Everything to the left (syntax, semantics) makes a `Program`, everything to the right (engine, guard, smt, lint)
reads one. Names are fully qualified (``apps.opentable.Slot``; the device vocabulary has bare names: ``Node``, ``tap``),
terms and constraints are typed, bodies are in a safe order (every variable is bound before it is used, negations
last), and each literal is marked with the reading it has.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import ClassVar, Final, TypeAlias
from typing import Literal as OneOf

from vsalang.base.records import dataclass
from vsalang.base.source import Span
from vsalang.program.values import Value

# ---------------------------------------------------------------- types and relations


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an enum with its other spellings (read by `member` and `members` only)."""

    name: str
    spellings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Type:
    """A type: `kind` is Text, Number, Bool, Date, Time, Duration, enum, set, or None (the type of ``none`` alone).

    Attributes:
        name: of a named enum, qualified; named enums are equal by name, inline ones by their members.
        members: of an enum.
        elem: of a set: Text or an enum.
    """

    kind: str
    name: str = ""
    members: tuple[Member, ...] = ()
    elem: "Type | None" = None

    def __str__(self) -> str:
        if self.kind == "enum":
            return self.name.rpartition(".")[2] or "enum {" + ", ".join(m.name for m in self.members) + "}"
        return f"set of {self.elem}" if self.kind == "set" else self.kind


TEXT, NUMBER, BOOL = Type("Text"), Type("Number"), Type("Bool")
DATE, TIME, DURATION = Type("Date"), Type("Time"), Type("Duration")

Sort: TypeAlias = OneOf["state", "view", "list", "observed", "gesture", "action", "derived", "screen"]


@dataclass(frozen=True, slots=True)
class Attr:
    """A typed attribute; `doc` is its description."""

    name: str
    type: Type
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Refinement:
    """What an action is in terms of a generic module: its effect, with values for the effect's parameters.

    Attributes:
        action: the qualified name of the effect.
        arguments: for parameters of the effect a term, whose variables are parameters of the action. The others are
            unknown.
    """

    action: str
    arguments: "tuple[tuple[str, Term], ...]" = ()


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation of the program.

    Attributes:
        name: qualified by its module (``apps.opentable.Slot``), bare for the device vocabulary.
        sort: ``state``, ``view``, ``list`` are believed; ``observed`` is the screen; ``gesture`` the proposal;
            ``action`` the critical actions; ``derived`` comes from `define`; ``screen`` is a screen name, without
            attributes.
        attrs: in order; a list has the implicit attribute ``at`` (Number) last.
        key: the attributes that identify a row: declared keys of a state or list; empty for keyless.
        within: a list's ``in`` attributes.
        on: qualified names of the screens a view lives on; empty: it lives until replaced.
        over: a screen's or an action's: the qualified names of those it lies over (transitively).
        closed: a screen's: pointing gestures that no rule mentions must be confirmed.
        packages: of the app that declares it; empty for others.
        refines: an action's: the action of a generic module that it is.
    """

    name: str
    sort: Sort
    attrs: tuple[Attr, ...]
    key: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    on: tuple[str, ...] = ()
    over: tuple[str, ...] = ()
    closed: bool = False
    doc: str = ""
    module: str = ""
    packages: tuple[str, ...] = ()
    annotations: Mapping[str, tuple[Value, ...]] = field(default_factory=dict, hash=False)
    span: Span | None = None
    refines: "Refinement | None" = None

    @property
    def short(self) -> str:
        """The name without its module, as people say it."""
        return self.name.replace(":", ".").rpartition(".")[2]

    def column(self, attr: str) -> int:
        """The position of an attribute in a row.

        Raises:
            KeyError: no such attribute.
        """
        for index, item in enumerate(self.attrs):
            if item.name == attr:
                return index
        raise KeyError(attr)

    def attr(self, name: str) -> Attr:
        """The attribute of that name (KeyError if there is none)."""
        return self.attrs[self.column(name)]

    @property
    def identity(self) -> tuple[str, ...]:
        """The attributes that identify a row: of a list its `within` with its key, else with ``at``; else the key."""
        if self.sort == "list":
            return self.within + (self.key or ("at",))
        return self.key

    @property
    def identities(self) -> tuple[tuple[str, ...], ...]:
        """All sets of attributes that each identify a row: a list with a key has its places too."""
        if self.sort == "list" and self.key:
            return self.identity, (*self.within, "at")
        return (self.identity,)


# ---------------------------------------------------------------- terms


@dataclass(frozen=True, slots=True)
class Var:
    """A variable; variables hold values only, never unknown."""

    name: str

    def __str__(self) -> str:
        return f"?{self.name}"


@dataclass(frozen=True, slots=True)
class Const:
    """A constant with its type."""

    value: Value
    type: Type


@dataclass(frozen=True, slots=True)
class Fn:
    """A function applied to terms: a reader, ``flip``, ``+ - * neg``, or ``today`` (no arguments).

    `type` is the result's type; for ``member`` and ``members`` it is the enum (or set of it) that is read.
    """

    name: str
    args: "tuple[Term, ...]"
    type: Type


@dataclass(frozen=True, slots=True)
class Choice:
    """The set on the right of ``in {..}``: terms without variables."""

    items: "tuple[Term, ...]"


TextReading: TypeAlias = OneOf["plain", "certain", "possible", "narrow"]


class TextPattern:
    """The right side of ``matches``.

    Attributes:
        groups: its named groups, which bind variables of their name.
        reading: what is matched in a text that hides something (`vsalang.program.patterns.compile_pattern`).
    """

    __slots__ = ()

    groups: tuple[str, ...]
    reading: TextReading


@dataclass(frozen=True, slots=True)
class Regex(TextPattern):
    """The right side of ``matches``: RE2 syntax; `groups` are its named groups, which bind variables of their name.

    `reading` says what is matched in a text that hides something (`vsalang.program.patterns.compile_pattern`).
    """

    source: str
    flags: str = ""
    groups: tuple[str, ...] = ()
    reading: TextReading = "plain"


@dataclass(frozen=True, slots=True)
class Words(TextPattern):
    """The right side of ``matches``: a list of words (`vsalang.program.word_lists`).

    Attributes:
        name: of its `let`, qualified: how it is called.
        forms: its words, all forms written out.
        whole: a word is the whole text; it is written ``in`` then.
    """

    name: str
    forms: tuple[str, ...]
    whole: bool = False
    reading: TextReading = "plain"

    def __hash__(self) -> int:  # that of all words would take longer than to find them in a text
        return hash((self.name, len(self.forms), self.whole, self.reading))

    @property
    def groups(self) -> tuple[str, ...]:  # type: ignore[override]
        """None: words bind nothing."""
        return ()

    @property
    def short(self) -> str:
        """The name without its module."""
        return self.name.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Names(TextPattern):
    """The right side of ``names``: whom the program calls by a name or an identifier (`vsalang.program.naming`).

    Attributes:
        name: the name.
    """

    name: str
    reading: TextReading = "plain"

    @property
    def groups(self) -> tuple[str, ...]:  # type: ignore[override]
        """None: a name binds nothing."""
        return ()


Term: TypeAlias = Var | Const | Fn | Choice | Regex | Words | Names

# ---------------------------------------------------------------- atoms and literals

Reading: TypeAlias = OneOf["plain", "certain"]


@dataclass(frozen=True, slots=True)
class Constraint:
    """``attr op term`` on one atom.

    Attributes:
        op: an operator of `vsalang.program.ops` (``=``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, ``in``, ``not in``,
            ``contains``, ``not contains``, ``subset``, ``not subset``, ``matches``, ``not matches``, ``names``,
            ``not names``, ``~=``,
            ``!~=``, ``known``, ``unknown``).
        term: None for ``known`` and ``unknown``. In the head of an effect, None with ``=`` erases the cell.
        hi: the upper end where ``in`` and ``not in`` have a range.
    """

    attr: str
    op: str
    term: Term | None = None
    hi: Term | None = None
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Atom:
    """Some row of `relation` fits all constraints. `before`: read the state before the predicted inputs.

    ``goto S`` as a condition is an atom on the relation ``Goto`` with ``name =`` the qualified screen.
    """

    relation: str
    constraints: tuple[Constraint, ...] = ()
    before: bool = False
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Past:
    """``earlier``, ``within d``, ``for d``, ``since B``."""

    op: OneOf["earlier", "within", "for", "since"]
    duration: Term | None = None
    other: Atom | None = None


@dataclass(frozen=True, slots=True)
class Lit:
    """An atom, possibly negated (``not``/``no``) and possibly about the past."""

    atom: Atom
    neg: bool = False
    past: Past | None = None
    reading: Reading = "plain"
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Compare:
    """``left op right`` on terms. With ``=`` and an unbound variable on the left it binds, ``in {..}`` too."""

    left: Term
    op: str
    right: Term | None
    hi: Term | None = None
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Aggregate:
    """``fn(attr of A past) op right``; `group` are A's variables that are bound outside."""

    fn: OneOf["count", "sum", "min", "max", "set"]
    attr: str
    lit: Lit
    op: str
    right: Term
    hi: Term | None = None
    group: tuple[str, ...] = ()
    reading: Reading = "plain"
    span: Span | None = None


class Quantified:
    """A condition about the rows that match one atom. Here is what most rooms need to know of such conditions.

    Attributes:
        atom: which rows it is about.
        has: what is asked of these rows, too.
    """

    __slots__ = ()

    atom: Atom
    has: tuple[Constraint, ...] | None
    reading: Reading
    span: Span | None

    word: ClassVar[str]
    """The word before the atom."""

    @property
    def words(self) -> str:
        """The text before the atom, in a file."""
        return self.word

    @property
    def picks(self) -> bool:
        """Whether it is met by single rows, and binds what they say; others say something of all rows."""
        return False

    def holds(self, fits: Sequence[bool]) -> bool:
        """Whether it holds, plainly read, if these are all rows that match, and so each of them fits `has`."""
        raise TypeError(f"{type(self).__name__} does not say what it means")


@dataclass(frozen=True, slots=True)
class Every(Quantified):
    """``every A has (constraints)``: some row matches A and all that match fit the constraints."""

    atom: Atom
    has: tuple[Constraint, ...]
    reading: Reading = "plain"
    span: Span | None = None

    word = "every"

    def holds(self, fits: Sequence[bool]) -> bool:
        return bool(fits) and all(fits)


@dataclass(frozen=True, slots=True)
class First(Quantified):
    """``first n L(..)``: a row among the first n that match; with `has`: each of the first n fits the constraints."""

    n: int
    atom: Atom
    has: tuple[Constraint, ...] | None = None
    reading: Reading = "plain"
    span: Span | None = None

    word = "first"

    @property
    def words(self) -> str:
        return f"first {self.n}"

    @property
    def picks(self) -> bool:
        return self.has is None

    def holds(self, fits: Sequence[bool]) -> bool:
        """See `Quantified`; of a list the rows come in its order."""
        return bool(fits) and all(fits[: self.n])


@dataclass(frozen=True, slots=True)
class Then:
    """``A then B then C``: each part is a group of literals; the last part holds now, after the others held."""

    parts: "tuple[tuple[Literal, ...], ...]"
    reading: Reading = "plain"
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Spent:
    """``all A``: every licence of the action `relation` is used up."""

    relation: str
    span: Span | None = None


Literal: TypeAlias = Lit | Compare | Aggregate | Every | First | Then | Spent

# ---------------------------------------------------------------- rules


@dataclass(frozen=True, slots=True)
class Derive:
    """The head of `define` and of a screen's rules; every constraint is ``attr = term``."""

    atom: Atom


@dataclass(frozen=True, slots=True)
class Recognize:
    """The head of `recognize`: an instance of a critical action; parameters that are not named are unknown."""

    atom: Atom


@dataclass(frozen=True, slots=True)
class Mark:
    """The head of `complete`, `top`, `end`."""

    kind: OneOf["complete", "top", "end"]
    atom: Atom


@dataclass(frozen=True, slots=True)
class Write:
    """The head of `update` and `delete`. `keep`: ``..`` at the end, cells of the view that are not named stay.

    A list's head may give ``row = term`` (the node of the row) instead of ``at`` or its key.
    """

    atom: Atom
    delete: bool = False
    keep: bool = False


@dataclass(frozen=True, slots=True)
class Goto:
    """The head of `goto`: an edge to a screen (qualified name)."""

    screen: str


SHELL: Final = "shell"
"""The device's action that runs a command of the phone's shell."""


@dataclass(frozen=True, slots=True)
class Quota:
    """How often: ``one`` (unmarked), ``either``, ``count`` with n, ``each``."""

    kind: OneOf["one", "either", "count", "each"] = "one"
    n: int = 1

    def repeats(self, action: str) -> bool:
        """Whether it permits one instance of an action several times, if the head fixes that instance wholly.

        ``each`` does so for commands of the phone's shell alone: what an action does twice is worth two permissions.
        """
        return (self.kind == "count" and self.n > 1) or (self.kind == "each" and action == SHELL)


@dataclass(frozen=True, slots=True)
class License:
    """The head of `allow` (a pattern over the proposed action) and of `done` (the relation ``finish``)."""

    atom: Atom
    quota: Quota = Quota()


@dataclass(frozen=True, slots=True)
class Judge:
    """``deny``, ``confirm``, ``warn``, ``flag`` with a message: texts and variables in turn."""

    level: OneOf["deny", "confirm", "warn", "flag"]
    message: tuple[str | Var, ...]


@dataclass(frozen=True, slots=True)
class Expect:
    """The head of a contract: literals that must hold after the action executed."""

    literals: tuple[Literal, ...]


Head: TypeAlias = Derive | Recognize | Mark | Write | Goto | License | Judge | Expect
Trigger: TypeAlias = OneOf["input", "consequence", "observation", "none"]


@dataclass(frozen=True, slots=True)
class Rule:
    """``Head when Body``.

    Attributes:
        id: ``@id``, else ``module:n``, n counting the module's rules from 1. Unique in a program.
        body: in a safe order. Of a `recognize` rule: what is before ``with``.
        extra: of a `recognize` rule: what follows ``with``, in a safe order after `body`.
        trigger: of a write: what sets it off; of other rules ``none``.
        module: its module; `annotations` maps names (without @) to their arguments.
    """

    id: str
    head: Head
    body: tuple[Literal, ...] = ()
    extra: tuple[Literal, ...] = ()
    trigger: Trigger = "none"
    module: str = ""
    annotations: Mapping[str, tuple[Value, ...]] = field(default_factory=dict, hash=False)
    doc: str = ""
    span: Span | None = None
    head_span: Span | None = None

    @property
    def refusal(self) -> bool:
        """Whether it says what shows if the app refused an action (``@refusal expect``), which no action promises."""
        return "refusal" in self.annotations


@dataclass(frozen=True, slots=True)
class ModuleInfo:
    """A module of the program; `kind` is app, spec, policy or module; `imports` are module names.

    Attributes:
        generic: its rules hold in every app (``app NAME any``).
    """

    name: str
    kind: str
    doc: str = ""
    packages: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    file: str = ""
    generic: bool = False


@dataclass(frozen=True)
class Program:
    """A checked program: the main module with all it imports, and the policies in force.

    Attributes:
        main: the name of the module that was loaded (a spec, when a task is guarded).
        relations: by qualified name, the device vocabulary included.
        rules: in file order, imported modules first.
        digest: changes when anything in the program's sources changes.
        lowered: rules of policies that ask or warn where nothing licenses an action (``@unlicensed``), and judge
            nothing else.
    """

    main: str
    modules: Mapping[str, ModuleInfo]
    relations: Mapping[str, Relation]
    rules: tuple[Rule, ...]
    digest: str
    lowered: tuple[Rule, ...] = ()

    def relation(self, name: str) -> Relation:
        """The relation of that qualified name (KeyError if there is none)."""
        return self.relations[name]
