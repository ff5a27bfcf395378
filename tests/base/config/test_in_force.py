"""What is in force for a spec: nothing that lies nearer to it takes away what its owner asks for."""

import functools
import hashlib
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests import commands
from vsalang.base.config import Config, ConfigError, config_for, config_in_force
from vsalang.base.config.inforce import USUAL
from vsalang.guard import Settings
from vsalang.guard.journal import read_session, recorded_program

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "app_specs" / "examples"
DENY = 'policy {name} "Not now"\nimport apps.opentable\n@id("{id}") deny "no bookings" when Reserve.\n'


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the user's own configuration."""
    place = tmp_path / "config" / "vsac"
    place.mkdir(parents=True)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return place


@pytest.fixture
def places(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """The user's own folder, the project's, the working one, that above the spec, the spec's; each has a policy."""
    work = tmp_path / "project" / "work"
    spec = tmp_path / "elsewhere" / "deep"
    found = {"own": home, "project": work.parent, "work": work, "above": spec.parent, "beside": spec}
    for name, place in found.items():
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{name}.vsa").write_text(DENY.format(name=name, id=f"NO-{name.upper()}"))
        (place / "vsac.toml").write_text(f'policies = ["{name}.vsa"]\n')
    monkeypatch.chdir(work)
    shutil.copy(EXAMPLES / "reserve_r.vsa", spec)
    shutil.copy(EXAMPLES / "reserve_r.agent.jsonl", spec)
    return found


vsac = functools.partial(commands.vsac, COLUMNS="200")


def run(spec: Path, cwd: Path, journal: Path, *args: object) -> "subprocess.CompletedProcess[str]":
    device = ("--device", "sim:restaurant", "--open", "com.opentable")
    agent = spec.with_name("reserve_r.agent.jsonl")
    return vsac("run", spec, *device, "--agent", agent, "--journal", journal, *args, cwd=cwd)


def test_policies_of_all_configurations_add_up(places: dict[str, Path]) -> None:
    config = config_in_force(places["beside"] / "reserve_r.vsa")
    assert [path.stem for path in config.policies] == ["own", "project", "work", "above", "beside"]
    assert [path.parent.name for path, _ in config.files] == ["vsac", "project", "work", "elsewhere", "deep"]
    for path, digest in config.files:
        assert digest == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("text", ["", "policies = []\n", "[guard]\noverrides = 0\n"])
def test_a_configuration_beside_the_spec_removes_no_policy(places: dict[str, Path], text: str) -> None:
    (places["beside"] / "vsac.toml").write_text(text)
    config = config_in_force(places["beside"] / "reserve_r.vsa")
    assert [path.stem for path in config.policies] == ["own", "project", "work", "above"]


def test_a_run_says_and_journals_what_is_in_force(places: dict[str, Path], tmp_path: Path) -> None:
    """The bookings are forbidden by the owner, whatever lies next to the spec."""
    spec, journal = places["beside"] / "reserve_r.vsa", tmp_path / "j.jsonl"
    for name in ("project", "work", "above", "beside"):
        (places[name] / "vsac.toml").write_text("")
    result = run(spec, places["work"], journal, "--format", "json", "--policy", EXAMPLES / "payments.vsa")
    assert result.returncode == 1, result.stderr
    assert "NO-OWN" in result.stdout
    first, second = map(json.loads, result.stdout.splitlines()[:2])
    assert (first["kind"], second["kind"]) == ("in_force", "begin")
    session = read_session(journal)
    assert first["program"] == session.header["digest"] == recorded_program(session).checked().digest
    assert [Path(each["file"]).stem for each in first["policies"]] == ["own", "payments"]
    assert [each["file"] for each in first["policies"]] == session.header["policies"]
    digest = hashlib.sha256((places["own"] / "own.vsa").read_bytes()).hexdigest()
    assert first["policies"][0]["digest"] == digest
    said = [(each["file"], each["digest"]) for each in session.header["configuration"]]
    assert [Path(file).parent.name for file, _ in said] == ["vsac", "project", "work", "elsewhere", "deep"]
    assert [each["digest"] for each in first["configuration"]] == [digest for _, digest in said]


def test_people_are_told_before_anything_else(places: dict[str, Path], tmp_path: Path) -> None:
    spec, journal = places["beside"] / "reserve_r.vsa", tmp_path / "j.jsonl"
    result = run(spec, places["work"], journal, "--policy", "std.policies.all")
    first = result.stdout.splitlines()[0]
    assert ", std.policies.all " in first and "all.vsa" not in first
    header = read_session(journal).header
    assert first.startswith(f"In force: program reserve_r {header['digest'][:12]}; policies: ")
    for name in places:
        assert f"{name}.vsa " in first
    assert "configuration: " in first and first.count("vsac.toml ") == 5
    nowhere = run(spec, places["work"], tmp_path / "k.jsonl", "--open", "com.nope")
    assert nowhere.returncode == 2 and nowhere.stdout.startswith("In force: ")


@pytest.mark.slow
def test_a_recording_names_the_policies_that_judged_it(places: dict[str, Path], tmp_path: Path) -> None:
    spec = places["beside"] / "reserve_r.vsa"
    agent = spec.with_name("reserve_r.agent.jsonl")
    args = ("--device", "sim:restaurant", "--open", "com.opentable", "--agent", agent, "-o", tmp_path / "j")
    result = vsac("record", spec, *args, "--format", "json", cwd=places["work"])
    assert result.returncode == 0, result.stderr
    first = json.loads(result.stdout.splitlines()[0])
    header = read_session(tmp_path / "j").header
    assert first["event"] == "in_force" and len(first["policies"]) == 5
    assert [each["file"] for each in first["policies"]] == header["policies"]


@pytest.mark.parametrize("where", ["own", "work", "beside"])
def test_no_file_sets_the_mode_shadow(places: dict[str, Path], where: str) -> None:
    (places[where] / "vsac.toml").write_text('[guard]\nmode = "shadow"\n')
    with pytest.raises(ConfigError, match=r'vsac\.toml:2: no file sets the mode "shadow"') as caught:
        config_in_force(places["beside"] / "reserve_r.vsa")
    assert "--mode shadow" in caught.value.hint


@pytest.mark.slow
def test_the_command_line_does(places: dict[str, Path], tmp_path: Path) -> None:
    spec = places["beside"] / "reserve_r.vsa"
    (places["beside"] / "vsac.toml").write_text('[guard]\nmode = "shadow"\n')
    refused = run(spec, places["work"], tmp_path / "j")
    assert refused.returncode == 2 and "no file sets the mode" in refused.stderr
    assert not (tmp_path / "j").exists()
    (places["beside"] / "vsac.toml").write_text("")
    assert run(spec, places["work"], tmp_path / "j", "--mode", "shadow").returncode in (0, 1)
    assert read_session(tmp_path / "j").mode == "shadow"


LOOSER = [
    "overrides = 4",
    "verdict_life = 5.1",
    'unknown_screen = "warn"',
    'unknown_touch = "warn"',
    "look_age = 1.5",
    "contracts = false",
]


@pytest.mark.parametrize("where", ["project", "work", "above", "beside"])
@pytest.mark.parametrize("text", LOOSER)
def test_no_project_file_makes_the_guard_less_strict(places: dict[str, Path], where: str, text: str) -> None:
    (places[where] / "vsac.toml").write_text(f"\n[guard]\n{text}\n")
    with pytest.raises(ConfigError, match=r"vsac.toml:3: .* would make the guard less strict than") as caught:
        config_in_force(places["beside"] / "reserve_r.vsa")
    assert caught.value.hint.endswith(f"is in {places['own'] / 'vsac.toml'}, which is yours")


@pytest.mark.parametrize("text", LOOSER)
def test_the_users_own_may_and_bounds_the_others(places: dict[str, Path], text: str) -> None:
    name = text.split()[0]
    (places["own"] / "vsac.toml").write_text(f"[guard]\n{text}\n")
    (places["work"] / "vsac.toml").write_text(f"[guard]\n{text}\n")
    spec = places["beside"] / "reserve_r.vsa"
    assert getattr(config_in_force(spec).guard, name) != getattr(USUAL.guard, name)
    usual = {
        "overrides": "1",
        "verdict_life": "2",
        "unknown_screen": '"block"',
        "unknown_touch": '"block"',
        "look_age": "0.5",
        "contracts": "true",
    }[name]
    (places["work"] / "vsac.toml").write_text(f"[guard]\n{name} = {usual}\n")
    own = config_for(places["work"] / "x.vsa").guard
    assert getattr(config_in_force(spec).guard, name) == getattr(own, name)
    (places["own"] / "vsac.toml").write_text(f"[guard]\n{name} = {usual}\n")
    (places["work"] / "vsac.toml").write_text(f"[guard]\n{text}\n")
    with pytest.raises(ConfigError, match="less strict"):
        config_in_force(spec)


def test_what_is_usual_is_the_guards_default() -> None:
    settings = Settings()
    assert USUAL.guard.overrides == settings.overrides
    assert USUAL.guard.verdict_life == settings.verdict_life
    assert USUAL.guard.unknown_screen == settings.unknown_screen
    assert USUAL.guard.unknown_touch == settings.unknown_touch
    assert USUAL.guard.look_age == settings.look_age


def test_the_nearest_that_says_a_setting_wins(places: dict[str, Path]) -> None:
    (places["own"] / "vsac.toml").write_text(
        'language = "de"\nengine = "pydatalog"\n[device]\ntrace = ["files"]\n'
    )
    (places["work"] / "vsac.toml").write_text('[guard]\nmode = "ask"\n[device]\ntrace = ["settings"]\n')
    (places["beside"] / "vsac.toml").write_text(
        'language = "en"\n[guard]\nmode = "enforce"\n[budget]\nrows = 7\n'
    )
    config = config_in_force(places["beside"] / "reserve_r.vsa")
    assert (config.language, config.engine, config.budget.rows) == ("en", "pydatalog", 7)
    assert config.guard.mode == "ask"
    assert config.device.trace == ("files", "settings")


def test_a_mistake_in_any_of_them_stops_the_run(places: dict[str, Path], tmp_path: Path) -> None:
    (places["own"] / "vsac.toml").write_text('polices = ["own.vsa"]\n')
    result = run(places["beside"] / "reserve_r.vsa", places["work"], tmp_path / "j")
    assert result.returncode == 2 and "has no key `polices`" in result.stderr
    assert not (tmp_path / "j").exists()


def test_a_resumed_session_says_what_it_was_begun_with(places: dict[str, Path], tmp_path: Path) -> None:
    spec, journal = places["beside"] / "reserve_r.vsa", tmp_path / "j.jsonl"
    agent = tmp_path / "agent.jsonl"
    agent.write_text("".join((spec.with_name("reserve_r.agent.jsonl")).read_text().splitlines(True)[:2]))
    device = ("--device", "sim:restaurant", "--open", "com.opentable")
    begun = vsac("run", spec, *device, "--agent", agent, "--journal", journal, cwd=places["work"])
    again = vsac("run", "--resume", journal, "--agent", agent, *device[2:], cwd=places["work"])
    told = begun.stdout.splitlines()[0]
    assert again.stdout.splitlines()[0].split("; configuration")[0] == told.split("; configuration")[0]
    moved = journal.rename(tmp_path / "moved.jsonl")
    refused = vsac("run", "--resume", moved, "--agent", agent, cwd=places["work"])
    assert refused.returncode == 2 and "no head of it is kept here" in refused.stderr
    head = again.stdout.splitlines()[-1].removeprefix("Its head: ")
    named = vsac("run", "--resume", moved, "--head", head, "--agent", agent, *device[2:], cwd=places["work"])
    assert "goes on after" in named.stdout, named.stderr
    alone = vsac("run", spec, *device, "--agent", agent, "--head", head, cwd=places["work"])
    assert alone.returncode == 2 and "--head needs --resume" in alone.stderr


@pytest.mark.parametrize(
    ("own", "project", "found"),
    [
        ("", "", (None, None, None)),
        ("", "backend = 'words'\nspelling = 0", ("words", 0, None)),
        ("spelling = 1", "", (None, 1, None)),
        ("spelling = 1", "spelling = 1", (None, 1, None)),
        ("backend = 'embeddings'\nthreshold = 0.6", "threshold = 0.6", ("embeddings", None, 0.6)),
    ],
)
def test_a_project_may_repeat_how_texts_compare(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: str, project: str, found: object
) -> None:
    said = in_both(home, tmp_path, monkeypatch, own, project).similarity
    assert (said.backend, said.spelling, said.threshold) == found


@pytest.mark.parametrize(
    ("own", "project", "message"),
    [
        ("", "backend = 'embeddings'", 'compare texts otherwise than `"words"`'),
        ("backend = 'folded'", "backend = 'words'", "compare texts otherwise"),
        ("", "spelling = 1", "compare texts otherwise"),
        ("threshold = 0.8", "threshold = 0.7", "compare texts otherwise"),
        # fewer similar texts: a `deny .. ~=` is silent, an `allow .. !~=` holds
        ("", "backend = 'folded'", 'compare texts otherwise than `"words"`'),
        ("spelling = 1", "spelling = 0", "compare texts otherwise"),
        ("backend = 'embeddings'", "backend = 'words'", "compare texts otherwise"),
        ("backend = 'embeddings'", "threshold = 1", "compare texts otherwise"),
        ("", "endpoint = 'http://x.example/v1'", "who is sent texts"),
        ("backend = 'embeddings'", "model = 'm'", "who is sent texts"),
    ],
)
def test_a_project_changes_no_similarity(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: str, project: str, message: str
) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        in_both(home, tmp_path, monkeypatch, own, project)
    assert "vsac.toml:2" in str(caught.value) and caught.value.code == "E0022"


def in_both(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: str, project: str) -> Config:
    """What is in force of ``[similarity]`` where the user's own file and the project's say this."""
    place = tmp_path / "here"
    place.mkdir()
    monkeypatch.chdir(place)
    (home / "vsac.toml").write_text(f"[similarity]\n{own}\n")
    (place / "vsac.toml").write_text(f"[similarity]\n{project}\n")
    return config_in_force(place / "a.vsa")
