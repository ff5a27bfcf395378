"""Shell commands about users, programs and files: `id`, `which`, `test`, `content`, `cmd` services besides packages."""

from collections.abc import Callable
from urllib.parse import urlsplit

from vsalang.phone.sim.call import Call
from vsalang.phone.sim.files import is_directory


def _id(call: Call) -> int:
    if call.phone.spec.root:
        call.out("uid=0(root) gid=0(root) groups=0(root) context=u:r:su:s0\n")
        return 0
    call.out("uid=2000(shell) gid=2000(shell) groups=2000(shell),1004(input) context=u:r:shell:s0\n")
    return 0


def _whoami(call: Call) -> int:
    call.out("root\n" if call.phone.spec.root else "shell\n")
    return 0


def _pwd(call: Call) -> int:
    call.out("/\n")
    return 0


def _uname(call: Call) -> int:
    every = "-a" in call.args
    call.out("Linux localhost 5.15.0 #1 SMP PREEMPT aarch64 Toybox\n" if every else "Linux\n")
    return 0


def _which(call: Call) -> int:
    """``which NAME`` and ``command -v NAME``."""
    names = [arg for arg in call.args if not arg.startswith("-")]
    known_names = [name for name in names if name in call.system.commands]
    call.out("".join(f"/system/bin/{name}\n" for name in known_names))
    return 0 if names and len(known_names) == len(names) else 1


def _test(call: Call) -> int:
    """``test`` and ``[``: files and strings."""
    args = list(call.args)
    if call.words[0] == "[" and (not args or args.pop() != "]"):
        return call.refuse("[: missing ]", 2)
    negated = args[:1] == ["!"]
    args = args[1:] if negated else args
    entry = call.files.stat(args[-1]) if len(args) == 2 else None
    match args:
        case []:
            held = False
        case [word]:
            held = bool(word)
        case ["-e", _]:
            held = entry is not None
        case ["-f", _]:
            held = entry is not None and not is_directory(entry)
        case ["-d", _]:
            held = entry is not None and is_directory(entry)
        case ["-s", _]:
            held = entry is not None and bool(entry.content)
        case ["-n", word]:
            held = bool(word)
        case ["-z", word]:
            held = not word
        case [left, "=" | "==", right]:
            held = left == right
        case [left, "!=", right]:
            held = left != right
        case [left, "-eq", right]:
            held = int(left) == int(right)
        case [left, "-ne", right]:
            held = int(left) != int(right)
        case _:
            return call.refuse(f"{call.words[0]}: syntax error", 2)
    return 0 if held is not negated else 1


def _content(call: Call) -> int:
    """``content``: only the provider of the settings exists."""
    verb = call.args[0] if call.args else ""
    options: dict[str, list[str]] = {}
    for key, value in zip(call.args[1:], call.args[2:], strict=False):
        if key.startswith("--"):
            options.setdefault(key, []).append(value)
    uri = urlsplit((options.get("--uri") or [""])[-1])
    if verb not in ("query", "insert", "update", "delete", "call", "read"):
        return call.refuse("[ERROR] Unsupported operation: " + verb[:100], 255)
    space, _, name = uri.path.strip("/").partition("/")
    if uri.netloc != "settings" or space not in ("system", "secure", "global"):
        return call.refuse(
            f"Error while accessing provider:{uri.netloc[:200]}\n"
            f"java.lang.IllegalStateException: Could not find provider: {uri.netloc[:200]}",
            0,
        )
    store = call.system.settings
    if verb == "query":
        rows = [
            (key, value)
            for (where, key), value in sorted(store.items())
            if where == space and name in ("", key)
        ]
        for number, (key, value) in enumerate(rows):
            call.out(f"Row: {number} _id={number + 1}, name={key}, value={value}\n")
        if not rows:
            call.out("No result found.\n")
        return 0
    bound = dict(pair.split(":", 2)[::2] for pair in options.get("--bind", []) if pair.count(":") >= 2)
    if verb != "insert" or not bound.get("name") or len(store) >= 10_000:
        return call.refuse(
            "Error while accessing provider:settings\njava.lang.UnsupportedOperationException", 1
        )
    call.system.change_setting(space, bound["name"], bound.get("value", ""), call.text)
    return 0


COMMANDS: dict[str, Callable[[Call], int]] = {
    "id": _id, "whoami": _whoami, "pwd": _pwd, "uname": _uname, "which": _which, "command": _which,
    "test": _test, "[": _test, "content": _content,
}  # fmt: skip
