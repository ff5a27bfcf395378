"""Shell commands about apps: `am`, `pm`, `cmd package`, `monkey`, `ps`, `dumpsys`."""

from collections.abc import Callable

from vsalang.phone.sim.call import Call
from vsalang.phone.sim.phone import KEYBOARD, LAUNCHER
from vsalang.phone.sim.shell import shell_install, shell_system, shell_trace

LAUNCH = "android.intent.category.LAUNCHER"
SYSTEM = (LAUNCHER, KEYBOARD, "com.android.systemui", "android")


def packages(call: Call) -> dict[str, str]:
    """Installed packages with the path of their apk."""
    own = {app.package: f"/data/app/{app.package}-1/base.apk" for app in call.phone.spec.apps}
    return own | call.system.installed | {package: f"/system/app/{package}.apk" for package in SYSTEM}


def _component(call: Call) -> tuple[str, str]:
    """The package and activity that the arguments of ``am start`` name."""
    args = call.args
    for index, arg in enumerate(args[:-1]):
        if arg == "-n":
            package, _, activity = args[index + 1].partition("/")
            return package, activity
        if arg in ("-p", "--package"):
            return args[index + 1], ""
    last = args[-1] if len(args) > 1 and not args[-1].startswith("-") else ""
    package, _, activity = last.partition("/")
    return package, activity


def _am(call: Call) -> int:
    verb, phone = (call.args[0] if call.args else ""), call.phone
    if verb in ("start", "start-activity"):
        if "android.intent.category.HOME" in call.args:
            phone.key("HOME")
            return 0
        package, activity = _component(call)
        app = next((app for app in phone.spec.apps if app.package == package), None)
        known = {"", app.activity, *(s.activity for s in app.screens.values())} if app else set()
        if app is None or (activity not in known and activity.removeprefix(package) not in known):
            call.err(
                f"Error: Activity class {{{package}/{activity}}} does not exist.\n"
                if package
                else "Error: Activity not started, unable to resolve Intent\n"
            )
            return 1
        if "-S" in call.args:
            phone.stop_app(package)
        phone.open_app(package)
        call.out(f"Starting: Intent {{ act=android.intent.action.MAIN cmp={package}/{app.activity} }}\n")
        return 0
    if verb == "force-stop" and len(call.args) >= 2:
        phone.stop_app(call.args[-1])
        return 0
    if verb == "broadcast":
        return shell_install.broadcast(call)
    return call.refuse(f"Unknown command: {verb[:100]}", 255)


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


def _pm(call: Call) -> int:
    args, known = call.args, packages(call)
    own = {app.package for app in call.phone.spec.apps}
    mine = own | set(call.system.installed)
    if args[:2] == ["list", "packages"]:
        flags = [arg for arg in args[2:] if arg.startswith("-")]
        wanted = [arg for arg in args[2:] if not arg.startswith("-")]
        for name, path in sorted(known.items()):
            if ("-3" in flags and name not in mine) or ("-s" in flags and name in mine) or "-d" in flags:
                continue
            if not wanted or wanted[0] in name or wanted[0] == "None":
                line = f"package:{path}={name}" if "-f" in flags else f"package:{name}"
                call.out(f"{line} uid:{shell_trace.uid(call, name)}\n" if "-U" in flags else f"{line}\n")
        return 0
    if args[:2] == ["list", "features"]:
        call.out("feature:android.hardware.touchscreen\n")
        return 0
    if args[:1] == ["path"] and len(args) > 1:
        if args[-1] not in known:
            return 1
        call.out(f"package:{known[args[-1]]}\n")
        return 0
    if args[:1] == ["clear"] and len(args) > 1:
        if args[-1] not in own:
            call.out("Failed\n")
            return 1
        call.phone.stop_app(args[-1], clear=True)
        call.out("Success\n")
        return 0
    if args[:1] == ["install"]:
        return shell_install.install(call)
    if args[:1] == ["uninstall"]:
        return shell_install.uninstall(call)
    if args[:1] in (["grant"], ["revoke"]):
        call.out("Failure [the simulated phone's apps have fixed permissions]\n")
        return 1
    return call.refuse(f"Unknown command: {' '.join(args)[:100]}", 255)


def _cmd(call: Call) -> int:
    args = call.args
    if args[:2] == ["package", "resolve-activity"]:
        app = next((app for app in call.phone.spec.apps if app.package == args[-1]), None)
        call.out(f"priority=0\n{app.package}/{app.activity}\n" if app else "No activity found\n")
        return 0
    if args[:2] == ["package", "query-activities"]:
        for number, app in enumerate(call.phone.spec.apps):
            if "--brief" in args or "--components" in args:
                call.out(f"{app.package}/{app.activity}\n")
            else:
                call.out(
                    f"  Activity #{number}:\n    ActivityInfo:\n      name={app.package}{app.activity}\n"
                )
                call.out(f"      packageName={app.package}\n")
        return 0
    if args[:1] == ["package"]:
        call.args = args[1:]
        return _pm(call)
    others = {"activity": _am, "settings": shell_system.settings, "input": call.system.commands["input"]}
    if args and (other := others.get(args[0])) is not None:
        call.args = args[1:]
        return other(call)
    return call.refuse(f"cmd: Can't find service: {args[0][:100] if args else ''}", 20)


