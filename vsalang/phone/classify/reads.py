"""The shell commands that only read, each with the arguments that are allowed for it."""

import re
from collections.abc import Callable
from typing import Final

from vsalang.phone.vocabulary.adb_text import PORTALS, QUIET, broadcast, reads_content

Args = tuple[str, ...]
_PACKAGE: Final = r"[A-Za-z]\w*(?:\.\w+)+"
_COMPONENT: Final = rf"{_PACKAGE}/[\w.$]+"
_NAME: Final = r"[A-Za-z_][\w.:-]*"
SCRATCH: Final = re.compile(
    r"(?:/data/local/tmp/[\w-]+(?:\.[\w-]+)*\.(?:xml|png|jpe?g|json|txt)"
    r"|(?:/sdcard|/storage/emulated/0|/mnt/sdcard)/"
    r"(?:(?:window_dump|window|view|ui|uidump|ui_dump|dump|screen|screencap|screenshot|tmp)[\w-]*\.(?:xml|json)"
    r"|(?:screen|screencap|screenshot|tmp)\d?\.(?:png|jpe?g)))",
    re.ASCII,
)
"""Files that agents create to read the screen; they may be deleted."""
_TERMINAL: Final = frozenset({"/dev/tty", "/dev/stdout", "/proc/self/fd/1"})


def _matches(*patterns: str) -> Callable[[Args], bool]:
    """Whether the arguments, joined by spaces, are one of the allowed forms; an argument with a space matches none."""
    compiled = [re.compile(pattern, re.ASCII) for pattern in patterns]

    def test(args: Args) -> bool:
        while args and not args[-1]:
            args = args[:-1]  # clients add an empty filter
        if any(not arg or re.search(r"\s", arg) for arg in args):
            return False
        line = " ".join(args)
        return any(pattern.fullmatch(line) for pattern in compiled)

    return test


def _any(_args: Args) -> bool:
    return True


def _paths(flags: str, allowed: Callable[[str], bool], least: int = 1) -> Callable[[Args], bool]:
    """Flags of single letters, then paths that are allowed."""
    flag = re.compile(f"-[{flags}]+" if flags else "(?!)", re.ASCII)

    def test(args: Args) -> bool:
        rest = [arg for arg in args if not flag.fullmatch(arg)]
        return len(rest) >= least and all(not arg.startswith("-") and allowed(arg) for arg in rest)

    return test


def _scratch(path: str) -> bool:
    return SCRATCH.fullmatch(path) is not None


def _is_public_path(path: str) -> bool:
    return (
        _scratch(path)
        or re.fullmatch(r"/sys/devices/system/cpu/(?:cpu\d+/)?(?:cpufreq/)?[a-z_]+", path) is not None
        or re.fullmatch(
            r"/proc/(?:version|meminfo|cpuinfo|uptime|loadavg|stat|net/(?:tcp6?|udp6?|unix|dev|route))", path
        )
        is not None
    )


def _somewhere(path: str) -> bool:
    return "\x00" not in path


def _dump(args: Args) -> bool:
    rest = [arg for arg in args if arg not in ("--compressed", "--windows")]
    return not rest or (len(rest) == 1 and (_scratch(rest[0]) or rest[0] in _TERMINAL))


def _screencap(args: Args) -> bool:
    rest = list(args)
    while rest and rest[0] in ("-p", "-d"):
        if rest.pop(0) == "-d" and (not rest or not re.fullmatch(r"\d{1,20}", rest.pop(0), re.ASCII)):
            return False
    return not rest or (len(rest) == 1 and _scratch(rest[0]))


_FIND_ONE: Final = frozenset(
    {"-type", "-name", "-iname", "-path", "-maxdepth", "-mindepth", "-size", "-mtime"}
) | {
    "-mmin",
    "-newer",
    "-printf",
    "-user",
    "-group",
    "-perm",
}
_FIND_NONE: Final = frozenset({"-print", "-print0", "-o", "-a", "-not", "!", "(", ")", "-xdev", "-empty"})


