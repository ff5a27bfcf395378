"""Shell commands about apps and processes: `pm`, `cmd package`, `ps`, `kill`, and the state of apps in `dumpsys`."""

from collections.abc import Callable

from vsalang.phone.sim.call import Call
from vsalang.phone.sim.phone import KEYBOARD, LAUNCHER
from vsalang.phone.sim.shell import shell_install, shell_intents, shell_network, shell_system, shell_trace
from vsalang.phone.sim.stub import BROWSER

SYSTEM = (LAUNCHER, KEYBOARD, BROWSER, "com.android.systemui", "com.android.phone", "android")
PERSISTENT = {900: "com.android.systemui", 901: LAUNCHER, 902: "com.android.phone"}
"""Process id -> package of the parts of the system that always run."""


def packages(call: Call) -> dict[str, str]:
    """Installed packages with the path of their apk."""
    apps = (app.package for app in call.phone.apps if app.package != BROWSER)
    own = {package: f"/data/app/{package}-1/base.apk" for package in apps}
    return own | call.system.installed | {package: f"/system/app/{package}.apk" for package in SYSTEM}


def _pm(call: Call) -> int:
    args, known = call.args, packages(call)
    own = {app.package for app in call.phone.apps}
    mine = (own - {BROWSER}) | set(call.system.installed)
    if args[:2] == ["list", "packages"]:
        if "--user" in args:
            del args[args.index("--user") : args.index("--user") + 2]
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
    if args[:1] in (["resolve-activity"], ["query-activities"]):
        return _resolved(call)
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
        return shell_install.permit(call)
    if args[:1] == ["list"] or args[:1] == ["get-install-location"]:
        call.out("0[auto]\n" if args[0] != "list" else "")
        return 0
    return call.refuse(f"Unknown command: {' '.join(args)[:100]}", 255)


def _resolved(call: Call) -> int:
    """``pm resolve-activity`` of a package, and ``pm query-activities``: the apps with an icon."""
    if call.args[0] == "resolve-activity":
        app = next((app for app in call.phone.apps if app.package == call.args[-1]), None)
        call.out(f"priority=0\n{app.package}/{app.activity}\n" if app else "No activity found\n")
        return 0
    for number, app in enumerate(call.phone.icons):
        if "--brief" in call.args or "--components" in call.args:
            call.out(f"{app.package}/{app.activity}\n")
        else:
            call.out(f"  Activity #{number}:\n    ActivityInfo:\n      name={app.package}{app.activity}\n")
            call.out(f"      packageName={app.package}\n")
    return 0


def _cmd(call: Call) -> int:
    args = call.args
    if args[:1] == ["package"]:
        call.args = args[1:]
        return _pm(call)
    for answer in (shell_network.state, shell_network.switch):
        if (code := answer(call)) is not None:
            return code
    if args[:1] == ["uimode"] or args[:2] == ["notification", "list"]:
        call.out("Night mode: no\n" if args[0] == "uimode" else "")
        return 0
    others = {
        "activity": shell_intents.am,
        "settings": shell_system.settings,
        "input": call.system.commands["input"],
        "statusbar": _bar,
    }
    if args and (other := others.get(args[0])) is not None:
        call.args = args[1:]
        return other(call)
    return call.refuse(f"cmd: Can't find service: {args[0][:100] if args else ''}", 20)


def _bar(_call: Call) -> int:
    """``cmd statusbar``: the bar shows the time, and cannot be drawn down."""
    return 0


def _processes(call: Call) -> list[tuple[int, str, str]]:
    """Process id, user and name of what runs."""
    system = [(1, "root", "init"), *((pid, "system", name) for pid, name in PERSISTENT.items())]
    started = [(pid, "shell", name) for pid, (name, _) in sorted(call.system.processes.items())]
    return [*system, *((pid, "u0_a1", name) for pid, name in call.phone.running()), *started]


