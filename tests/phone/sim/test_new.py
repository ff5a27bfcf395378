"""``vsac phone sim new`` and ``vsac phone sim check``: folders of dumps, walks, devices; their mistakes."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from vsalang.phone.sim import Phone, SimulatedPhone, load
from vsalang.phone.sim.dump import dump
from vsalang.screen.tree import load_dump
from vsalang.tools.cli.main import run as vsac

PACKAGE = "org.example.settings"


@dataclass
class Done:
    exit_code: int
    output: str


def run(*args: str | Path, typed: str = "", env: dict[str, str] | None = None) -> Done:
    with CliRunner().isolation(input=typed, env=env) as streams:
        code = vsac(["sim", *(str(arg) for arg in args)])
        return Done(code, streams[-1].getvalue().decode())


@pytest.fixture
def dumps(tmp_path: Path) -> list[Path]:
    """Three screens of the settings, as files."""
    phone = Phone(load("settings"))
    phone.open_app(PACKAGE)
    files = []
    for name in ("main", "display", "reset"):
        phone.show(PACKAGE, name)
        files.append(tmp_path / f"{name}.xml")
        files[-1].write_text(dump(phone))
    return files


def test_from_dumps(tmp_path: Path, dumps: list[Path]) -> None:
    done = run("new", tmp_path / "p", "--from", *dumps, "--title", "Some settings")
    assert done.exit_code == 0, done.output
    assert "3 screens, 0 inputs" in done.output
    toml = tmp_path / "p" / "phone.toml"
    toml.write_text(
        toml.read_text().replace(
            'dump = "screens/main.xml"',
            'dump = "screens/main.xml"\n[[app.screen.on]]\ntext = "Display"\ngoto = "display"',
        )
    )
    spec = load(str(tmp_path / "p"))
    assert (spec.title, spec.width, spec.height) == ("Some settings", 720, 1520)
    phone = Phone(spec)
    phone.open_app(PACKAGE)
    assert dump(phone) == dumps[0].read_bytes().decode()
    phone.tap_id("Display")
    assert dump(phone) == dumps[1].read_bytes().decode()
    assert run("check", tmp_path / "p").output.endswith("nothing is wrong\n")
    picture = tmp_path / "a.png"
    assert run("screenshot", tmp_path / "p", "--screen", "reset", "-o", picture).exit_code == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_from_a_folder_of_dumps(tmp_path: Path, dumps: list[Path]) -> None:
    done = run("new", tmp_path / "p", "--from", dumps[0].parent)
    assert "3 screens" in done.output, done.output


def test_from_recorded_walks(shared_data: Path, tmp_path: Path) -> None:
    """Every recorded task can be followed on the phone that was made of its file."""
    walks = shared_data / "trajectories" / "droidtask" / "contacts.jsonl.gz"
    done = run("new", tmp_path / "p", "--from", walks, "--task", "1", "--package", "org.example.contacts")
    assert done.exit_code == 0, done.output
    assert "6 screens, 5 inputs" in done.output
    phone = Phone(load(str(tmp_path / "p")))
    phone.open_app("org.example.contacts")
    seen = [phone.screens("org.example.contacts")[-1]]
    screens = phone.spec.apps[0].screens
    while screens[seen[-1]].moves:
        (move,) = screens[seen[-1]].moves
        widget = next(
            w for w in phone.widgets() if move.node is not None and w.name("node") == str(move.node)
        )
        left, top, *_ = widget.seen or (0, 0)
        phone.tap(left + 1, top + 1)
        if move.on == "text":
            phone.type_text("x")
        seen.append(phone.screens("org.example.contacts")[-1])
    assert len(seen) == 6
    assert {item.fate for item in phone.inputs} == {""}


@pytest.mark.slow
def test_from_a_journal(tmp_path: Path) -> None:
    pytest.importorskip("uiautomator2")
    root = Path(__file__).resolve().parents[3] / "app_specs" / "examples"
    journal = tmp_path / "j.jsonl"
    args = [str(root / "reserve_r.vsa"), "--device", "sim:restaurant", "--open", "com.opentable"]
    args += ["--agent", str(root / "reserve_r.agent.jsonl"), "--journal", str(journal)]
    with CliRunner().isolation():
        assert vsac(["run", *args]) == 0
    done = run("new", tmp_path / "p", "--from", journal)
    assert done.exit_code == 0, done.output
    phone = Phone(load(str(tmp_path / "p")))
    phone.open_app("com.opentable")
    for name in ("R", "18:30"):
        phone.tap_id(name)
    phone.tap_id("reserve_button")
    assert "reservation_result" in {node.id for node in load_dump(dump(phone)).nodes}
    assert phone.clock.isoformat().startswith("2026-04-01T12:00")


def test_from_a_device(tmp_path: Path) -> None:
    pytest.importorskip("uiautomator2")
    with SimulatedPhone.start(load("settings")) as simulated:
        simulated.phone.open_app(PACKAGE)
        env = {"ANDROID_ADB_SERVER_PORT": str(simulated.port), "ANDROID_ADB_SERVER_HOST": "127.0.0.1"}
        once = run("new", tmp_path / "once", "--device", simulated.serial, typed="\nq\n", env=env)
        assert once.exit_code == 0, once.output
        assert dump(Phone(load(str(tmp_path / "once")))) is not None
        before = dump(simulated.phone)
        assert (tmp_path / "once" / "screens").is_dir()
        (xml,) = (tmp_path / "once" / "screens").glob("*.xml")
        assert load_dump(xml.read_text()).nodes == load_dump(before).nodes
        (picture,) = (tmp_path / "once" / "screens").glob("*.png")
        assert picture.read_bytes().startswith(b"\x89PNG")
        assert (
            run("new", tmp_path / "none", "--device", simulated.serial, typed="q\n", env=env).exit_code == 2
        )
    lost = run("new", tmp_path / "lost", "--device", "absent", typed="\n", env=env)
    assert lost.exit_code == 2
    assert not (tmp_path / "lost").exists()


def test_a_walk_on_a_device_says_what_led_on(tmp_path: Path) -> None:
    """The user touches the phone between two looks, and says what was touched."""
    pytest.importorskip("uiautomator2")
    from vsalang.phone.sim.make import Recording, write_phone
    from vsalang.screen.screen import TreeScreen
    from vsalang.tools.cli import sim_new

    user = Phone(load("settings"))
    user.open_app(PACKAGE)
    typed = iter(["\n", "Nonsense\n", "Display\n", "back\n", "q\n"])

    class Stdin:
        def readline(self) -> str:
            line = next(typed)
            if line == "Display\n":
                user.tap_id("Display")
            elif line == "back\n":
                user.key("BACK")
            return line

    look = lambda: TreeScreen(load_dump(dump(user)), app=(PACKAGE, ".Main"), now=user.clock)  # noqa: E731
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", Stdin())
        screens, led, clock = sim_new._taken(look, lambda: dump(user), lambda: b"\x89PNG")
    assert clock == user.spec.clock + user.spec.step
    assert [(one.start, one.end, one.on) for one in led] == [(0, 1, "tap"), (1, 2, "back")]
    write_phone(tmp_path / "p", Recording(tuple(screens), tuple(led)))
    phone = Phone(load(str(tmp_path / "p")))
    phone.open_app(PACKAGE)
    phone.tap_id("Display")
    assert phone.find("page_title").text == "Display"
    phone.key("BACK")
    assert phone.find("page_title").text == "Settings"


def test_equal_screens_of_a_device_are_one(tmp_path: Path) -> None:
    """As it is typed at a phone that this command has started, and touched through the port that it prints."""
    pytest.importorskip("uiautomator2")
    import adbutils

    client: list[adbutils.AdbDevice] = []
    with CliRunner().isolation() as streams, pytest.MonkeyPatch.context() as patch:

        def shell(command: str) -> None:
            if not client:
                found = re.search(
                    r"ANDROID_ADB_SERVER_PORT=(\d+) ANDROID_SERIAL=(\S+)", streams[-1].getvalue().decode()
                )
                assert found is not None
                client.append(adbutils.AdbClient("127.0.0.1", int(found[1])).device(found[2]))
            client[0].shell(command)

        before = {
            "\n": f"monkey -p {PACKAGE} -c android.intent.category.LAUNCHER 1",
            "back\n": "input keyevent 4",
        }
        typed = iter(["\n", "Display\n", "back\n", "q\n"])

        class Stdin:
            def readline(self) -> str:
                line = next(typed)
                if line == "Display\n":
                    phone = Phone(load("settings"))
                    phone.open_app(PACKAGE)
                    left, top, right, bottom = phone.find("Display").seen or (0, 0, 0, 0)
                    shell(f"input tap {(left + right) // 2} {(top + bottom) // 2}")
                elif line in before:
                    shell(before[line])
                return line

        patch.setattr("sys.stdin", Stdin())
        code = vsac(["sim", "new", str(tmp_path / "p"), "--device", "sim:settings"])
        output = streams[-1].getvalue().decode()
    assert code == 0, output
    assert "2 screens, 2 inputs" in output and "nothing leads on" not in output
    assert len(list((tmp_path / "p" / "screens").glob("*.xml"))) == 2
    phone = Phone(load(str(tmp_path / "p")))
    phone.open_app(PACKAGE)
    phone.tap_id("Display")
    phone.key("BACK")
    assert phone.find("page_title").text == "Settings"


def test_of_several_touch_takers_one_is_asked_for() -> None:
    from vsalang.phone.sim.named_nodes import nodes_named

    node = "<node text='{}' clickable='{}' bounds='[0,{}][90,{}]'/>"
    rows = [("Done", "false"), ("Done", "true"), ("Go", "true"), ("Go", "true"), ("Title", "false")]
    inside = "".join(node.format(*row, n * 10, n * 10 + 9) for n, row in enumerate(rows))
    xml = f"<hierarchy>{inside}</hierarchy>"
    assert nodes_named(xml, "Done") == (2,)
    assert nodes_named(xml, "Go") == (3, 4)
    assert (nodes_named(xml, "Go#2"), nodes_named(xml, "Go#3"), nodes_named(xml, "Go#0")) == ((4,), (), ())
    assert (nodes_named(xml, "Title"), nodes_named(xml, "Nothing")) == ((5,), ())


def test_what_is_not_known_of_screens_is_said(tmp_path: Path) -> None:
    node = '<hierarchy><node text="{}" bounds="[0,0][9,9]"/></hierarchy>'
    for name in ("one", "two"):
        (tmp_path / f"{name}.xml").write_text(node.format(name))
    files = [tmp_path / "one.xml", tmp_path / "two.xml"]
    done = run("new", tmp_path / "p", "--from", *files)
    assert "nothing leads on from: one, two" in done.output
    assert "the app is org.example.recorded; --package gives another name" in done.output
    done = run("new", tmp_path / "q", "--from", *files, "--package", "a.b")
    assert "--package" not in done.output and [app.package for app in load(str(tmp_path / "q")).apps] == [
        "a.b"
    ]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("p",), "Give --from or --device."),
        (("p", "--from", "absent.xml"), "absent.xml: there is no such file"),
        (("p", "--from", "bad.xml"), "bad.xml"),
        (("p", "--from", "walk.jsonl"), "holds no walks"),
        (("p", "extra", "--device", "x"), "FILE needs --from."),
        (("full", "--from", "good.xml"), "holds something already"),
    ],
)
def test_what_cannot_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.xml").write_text("<html/>")
    (tmp_path / "good.xml").write_text('<hierarchy><node bounds="[0,0][9,9]"/></hierarchy>')
    (tmp_path / "walk.jsonl").write_text(json.dumps({"some": "thing"}))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("x")
    done = run("new", *args)
    assert done.exit_code == 2
    assert message in done.output
    assert not (tmp_path / "p").exists()
    assert [file.name for file in (tmp_path / "full").iterdir()] == ["mine.txt"]


# ---- check -----------------------------------------------------------------------------------------------


def test_the_shipped_phones_are_right() -> None:
    done = run("check", "restaurant", "settings", "editor")
    assert done.exit_code == 0, done.output
    assert done.output.count("nothing is wrong") == 3


def test_check_tells_machines_too() -> None:
    (told,) = json.loads(run("check", "editor", "--format", "json").output)
    assert told == {"phone": "editor", "problems": [], "apps": 2, "screens": 3, "scenarios": 0}


PHONE = """
[phone]
clock = 2030-01-02T03:04:05
[[app]]
package = "org.example.notes"
label = "Notes"
start = "list"
[app.state]
open = ""
items = ["a", "b"]
[[app.screen]]
name = "list"
[[app.screen]]
name = "one"
[[app.on]]
event = "open"
set = { open = "value" }
goto = "one"
"""
LIST_XML = """<column>
  {% for item in items %}
  <button text="{{ item }}" tap="open" value="{{ item }}"/>
  {% endfor %}