def _find(args: Args) -> bool:
    at = 0
    while at < len(args) and not args[at].startswith(("-", "!", "(")):
        at += 1
    while at < len(args):
        if args[at] in _FIND_ONE and at + 1 < len(args):
            at += 2
        elif args[at] in _FIND_NONE:
            at += 1
        else:
            return False
    return True


def _broadcast(args: Args) -> bool:
    intent = broadcast(("am", *args))
    return intent is not None and intent[0] in QUIET and not intent[1]


_OF_ONE: Final = frozenset(f"-{letter}" for letter in "bcdefghkLnOprsSuwxzG")
_OF_TWO: Final = frozenset({"=", "!=", "-nt", "-ot", "-ef"})


def _test(args: Args) -> bool:
    """One question about a file, about a text, or about two of them; none of numbers, which a shell calculates."""
    if len(args) in (3, 4) and args[0] == "!":
        args = args[1:]
    return (len(args) == 2 and args[0] in _OF_ONE) or (len(args) == 3 and args[1] in _OF_TWO)


_INTERFACE: Final = r"[A-Za-z][\w.@-]{0,30}"
_IP: Final = _matches(
    rf"(?:-(?:[46os]|br|brief|oneline|f inet6?) )*(?:addr|address|a|link|l|neigh|neighbor)(?: (?:show|list|ls)"
    rf"(?: (?:dev )?{_INTERFACE})?(?: up)?)?",
    r"(?:-(?:[46os]|oneline) )*(?:route|r|rule)(?: (?:show|list|ls)(?: table (?:all|main|local|\d+))?)?",
)

_LOGCAT_NONE: Final = frozenset({"-d", "-s", "-g", "-S", "-L", "-D", "--last", "--dividers", "--buffer-size"})
_LOGCAT_ONE: Final = {
    "-v": r"[a-z]+(?:[ ,][a-z]+)*",
    "-b": r"[a-z]+(?:,[a-z]+)*",
    "-t": r"\d{1,9}|[\d :.-]{5,30}",
    "-T": r"\d{1,9}|[\d :.-]{5,30}",
    "-m": r"\d{1,9}",
    "-e": r"[^-].{0,500}",
    "--format": r"[a-z]+",
    "--buffer": r"[a-z]+",
    "--regex": r"[^-].{0,500}",
    "--max-count": r"\d{1,9}",
    "--pid": r"\d{1,9}",
    "--uid": r"\d{1,9}(?:,\d{1,9})*",
}
_FILTER: Final = re.compile(r"(?:\*|[\w.$@/][\w.$@/-]*)(?::[VDIWEFSvdiwefs*])?", re.ASCII)


def _logcat(args: Args) -> bool:
    """Options that choose what is printed, and filters; none that writes a file, clears or resizes the log."""
    at = 0
    while at < len(args):
        name, equals, value = args[at].partition("=")
        if args[at] in _LOGCAT_NONE or _FILTER.fullmatch(args[at]):
            at += 1
            continue
        if equals and name.startswith("--"):
            at += 1
        elif args[at] in _LOGCAT_ONE and at + 1 < len(args):
            value = args[at + 1]
            at += 2
        else:
            return False
        pattern = _LOGCAT_ONE.get(name)
        if pattern is None or not re.fullmatch(pattern, value, re.ASCII):
            return False
    return True


def _getevent(args: Args) -> bool:
    """Which events the devices could have, as ``-p`` and ``-i`` print it; without them it prints what is touched."""
    flags = [arg for arg in args if re.fullmatch("-[pil]+", arg)]
    devices = [arg for arg in args if re.fullmatch(r"/dev/input/event\d{1,3}", arg, re.ASCII)]
    prints = any(letter in flag for flag in flags for letter in "pi")
    return prints and len(flags) + len(devices) == len(args) and len(devices) < 2


