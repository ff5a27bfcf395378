"""The shell command `am`: screens, links, services and broadcasts of apps; and `monkey`, which opens an app."""

from collections.abc import Callable
from typing import Final

from vsalang.base.records import dataclass
from vsalang.phone.sim.call import Call
from vsalang.phone.sim.shell import shell_install
from vsalang.phone.sim.spec import AppSpec

MAIN: Final = "android.intent.action.MAIN"
LAUNCH: Final = "android.intent.category.LAUNCHER"
_VALUED: Final = frozenset(
    (
        "-a",
        "-d",
        "-t",
        "-c",
        "-n",
        "-p",
        "-f",
        "-e",
        "--package",
        "--user",
        "--display",
        "--activity",
        "--windowingMode",
    )
)
_EXTRAS: Final = frozenset(("-e", "--es", "--ei", "--ez", "--el", "--ef", "--eu", "--ecn", "--esa", "--eia"))
"""Options that take a key and a value."""


@dataclass(frozen=True, slots=True)
class Intent:
    """What `am` is asked to start; "" is what was not given."""

    action: str = ""
    data: str = ""
    category: str = ""
    package: str = ""
    activity: str = ""
    waits: bool = False
    stops: bool = False

    @property
    def named(self) -> str:
        """As `am` prints it."""
        parts = {
            "act": self.action or MAIN,
            "cat": f"[{self.category}]" if self.category else "",
            "dat": self.data,
            "pkg": self.package if not self.activity else "",
            "cmp": f"{self.package}/{self.activity}" if self.activity else "",
        }
        return "Intent { " + " ".join(f"{name}={value}" for name, value in parts.items() if value) + " }"


def read_intent(args: list[str]) -> Intent:
    """The intent that the arguments behind ``am start`` name."""
    values: dict[str, str] = {}
    flags: set[str] = set()
    last = ""
    rest = list(args)
    while rest:
        arg = rest.pop(0)
        if arg in _EXTRAS:
            rest = rest[2:]
        elif arg in _VALUED:
            values[arg] = rest.pop(0) if rest else ""
        elif arg.startswith("-"):
            flags.add(arg)
        else:
            last = arg
    component = values.get("-n", last if "/" in last else "")
    package, _, activity = component.partition("/")
    data = values.get("-d", last if "://" in last else "")
    if data and "/" in last and "-n" not in values and "://" in last:
        package, activity = "", ""
    return Intent(
        action=values.get("-a", ""),
        data=data,
        category=values.get("-c", ""),
        package=package or values.get("-p", values.get("--package", last if "://" not in last else "")),
        activity=activity,
        waits="-W" in flags,
        stops="-S" in flags,
    )


def _start(call: Call) -> int:
    intent, phone = read_intent(call.args[1:]), call.phone
    app = next((app for app in phone.apps if app.package == intent.package), None)
    full = _full(intent.package, intent.activity)
    if app is not None and (not intent.activity or full in _activities(app)):
        if intent.data and not intent.activity:
            phone.open_link(intent.data)
            return _started(call, intent, app)
        if intent.stops:
            phone.stop_app(app.package)
        phone.open_app(
            app.package, _activities(app).get(full, "") if full != _full(app.package, app.activity) else ""
        )
        return _started(call, intent, app)
    if intent.category == "android.intent.category.HOME":
        phone.key("HOME")
        call.out(f"Starting: {intent.named}\n")
        return 0
    if intent.data and not intent.package and phone.takes(intent.data):
        phone.open_link(intent.data)
        return _started(call, intent, None)
    call.out(f"Starting: {intent.named}\n")
    if intent.activity:
        call.out("Error type 3\n")
        call.err(f"Error: Activity class {{{intent.package}/{full}}} does not exist.\n")
    else:
        call.err(f"Error: Activity not started, unable to resolve {intent.named}\n")
    return 1


def _full(package: str, activity: str) -> str:
    return package + activity if activity.startswith(".") else activity


def _activities(app: AppSpec) -> dict[str, str]:
    """The activities of an app with the first screen of each."""
    known: dict[str, str] = {_full(app.package, app.activity): app.start}
    for screen in app.screens.values():
        if not screen.dialog:
            known.setdefault(_full(app.package, screen.activity), screen.name)
    return known


