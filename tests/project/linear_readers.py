"""Every reader of untrusted text, and the shapes of text that cost readers most: nesting, repetition, near misses."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

Shape = Callable[[int], str]
"""A text of about so many characters."""


def repeated(piece: str, begin: str = "", end: str = "") -> Shape:
    """One piece again and again."""
    return lambda size: begin + piece * (size // len(piece)) + end


def numbered(piece: str, begin: str = "", end: str = "") -> Shape:
    """A piece with a number that is another one each time, in place of `#`."""

    def made(size: int) -> str:
        count = size // (len(piece) + 4)
        return begin + "".join(piece.replace("#", str(number)) for number in range(count)) + end

    return made


def nested(opening: str, closing: str, middle: str = "", begin: str = "", end: str = "") -> Shape:
    """As deep as it gets."""

    def made(size: int) -> str:
        count = size // (len(opening) + len(closing))
        return begin + opening * count + middle + closing * count + end

    return made


# ---- shapes that any reader may meet -------------------------------------------------------------

PIECES = (
    "a 1 ' \" ` \\ / * - + , . : ; = ~ < > & | ^ ( [ { ) ] } # $ % ? ! _ @ ∧ → ¬ “ « \u0301 \u200b \ufeff \ud800 \0 "
    'ab1 1, 1. 1: 1- \\" (a {a [a <a a( a= a. a, /* */ // <!-- <![CDATA[ && || :- -> 2>&1 $? ``` ~~~ <vsa> <CHC> ]]> '
    'not$ and$ 1$May$ 2$h$ ?a a$ $ a\n \n \r \t a;b \'a\' "a" {"a": [[ {{ %s e\u0301 Ω中 a@b.c 1$234,5$ Reason:\n '
    '</hierarchy <hierarchy <node$ a="b"$ &amp; <DOCTYPE'
)
GENERAL: dict[str, Shape] = {
    repr(piece): repeated(piece) for piece in (word.replace("$", " ") for word in PIECES.split(" ") if word)
} | {
    "quoted": repeated('"a",', "["),
    "unclosed after quotes": repeated('\\"', '"'),
    "blanks before one letter": repeated(" ", "a", "b"),
    "nested lists": nested("[", "]"),
    "nested objects": nested('{"a":', "}", "1"),
    "nested brackets": nested("(", ")", "a"),
    "many keys": numbered('"key#":1,', "{", '"z":1}'),
    "a doubled key at the end": numbered('"key#":1,', "{", '"z":1,"z":1}'),
    "doubled keys": numbered('"key#":1,"key#":1,', "{", '"z":1}'),
    "one key": repeated('"a":1,', "{", '"a":1}'),
    "a long number": repeated("9", '{"a":', "}"),
    "a long exponent": repeated("9", '{"a":1e', "}"),
    "a long text": repeated("a", '{"a":"', '"}'),
    "escapes": repeated("\\u00e9", '{"a":"', '"}'),
    "many numbers": repeated("1,", "[", "1]"),
    "many names": numbered("name# "),
    "lines of JSON": repeated('{"a": 1}\n'),
}


class Wire:
    """A stream that gives what it has, in pieces as large as they are wanted."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def read(self, most: int) -> bytes:
        """The next bytes; none at the end."""
        found = self._data[self._at : self._at + most]
        self._at += len(found)
        return found

    def read_exactly(self, count: int) -> bytes:
        """So many bytes, or the end."""
        from vsalang.phone.wire import EndOfStream

        found = self.read(count)
        if len(found) < count:
            raise EndOfStream
        return found

    def write(self, data: bytes) -> None:
        """Nobody reads it."""


def adbd(given: bytes, piece: int) -> None:
    """What adb's daemon is sent after a greeting: streams that are opened, each by a piece of what is given."""
    from vsalang.phone.wire.adbd import CNXN, HEADER, OPEN, VERSION, WRTE, AdbDaemon, Banner
    from vsalang.phone.wire.services import ServiceRefused

    class Nothing:
        def open(self, name: str) -> Any:
            raise ServiceRefused("closed")

    def message(command: int, first: int, second: int, payload: bytes) -> bytes:
        return HEADER.pack(command, first, second, len(payload), 0, command ^ 0xFFFFFFFF) + payload

    pieces = [given[at : at + piece] for at in range(0, len(given), piece)]
    said = message(CNXN, VERSION, 1 << 20, b"host::")
    said += b"".join(message(OPEN, 1, 0, one) + message(WRTE, 1, 1, one) for one in pieces)
    with (
        AdbDaemon.start(Nothing(), Banner("a", "a", "a", ())) as daemon,
        socket.create_connection((daemon.host, daemon.port), timeout=60) as near,
    ):
        reading = threading.Thread(target=lambda: [None for _ in iter(lambda: near.recv(1 << 16), b"")])
        reading.start()
        near.sendall(said)
        near.shutdown(socket.SHUT_WR)
        reading.join(60)
        assert not reading.is_alive()