_CMD: Final = _matches(
    r"display get-displays",
    r"wifi status",
    r"connectivity airplane-mode",
    r"location is-location-enabled",
    r"uimode night",
    r"clipboard get text",
    r"notification list",
)
_DUMPSYS: Final = _matches(
    r"-l",
    r"(?:-[tT] \d+ )?(?:deviceidle whitelist|SurfaceFlinger --list|batterystats|gfxinfo)",
    rf"(?:-[tT] \d+ )?gfxinfo {_PACKAGE}(?: framestats)?",
    rf"(?:-[tT] \d+ )?activity (?:services|providers|broadcasts|intents)(?: {_PACKAGE})?",
    r"(?:-[tT] \d+ )?(?:display|input|input_method|power|battery|notification(?: --noredact)?|wifi|connectivity|alarm"
    r"|location|telephony\.registry|media_session|audio|diskstats|cpuinfo|user|uimode|accessibility"
    r"|usagestats|deviceidle|statusbar|trust|device_policy|webviewupdate|SurfaceFlinger|SurfaceFlinger --display-id)",
    r"(?:-[tT] \d+ )?window(?: (?:-a|windows|displays|policy|tokens|sessions|visible|visible-apps|animator|lastanr"
    r"|d|p|t|w|s|a))?",
    r"(?:-[tT] \d+ )?activity(?: (?:-a|activities|top|recents|processes|starter|containers|lru|lastanr|a|r|p))*",
    rf"(?:-[tT] \d+ )?activity (?:-p|--package) {_PACKAGE}(?: (?:activities|top|recents))?",
    rf"(?:-[tT] \d+ )?(?:package|meminfo)(?: {_PACKAGE})?",
)
_PM: Final = _matches(
    r"list (?:packages|features|permissions|permission-groups|users|libraries|instrumentation)"
    rf"(?: (?:-[3sdefiulUga]|--user (?:\d+|all|current)|--show-versioncode|{_NAME}))*",
    rf"(?:path|dump)(?: --user \d+)? {_PACKAGE}",
    rf"(?:resolve-activity|query-activities|query-services|query-receivers)(?: (?:--brief|--components"
    rf"|--user (?:\d+|all|current|cur)|--query-flags \d+|-f (?:0x[\da-fA-F]+|\d+)|-a {_NAME}|-c {_NAME}|-d [^\s-]\S*"
    rf"|-t [\w.+*-]+/[\w.+*-]+|-n {_COMPONENT}|-p {_PACKAGE}|{_PACKAGE}(?:/[\w.$]+)?))*",
    rf"has-feature {_NAME}",
    r"get-install-location",
)

READS: Final[dict[str, Callable[[Args], bool]]] = {
    "am": lambda args: (args[:1] == ("broadcast",) and _broadcast(args)) or _matches(
        r"get-current-user", r"get-config", r"stack list", r"get-uid-state \d+", r"get-standby-bucket " + _PACKAGE
    )(args),
    "cat": _paths("", _is_public_path),
    "cmd": _CMD,
    "date": _matches(r"(?:-u ?)?(?:\+\S+)?"),
    "df": _paths("ahk", _somewhere, 0),
    "dumpsys": _DUMPSYS,
    "du": _paths("ahksm", _somewhere),
    "echo": _any,
    "false": _any,
    "find": _find,
    "free": _matches(r"(?:-[bkmgh])?"),
    "getenforce": _matches(r""),
    "getevent": _getevent,
    "getprop": _matches(r"(?:-[TZ] )?(?:[\w.-]+(?: [\w./-]+)?)?"),
    "id": _matches(r"(?:-[ugnGZ]+)?"),
    "ifconfig": _matches(rf"(?:-a|{_INTERFACE})?"),
    "ime": _matches(r"list(?: -[sa]+)*"),
    "ip": _IP,
    "logcat": _logcat,
    "ls": _paths("1aAdhilnrRstuSZ", _somewhere, 0),
    "md5sum": _paths("b", _somewhere),
    "netcfg": _matches(r""),
    "nproc": _matches(r""),
    "pgrep": _matches(r"(?:-[flonx]+ )*[\w.:-]+"),
    "pidof": _matches(r"(?:-s )?[\w.:-]+"),
    "pm": _PM,
    "ps": _matches(r"(?:-[AefTZwl]+ ?)*(?:-o [\w,=]+ ?)*(?:-p [\d,]+)?"),
    "pwd": _matches(r""),
    "rm": _paths("f", _scratch),
    "screencap": _screencap,
    "service": _matches(r"list", rf"check {_NAME}"),
    "settings": _matches(
        rf"(?:--user \d+ )?get (?:--user \d+ )?(?:system|secure|global) {_NAME}",
        r"(?:--user \d+ )?list (?:--user \d+ )?(?:system|secure|global)",
    ),
    "sha1sum": _paths("b", _somewhere),
    "sha256sum": _paths("b", _somewhere),
    "stat": _paths("Lft", _somewhere),
    "test": _test,
    "true": _any,
    ":": _any,
    "uiautomator": lambda args: args[:1] == ("dump",) and _dump(args[1:]),
    "uname": _matches(r"(?:-[amnrsv]+)?"),
    "uptime": _matches(r""),
    "wc": _paths("lwcm", _is_public_path),
    "which": _matches(r"[\w-]+(?: [\w-]+)*"),
    "whoami": _matches(r""),
    "wm": _matches(r"size", r"density"),
}  # fmt: skip
"""Command -> whether it only reads, with these arguments. `tells` knows one more, ``content``."""