def _started(call: Call, intent: Intent, app: AppSpec | None) -> int:
    now = f"{call.phone.package}/{call.phone.activity}"
    plain = app is not None and not intent.activity
    call.out(
        f"Starting: {f'Intent {{ act={intent.action or MAIN} cmp={now} }}' if plain else intent.named}\n"
    )
    if intent.waits:
        call.out(f"Status: ok\nLaunchState: COLD\nActivity: {now}\nTotalTime: 120\nWaitTime: 125\nComplete\n")
    return 0


def _service(call: Call) -> int:
    """A service of an app that is installed starts as a stub, which the log and a warning say."""
    intent = read_intent(call.args[1:])
    name = f"{intent.package}/{intent.activity}"
    stops = call.args[0] == "stopservice"
    call.out(f"{'Stopping' if stops else 'Starting'} service: {intent.named}\n")
    if intent.package not in {app.package for app in call.phone.apps} | set(call.system.installed):
        return call.refuse("Error: Not found; no service started.", 255)
    if stops:
        call.out("Service stopped\n")
        return 0
    says = f"{name} is a stub: a simulated phone has the package, not its program"
    call.phone.noted("service", name, call.text)
    call.system.log.write("W", "StubService", says)
    return call.refuse(f"Warning: {says}", 0)


def _instrument(call: Call) -> int:
    component = call.args[-1] if call.args else ""
    text = f"INSTRUMENTATION_STATUS: Error=Unable to find instrumentation info for: ComponentInfo{{{component[:200]}}}"
    call.out(f"{text}\nINSTRUMENTATION_STATUS_CODE: -1\n")
    return call.refuse(f"INSTRUMENTATION_FAILED: {component[:200]}", 1)


def _stacks(call: Call) -> int:
    """``am stack list``: one task for each app that runs, the one in front first."""
    phone, spec = call.phone, call.phone.spec
    bounds = f"[0,0][{spec.width},{spec.height}]"
    running = {package for _, package in phone.running()}
    apps = sorted(
        (app for app in phone.apps if app.package in running), key=lambda app: app.package != phone.package
    )
    for number, app in enumerate(apps):
        front = app.package == phone.package
        activity = phone.activity if front else app.activity
        call.out(
            f"RootTask id={14 + number} bounds={bounds} displayId=0 userId=0\n"
            f"  taskId={14 + number}: {app.package}/{_full(app.package, activity)} bounds={bounds} userId=0 "
            f"visible={str(front).lower()} topActivity=ComponentInfo{{{app.package}/{_full(app.package, activity)}}}\n"
        )
    return 0


def _kill(call: Call) -> int:
    """``am kill``: an app that is not in front ends."""
    if call.args[-1] != call.phone.package and len(call.args) > 1:
        call.phone.stop_app(call.args[-1])
    return 0


def am(call: Call) -> int:
    """The command `am`; ``cmd activity`` is the same."""
    verb = call.args[0] if call.args else ""
    if verb == "force-stop" and len(call.args) >= 2:
        call.phone.stop_app(call.args[-1])
        return 0
    if call.args[:2] == ["stack", "list"]:
        return _stacks(call)
    if verb == "get-current-user":
        call.out("0\n")
        return 0
    known = {"start": _start, "start-activity": _start, "broadcast": shell_install.broadcast, "instrument": _instrument,
             "startservice": _service, "start-service": _service, "start-foreground-service": _service,
             "startforegroundservice": _service, "stopservice": _service, "kill": _kill}  # fmt: skip
    if verb not in known:
        return call.refuse(f"Unknown command: {verb[:100]}", 255)
    return known[verb](call)


def _monkey(call: Call) -> int:
    args = call.args
    package = args[args.index("-p") + 1] if "-p" in args[:-1] else ""
    if not package or args[-1] != "1" or set(args[:-1]) - {"-p", package, "-c", LAUNCH, "-v"}:
        return call.refuse(
            "** Error: the simulated phone's monkey only starts an app: -p PACKAGE [-c ..] 1", 1
        )
    if not call.phone.open_app(package):
        call.out("** No activities found to run, monkey aborted.\n")
        return 252
    call.out("Events injected: 1\n## Network stats: elapsed time=10ms\n")
    return 0


COMMANDS: dict[str, Callable[[Call], int]] = {"am": am, "monkey": _monkey}