def _ps(call: Call) -> int:
    """Every process, or with ``-u USER`` or ``-p PID`` those."""
    args, rows = call.args, _processes(call)
    if "--help" in args:
        call.out("usage: ps [-AadefLlnwZ] [-p PID,] [-u USER,]\n\n-A\tAll\n")
        return 0
    if "-u" in args[:-1]:
        rows = [row for row in rows if row[1] == args[args.index("-u") + 1]]
    if "-p" in args[:-1]:
        rows = [row for row in rows if str(row[0]) in args[args.index("-p") + 1].split(",")]
    call.out("USER           PID  PPID     VSZ    RSS WCHAN            ADDR S NAME\n")
    for pid, user, name in rows:
        call.out(f"{user:8} {pid:8d}     1 1010000  27580 SyS_epoll_           0 S {name}\n")
    return 0


def _pidof(call: Call) -> int:
    """``pidof NAME..``: the ids of processes."""
    pids = [str(pid) for pid, _, name in _processes(call) if name in call.args]
    call.out(" ".join(pids) + "\n" if pids else "")
    return 0 if pids else 1


def _pgrep(call: Call) -> int:
    """``pgrep [-f] PATTERN``: the ids of processes, a line each."""
    import re2

    wanted = [arg for arg in call.args if not arg.startswith("-")]
    options = re2.Options()
    options.log_errors = False
    try:
        patterns = [re2.compile(pattern[:1000], options) for pattern in wanted]
    except re2.error as error:
        return call.refuse(f"pgrep: bad pattern: {error}", 2)
    pids = [str(pid) for pid, _, name in _processes(call) if any(each.search(name) for each in patterns)]
    call.out("".join(f"{pid}\n" for pid in pids))
    return 0 if pids else 1


def _kill(call: Call) -> int:
    """``kill``, ``pkill``: what the shell started ends; so do apps, if the shell is root."""
    wanted = {arg for arg in call.args if not arg.startswith("-")}
    by_name = call.words[0] in ("pkill", "killall")
    code = 1 if by_name else 0
    for pid, user, name in _processes(call):
        if name in wanted if by_name else str(pid) in wanted:
            wanted.discard(str(pid))
            if user == "shell":
                code = 0
                call.system.processes[pid][1]()
            elif user != "u0_a1" or not call.phone.spec.root:
                return call.refuse(f"{call.words[0]}: {pid}: Operation not permitted")
            elif "-0" not in call.args:
                code = 0
                call.phone.stop_app(name)
    if wanted and not by_name:
        return call.refuse(f"kill: {' '.join(sorted(wanted))[:100]}: No such process")
    return code


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
    head = "WINDOW MANAGER WINDOWS (dumpsys window windows)\n" + "\n".join(lines) + "\n"
    if call.args[1:2] == ["windows"]:  # since Android 10 it does not say which has the focus
        return head
    return (
        head + f"  mCurrentFocus=Window{{41b37570 u0 {focus}}}\n"
        f"  mFocusedApp=ActivityRecord{{422dee38 u0 {phone.package}/{activity} t14}}\n"
        f"  mInputMethodWindow={'Window{41b37571 u0 InputMethod}' if phone.keyboard_shown else 'null'}\n"
        f"    Display: init={phone.spec.width}x{phone.spec.height} {phone.spec.density}dpi "
        f"cur={phone.spec.width}x{phone.spec.height} app={phone.spec.width}x{phone.spec.height}\n"
        f"  mScreenOnEarly={_bool(phone.screen_on)} mScreenOnFully={_bool(phone.screen_on)}\n"
        "  isStatusBarKeyguard=false mShowingLockscreen=false mDreamingLockscreen=false\n"
        f"  mAwake={_bool(phone.screen_on)} mCurrentRotation=ROTATION_0\n"
    )


