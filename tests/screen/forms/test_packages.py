"""Packages that only begin, end or go on as those of the phone do."""

import pytest

from tests.screen.control.making import node, screen, text
from vsalang.guard import run_example
from vsalang.language.semantics import load_text
from vsalang.screen.forms.relations import rows_of

POLICY = """
policy foreign "Windows of others"
import std.policies.facts
@id("FOREIGN") deny "{?p} is foreign" when tap(node = 1), Foreign(package = ?p).
test "a window" for foreign {
  observe Node(node = 1, label = "Buy", clickable = true, package = "PACKAGE").
  tap(node = 1)WANTED.
}
"""


@pytest.mark.parametrize(
    ("package", "kind"),
    [
        ("com.google.android.permissioncontroller", "permission"),
        ("com.miui.packageinstaller", "permission"),
        ("com.evil.permissioncontroller", "dialog"),
        ("com.android.packageinstaller.evil", "dialog"),
    ],
)
def test_whose_dialogs_are_questions_for_permissions(package: str, kind: str) -> None:
    button = node(
        "Button", at=(400, 700, 680, 780), clickable="true", text="OK", resource_id="android:id/button1"
    )
    parts = (text("Allow?", 300, resource_id="android:id/alertTitle"), button)
    panel = node("LinearLayout", *parts, at=(50, 250, 850, 800), resource_id="com.app:id/parentPanel")
    window = node("FrameLayout", panel, at=(50, 250, 850, 800)).replace('"com.app"', f'"{package}"')
    assert {row["kind"] for row in rows_of("Surface", screen(window))} == {kind}


@pytest.mark.parametrize(
    ("package", "foreign"),
    [
        ("com.android.settings", False),
        ("com.google.android.gms", False),
        ("com.android.providers.media.module", False),
        ("com.android.settings.evil", True),
        ("com.google.android.gms.evil", True),
        ("com.android.phone.evil", True),
    ],
)
def test_which_packages_are_the_phones_own(package: str, foreign: bool) -> None:
    wanted = ' => block because "FOREIGN"' if foreign else ""
    loaded = load_text(POLICY.replace("PACKAGE", package).replace("WANTED", wanted), file="<foreign>")
    assert loaded.program is not None, loaded.diagnostics
    for example in loaded.own:
        assert run_example(loaded.program, example).passed