</column>
"""


@pytest.mark.parametrize(
    ("one", "more", "message"),
    [
        (
            '<column>\n  <text text="{{ items[9] }}"/>\n</column>',
            "",
            r"one\.xml:2: .*no element 9|one\.xml:2: ",
        ),
        (
            '<column>\n  <text txt="a"/>\n</column>',
            "",
            r"one\.xml, rendered line 2: <text> has no attribute 'txt'",
        ),
        ("<column>\n\n{% if %}\n</column>", "", r"one\.xml:3: "),
        (
            '<button text="x" tap="gone"/>',
            "",
            r"one\.xml: .*gives the event 'gone', which no \[\[app\.on\]\]",
        ),
        (
            '<button text="x" tap="x"/>',
            '[[app.on]]\nevent = "x"\nset = { open = "items.x" }',
            r"phone\.toml:20: event",
        ),
        ('<text text="x"/>', '[scenario.s]\nopne = "a"', r"phone\.toml:21: \[scenario\.s\]: may set only"),
    ],
)
def test_what_is_wrong_is_found_by_walking(tmp_path: Path, one: str, more: str, message: str) -> None:
    (tmp_path / "phone.toml").write_text(PHONE + "\n" + more)
    (tmp_path / "list.xml").write_text(LIST_XML)
    (tmp_path / "one.xml").write_text(one)
    done = run("check", tmp_path)
    assert done.exit_code == 1, done.output
    assert re.search(message, done.output), done.output


def test_one_scenario_is_checked_by_its_name(tmp_path: Path) -> None:
    assert (
        "restaurant#taken: 1 app, 3 screens, 1 scenario: nothing is wrong"
        in run("check", "restaurant#taken").output
    )
    done = run("check", "restaurant#takn")
    assert done.exit_code == 2 and "did you mean `taken`?" in done.output
    (tmp_path / "mine.toml").write_text('[[fault]]\nkind = "lost"\n')
    done = run("check", "sim:restaurant#taken", "--scenario", tmp_path / "mine.toml", "--json")
    assert json.loads(done.output)[0]["scenarios"] == 2


def test_scenario_files_are_checked_too(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("[[fault]]\nkind = 'lost'\np = 7\n")
    done = run("check", "restaurant", "--scenario", tmp_path / "bad.toml")
    assert done.exit_code == 1
    assert "bad.toml:3: " in done.output
    assert run("check", "absent").exit_code == 2
