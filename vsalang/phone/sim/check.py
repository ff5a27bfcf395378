"""Finds mistakes in a phone's folder without running an agent: it tries every screen and scenario."""

from collections import deque
from collections.abc import Iterable

from jinja2 import TemplateSyntaxError

from vsalang.phone.sim.check_scenario import scenario_problems
from vsalang.phone.sim.phone import Phone
from vsalang.phone.sim.render import FAILURES
from vsalang.phone.sim.spec import PhoneSpec, PhoneSpecError
from vsalang.phone.sim.widgets import Widget

MOST_TAPS = 300


def problems(spec: PhoneSpec, scenarios: Iterable[str] = ()) -> list[str]:
    """The mistakes, each with its file and, if known, its line.

    Every screen is drawn with the first values of the variables (one that needs other values is tried later); then
    the phone is explored: each event of each reachable screen is tried once. Every event that a screen gives should
    have a rule.
    """
    problems_found: list[str] = []
    try:
        phone = Phone(spec)
    except PhoneSpecError as error:
        return [str(error)]
    for app in spec.apps:
        for screen in app.screens.values():
            try:
                phone.preview(app.package, screen.name)
            except PhoneSpecError as error:
                if not _needs_values(error):
                    problems_found.append(str(error))
    problems_found += _walked(spec)
    for name in [*spec.scenarios, *scenarios]:
        try:
            scenario = spec.scenario(name)
            messages = list(scenario_problems(spec, scenario))
            problems_found += messages
            if not messages:
                Phone(spec, scenario)
        except PhoneSpecError as error:
            problems_found.append(str(error))
    return list(dict.fromkeys(problems_found))


def _needs_values(error: PhoneSpecError) -> bool:
    """Whether a screen may fail only because it needs values that other events set."""
    cause = error.__cause__
    return isinstance(cause, FAILURES) and not isinstance(cause, TemplateSyntaxError)


def _walked(spec: PhoneSpec) -> list[str]:
    """The errors while all events are tried, breadth first; then the events for which no rule exists."""
    messages: list[str] = []
    events = {(app.package, rule.event) for app in spec.apps for rule in app.rules}
    tried: set[tuple[object, ...]] = set()
    phone = Phone(spec)
    for app in spec.apps:
        try:
            phone.open_app(app.package)
            queue = deque([phone.saved()])
        except PhoneSpecError as error:
            messages.append(str(error))
            continue
        taps = 0
        while queue and taps < MOST_TAPS:
            begin = queue.popleft()
            phone.restore(begin)
            place = (app.package, *phone.screens(app.package))
            try:
                widgets = [widget for widget in phone.widgets() if widget.flag("enabled")]
                messages += _unanswered(widgets, app.package, events, phone.where(app.package))
            except PhoneSpecError as error:
                messages.append(str(error))
                continue
            for widget in widgets:
                for what in (widget.name("tap"), "scroll" if widget.place[0] else ""):
                    key = (*place, what, widget.offset if what == "scroll" else widget.name("value"))
                    if not what or key in tried:
                        continue
                    tried.add(key)
                    taps += 1
                    phone.restore(begin)
                    try:
                        _try(phone, widget, what)
                    except PhoneSpecError as error:
                        messages.append(str(error))
                        continue
                    end = phone.saved()
                    if end.front == app.package:
                        queue.append(end)
    return messages


def _try(phone: Phone, widget: Widget, what: str) -> None:
    left, top, right, bottom = widget.seen or (0, 0, 0, 0)
    if what == "scroll":
        phone.scroll_by(widget, (bottom - top) * 8 // 10)
    else:
        phone.tap((left + right) // 2, (top + bottom) // 2)
        phone.sleep(60)
    phone.windows()


def _unanswered(
    widgets: Iterable[Widget], package: str, events: set[tuple[str, str]], where: str
) -> list[str]:
    return [
        f"{where}: the widget {widget.id or widget.tag!r} gives the event {event!r}, which no [[app.on]] names"
        for widget in widgets
        for key in ("tap", "long", "double", "enter")
        if widget.tag != "recorded" and widget.package == package
        if (event := widget.name(key)) and (package, event) not in events
    ]
