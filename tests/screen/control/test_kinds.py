"""The nine kinds: what decides, on small screens of every way to write a control, and on real ones."""

import importlib.util
from collections import Counter
from pathlib import Path

import pytest

from tests.screen.control.making import node, page, row, text
from tests.screen.control.test_reduce import SCREENS
from vsalang.program.text import safe
from vsalang.screen.control import KINDS, controls
from vsalang.screen.tree import read_tree

ROOT = Path(__file__).resolve().parents[3]
TOUCH = {"clickable": "true"}
CHECK = {"checkable": "true"}


def side_by_side(cls: str, *names: str, chosen: int = -1, outer: str = "LinearLayout", **attrs: str) -> str:
    """Nodes on one line in a container; one of them may be selected."""
    kids = [
        node(
            cls,
            at=(100 * number, 0, 100 * number + 90, 90),
            content_desc=name,
            selected=str(number == chosen).lower(),
            **TOUCH,
            **{key: value.format(name.lower()) for key, value in attrs.items() if key != "bar"},
        )
        for number, name in enumerate(names)
    ]
    return node(outer, *kids, **({"resource_id": f"com.app:id/{attrs['bar']}"} if "bar" in attrs else {}))


def composed(role: str, *kids: str, **attrs: str) -> str:
    """A control as Compose writes it: its role is an empty node inside."""
    return node("View", *kids, node(role), **attrs)


def group(cls: str, *checked: bool, outer: str = "ListView") -> str:
    return node(
        outer,
        *[node(cls, text=f"N{n}", checked=str(c).lower(), **TOUCH, **CHECK) for n, c in enumerate(checked)],
    )


def named(short: str) -> str:
    return f"com.app:id/{short}"


