"""Apps without their code: one that was installed on a simulated phone, and the browser that links open."""

from typing import Final

from vsalang.phone.sim.rule import Rule
from vsalang.phone.sim.spec import AppSpec, ScreenSpec

BROWSER: Final = "com.android.browser"
"""The package of the app that shows the address of a link and nothing else."""
LINK: Final = "link"
"""The event of an app to which a link leads; the rule's ``value`` is the address."""
_ACTIVITY: Final = ".StubActivity"


def stub(package: str) -> AppSpec:
    """An app of one screen, which says that it is a stub of this package."""
    says = f"A stub: this simulated phone has the package {package}, not its program."
    return _app(package, package, says, ())


def browser() -> AppSpec:
    """The app that opens what no other app of the phone opens. It loads nothing."""
    says = "A link was opened. A simulated phone has no network."
    return _app(BROWSER, "Browser", says, (Rule(LINK, set=(("address", "value"),)),))


def _app(package: str, label: str, says: str, rules: tuple[Rule, ...]) -> AppSpec:
    return AppSpec(
        package=package,
        label=label,
        activity=_ACTIVITY,
        start="stub",
        version="1.0",
        icon="app",
        color="#455a64",
        state={"address": ""},
        data={"label": label, "says": says},
        screens={"stub": ScreenSpec("stub", _ACTIVITY, "stub.xml")},
        rules=rules,
    )