def _ps(call: Call) -> int:
    call.out("USER           PID  PPID     VSZ    RSS WCHAN            ADDR S NAME\n")
    rows = [(1, "init"), (900, "com.android.systemui"), (901, LAUNCHER), *call.phone.running()]
    for pid, name in rows:
        call.out(f"u0_a1 {pid:11d}     1 1010000  27580 SyS_epoll_           0 S {name}\n")
    return 0


def _pidof(call: Call) -> int:
    pids = [str(pid) for pid, name in call.phone.running() if name in call.args]
    call.out(" ".join(pids) + "\n" if pids else "")
    return 0 if pids else 1


def _dumpsys(call: Call) -> int:
    service = call.args[0] if call.args else ""
    if service not in _SERVICES:
        return call.refuse(f"Can't find service: {service[:100]}", 0)
    call.out(_SERVICES[service](call))
    return 0


def _window(call: Call) -> str:
    phone = call.phone
    activity = phone.activity
    focus = f"{phone.package}/{phone.package + activity if activity.startswith('.') else activity}"
    lines = [
        f"  Window #{index} Window{{{0x41B37570 + index:x} u0 {window.package}/{window.activity}}}:"
        for index, window in enumerate(phone.windows())
    ]
    return (
        "WINDOW MANAGER WINDOWS (dumpsys window windows)\n"
        + "\n".join(lines)
        + f"\n  mCurrentFocus=Window{{41b37570 u0 {focus}}}\n"
        f"  mFocusedApp=ActivityRecord{{422dee38 u0 {focus} t14}}\n"
        f"  mInputMethodWindow={'Window{41b37571 u0 InputMethod}' if phone.keyboard_shown else 'null'}\n"
        f"    Display: init={phone.spec.width}x{phone.spec.height} {phone.spec.density}dpi\n"
    )


def _display(call: Call) -> str:
    spec = call.phone.spec
    return (
        "DISPLAY MANAGER (dumpsys display)\n"
        "  mViewports=[DisplayViewport{type=INTERNAL, valid=true, displayId=0, orientation=0, "
        f"logicalFrame=Rect(0, 0 - {spec.width}, {spec.height}), deviceWidth={spec.width}, "
        f"deviceHeight={spec.height}}}]\n"
    )


def _activity(call: Call) -> str:
    phone = call.phone
    focus = f"{phone.package}/{phone.activity}"
    pid = next((pid for pid, name in phone.running() if name == phone.package), 901)
    return (
        f"  mResumedActivity: ActivityRecord{{422dee38 u0 {focus} t14}}\n"
        f"TASK 14: id=14\n  ACTIVITY {focus} 422dee38 pid={pid}\n"
    )


def _package(call: Call) -> str:
    name = call.args[-1]
    app = next((app for app in call.phone.spec.apps if app.package == name), None)
    if app is None:
        return f"Unable to find package: {name[:100]}\n"
    return (
        f"Packages:\n  Package [{name}] (4a1b2c3):\n    versionCode=1 minSdk=26 targetSdk=34\n"
        f"    versionName={app.version}\n    pkgFlags=[ HAS_CODE ]\n"
        "    signatures=PackageSignatures{1a2b3c4 version:2, signatures:[5d6e7f8a], past signatures:[]}\n"
        + shell_trace.granted(call, name)
    )


def _power(call: Call) -> str:
    on = call.phone.screen_on
    state = "Awake" if on else "Asleep"
    return f"POWER MANAGER\n  mWakefulness={state}\n  mHoldingDisplaySuspendBlocker={str(on).lower()}\n"


def _input_method(call: Call) -> str:
    return (
        f"  mInputShown={str(call.phone.keyboard_shown).lower()}\n"
        f"  mCurMethodId={call.system.settings['secure', 'default_input_method']}\n"
    )


def _surfaces(call: Call) -> str:
    port = 'port=0 pnpId=SIM displayName="Built-in"'
    return (
        f"Display {shell_system.DISPLAY_ID} (HWC display 0): {port}\n" if "--display-id" in call.args else ""
    )


def _battery(_call: Call) -> str:
    return (
        "Current Battery Service state:\n  AC powered: false\n  USB powered: true\n  Wireless powered: false\n"
        "  status: 2\n  health: 2\n  present: true\n  level: 87\n  scale: 100\n  voltage: 4123\n"
        "  temperature: 250\n  technology: Li-ion\n"
    )


_SERVICES: dict[str, Callable[[Call], str]] = {
    "window": _window, "display": _display, "activity": _activity, "package": _package, "power": _power,
    "input_method": _input_method, "battery": _battery, "SurfaceFlinger": _surfaces,
    "notification": shell_trace.notification,
    "trust": shell_trace.trust,
}  # fmt: skip

COMMANDS: dict[str, Callable[[Call], int]] = {
    "am": _am, "monkey": _monkey, "pm": _pm, "cmd": _cmd, "ps": _ps, "pidof": _pidof, "dumpsys": _dumpsys,
}  # fmt: skip