def forest(given: str, letters: int) -> Any:
    """A forest of an accessibility service as protocol buffers: messages that name their fields; letters a node."""

    def message(**fields: Any) -> Any:
        named = [SimpleNamespace(name=name, enum_type=None) for name in fields]
        return SimpleNamespace(DESCRIPTOR=SimpleNamespace(fields=named), **fields)

    words = [given[at : at + letters] for at in range(0, len(given), letters)]
    nodes = [
        message(
            unique_id=number,
            child_ids=[number + 1] if number + 1 < len(words) and number % 50 else [],
            text=word,
            content_description="",
            bounds_in_screen=message(left=0, top=number, right=10, bottom=number + 1),
        )
        for number, word in enumerate(words)
    ]
    bounds = message(left=0, top=0, right=10, bottom=len(words))
    return message(
        windows=[message(window_type=1, bounds_in_screen=bounds, tree=message(nodes=nodes), is_active=True)]
    )


# ---- readers of texts ----------------------------------------------------------------------------


def texts() -> Iterator[tuple[str, Callable[[str], object]]]:
    """Readers that take any text, by name."""
    from vsalang.agents.proposed import read_proposal
    from vsalang.agents.reporting.definitions import read_definitions
    from vsalang.agents.reporting.reading import clean, read_object
    from vsalang.agents.script import proposals
    from vsalang.agents.walks.files import read_json
    from vsalang.base.resources import resource_dir
    from vsalang.base.source import Source
    from vsalang.base.source.suggest import nearest
    from vsalang.guard.journal.file import checked_line
    from vsalang.guard.say.feedback import _clean
    from vsalang.language.lint import instruction
    from vsalang.language.lint.ignores import read_ignores
    from vsalang.language.notations.into import import_schema
    from vsalang.language.notations.into.paper_text import parse as paper
    from vsalang.language.semantics import load
    from vsalang.language.syntax.formatting import format_source
    from vsalang.language.syntax.parser import read as parse
    from vsalang.models.encode.extract import extract
    from vsalang.phone import getevent
    from vsalang.phone.classify import classify
    from vsalang.phone.classify.shell import classify_shell
    from vsalang.phone.gate.packets import packets
    from vsalang.phone.gate.requests import Reader
    from vsalang.phone.sim import sh as sim_sh
    from vsalang.phone.uiautomator import tracefiles, tracetext
    from vsalang.phone.vocabulary import FORMATS, note_of, sh
    from vsalang.phone.vocabulary import read as read_words
    from vsalang.program import dates, readers, similarity, text
    from vsalang.program.languages import LANGUAGES
    from vsalang.program.patterns import compile_pattern
    from vsalang.screen.tree import load_tree

    def bytes_of(given: str) -> bytes:
        return given.encode("utf-8", "replace")

    loaded = load(resource_dir("app_specs") / "examples" / "reserve_r.vsa")
    assert loaded.program is not None
    program = loaded.program
    yield "agent's script", lambda given: list(proposals(given, program, "a"))
    yield "agent's proposal", lambda given: read_proposal(given, program, "a")
    yield (
        "agent's note",
        lambda given: read_proposal(json.dumps({"action": "back", "note": given}), program, "a"),
    )
    yield "line of a journal", lambda given: checked_line(bytes_of(given) + b"\n", 1, "", "a")
    yield "head of a request", lambda given: Reader(Wire(bytes_of(given) + b"\r\n\r\n")).request()
    yield (
        "field of a request",
        lambda given: Reader(Wire(b"GET / HTTP/1.1\r\nHost: " + bytes_of(given) + b"\r\n\r\n")).request(),
    )
    yield "adbd, a message of all", lambda given: adbd(bytes_of(given), 1 << 20)
    yield "adbd, many messages", lambda given: adbd(bytes_of(given), 64)
    yield "protocol buffers of a UI tree, long texts", lambda given: load_tree(forest(given, 1024))
    yield "protocol buffers of a UI tree, many nodes", lambda given: load_tree(forest(given, 16))
    yield "packets", lambda given: list(packets(Wire(bytes_of(given))))
    yield "packets of one byte", lambda given: list(packets(Wire(b"\0\x01\0\0\0a" * (len(given) // 6))))
    members = {f"member{number}": [f"spelling {number}", "a", "1"] for number in range(50)}
    constant = "the 7:30 train to Milan, 5 €"
    yield "number", readers.number
    yield "currency", readers.currency
    yield "boolean", readers.boolean
    yield "member", lambda given: readers.member(given, members)
    yield "members", lambda given: readers.members(given, members)
    for name, words in LANGUAGES.items():
        yield f"date {name}", lambda given, words=words: dates.date(given, None, words=words)
        yield f"time {name}", lambda given, words=words: dates.time(given, words)
        yield f"duration {name}", lambda given, words=words: dates.duration(given, words)
    spelling = similarity.Words(spelling=1)
    yield "similar", lambda given: similarity.similar(spelling, given, constant)
    yield "similar to", lambda given: similarity.similar(spelling, constant, given)
    yield "similar to itself", lambda given: similarity.similar(spelling, given, given + ".")
    yield "admissible", lambda given: similarity.admissible(given, given + " a")
    yield "canonical", text.canonical
    yield "fold_case", text.fold_case
    yield "one_line", text.one_line
    yield "plain", text.plain
    yield "words", lambda given: list(text.words(given))
    yield "quote", text.quote
    yield "safe", lambda given: text.safe(given, 100_000)
    yield "line", lambda given: text.line(given, 100_000)
    yield "regular expression", compile_pattern
    pattern = compile_pattern(r"(?<a>(a|b|a.)*)(.*)(1|\d)+x$")
    yield "text for a regular expression", pattern.search
    yield "suggestion", lambda given: nearest(given, ["Restaurant", "Slot"])
    yield (
        "suggestions for many",
        lambda given: [nearest(word, given.split()[:100]) for word in given.split()[:100]],
    )
    yield "parser", lambda given: parse(Source.from_text(given))
    yield (
        "parser, behind a header",
        lambda given: parse(Source.from_text(f'spec a "A." allow tap when {given}')),
    )
    yield "formatter", lambda given: format_source(Source.from_text(f"module a\n{given}"))
    yield "ignore comments", lambda given: read_ignores(Source.from_text(given), ["L0001"])
    yield "UI tree", load_tree
    yield (
        "UI tree behind words",
        lambda given: load_tree(f"{given}<hierarchy><node bounds='[0,0][1,1]'/></hierarchy>"),
    )
    yield "attribute of a UI tree", lambda given: load_tree(f'<hierarchy><node text="{given}"/></hierarchy>')
    yield (
        "JSON text of a UI tree",
        lambda given: load_tree(json.dumps([{"text": given, "isClickable": True}])),
    )
    for format in FORMATS:
        yield f"agent's words {format}", lambda given, format=format: read_words(format, given)
    yield "note", note_of
    yield "shell", sh.parse
    yield "shell of the simulated phone", sim_sh.parse
    yield "service", classify
    yield "shell service", lambda given: classify(f"shell:{given}")
    yield "shell command", classify_shell
    yield "typed text", lambda given: classify_shell(f"input text {given}")
    yield "panels", getevent.read_panels
    yield "traced permissions", lambda given: tracetext.permissions(given, "a.b")
    yield "traced connections", lambda given: tracetext.connections(given, {})
    yield "traced settings", lambda given: tracetext.settings(given, "secure")
    yield "traced files", lambda given: tracefiles.files("/a/", given, given, "a", whole=True, failed=True)
    yield "model's answer", extract
    yield "model's module", lambda given: extract(f'```vsa\nspec a "A."\n{given}\n```\n{given}')
    yield "instruction, quoted", lambda given: list(instruction.quoted_texts(given))
    yield "instruction, quantities", lambda given: list(instruction.quantities(given))
    yield "schema", lambda given: import_schema(Source.from_text(given, "a.json"))
    yield "paper clauses", lambda given: paper(Source.from_text(given))
    yield "paper clause", lambda given: paper(Source.from_text(f"A(b = {given}) ∧ C() → D()"))
    yield "message", read_object
    yield "text of a message", lambda given: clean(given, "a")
    yield "definitions of a message", lambda given: read_definitions(read_object(given), "states")
    yield "walk", lambda given: read_json(given, "a")
    yield "feedback", lambda given: _clean(given, "en")


COUNTED: dict[str, tuple[str, ...]] = {
    "adbd, many messages": ("'a'", "'\\x00'", "'1 234,5 '", "many names", "quoted"),
    "packets of one byte": ("'a'",),
    "protocol buffers of a UI tree, many nodes": ("'a'", "'\\n'", "many names", "quoted"),
}
"""Reader -> the shapes that it is given, where the number of pieces is its subject and what stands in one hardly counts
(another reader of the same kind has few large pieces, and meets every shape)."""


# ---- what once took quadratic time, or crashed ---------------------------------------------------

SPECIAL: dict[str, tuple[str, ...]] = {
    "message": ("unclosed after quotes",),
    "UI tree": ("doubled keys",),
    "parser": ("')'", "']'"),
    "ignore comments": ("unclosed after quotes",),
    "model's answer": ("'~'",),
    "instruction, quantities": ("'2>&1'", "'1 May '"),
    "paper clauses": ("'*'",),
    "paper clause": ("'{'",),
    "agent's script": ("a long exponent",),
    "agent's proposal": ("a long exponent",),
}
"""Reader -> shapes."""
