"""Shell commands that work on lines of text, mostly at the end of a pipe: `grep`, `head`, `sort`, ..."""

import re
from collections.abc import Callable

from vsalang.phone.sim.call import Call
from vsalang.phone.sim.files import NoSuchFile

MOST_INPUT = 16 << 20


def _options(call: Call, flags: str, valued: str = "") -> tuple[set[str], dict[str, str], list[str]]:
    """Flags, options with a value, and the other arguments.

    Raises:
        ValueError: an option that the simulated command does not have.
    """
    options: set[str] = set()
    values: dict[str, str] = {}
    rest: list[str] = []
    args = list(call.args)
    while args:
        arg = args.pop(0)
        if arg == "--":
            rest += args
            break
        if len(arg) < 2 or not arg.startswith("-"):
            rest.append(arg)
            continue
        if arg[1:].isdigit() and "n" in valued:  # head -5
            values["n"] = arg[1:]
            continue
        for place, letter in enumerate(arg[1:], 2):
            if letter in flags:
                options.add(letter)
            elif letter in valued:
                value = arg[place:] or (args.pop(0) if args else "")
                values[letter] = value
                break
            else:
                raise ValueError(f"Unknown option '{letter}'")
    return options, values, rest


def _sources(call: Call, paths: list[str]) -> list[tuple[str, bytes]]:
    """The named files with their content, or standard input."""
    if not paths:
        return [("", call.typed.all(MOST_INPUT))]
    contents = []
    for path in paths:
        try:
            content = call.typed.all(MOST_INPUT) if path == "-" else call.files.read(path)
            contents.append((path, content))
        except NoSuchFile:
            call.err(f"{call.words[0]}: {path}: No such file or directory\n")
    return contents


def _lines(data: bytes) -> list[str]:
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _say(call: Call, lines: list[str]) -> None:
    call.out("".join(line + "\n" for line in lines).encode("utf-8", "surrogateescape"))


def _basic(pattern: str) -> str:
    """A basic regular expression as an extended one: in a basic one the operators have a backslash."""
    parts = re.findall(r"\\.|\[[^]]*\]|.", pattern, re.DOTALL)
    swapped = {"\\" + c: c for c in "+?|(){}"} | {c: "\\" + c for c in "+?|(){}"}
    return "".join(swapped.get(part, part) for part in parts)


def _grep(call: Call) -> int:
    import re2

    flags, values, rest = _options(call, "ivEFoqcnwxsaHhrlZ", "em")
    if "e" not in values and not rest:
        return call.refuse("grep: no pattern", 2)
    pattern = values["e"] if "e" in values else rest.pop(0)
    if "F" in flags:
        pattern = "|".join(re2.escape(part) for part in pattern.split("\n"))
    elif "E" not in flags:
        pattern = _basic(pattern)
    if "w" in flags:
        pattern = rf"\b(?:{pattern})\b"
    if "x" in flags:
        pattern = f"^(?:{pattern})$"
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = "i" not in flags
    try:
        compiled = re2.compile(pattern[:10_000].encode(), options)
    except re2.error as error:
        return call.refuse(f"grep: bad REGEX: {error}", 2)
    most = int(values.get("m", 1 << 30))
    sources = _sources(call, rest)
    count = 0
    for path, content in sources:
        prefix = f"{path}:" if (len(sources) > 1 or "H" in flags) and "h" not in flags else ""
        here = 0
        for number, line in enumerate(content.removesuffix(b"\n").split(b"\n") if content else [], 1):
            if here >= most:
                break
            line_match = compiled.search(line)
            if (line_match is not None) is ("v" in flags):
                continue
            here += 1
            if flags & {"q", "c", "l"}:
                continue
            place = (prefix + (f"{number}:" if "n" in flags else "")).encode()
            if "o" in flags and line_match is not None:
                parts = [match.group() for match in compiled.finditer(line)]
                call.out(b"".join(place + part + b"\n" for part in parts if part))
            else:
                call.out(place + line + b"\n")
        if "c" in flags and "q" not in flags:
            call.out(f"{prefix}{here}\n")
        elif "l" in flags and here and "q" not in flags:
            call.out(f"{path or '(standard input)'}\n")
        count += here
    return 0 if count else 1