EXAMPLES: dict[str, list[tuple[str, str]]] = {
    "choice": [
        (node("RadioButton", text="A", **TOUCH, **CHECK), "class RadioButton"),
        (node("AppCompatRadioButton", text="A", **TOUCH, **CHECK), "class AppCompatRadioButton"),
        (node("MaterialRadioButton", text="A", **CHECK), "class MaterialRadioButton"),
        (row("Small", node("RadioButton", **CHECK)), "inside it: class RadioButton"),
        (composed("RadioButton", text("Light"), **TOUCH, **CHECK), "inside it class RadioButton"),
        (composed("RadioButton", text("Dark"), checked="true", **CHECK), "inside it class RadioButton"),
        (node("RadioGroup", node("ToggleButton", text="Day", **TOUCH, **CHECK)), "lies in a RadioGroup"),
        (node("RadioGroup", node("Chip", text="Week", **TOUCH, **CHECK)), "lies in a RadioGroup"),
        (group("CheckedTextView", True, False, False), "one of 3 is checked"),
        (group("CheckedTextView", False, True), "one of 2 is checked"),
        (side_by_side("TextView", "All", "Mine", resource_id="com.app:id/chip_{}"), "id chip_all"),
        (side_by_side("TextView", "New", "Old", resource_id="com.app:id/sort_chip_{}"), "id sort_chip_new"),
    ],
    "slider": [
        (node("SeekBar", text="5.0"), "class SeekBar"),
        (node("AppCompatSeekBar", content_desc="Volume"), "class AppCompatSeekBar"),
        (node("SeekBar", content_desc="Brightness", **TOUCH), "class SeekBar"),
        (node("RatingBar"), "class RatingBar"),
        (node("AppCompatRatingBar", **TOUCH), "class AppCompatRatingBar"),
        (node("Slider", text="20"), "class Slider"),
        (node("RangeSlider", text="20"), "class RangeSlider"),
        (node("NumberPicker", scrollable="true"), "class NumberPicker"),
        (node("VerticalSeekBar"), "class VerticalSeekBar"),
        (node("BrightnessSlider"), "class BrightnessSlider"),
    ],
    "opener": [
        (node("Spinner", text("Red"), **TOUCH), "class Spinner"),
        (node("AppCompatSpinner", scrollable="true"), "class AppCompatSpinner"),
        (node("ImageView", content_desc="More options", **TOUCH), 'says "More options"'),
        (
            node("ImageButton", content_desc="Open navigation drawer", **TOUCH),
            'says "Open navigation drawer"',
        ),
        (node("ImageButton", content_desc="Weitere Optionen", **TOUCH), 'says "Weitere Optionen"'),
        (
            node("ImageButton", content_desc="Show dropdown menu", **TOUCH, **CHECK),
            'says "Show dropdown menu"',
        ),
        (node("ImageButton", resource_id=named("btn_overflow"), **TOUCH), "id btn_overflow"),
        (node("ImageButton", resource_id=named("menu_button"), **TOUCH), "id menu_button"),
        (node("TextView", text="Sort", resource_id=named("sort_dropdown"), **TOUCH), "id sort_dropdown"),
        (composed("Spinner", text("Euro"), **TOUCH), "inside it class Spinner"),
        (node("EditText", node("Spinner"), text="Monday", **TOUCH), "inside it class Spinner"),
    ],
    "tab": [
        (side_by_side("View", "Home", "Search", "Profile", chosen=0), "one of them is selected"),
        (side_by_side("FrameLayout", "Day", "Week", chosen=1), "one of them is selected"),
        (side_by_side("TabView", "A", "B"), "class TabView"),
        (side_by_side("BottomNavigationItemView", "A", "B"), "class BottomNavigationItemView"),
        (side_by_side("ActionBar$Tab", "A", "B", chosen=0), "class ActionBar$Tab"),
        (side_by_side("LinearLayout", "A", "B", outer="TabLayout"), "lies in a TabLayout"),
        (side_by_side("LinearLayout", "A", "B", outer="TabWidget"), "lies in a TabWidget"),
        (side_by_side("LinearLayout", "A", "B", bar="bottom_nav"), "lies in bottom_nav"),
        (side_by_side("TextView", "A", "B", bar="tab_bar"), "lies in tab_bar"),
        (side_by_side("FrameLayout", "A", "B", resource_id="com.app:id/nav_{}"), "id nav_a"),
        (node("Button", content_desc="Scan\nTab 3 of 4", **TOUCH), "Tab 3 of 4"),
        (node("Button", content_desc="Verlauf\nTab 1 of 2", **TOUCH), "Tab 1 of 2"),
    ],
    "toggle": [
        (node("CheckBox", text="A", **TOUCH, **CHECK), "can be checked"),
        (node("Switch", text="A", **CHECK), "class Switch"),
        (node("ToggleButton", text="A", **TOUCH, **CHECK), "class ToggleButton"),
        (row("Wi-Fi", node("Switch", **CHECK)), "inside it: can be checked"),
        (row("Agree", node("CheckBox", **CHECK)), "inside it: can be checked"),
        (node("View", text("Offline"), **TOUCH, **CHECK), "can be checked"),
        (group("CheckedTextView", True, True, False), "class CheckedTextView"),
        (node("ImageButton", content_desc="Show password", **TOUCH, **CHECK), "class ImageButton"),
        (node("Chip", text="Rock", **TOUCH, **CHECK), "class Chip"),
        (composed("CheckBox", text("Hindi"), **TOUCH, **CHECK), "can be checked"),
    ],
    "field": [
        (node("EditText"), "can be typed into"),
        (node("EditText", text="Ann", hint="Name", **TOUCH), "class EditText"),
        (node("AutoCompleteTextView", text="Ann", **TOUCH), "can be typed into"),
        (node("AppCompatEditText"), "class AppCompatEditText"),
        (node("TextInputEditText", scrollable="true"), "class TextInputEditText"),
        (node("EditText", password="true"), "class EditText"),
        (node("EditText", enabled="false"), "class EditText"),
        (node("EditText", text("Label"), **TOUCH), "class EditText"),
        (node("MultiAutoCompleteTextView"), "can be typed into"),
        (node("View", editable="true"), "can be typed into"),
    ],
    "scroller": [
        (node(cls, text("A"), scrollable="true"), "scrolls")
        for cls in (
            *("ScrollView", "NestedScrollView", "HorizontalScrollView", "RecyclerView", "ListView"),
            *("GridView", "ViewPager", "ViewPager2", "View", "WebView"),
        )
    ],
    "link": [
        (node("RecyclerView", row("A")), "a row of a RecyclerView"),
        (node("ListView", node("TextView", text="A", **TOUCH)), "a row of a ListView"),
        (node("ExpandableListView", row("A")), "a row of a ExpandableListView"),
        (row("Title", text("Summary", 40)), "2 texts inside"),
        (node("CardView", text("A"), text("B", 40), text("C", 80), **TOUCH), "3 texts inside"),
        (node("View", text("A"), text("B", 40), **TOUCH), "2 texts inside"),
        (node("TextView", text="Sign up", **TOUCH), "class TextView"),
        (node("AppCompatTextView", text="Terms", **TOUCH), "class AppCompatTextView"),
        (node("WebView", node("View", text="About", **TOUCH)), "words in a WebView"),
        (node("WebView", node("View", node("View", content_desc="News", **TOUCH))), "words in a WebView"),
    ],
    "button": [
        (node("Button", text="Save", **TOUCH), "class Button"),
        (node("ImageButton", content_desc="Back", **TOUCH), "class ImageButton"),
        (node("FloatingActionButton", **TOUCH), "class FloatingActionButton"),
        (node("MaterialButton", text="OK", **TOUCH), "class MaterialButton"),
        (node("Chip", text="Rock", **TOUCH), "class Chip"),
        (composed("Button", text("Next"), **TOUCH), "inside it class Button"),
        (composed("Button", text("A"), text("B", 40), **TOUCH), "inside it class Button"),
        (node("ImageView", **TOUCH), "class ImageView"),
        (node("View", content_desc="Play", **TOUCH), "class View"),
        (node("View", long_clickable="true"), "takes a long touch"),
        (node("Button", text="Off", enabled="false", **TOUCH), "class Button"),
    ],
}


