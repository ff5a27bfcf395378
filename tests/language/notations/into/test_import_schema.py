"""Importing state schemas: what is written, what is noted, what is refused and where."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vsalang.base.source import Source
from vsalang.language.notations.into import ImportFailed, ImportResult, import_schema
from vsalang.language.notations.into.naming import attribute_name, module_name, relation_name
from vsalang.language.syntax import parse


def take(data: object, file: str = "Clock.json", **more: str) -> ImportResult:
    return import_schema(Source.from_text(json.dumps(data, ensure_ascii=False), file), **more)


def refused(text: str) -> list[tuple[str, str, str]]:
    """Code, underlined text and message of each finding."""
    source = Source.from_text(text, "a.json")
    with pytest.raises(ImportFailed) as failed:
        import_schema(source)
    found = failed.value.diagnostics
    assert all(item.span and (item.help or item.label) for item in found)
    return [(item.code, source.slice(item.span), item.message) for item in found if item.span]


def one(variables: object, **more: object) -> dict[str, object]:
    return {"Thing": {"description": "A thing", "variables": variables, **more}}


def test_a_whole_module() -> None:
    schema = {
        "alarm_entry": {
            "description": 'An alarm, "quoted"\nin two lines',
            "variables": [
                {"name": "alarm label", "type": "String"},
                {"name": "3d", "type": "Boolean"},
                {"name": "day", "type": "Enum", "enum_values": ["Mon", " 'All on' ", "None", "$$", "Sí"]},
                {"name": "at", "type": "Time", "description": "when it rings"},
            ],
        },
        "SelectedTab": {
            "description": "The tab currently shown",
            "variables": [{"name": "n", "type": "Integer"}, {"name": "d", "type": "Date"}],
        },
        "Place": {
            "description": "",
            "variables": [{"name": "place_name", "type": "Text"}],
            "key_arg_name": "place_name",
        },
    }
    imported = take(schema, "com.example.clock.json")
    assert imported.text == (
        '// Made by `vsac import` from "com.example.clock.json". Before it is used, a person must confirm:\n'
        "//\n"
        "// Guessed, because the schema does not say it:\n"
        "//   (a view is what the screen shows now, replaced as a whole: say where, `view X on S`; a state lasts)\n"
        "//   the package, which is the file's name\n"
        "//   AlarmEntry: state, not view\n"
        "//   AlarmEntry: key (alarm_label): one row for each\n"
        "//   SelectedTab: view, not state\n"
        "//\n"
        "// Renamed, because the language does not take the name:\n"
        '//   AlarmEntry: relation "alarm_entry" is AlarmEntry\n'
        '//   alarm_entry.alarm_label: attribute "alarm label" is alarm_label\n'
        '//   alarm_entry._3d: attribute "3d" is _3d\n'
        "//\n"
        "// Written in another way in the schema:\n"
        "//   alarm_entry.alarm label: the type `String` is Text\n"
        "//   alarm_entry.day: the member \" 'All on' \" without blanks and quotes around it\n"
        "//   SelectedTab.n: the type `Integer` is Number\n"
        'app clock package "com.example.clock" "Imported from com.example.clock.json"\n'
        "\n"
        "// a guess: state, not view\n"
        "// a guess: key (alarm_label)\n"
        'state AlarmEntry key (alarm_label) "An alarm, \\"quoted\\"\\nin two lines" {\n'
        "  alarm_label: Text\n"
        "  _3d: Bool\n"
        '  day: enum {Mon, "All on", None, "$$", "Sí"}\n'
        '  at: Time "when it rings"\n'
        "}\n"
        "\n"
        "// a guess: view, not state\n"
        'view SelectedTab "The tab currently shown" {\n'
        "  n: Number\n"
        "  d: Date\n"
        "}\n"
        "\n"
        "state Place key (place_name) {\n"
        "  place_name: Text\n"
        "}\n"
    )
    assert (imported.module, imported.package, imported.relations) == ("clock", "com.example.clock", 3)


def test_notes_name_lines() -> None:
    text = (
        '{\n  "tab": {\n    "description": "x",\n    "variables": [\n      {"name": "a b", "type": "Text"}]}}'
    )
    notes = import_schema(Source.from_text(text, "a.json")).notes
    assert [(note.kind, note.line) for note in notes] == [
        ("guess", 0),
        ("renamed", 2),
        ("guess", 2),
        ("renamed", 5),
    ]


@pytest.mark.parametrize(
    "schema",
    [
        {"Tab": {"variables": [{"name": "title", "type": "Text"}, {"name": "n", "type": "Number"}]}},
        {"Tab": {"variables": [{"title": "String"}, {"n": "Integer"}]}},
        {"Tab": {"variables": {"title": "text", "n": "int"}}},
        {"Tab": {"arguments": [{"title": "Text", "n": "Number"}]}},
        {
            "type": "defineState",
            "appName": "x",
            "state": [{"name": "Tab", "variables": [{"title": "String"}, {"n": "Int"}]}],
        },
        [{"stateName": "Tab", "variables": [{"title": "Text"}, {"n": "Number"}]}],
        {"Predicate": "Tab", "variables": [{"title": "Text"}, {"n": "Number"}]},
    ],
)
def test_every_spelling_gives_the_same(schema: object) -> None:
    assert take(schema).text.endswith(
        "// a guess: view, not state\nview Tab {\n  title: Text\n  n: Number\n}\n"
    )


def test_other_spellings_are_noted() -> None:
    notes = take([{"stateName": "Tab", "arguments": [{"t": "string"}]}]).notes
    assert [note.text for note in notes if note.kind == "read as"] == [
        "a list of relations",
        "`stateName` is the relation's name",
        "`arguments` are its variables",
        "the type `string` is Text",
    ]


@pytest.mark.parametrize(
    ("relation", "declared"),
    [
        (
            one([{"name": "id", "type": "Text", "is_key": True}, {"name": "x", "type": "Text"}]),
            "state Thing key (id) ",
        ),
        (
            one([{"name": "a", "type": "Text"}, {"name": "b", "type": "Text"}], key_arg_name=["b", "a"]),
            "key (a, b)",
        ),
        (
            one([{"name": "a b", "type": "Text"}, {"name": "c", "type": "Text"}], key_arg_name="a b"),
            "key (a_b)",
        ),
        (one([{"name": "a", "type": "Text"}], key_arg_name=""), "state Thing "),
    ],
)
def test_keys_that_the_schema_gives_are_no_guesses(relation: object, declared: str) -> None:
    imported = take(relation)
    assert declared in imported.text
    assert not any("key" in note.text for note in imported.notes)


def test_what_means_nothing_is_left_out_and_said() -> None:
    schema = one([{"name": "a", "type": "Text", "detail": "Text", "enum_value": ["x"]}], descripton="x")
    texts = [note.text for note in take(schema).notes if note.kind == "left out"]
    assert texts == [
        "the key `descripton` means nothing here; did you mean `description`?",
        "the key `enum_value` means nothing here; did you mean `enum_values`?",
        "`detail`, because `Text` is not a description",
    ]


@pytest.mark.parametrize(
    ("file", "given", "module", "package"),
    [
        ("dir/YT_Music.json", {}, "yt_music", "com.example.yt_music"),
        ("com.google.android.gm.json", {}, "gm", "com.google.android.gm"),
        ("GoogleMaps.json", {"package": "a.b"}, "google_maps", "a.b"),
        ("a.json", {"module": "apps.maps"}, "apps.maps", "com.example.maps"),
        ("<stdin>", {}, "stdin", "com.example.stdin"),
        ("2048.json", {}, "app_2048", "com.example.app_2048"),
    ],
)
def test_module_and_package(file: str, given: dict[str, str], module: str, package: str) -> None:
    imported = take(one([{"name": "a", "type": "Text"}]), file, **given)
    assert (imported.module, imported.package) == (module, package)
    guessed = any("package" in note.text for note in imported.notes)
    assert guessed is ("package" not in given)


@pytest.mark.parametrize(
    "given", [{"module": "a-b"}, {"module": "1a"}, {"package": "x"}, {"package": 'a.b" "'}]
)
def test_names_given_must_be_names(given: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="is not a"):
        take(one([]), **given)


# ---- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code", "underlined", "message"),
    [
        ("", "E0010", "", "not JSON"),
        ("{", "E0010", "{", "not JSON"),
        ('{"a": 1,}', "E0010", None, "not JSON"),
        ("{'a': 1}", "E0010", "'", "not JSON: expecting property name"),
        ('{"A": {"variables": NaN}}', "E0010", "N", "no value starts like this"),
        ('{"A": -Infinity}', "E0010", "-", "no value starts like this"),
        ("[" * 5000 + "]" * 5000, "E0010", "[", "nested too deeply"),
        ("[" * 200_000, "E0010", None, ""),
        ('{"A": {"variables": [], "x": ' + "9" * 5000 + "}}", "E0010", "{", "too long"),
        ('{"A\\ud800": {"variables": []}}', "E0010", '"', "surrogate"),
        ("{}", "E0011", "{}", "holds no relations"),
        ("[]", "E0011", "[]", "holds no relations"),
        ("3", "E0011", "3", "the schema is a number, not an object"),
        ('{"A": 3}', "E0011", "3", "`A` is a number, not an object"),
        ('{"A": {}}', "E0011", '"A"', "`A` has no `variables`"),
        ('{"A": {"variables": "x"}}', "E0011", '"x"', "`A.variables` is a text, not a list"),
        ('{"A": {"variables": [null]}}', "E0011", "null", "variable 1 of `A` is null"),
        ('{"A": {"variables": [{}]}}', "E0011", "{}", "variable 1 of `A`"),
        ('{"A": {"variables": [{"type": "Text"}]}}', "E0011", '{"type": "Text"}', "has no `name`"),
        ('{"A": {"variables": [{"name": 1, "type": "Text"}]}}', "E0011", "1", "the name of variable 1 of `A`"),
        ('{"A": {"variables": [{"name": "x", "type": 1}]}}', "E0011", "1", "the type of `A.x`"),
        ('{"A": {"variables": [{"name": "x", "type": "Txet"}]}}', "E0011", '"Txet"', "the unknown type `Txet`"),
        ('{"A": {"variables": [{"name": "x", "type": "Enum"}]}}', "E0011", '"Enum"', "an enum without members"),
        ('{"A": {"variables": [{"name": "x", "type": "Enum", "enum_values": [1]}]}}', "E0011", "1", "a member of"),
        ('{"A": {"variables": [{"name": "x", "type": "Enum", "enum_values": [" "]}]}}', "E0011", '" "', "not empty"),
        ('{"A": {"variables": [{"x": "Enum"}]}}', "E0011", '"Enum"', "an enum without members"),
        ('{"A": {"description": [], "variables": []}}', "E0011", "[]", "`A.description` is a list, not a text"),
        ('{"A": {"variables": [{"x": "Text"}], "key_arg_name": "y"}}', "E0011", '"y"', "no variable `y`"),
        ('{"A": {"variables": [{"x": "Text"}], "key_arg_name": 1}}', "E0011", "1", "`A.key_arg_name`"),
        ('{"A": {"variables": [{"name": "x", "type": "Text", "is_key": "y"}]}}', "E0011", '"y"', "`A.x.is_key`"),
        ('{"日本": {"variables": []}}', "E0011", '"日本"', "no name can be made"),
        ('{"A": {"variables": [{"??": "Text"}]}}', "E0011", '"??"', "no name can be made"),
        ('[{"variables": []}]', "E0011", '{"variables": []}', "relation 1 has no name"),
        ('[{"name": 1, "variables": []}]', "E0011", "1", "the name of relation 1"),
        ('[3]', "E0011", "3", "relation 1 is a number"),
    ],
)  # fmt: skip
def test_one_mistake_one_error_at_its_place(
    text: str, code: str, underlined: str | None, message: str
) -> None:
    ((found_code, found_text, found_message),) = refused(text)
    assert found_code == code
    assert message in found_message
    if underlined is not None:
        assert found_text == underlined


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"A": {"variables": []}, "A": {"variables": []}}', "the key `A` occurs twice"),
        (
            '{"a_b": {"variables": []}, "AB": {"variables": []}}',
            "the name `AB` (from `a_b` and `AB`) occurs twice",
        ),
        ('[{"name": "A", "variables": []}, {"name": "A", "variables": []}]', "the relation `A` occurs twice"),
        ('{"A": {"variables": [{"x": "Text"}, {"x": "Date"}]}}', "the attribute `x` occurs twice in `A`"),
        (
            '{"A": {"variables": [{"x y": "Text"}, {"x_y": "Date"}]}}',
            "(from `x y` and `x_y`) occurs twice in `A`",
        ),
        ('{"A": {"variables": {"x": "Text", "x": "Date"}}}', "the key `x` occurs twice in `A.variables`"),
        ('{"A": {"variables": [{"name": "x", "name": "y", "type": "Text"}]}}', "the key `name` occurs twice"),
        (
            '{"A": {"description": "", "description": "", "variables": []}}',
            "the key `description` occurs twice in `A`",
        ),
        (
            '{"A": {"variables": [{"name": "x", "type": "Enum", "enum_values": ["m", " m"]}]}}',
            "the member `m` occurs",
        ),
    ],
)
def test_names_that_occur_twice(text: str, message: str) -> None:
    ((code, _, found),) = refused(text)
    assert code == "E0012"
    assert message in found


def test_all_mistakes_are_reported_in_order() -> None:
    text = '{"A": {"variables": [{"x": "Txt"}]}, "B": 1, "C": {"variables": [{"y": "Text"}, {"y": "Text"}]}}'
    assert [code for code, _, _ in refused(text)] == ["E0011", "E0011", "E0012"]


# ---- every text --------------------------------------------------------------------------------------

names = st.text(st.sampled_from('aB1_ "\\\n*/é日\u202e'), min_size=1, max_size=6)
variables = st.one_of(
    st.fixed_dictionaries(
        {"name": names, "type": st.sampled_from(["Text", "Boolean", "Nope"])}, optional={"description": names}
    ),
    st.fixed_dictionaries(
        {"name": names, "type": st.just("Enum"), "enum_values": st.lists(names, max_size=3)},
        optional={"is_key": st.booleans()},
    ),
    st.dictionaries(names, st.just("Number"), max_size=2),
)
schemas = st.dictionaries(
    names,
    st.fixed_dictionaries({"variables": st.lists(variables, max_size=3)}, optional={"description": names}),
    max_size=3,
)
_STRING = r'"(?:[^"\\\n]|\\.)*"'
_LINE = re.compile(
    rf"//.*|app [a-z_]+ package {_STRING} {_STRING}|"
    rf"(?:state|view) [A-Z]\w*(?: key \(\w+(?:, \w+)*\))?(?: {_STRING})? \{{|"
    rf"  [A-Za-z_]\w*: (?:Text|Bool|Number|enum \{{(?:\w+|{_STRING})(?:, (?:\w+|{_STRING}))*\}})(?: {_STRING})?|\}}|"
)


@given(schemas)
def test_whatever_is_imported_is_well_formed_or_refused(schema: object) -> None:
    try:
        text = take(schema).text
    except ImportFailed as failed:
        assert failed.diagnostics
        return
    assert [line for line in text.split("\n") if not _LINE.fullmatch(line)] == []
    assert parse(Source.from_text(text)).diagnostics == ()
    assert text.isascii() or all(char.isprintable() or char == "\n" for char in text)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | names | st.sampled_from(["Text", "Enum", "A"]),
    lambda parts: (
        st.lists(parts, max_size=3)
        | st.dictionaries(
            names | st.sampled_from(["name", "type", "variables", "state", "key_arg_name"]), parts, max_size=3
        )
    ),
    max_leaves=12,
)


@given(json_values)
def test_no_json_is_an_internal_error(value: object) -> None:
    try:
        take(value)
    except ImportFailed as failed:
        assert all(item.code in {"E0011", "E0012"} for item in failed.diagnostics)


@given(st.text(max_size=20))
def test_names_are_names(text: str) -> None:
    assert re.fullmatch(r"([A-Z]\w*)?", relation_name(text), re.ASCII)
    assert re.fullmatch(r"(\w+)?", attribute_name(text), re.ASCII)
    assert re.fullmatch(r"[a-z]\w*", module_name(text), re.ASCII)
