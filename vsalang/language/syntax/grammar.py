"""The only module that uses textX: loads the grammar, and parses text by one of its rules.

textX compiles `grammars/vsa.tx` to an Arpeggio parser. The builder reads the parse tree of that parser, which has the
exact place of every token; textX's model objects know only the places of objects.
"""

import copy
import hashlib
import json
from functools import cache
from typing import Any, Final

from vsalang.base import generated
from vsalang.base.resources import resource_dir
from vsalang.base.source.opening import read_regular
from vsalang.language.syntax.fast_matcher import PIECES, Expression, Matcher, described
from vsalang.language.syntax.scan import skip_blanks, without_comments

COMPILED: Final = "vsa.json"
"""What textX makes of the grammar: a generated file, see `vsalang.base.generated`."""
_LARGEST: Final = 1_000_000


class Mismatch(Exception):
    """The text does not follow the grammar: the furthest position reached, and the names of what was expected there."""

    def __init__(self, position: int, expected: tuple[str, ...]) -> None:
        super().__init__(position, expected)
        self.position = position
        self.expected = expected


@cache
def _metamodel() -> Any:
    from textx import metamodel_from_file

    return metamodel_from_file(str(resource_dir("grammars") / "vsa.tx"), autokwd=True)


@cache
def _parsers() -> tuple[Any, Any, Any]:
    """Three parsers: of a text of headers, imports and items; of the longest such beginning of a text; of steps."""
    from arpeggio import EOF, OrderedChoice, Sequence, ZeroOrMore

    metamodel = _metamodel()
    whole = metamodel._parser_blueprint
    rules = [metamodel[name]._tx_peg_rule for name in PIECES]
    piece = OrderedChoice(nodes=rules, rule_name="Piece", root=True)
    many = ZeroOrMore(nodes=[piece], rule_name="Pieces", root=True)
    pieces, prefix = copy.copy(whole), copy.copy(whole)
    pieces.parser_model = Sequence(nodes=[many, EOF()], rule_name="Model", root=True)
    prefix.parser_model = Sequence(nodes=[many], rule_name="Model", root=True)
    steps = copy.copy(whole)
    step = ZeroOrMore(nodes=[metamodel["Step"]._tx_peg_rule], rule_name="Pieces", root=True)
    steps.parser_model = Sequence(nodes=[step, EOF()], rule_name="Model", root=True)
    return pieces, prefix, steps


def expressions() -> list[Expression]:
    """The rule Module as textX reads it in the grammar, for the fast matcher."""
    return described(_metamodel()["Module"]._tx_peg_rule)


def kept(table: list[Expression]) -> str:
    """The text of the generated file; with it the grammar need not be read."""
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in table)
    return f'{{"grammar": "{_digest()}", "expressions": [\n{lines}\n]}}\n'


def _digest() -> str:
    return hashlib.sha256(read_regular(resource_dir("grammars") / "vsa.tx", _LARGEST)).hexdigest()


@cache
def _fast_matcher() -> Matcher:
    built = generated.find("grammars")
    if built is not None:
        table = json.loads(built[1][COMPILED])
        if table["grammar"] == _digest():
            return Matcher([Expression(*row) for row in table["expressions"]])
    return Matcher(expressions())  # somebody is changing the grammar, or did not install the checkout


def parse_file(text: str) -> Any:
    """The node of rule Module, for a text with its comments replaced by blanks; None where it does not match.

    Raises:
        RecursionError: the stack is too small for it.
    """
    return _fast_matcher().whole(text)


def parse_pieces(text: str) -> tuple[list[Any], int, Mismatch | None]:
    """Nodes of rules Header, Import and Item at the beginning of a text, as many as parse.

    Returns:
        the nodes, the offset of what follows them, and why that does not parse (None: the text was read to its end).

    Raises:
        RecursionError: the stack is too small for it.
    """
    code = without_comments(text)
    nodes: list[Any] = []
    if code is not None:
        nodes, end = _fast_matcher().pieces(code)
        if end == len(code):
            return nodes, end, None
    pieces, prefix, _ = _parsers()
    mismatch = None
    try:
        tree = _run(pieces, text)
    except Mismatch as error:
        mismatch = error
        tree = None if code is not None else _run(prefix, text)
    if tree:
        nodes = [piece[0] for piece in tree[0]] if tree[0].rule_name == "Pieces" else []
    return nodes, skip_blanks(text, nodes[-1].position_end if nodes else 0), mismatch


def parse_steps(text: str) -> list[Any]:
    """Nodes of rule Step.

    Raises:
        Mismatch: the text is not steps of a test and nothing else.
        RecursionError: the stack is too small for it.
    """
    tree = _run(_parsers()[2], text)
    return list(tree[0]) if tree and tree[0].rule_name == "Pieces" else []


def _run(blueprint: Any, text: str) -> Any:
    from textx import TextXSyntaxError

    parser = blueprint.clone()
    try:
        return parser.parse(text)
    except TextXSyntaxError as problem:
        failure: Any = problem.__cause__
        names = tuple(dict.fromkeys(_name(rule) for rule in failure.rules))
        raise Mismatch(failure.position, names) from None


def _name(rule: Any) -> str:
    """The name of a rule of tokens, or the text of a keyword or mark."""
    return str(rule.rule_name or getattr(rule, "to_match", "") or rule.name)
