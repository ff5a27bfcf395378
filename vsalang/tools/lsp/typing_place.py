"""What may be written at a place of an item, told from the tokens before it: the item need not parse."""

from collections.abc import Sequence
from dataclasses import field
from typing import Final, Literal, TypeAlias

from vsalang.base.records import dataclass
from vsalang.language.semantics.types import FUNCTIONS
from vsalang.program.reserved_words import AGGREGATES, ITEM_WORDS, MODULE_KINDS, STEP_WORDS
from vsalang.tools.lsp.lexing import Token

Wanted: TypeAlias = Literal[
    "nothing",
    "header",
    "item",
    "step",
    "name",
    "relation",
    "condition",
    "after",
    "screen",
    "attribute",
    "operator",
    "value",
    "argument",
    "type",
    "module",
    "annotation",
    "mark",
    "level",
    "reason",
    "message",
    "file",
    "clause",
]
_BODY: Final = frozenset("when with then not no before since every first all has of expect".split())
_OPERATORS: Final = frozenset({"=", "!=", "<", "<=", ">", ">=", "~=", "!~="})
_WORD_OPERATORS: Final = frozenset({"in", "contains", "subset", "matches", "names"})
_MARKED: Final = frozenset({"known", "unknown"})
_JUDGES: Final = frozenset({"deny", "confirm", "warn", "flag"})
_SCREENS: Final = frozenset({"screen", "goto", "on"})
_FACTS: Final = frozenset("given update delete attempt observe claim complete no".split())


@dataclass(slots=True)
class Frame:
    """An open bracket: what stands before it, and how far its contents are."""

    opener: str
    word: str = ""
    kind: str = "body"
    wanted: Wanted = "condition"
    attr: str = ""
    op: str = ""
    used: list[str] = field(default_factory=list)
    count: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """What is being typed.

    Attributes:
        wanted: what may stand there.
        word: the keyword of the item (`allow`, `state`), or of the step.
        relation: whose constraint it is, as written; the name of the function for an argument.
        attr: the attribute before the operator.
        op: the operator before the value.
        used: the attributes that the atom constrains already.
        number: how many commas stand before it in its bracket.
        variables: the variables of the item, each with the relation and attribute that it was read from.
        opened: the name before the innermost bracket, and where the bracket is.
    """

    wanted: Wanted
    word: str = ""
    relation: str = ""
    attr: str = ""
    op: str = ""
    used: tuple[str, ...] = ()
    number: int = 0
    variables: tuple[tuple[str, str, str], ...] = ()
    opened: str = ""