def _bool(value: bool) -> str:
    return str(value).lower()


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
    if call.args[1:2] == ["processes"]:
        rows = [f"    PID #{pid}: ProcessRecord{{4a {pid}:{name}/u0a1}}" for pid, _, name in _processes(call)]
        return "ACTIVITY MANAGER RUNNING PROCESSES (dumpsys activity processes)\n" + "\n".join(rows) + "\n"
    if call.args[1:2] == ["services"]:
        return "ACTIVITY MANAGER SERVICES (dumpsys activity services)\n  (nothing)\n"
    focus = f"{phone.package}/{phone.activity}"
    pid = next((pid for pid, name in phone.running() if name == phone.package), 901)
    return (
        f"  mResumedActivity: ActivityRecord{{422dee38 u0 {focus} t14}}\n"
        f"TASK 14: id=14\n  ACTIVITY {focus} 422dee38 pid={pid}\n"
    )


def _package(call: Call) -> str:
    name = call.args[-1]
    if name not in packages(call):
        return f"Unable to find package: {name[:100]}\n"
    app = next((app for app in call.phone.apps if app.package == name), None)
    return (
        f"Packages:\n  Package [{name}] (4a1b2c3):\n    userId={shell_trace.uid(call, name)}\n"
        f"    codePath={packages(call)[name].removesuffix('/base.apk')}\n"
        "    versionCode=1 minSdk=26 targetSdk=34\n"
        f"    versionName={app.version if app else '14'}\n    flags=[ HAS_CODE ]\n    pkgFlags=[ HAS_CODE ]\n"
        "    firstInstallTime=2026-01-01 00:00:00\n    lastUpdateTime=2026-01-01 00:00:00\n"
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


def _input(call: Call) -> str:
    """The input devices. The display stays upright, whatever the settings of rotation say."""
    spec = call.phone.spec
    return (
        "INPUT MANAGER (dumpsys input)\n\nEvent Hub State:\n  Devices:\n    1: sim_touch\n"
        "      Classes: TOUCH | TOUCH_MT\n      Path: /dev/input/event0\n\nInput Reader State:\n"
        "  Device 1: sim_touch\n    Touch Input Mapper:\n"
        f"        X: min=0, max={spec.width - 1}, flat=0, fuzz=0, resolution=0\n"
        f"        Y: min=0, max={spec.height - 1}, flat=0, fuzz=0, resolution=0\n"
        f"      SurfaceWidth: {spec.width}px\n      SurfaceHeight: {spec.height}px\n      SurfaceOrientation: 0\n"
    )


def _idle(call: Call) -> str:
    """``deviceidle whitelist [+PACKAGE|-PACKAGE]``: apps that may run in the background."""
    kept = call.system.settings.get(("global", "deviceidle_whitelist"), "")
    listed = [name for name in kept.split(",") if name]
    for arg in call.args[2:]:
        if arg.startswith("+") and arg[1:] in packages(call) and arg[1:] not in listed:
            listed.append(arg[1:])
            call.system.change_setting("global", "deviceidle_whitelist", ",".join(listed), call.text)
            return f"Added: {arg[1:]}\n"
        if arg.startswith("-") and arg[1:] in listed:
            listed.remove(arg[1:])
            call.system.change_setting("global", "deviceidle_whitelist", ",".join(listed), call.text)
            return f"Removed: {arg[1:]}\n"
    return "".join(f"user,{name},{shell_trace.uid(call, name)}\n" for name in listed)


_SERVICES: dict[str, Callable[[Call], str]] = {
    "window": _window, "display": _display, "activity": _activity, "package": _package, "power": _power,
    "input_method": _input_method, "battery": _battery, "SurfaceFlinger": _surfaces,
    "input": _input, "deviceidle": _idle, "notification": shell_trace.notification,
    "trust": shell_trace.trust,
}  # fmt: skip

COMMANDS: dict[str, Callable[[Call], int]] = {
    "pm": _pm, "cmd": _cmd, "ps": _ps, "pidof": _pidof, "pgrep": _pgrep, "kill": _kill, "pkill": _kill,
    "killall": _kill, "dumpsys": _dumpsys,
}  # fmt: skip
