"""Hypothesis strategies for syntax trees of every shape that the parser can build. All spans are `NOWHERE`."""

import dataclasses
import operator
import string
from functools import cache
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from vsalang.base.source import Span
from vsalang.language.syntax import tokens, tree
from vsalang.program.reserved_words import AGGREGATES, ITEM_WORDS, RESERVED, STEP_WORDS, VERDICTS
from vsalang.program.word_lists import folded

NOWHERE = Span("", 0, 0)
_NOT_FUNCTIONS = AGGREGATES | {
    "not", "no", "before", "every", "first", "all", "has", "when", "with", "then", "in", "contains", "subset", "matches"
}  # fmt: skip
_NOT_NAMES = {"when", "with"}


def without_spans(node: Any) -> Any:
    """A copy of a node, or of anything that holds nodes, in which every span is `NOWHERE`."""
    if isinstance(node, Span):
        return NOWHERE
    if isinstance(node, tuple):
        return tuple(map(without_spans, node))
    names = _fields(type(node))
    return node if names is None else type(node)(*(without_spans(getattr(node, name)) for name in names))


@cache
def _fields(kind: type) -> tuple[str, ...] | None:
    """The names of the fields of a kind of node; None for other values."""
    return tuple(one.name for one in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else None


def _build(kind: type, /, **parts: Any) -> st.SearchStrategy[Any]:
    return st.builds(kind, **parts, span=st.just(NOWHERE))


def _tuples(of: st.SearchStrategy[Any], least: int = 0, most: int = 3) -> st.SearchStrategy[Any]:
    return st.lists(of, min_size=least, max_size=most).map(tuple)


_CAPITALS, _SMALL = string.ascii_uppercase, string.ascii_lowercase + "_"


def _words(first: str) -> st.SearchStrategy[str]:
    """Words that begin with one of these characters; in one piece, which is quicker than by a regular expression."""
    rest = st.text(f"{_CAPITALS}{_SMALL}{string.digits}", max_size=6)
    return st.builds(operator.add, st.sampled_from(first), rest)


identifiers = _words(_SMALL + _CAPITALS)
words = st.one_of(identifiers, st.sampled_from(sorted(RESERVED | STEP_WORDS)))
big_names = _words(_CAPITALS)
qualified = st.one_of(
    big_names, st.builds("{}.{}".format, words, big_names).filter(lambda n: n[:4] not in ("when", "with"))
)
plain = identifiers.filter(lambda word: word not in RESERVED)


def name(of: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    """An unquoted name."""
    return _build(tree.Name, text=of)


attribute_names = name(words)
relation_names = name(qualified)

_chars = st.characters(exclude_categories=("Cs",))
_plain_texts = _build(tree.Text, value=st.text(_chars, max_size=12), block=st.just(False))
_block_texts = _build(
    tree.Text,
    value=st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\r\n"), max_size=12).map(
        lambda t: t.strip(" \t")
    ),
    block=st.just(True),
)
_tricky = _build(
    tree.Text, value=st.text('"\\/*{?}. a', max_size=8).map(lambda t: t.strip(" ")), block=st.booleans()
)
texts = st.one_of(_plain_texts, _block_texts, _tricky)

_forms = st.text("ab-é' 送ส่ж.א", min_size=1, max_size=5).map(
    lambda form: f"x{' '.join(form.split())}".strip()
)


def _word_list(forms: list[str], cut: int) -> tree.WordsOf:
    kept = list({folded(form): form for form in forms}.values())
    made = (tuple(kept[:cut]), tuple(kept[cut:]))
    return tree.WordsOf(tuple(tree.WordEntry(each, NOWHERE) for each in made if each), None, NOWHERE)


word_lists = st.one_of(
    st.builds(_word_list, st.lists(_forms, min_size=1, max_size=4), st.integers(0, 3)),
    _build(tree.WordsOf, entries=st.just(()), file=_plain_texts),
)


def _scalar(raw: str) -> tree.Scalar:
    if raw in tokens.WORD_VALUES:
        return tree.Scalar(tokens.WORD_VALUES[raw], raw, NOWHERE)
    if ":" in raw:
        return tree.Scalar(tokens.decode_time(raw), raw, NOWHERE)
    if "-" in raw[1:]:
        return tree.Scalar(tokens.decode_date(raw), raw, NOWHERE)
    return tree.Scalar(tokens.decode_number(raw), raw, NOWHERE)


_times = st.times().map(lambda t: t.strftime("%H:%M" if t.second % 2 else "%H:%M:%S"))
durations = st.builds("{}{}".format, st.integers(0, 999), st.sampled_from(["s", "min", "h", "d"])).map(
    _scalar
)
_fractions = st.one_of(st.just(""), st.text(string.digits, min_size=1, max_size=3).map(".{}".format))
numbers = st.builds("{}{}{}".format, st.sampled_from(["", "-"]), st.integers(0, 999_999), _fractions).map(
    _scalar
)
counts = st.integers(0, 99).map(lambda n: _scalar(str(n)))
scalars = st.one_of(
    numbers,
    durations,
    st.dates().map(lambda day: _scalar(day.isoformat())),
    _times.map(_scalar),
    st.sampled_from(["true", "false", "none"]).map(_scalar),
)
variables = _build(tree.Var, name=identifiers)
refs = _build(
    tree.Ref, name=st.one_of(plain, st.just("today"), qualified.filter(lambda n: n not in RESERVED))
).filter(lambda ref: ref.name != "_" and ref.name.split(".")[0] not in RESERVED - {"today"})
regexes = _build(
    tree.Regex,
    source=st.from_regex(r"([a-z()?+*.\[\]^$|{} ]|/|\\[dws.\\]){1,8}", fullmatch=True),
    flags=st.sampled_from(["", "i"]),
).filter(lambda regex: regex.source[0] != "*")
_leaves = st.one_of(scalars, scalars, variables, refs, texts, _build(tree.Wildcard), _build(tree.Unknown))


def _binary(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    def fits(node: tree.Binary) -> bool:
        left, right = node.left, node.right
        if node.op == "*":
            return not isinstance(right, tree.Binary) and not (
                isinstance(left, tree.Binary) and left.op != "*"
            )
        return not (isinstance(right, tree.Binary) and right.op != "*")

    return _build(tree.Binary, op=st.sampled_from("+-*"), left=inner, right=inner).filter(fits)


def _grow(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    functions = st.one_of(
        st.sampled_from(["time", "number", "lower", "month", "end", "list"]),
        _words(_SMALL),
    ).filter(lambda word: word not in _NOT_FUNCTIONS)
    return st.one_of(
        _build(tree.Call, name=name(functions), args=_tuples(st.one_of(inner, regexes), 1)),
        _binary(inner),
        _build(
            tree.Negate, operand=inner.filter(lambda node: not isinstance(node, tree.Binary | tree.Negate))
        ),
        _build(tree.Paren, inner=inner),
        _build(tree.SetOf, items=_tuples(inner)),
    )


expressions = st.recursive(_leaves, _grow, max_leaves=5)

_ORDERS = [
    "=",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "~=",
    "!~=",
    "in",
    "not in",
    "contains",
    "not contains",
    "subset",
    "not subset",
]


@st.composite
def _comparisons(draw: Any) -> tuple[str, Any, Any]:
    """Operator, value, end of range."""
    op = draw(st.sampled_from([*_ORDERS, "in", "matches", "not matches"]))
    if op.endswith("matches"):
        return op, draw(regexes), None
    hi = draw(st.one_of(st.none(), expressions)) if op.endswith("in") else None
    return op, draw(expressions), hi


@st.composite
def args(draw: Any) -> tree.Arg:
    """A constraint."""
    attr = draw(attribute_names)
    if draw(st.integers(0, 5)) == 0:
        return tree.Arg(attr, draw(st.sampled_from(["known", "unknown"])), None, None, NOWHERE, NOWHERE)
    op, value, hi = draw(_comparisons())
    return tree.Arg(attr, op, value, hi, NOWHERE, NOWHERE)


@st.composite
def atoms(draw: Any, places: bool = True, names: st.SearchStrategy[Any] = relation_names) -> tree.Atom:
    """An atom, perhaps of ``screen`` or ``goto``."""
    given = draw(_tuples(args()))
    place = draw(st.sampled_from(["", "", "", "screen", "goto"])) if places else ""
    return tree.Atom(draw(names), given, NOWHERE, place, bool(given) or draw(st.booleans()))


_gesture_names = name(st.sampled_from(["tap", "long_press", "back", "home", "input_text", "wait"]))
_any_atoms = st.one_of(atoms(), atoms(False, _gesture_names))
_pasts = st.one_of(
    _build(tree.Past, op=st.just("earlier")),
    _build(tree.Past, op=st.sampled_from(["within", "for"]), duration=st.one_of(durations, refs)),
    _build(tree.Past, op=st.just("since"), other=atoms()),
)
_negations = st.sampled_from(["", "", "not", "no"])
_bare = _build(tree.Lit, atom=_any_atoms, before=st.booleans(), past=st.one_of(st.none(), _pasts))
_conditions = _build(
    tree.Lit,
    atom=_any_atoms,
    neg=_negations,
    before=st.booleans(),
    past=st.one_of(st.none(), st.none(), _pasts),
)


@st.composite
def _compares(draw: Any) -> tree.Compare:
    left = draw(expressions)
    if draw(st.integers(0, 5)) == 0:
        return tree.Compare(left, draw(st.sampled_from(["known", "unknown"])), None, None, NOWHERE, NOWHERE)
    op, right, hi = draw(_comparisons())
    return tree.Compare(left, op, right, hi, NOWHERE, NOWHERE)


@st.composite
def _aggregates(draw: Any) -> tree.Aggregate:
    fn = draw(st.sampled_from(sorted(AGGREGATES)))
    attr = None if fn == "count" else draw(attribute_names)
    op, right, hi = draw(_comparisons())
    lit = draw(_bare)
    # `count(before of.A)` is read as the attribute `before` of something
    assume(attr or not lit.before or not lit.atom.name.text.startswith("of."))
    return tree.Aggregate(tree.Name(fn, NOWHERE), attr, lit, op, right, hi, NOWHERE, NOWHERE)


simple_literals = st.one_of(
    _conditions,
    _conditions,
    _compares(),
    _aggregates(),
    _build(
        tree.Every,
        n=st.none(),
        atom=atoms(False),
        has=_tuples(args(), 1),
        neg=_negations,
        before=st.booleans(),
    ),
    _build(
        tree.First,
        n=st.one_of(counts, refs),
        atom=atoms(False),
        has=st.one_of(st.none(), _tuples(args(), 1)),
        neg=_negations,
        before=st.booleans(),
    ),
    _build(tree.Spent, action=relation_names),
)


@st.composite
def _thens(draw: Any, inner: st.SearchStrategy[Any]) -> tree.Then:
    groups = draw(st.lists(_tuples(inner, 1, 2), min_size=1, max_size=2))
    return tree.Then((*groups, (draw(simple_literals),)), NOWHERE)


literals = st.recursive(simple_literals, _thens, max_leaves=4)
bodies = _tuples(literals)

_docs = st.one_of(st.none(), texts)
_annotations = _tuples(
    _build(tree.Annotation, name=name(words), args=_tuples(st.one_of(texts, refs, scalars), 0, 2)), 0, 2
)


@st.composite
def heads(draw: Any, kind: str) -> Any:
    """The head of a rule of some kind."""
    if kind in ("deny", "confirm", "warn", "flag"):
        return tree.JudgeHead(draw(texts), NOWHERE)
    if kind == "done":
        return tree.DoneHead(NOWHERE)
    if kind == "expect":
        return tree.ExpectHead(draw(_tuples(literals, 1)), NOWHERE)
    if kind == "goto":
        return tree.GotoHead(draw(relation_names), NOWHERE)
    if kind == "screen":
        return tree.ScreenHead(
            draw(relation_names), draw(_tuples(relation_names)), draw(st.booleans()), NOWHERE
        )
    atom = draw(atoms(False))
    quota: Any = ""
    if kind == "allow":
        quota = draw(st.one_of(st.sampled_from(["", "", "either", "each"]), counts, refs))
    keep = kind == "update" and draw(st.booleans())
    if keep:
        atom = dataclasses.replace(atom, parens=True)
    return tree.AtomHead(atom, NOWHERE, quota, keep)


_RULE_KINDS = sorted(ITEM_WORDS - {"import", "let", "enum", "state", "view", "list", "action", "test"})


@st.composite
def rules(draw: Any) -> tree.Rule:
    """A rule of any kind."""
    kind = draw(st.sampled_from(_RULE_KINDS))
    extra = draw(_tuples(literals, 1)) if kind == "recognize" and draw(st.booleans()) else None
    doc = None if kind in ("deny", "confirm", "warn", "flag", "expect") else draw(_docs)
    return tree.Rule(kind, draw(heads(kind)), draw(bodies), extra, doc, draw(_annotations), NOWHERE)


_members = st.one_of(
    _build(tree.Member, name=name(plain), spellings=_tuples(texts)),
    _build(
        tree.Member,
        name=_build(tree.Name, text=st.text(_chars, max_size=8), quoted=st.just(True)),
        spellings=_tuples(texts),
    ),
)
_named_types = _build(
    tree.TypeRef, name=name(st.one_of(st.sampled_from(["Text", "Number", "Bool", "set", "enum_"]), qualified))
)
_base_types = st.one_of(_named_types, _named_types, _build(tree.TypeRef, members=_tuples(_members, 1)))
types = st.recursive(_base_types, lambda inner: _build(tree.TypeRef, elem=inner), max_leaves=2)
_attrs = _build(tree.AttrDecl, name=attribute_names, type=types, doc=_docs)


@st.composite
def relations(draw: Any) -> tree.Relation:
    """A state, view or list."""
    sort = draw(st.sampled_from(["state", "view", "list"]))
    return tree.Relation(
        sort,
        draw(relation_names.filter(lambda n: "." not in n.text)),
        draw(_tuples(relation_names)) if sort == "view" else (),
        draw(_tuples(attribute_names)) if sort == "list" else (),
        draw(_tuples(attribute_names)) if sort != "view" else (),
        draw(_docs),
        draw(_tuples(_attrs)),
        draw(_annotations),
        NOWHERE,
    )


_verdicts = _build(
    tree.Verdict,
    levels=_tuples(name(st.sampled_from(VERDICTS)), 1, 2),
    because=_tuples(
        st.one_of(
            name(words.filter(lambda word: word not in _NOT_NAMES)),
            relation_names,
            _build(tree.Name, text=st.text(_chars, max_size=8), quoted=st.just(True)),
        ),
        0,
        2,
    ),
)
_constants = _build(tree.Ref, name=plain)
_facts = _tuples(atoms(False), 1, 2)
_part_kinds = [
    "update",
    "delete",
    "attempt",
    "claim",
    "observe",
    "observe no",
    "observe complete",
    "observe screen",
]


@st.composite
def steps(draw: Any, inside: bool = False) -> tree.Step:
    """A step of a test, or a part of ``step { }``."""
    kinds = [*_part_kinds, "finish", "gesture"]
    if not inside:
        kinds += ["given", "clock", "step", "assume", "approve", "refuse"]
    kind = draw(st.sampled_from(kinds))
    verdict = None
    if not inside and kind in (
        "update",
        "delete",
        "attempt",
        "finish",
        "gesture",
        "claim",
        "step",
        "approve",
    ):
        verdict = draw(st.one_of(st.none(), _verdicts))
    if kind == "gesture":
        return tree.Step(kind, NOWHERE, (draw(atoms(False, _gesture_names)),), verdict=verdict)
    if kind == "clock":
        time = st.times().map(lambda time: _scalar(f"{time:%H:%M:%S}".removesuffix(":00")))
        date = st.dates().map(lambda date: _scalar(date.isoformat()))
        clock = draw(st.one_of(st.none(), date, _constants)), draw(st.one_of(time, _constants))
        return tree.Step(kind, NOWHERE, clock=clock)
    if kind == "step":
        return tree.Step(kind, NOWHERE, parts=draw(_tuples(steps(True), 0, 2)), verdict=verdict)
    if kind == "assume":
        return tree.Step(
            kind,
            NOWHERE,
            assumed=(
                draw(st.one_of(texts, _constants)),
                draw(st.sampled_from(["~=", "!~="])),
                draw(st.one_of(texts, _constants)),
            ),
        )
    if kind in ("finish", "approve", "refuse"):
        return tree.Step(kind, NOWHERE, verdict=verdict)
    facts = draw(_facts)
    keep = [at for at, fact in enumerate(facts) if kind == "update" and fact.parens and draw(st.booleans())]
    return tree.Step(kind, NOWHERE, facts, tuple(keep), verdict=verdict)


items = st.one_of(
    rules(),
    rules(),
    rules(),
    relations(),
    _build(
        tree.Let,
        name=name(plain),
        value=st.one_of(expressions, regexes, word_lists),
        annotations=_annotations,
    ),
    _build(
        tree.Enum, name=name(big_names), doc=_docs, members=_tuples(_members, 1), annotations=_annotations
    ),
    _build(
        tree.Action,
        name=name(big_names),
        params=_tuples(_attrs),
        doc=_docs,
        annotations=_annotations,
        over=_tuples(relation_names, 0, 2),
        refines=st.one_of(st.none(), st.none(), atoms(False)),
    ),
    _build(
        tree.Test,
        name=texts,
        target=st.one_of(st.none(), name(plain)),
        steps=_tuples(steps()),
        annotations=_annotations,
    ),
)
modules = _build(
    tree.Module,
    kind=st.sampled_from(["app", "spec", "policy", "module"]),
    name=name(st.one_of(plain, qualified)),
    packages=_tuples(texts, 0, 2),
    generic=st.booleans(),
    doc=_docs,
    imports=_tuples(
        _build(tree.Import, name=name(st.one_of(plain, qualified)), alias=st.one_of(st.none(), name(plain))),
        0,
        2,
    ),
    items=_tuples(items),
)