@dataclass(slots=True)
class _Reader:
    """Reads the tokens of one item up to the cursor."""

    word: str = ""
    wanted: Wanted = "item"
    last: str = ""
    name: str = ""
    frames: list[Frame] = field(default_factory=list)
    variables: list[tuple[str, str, str]] = field(default_factory=list)

    def read(self, token: Token) -> None:
        """Go over one token."""
        if token.kind == "comment":
            return
        if token.kind == "punctuation" and token.text in "({[":
            self._open(token.text)
        elif token.kind == "punctuation" and token.text in ")}]":
            if self.frames:
                frame = self.frames.pop()
                self._closed(frame)
        elif self.frames:
            self._inside(self.frames[-1], token)
        else:
            self.wanted = self._outside(token)
        if token.kind == "word":
            self.name = token.text if token.text not in _BODY else self.name
        self.last = token.text

    def _open(self, opener: str) -> None:
        before = self.last
        frame = Frame(opener, before)
        if opener == "{":
            if before == "enum" or self.word == "enum":
                frame.kind, frame.wanted = "members", "name"
            elif self.word == "test" and before not in _OPERATORS | _WORD_OPERATORS:
                frame.kind, frame.wanted = "steps", "step"
            elif self.word in ("state", "view", "list"):
                frame.kind, frame.wanted = "attributes", "name"
            else:
                outer = self._args()
                frame.kind, frame.wanted = "set", "value"
                if outer is not None:
                    frame.word, frame.attr, frame.op = outer.word, outer.attr, "="
        elif before in AGGREGATES:
            frame.kind, frame.wanted = "aggregate", "condition" if before == "count" else "name"
        elif before in FUNCTIONS:
            frame.kind, frame.wanted = "function", "argument"
        elif before == "has":
            frame.kind, frame.wanted, frame.word = "args", "attribute", self.name
        elif before in ("key", "in"):
            frame.kind, frame.wanted = "columns", "name"
        elif self.word == "action" and not self.frames and before == self.name and self.wanted == "after":
            frame.kind, frame.wanted = "attributes", "name"
        elif self.last.startswith("@"):
            frame.kind, frame.wanted = "mark", "mark"
        elif before and (before[-1].isalnum() or before[-1] == "_") and before not in _BODY:
            frame.kind, frame.wanted = "args", "attribute"
        self.frames.append(frame)

    def _args(self) -> Frame | None:
        return next((frame for frame in reversed(self.frames) if frame.kind == "args"), None)

    def _closed(self, frame: Frame) -> None:
        if self.frames:
            outer = self.frames[-1]
            if outer.kind in ("args", "set", "function"):
                outer.wanted = "nothing"
            elif outer.kind == "steps" or outer.kind in ("aggregate", "body"):
                outer.wanted = "after"
        elif frame.kind == "mark":
            self.wanted = "item"
        elif frame.kind == "args":
            self.wanted = "after"
        else:
            self.wanted = "clause"

    # ------------------------------------------------------------ outside of brackets

    def _outside(self, token: Token) -> Wanted:
        text = token.text
        if not self.word:
            return self._first(token)
        if token.kind == "string":
            return "clause" if self.word in _JUDGES | {"test"} | set(MODULE_KINDS) else "after"
        if text in ("when", "with", ":-") or (text in _BODY and self.wanted != "name"):
            return "condition"
        if text in _SCREENS or (text == "over" and self.word == "screen"):
            return "screen"
        if text in ("over", "refines"):
            return "relation"
        if text == ",":
            return "screen" if self.wanted == "screen" else "condition"
        if text == "because":
            return "reason"
        if text in _OPERATORS or text in _WORD_OPERATORS:
            return "value"
        if text == "as":
            return "name"
        if self.word == "allow" and text in ("either", "each"):
            return "relation"
        return "after"

    def _first(self, token: Token) -> Wanted:
        if token.kind == "annotation":
            return "item"
        self.word = token.text
        if self.word in _JUDGES:
            return "message"
        if self.word == "import":
            return "module"
        if self.word in MODULE_KINDS or self.word in ("let", "enum", "state", "view", "list", "action"):
            return "name"
        if self.word in ("goto", "screen"):
            return "screen"
        if self.word == "expect":
            return "condition"
        if self.word in ITEM_WORDS - {"test", "done"}:
            return "relation"
        return "clause" if self.word == "done" else "name"

    # ------------------------------------------------------------ inside of brackets

    def _inside(self, frame: Frame, token: Token) -> None:
        text = token.text
        if text == ",":
            frame.count += 1
        match frame.kind:
            case "args":
                self._constraint(frame, token)
            case "attributes":
                frame.wanted = "type" if text == ":" or (text == "of" and self.last == "set") else "name"
            case "steps":
                self._step(frame, token)
            case "set":
                frame.wanted = "value" if text in (",", "+", "-") else "nothing"
            case "function":
                frame.wanted = "argument" if text in (",", "+", "-", "*") else "nothing"
            case "aggregate" | "body":
                if text in ("of", ",", "then") or text in _BODY:
                    frame.wanted = "condition"
                elif text in _SCREENS:
                    frame.wanted = "screen"
                elif text in _OPERATORS or text in _WORD_OPERATORS:
                    frame.wanted = "value"
                else:
                    frame.wanted = "after"
            case _:
                frame.wanted = "mark" if frame.kind == "mark" and text == "," else "nothing"

    def _constraint(self, frame: Frame, token: Token) -> None:
        text = token.text
        if text == ",":
            frame.wanted, frame.attr, frame.op = "attribute", "", ""
        elif frame.wanted == "attribute":
            frame.attr, frame.wanted = text, "operator"
            frame.used.append(text)
        elif frame.wanted == "operator":
            if text in _MARKED:
                frame.wanted = "nothing"
            elif text in _OPERATORS or text in _WORD_OPERATORS:
                frame.op = f"not {text}" if self.last == "not" else text
                frame.wanted = "value"
        elif frame.wanted == "value" or (frame.wanted == "nothing" and text in ("+", "-", "*", "..")):
            frame.wanted = "value" if text in ("+", "-", "*", "..") else "nothing"
        if token.kind == "variable" and len(text) > 1 and frame.op == "=":
            self.variables.append((text[1:], frame.word, frame.attr))

    def _step(self, frame: Frame, token: Token) -> None:
        text = token.text
        if text == ".":
            frame.wanted = "step"
        elif text == "=>":
            frame.wanted = "level"
        elif text == "because":
            frame.wanted = "reason"
        elif text == "or":
            frame.wanted = "level"
        elif text == ",":
            frame.wanted = "reason" if frame.op == "because" else "relation"
        elif text in ("screen", "goto"):
            frame.wanted = "screen"
        elif text in _FACTS and frame.wanted in ("step", "relation"):
            frame.wanted = "relation"
        else:
            frame.wanted = "after"
        if text in ("because", "."):
            frame.op = text
        if text in STEP_WORDS:
            frame.attr = text


def place_of(tokens: Sequence[Token], *, has_header: bool) -> Place:
    """What may stand behind the tokens of an item.

    Args:
        has_header: whether the file has a header before them.
    """
    reader = _Reader()
    for token in tokens:
        if token.kind == "punctuation" and token.text == "." and not reader.frames:
            reader = _Reader()
        else:
            reader.read(token)
    names = dict.fromkeys(
        token.text[1:] for token in tokens if token.kind == "variable" and len(token.text) > 1
    )
    read = {name: (name, relation, attr) for name, relation, attr in reversed(reader.variables)}
    variables = tuple(read.get(name, (name, "", "")) for name in names)
    if not reader.frames:
        wanted = reader.wanted
        if wanted == "item" and not has_header and not reader.word:
            wanted = "header"
        return Place(wanted, reader.word, variables=variables)
    frame = reader.frames[-1]
    word = frame.attr if frame.kind == "steps" else reader.word
    return Place(
        frame.wanted,
        word,
        frame.word,
        frame.attr,
        frame.op,
        tuple(frame.used),
        frame.count,
        variables,
        frame.word if frame.kind in ("args", "function") else "",
    )