@pytest.mark.parametrize("kind", EXAMPLES)
def test_each_way_to_write_a_kind(kind: str) -> None:
    for xml, evidence in EXAMPLES[kind]:
        found = [unit for unit in controls(page(xml)) if unit.kind == kind]
        assert found, f"no {kind}: {xml}"
        assert any(evidence in fact for fact in found[0].why), (found[0].why, xml)


def test_every_kind_has_ten_examples() -> None:
    assert set(EXAMPLES) == set(KINDS)
    assert min(len(examples) for examples in EXAMPLES.values()) >= 10


def test_the_kinds_of_real_screens(golden) -> None:
    """The whole of eleven real screens; a change of any rule shows in the file."""
    lines, count = [], Counter[str]()
    for path in SCREENS:
        lines.append(f"{path.name}")
        for unit in controls(read_tree(path)):
            count[unit.kind] += 1
            label = safe(unit.label or "", 30)
            lines.append(f"  {unit.kind:8} {unit.key:13} {unit.node.cls} {label}: {'; '.join(unit.why)}")
    assert {kind for kind in KINDS if count[kind] >= 5} >= {
        "button",
        "link",
        "tab",
        "toggle",
        "field",
        "scroller",
    }
    golden("\n".join(lines) + "\n")


def test_one_of_several_checked_is_a_choice_only_alone() -> None:
    assert {unit.kind for unit in controls(page(group("CheckedTextView", True)))} == {"toggle"}
    assert {unit.kind for unit in controls(page(group("CheckedTextView", True, True)))} == {"toggle"}


def test_rows_of_a_list_are_no_tabs() -> None:
    rows = side_by_side("TextView", "A", "B", chosen=0, outer="ListView")
    assert "tab" not in {unit.kind for unit in controls(page(rows))}


@pytest.mark.slow
def test_the_table_of_the_page_is_current(shared_data: Path) -> None:
    """219 labelled controls: at least as many are decided rightly as the page says."""
    spec = importlib.util.spec_from_file_location("control_kinds", ROOT / "scripts" / "control_kinds.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    found = list(script.compared(shared_data / "ui_dumps"))
    made = script.table(Counter((said, decided) for _, _, said, decided in found))
    page = (ROOT / "docs" / "reference" / "controls.md").read_text(encoding="utf-8")
    assert len(found) >= 200 and f"{script.BEGIN}\n\n{made}\n\n{script.END}" in page