def _part(call: Call, first: bool) -> int:
    """``head`` and ``tail``: lines (``-n``) or bytes (``-c``); ``tail -n +3`` begins at the third."""
    _, values, rest = _options(call, "q", "nc")
    for _path, content in _sources(call, rest):
        unit = "c" if "c" in values else "n"
        text = values.get(unit, "10")
        number = int(text)
        if unit == "c":
            call.out(
                content[:number]
                if first
                else content[max(0, number - 1) :]
                if text.startswith("+")
                else content[-number:]
            )
            continue
        lines = _lines(content)
        if first:
            _say(call, lines[:number])
        elif text.startswith("+"):
            _say(call, lines[max(0, number - 1) :])
        else:
            _say(call, lines[-number:] if number else [])
    return 0


def _head(call: Call) -> int:
    return _part(call, first=True)


def _tail(call: Call) -> int:
    return _part(call, first=False)


def _wc(call: Call) -> int:
    flags, _, rest = _options(call, "lwcm")
    for path, content in _sources(call, rest):
        counts = {
            "l": content.count(b"\n"), "w": len(content.split()), "c": len(content),
            "m": len(content.decode("utf-8", "replace")),
        }  # fmt: skip
        wanted = [counts[letter] for letter in ("lwmc" if flags else "lwc") if not flags or letter in flags]
        text = " ".join(str(each) for each in wanted)
        call.out(f"{text} {path}\n" if path else f"{text}\n")
    return 0


def _sort(call: Call) -> int:
    flags, _, rest = _options(call, "nruf")
    lines = [line for _, content in _sources(call, rest) for line in _lines(content)]

    def key(line: str) -> tuple[float, str]:
        number = re.match(r"\s*(-?\d+(?:\.\d+)?)", line) if "n" in flags else None
        return (float(number[1]) if number else 0.0, line.lower() if "f" in flags else line)

    lines.sort(key=key, reverse="r" in flags)
    _say(call, list(dict.fromkeys(lines)) if "u" in flags else lines)
    return 0


def _uniq(call: Call) -> int:
    flags, _, rest = _options(call, "cd")
    runs: list[tuple[str, int]] = []
    for _, content in _sources(call, rest):
        for line in _lines(content):
            if runs and runs[-1][0] == line:
                runs[-1] = (line, runs[-1][1] + 1)
            else:
                runs.append((line, 1))
    _say(call, [f"{n:7d} {line}" if "c" in flags else line for line, n in runs if "d" not in flags or n > 1])
    return 0


def _cut(call: Call) -> int:
    _, values, rest = _options(call, "s", "dfc")
    wanted: set[int] = set()
    for piece in (values.get("f") or values.get("c") or "").split(","):
        low, dash, high = piece.partition("-")
        first = int(low or 1)
        wanted.update(range(first, min(int(high or 1000), 1000) + 1) if dash else [first])
    between = values.get("d", "\t")
    for _, content in _sources(call, rest):
        for line in _lines(content):
            if "c" in values:
                _say(call, ["".join(c for n, c in enumerate(line, 1) if n in wanted)])
            elif between not in line:
                _say(call, [line])
            else:
                _say(
                    call, [between.join(part for n, part in enumerate(line.split(between), 1) if n in wanted)]
                )
    return 0


def _tr(call: Call) -> int:
    flags, _, rest = _options(call, "d")
    text = call.typed.all(MOST_INPUT).decode("utf-8", "surrogateescape")
    escapes = {"\\n": "\n", "\\r": "\r", "\\t": "\t"}
    sets = [re.sub(r"\\[nrt]", lambda match: escapes[match[0]], each) for each in rest]
    sets = [re.sub(r"(\w)-(\w)", _range, each) for each in sets]
    if len(sets) != (1 if "d" in flags else 2) or not sets[-1]:
        return call.refuse("tr: Needs 2 arguments")
    if "d" in flags:
        table: dict[int, int | None] = {ord(c): None for c in sets[0]}
    else:
        table = {ord(c): ord(sets[1][min(n, len(sets[1]) - 1)]) for n, c in enumerate(sets[0])}
    call.out(text.translate(table).encode("utf-8", "surrogateescape"))
    return 0


def _range(match: re.Match[str]) -> str:
    return "".join(chr(code) for code in range(ord(match[1]), ord(match[2]) + 1))


def _tee(call: Call) -> int:
    flags, _, rest = _options(call, "a")
    data = call.typed.all(MOST_INPUT)
    call.out(data)
    for path in rest:
        old = call.files.stat(path) if "a" in flags else None
        call.files.write(path, (old.content if old else b"") + data)
    return 0


COMMANDS: dict[str, Callable[[Call], int]] = {
    "grep": _grep, "head": _head, "tail": _tail, "wc": _wc, "sort": _sort, "uniq": _uniq, "cut": _cut, "tr": _tr,
    "tee": _tee,
}  # fmt: skip