_COUNT: Final = r"(?:-[nc] ?[+-]?\d+|-\d+)"
FILTERS: Final[dict[str, Callable[[Args], bool]]] = {
    "base64": _matches(r"(?:-[dw] ?\d*)?"),
    "cat": _matches(r"-?"),
    "cut": lambda args: _cut(args),
    "grep": lambda args: _grep(args),
    "egrep": lambda args: _grep(args),
    "fgrep": lambda args: _grep(args),
    "head": _matches(rf"(?:{_COUNT})?"),
    "md5sum": _matches(r""),
    "sha256sum": _matches(r""),
    "sort": _matches(r"(?:-[bdfghinrsuVk0-9,]+ ?)*"),
    "tail": _matches(rf"(?:{_COUNT})?"),
    "tr": lambda args: 0 < len(args) < 4 and all(a[:1] != "-" or re.fullmatch("-[cds]+", a) for a in args),
    "uniq": _matches(r"(?:-[cdiu]+ ?)*"),
    "wc": _matches(r"(?:-[lwcm]+)?"),
}  # fmt: skip
"""Command -> whether, after a ``|``, it only filters its input."""


def _cut(args: Args) -> bool:
    """Fields, characters and a separator; a file to read is none of them."""
    at = 0
    while at < len(args):
        if not re.fullmatch(r"-[dfcb].*|-s", args[at], re.DOTALL):
            return False
        at += 2 if args[at] in ("-d", "-f", "-c", "-b") else 1
    return at == len(args) > 0


def _grep(args: Args) -> bool:
    """Flags and one pattern; a file to read is none of them."""
    patterns = 0
    at = 0
    while at < len(args):
        if args[at] == "-e" and at + 1 < len(args):
            patterns, at = 1, at + 2
        elif re.fullmatch(r"-[acEFGHhinoqsvwxz]+", args[at]):
            at += 1
        elif re.fullmatch(r"-[ABCm]\d{0,4}", args[at]):
            at += 1 if len(args[at]) > 2 else 2
        elif not args[at].startswith("-") and not patterns:
            patterns, at = 1, at + 1
        else:
            return False
    return patterns == 1


def tells(words: Args, portals: frozenset[str] = PORTALS) -> bool:
    """Whether a command only reads; its words are normalised by `adb_apps.normal`."""
    if words[0] == "content":
        return reads_content(words, portals)
    test = READS.get(words[0])
    return test is not None and test(words[1:])


def passes_on(words: Args) -> bool:
    """Whether a command after a ``|`` only filters its input."""
    test = FILTERS.get(words[0])
    return test is not None and test(words[1:])
