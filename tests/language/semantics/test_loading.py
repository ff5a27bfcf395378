"""Imports: where modules are found, and every way in which they are not."""

import pytest

from tests.commands import vsac
from vsalang.base.diagnostics import Diagnostic
from vsalang.language.semantics import load, load_text, loader

SPEC = 'allow answer(text = "yes").\ndone when answer earlier.\n'


def _codes(loaded):
    return [d.code for d in loaded.diagnostics]


def test_the_digest_is_of_texts_and_not_of_places(tmp_path):
    found = []
    for name in ("here", "there"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "shop.vsa").write_text('app shop package "com.shop"\naction Pay\n')
        (folder / "s.vsa").write_text('spec s "x"\nimport shop\nallow Pay.\ndone when Pay earlier.\n')
        found.append(load(folder / "s.vsa").program.digest)
    (tmp_path / "here" / "shop.vsa").write_text('app shop package "com.shop"\naction Pay\n// of the shop\n')
    found.append(load(tmp_path / "here" / "s.vsa").program.digest)
    assert found[0] == found[1] != found[2]


def test_module_that_imports_itself(tmp_path):
    (tmp_path / "selfish.vsa").write_text('module selfish "x"\nimport selfish\n')
    loaded = load(tmp_path / "selfish.vsa")
    assert _codes(loaded) == ["E0202"]
    assert "imports itself" in loaded.diagnostics[0].message


def test_circle_of_imports_names_all_of_it(tmp_path):
    for name, other in (("a", "b"), ("b", "c"), ("c", "a")):
        (tmp_path / f"{name}.vsa").write_text(f'module {name} "x"\nimport {other}\n')
    loaded = load(tmp_path / "a.vsa")
    assert _codes(loaded) == ["E0202"]
    assert "a → b → c → a" in loaded.diagnostics[0].message


def test_header_must_say_the_imported_name(tmp_path):
    (tmp_path / "shop.vsa").write_text('app store package "com.store" "x"\n')
    (tmp_path / "s.vsa").write_text(f'spec s "x"\nimport shop\n{SPEC}')
    assert _codes(load(tmp_path / "s.vsa")) == ["E0203"]


def test_spec_may_not_import_a_policy(tmp_path):
    (tmp_path / "p.vsa").write_text('policy p "x"\ndeny "no" when shell.\n')
    (tmp_path / "s.vsa").write_text(f'spec s "x"\nimport p\n{SPEC}')
    assert _codes(load(tmp_path / "s.vsa")) == ["E0215"]


def test_module_in_a_folder(tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "words.vsa").write_text('module lib.words "x"\nlet Yes = "yes".\n')
    (tmp_path / "s.vsa").write_text(
        'spec s "x"\nimport lib.words as w\nallow answer(text = w.Yes).\ndone when answer earlier.\n'
    )
    assert _codes(load(tmp_path / "s.vsa")) == []


def test_the_projects_app_specs_are_searched(tmp_path):
    (tmp_path / "app_specs").mkdir()
    (tmp_path / "specs" / "deep").mkdir(parents=True)
    (tmp_path / "app_specs" / "shop.vsa").write_text(
        'app shop package "com.shop" "x"\nstate Cart { total: Number }\n'
    )
    (tmp_path / "specs" / "deep" / "s.vsa").write_text(f'spec s "x"\nimport shop\n{SPEC}')
    assert _codes(load(tmp_path / "specs" / "deep" / "s.vsa")) == []


def test_a_broken_import_is_reported_once(tmp_path):
    (tmp_path / "s.vsa").write_text(
        'spec s "x"\nimport nowhere\nallow Pay(amount = 5) when Bill(total = 5).\ndone when Pay earlier.\n'
    )
    assert _codes(load(tmp_path / "s.vsa")) == ["E0201"]


@pytest.mark.parametrize(
    ("data", "code"),
    [(b"\x00\x01", "E0004"), (b"\xff\xfes\x00", "E0003"), (b"spec \xe9", "E0003"), (b"", "E0101")],
    ids=["binary", "utf-16", "latin-1", "empty"],
)
def test_files_that_are_no_source_text(tmp_path, data, code):
    (tmp_path / "x.vsa").write_bytes(data)
    loaded = load(tmp_path / "x.vsa")
    assert _codes(loaded) == [code]
    assert loaded.program is None


def test_a_directory(tmp_path):
    assert _codes(load(tmp_path)) == ["E0001"]


def test_two_imports_that_declare_one_name(tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.vsa").write_text(
            f'app {name} package "com.{name}" "x"\nstate Cart {{ total: Number }}\n'
        )
    text = 'spec s "x"\nimport one\nimport two\nallow answer when {}(total = 1).\ndone when answer earlier.\n'
    loaded = load_text(text.format("Cart"), path=tmp_path / "s.vsa")
    assert _codes(loaded) == ["E0207"]
    assert load_text(text.format("two.Cart"), path=tmp_path / "s.vsa").program is not None


def test_policies_are_added_by_the_runner(tmp_path):
    (tmp_path / "s.vsa").write_text(f'spec s "x"\n{SPEC}')
    (tmp_path / "p.vsa").write_text('policy p "x"\n@id("P-1") deny "no shell" when shell.\n')
    loaded = load(tmp_path / "s.vsa", policies=[tmp_path / "p.vsa"])
    assert loaded.program is not None
    assert "P-1" in [rule.id for rule in loaded.program.rules]
    assert _codes(load(tmp_path / "s.vsa", policies=[tmp_path / "s.vsa"])) == ["E0005"]


def test_of_what_is_no_policy_only_that_is_said(tmp_path):
    (tmp_path / "lib.vsa").write_text('module lib "x"\nlet Sold = "sold".\n')
    (tmp_path / "s.vsa").write_text(f'spec s "x"\n{SPEC}')
    (tmp_path / "bad.vsa").write_text(
        'spec bad "x"\nimport lib\nallow Foo(a = 1).\nallow Bar.\ndone when Baz.\n'
    )
    (tmp_path / "p.vsa").write_text('policy p "x"\nimport lib\ndeny "no" when answer(text = lib.Sold).\n')
    (tmp_path / "a.vsa").write_text('app a package "a.b" "x"\nimport lib\nstate T { on: Bool }\n')
    wrong = load(tmp_path / "s.vsa", policies=[tmp_path / "bad.vsa", tmp_path / "p.vsa"])
    assert [(d.code, d.message) for d in wrong.diagnostics] == [
        ("E0005", "`bad` is not a policy: it is a spec")
    ]
    [app] = load(tmp_path / "s.vsa", policies=[tmp_path / "a.vsa"]).diagnostics
    assert app.message == "`a` is not a policy: it is an app"


def test_the_certain_reading_is_marked():
    """`done when no Slot(..)` once held with nothing seen, because its literals were read plainly."""
    loaded = load_text(
        'spec s "x"\nimport apps.opentable\nallow answer.\ndone when no Slot(restaurant = "R", date = today).\n'
    )
    (done,) = [
        r for r in loaded.program.rules if getattr(r.head, "atom", None) and r.head.atom.relation == "finish"
    ]
    assert [literal.reading for literal in done.body] == ["certain"]


APP = """app shop package "com.shop" "x"
screen Home when Node(id = "home").
screen Player over Home when Node(id = "player").
action Play(title: Text)
view Playing on Player { title: Text }
update Playing(title = ?t) when Node(id = "title", text = ?t).
"""


@pytest.mark.parametrize(
    "body",
    ["screen Home", "not screen Player", 'Screen(name = "Home")', 'no Screen(name = "Home")'],
)
def test_screens_are_complete_in_permissions(tmp_path, body):
    """A screen that lies under another depends on its absence, which an author never wrote."""
    (tmp_path / "shop.vsa").write_text(APP)
    text = f'spec s "x"\nimport shop\nallow Play(title = "a") when {body}.\ndone when Play earlier.\n'
    assert _codes(load_text(text, path=tmp_path / "s.vsa")) == []


def test_the_left_side_of_then_is_about_the_past(tmp_path):
    (tmp_path / "shop.vsa").write_text(APP)
    text = 'spec s "x"\nimport shop\nallow Play(title = "a").\ndone when {}.\n'
    right = text.format('Play(title = "a") then Playing(title = "a")')
    assert _codes(load_text(right, path=tmp_path / "s.vsa")) == []
    wrong = text.format('Playing(title = "a") then Play(title = "a")')
    assert _codes(load_text(wrong, path=tmp_path / "s.vsa")) == ["E0409"]


def test_rules_about_a_broken_relation_say_nothing_more():
    """This once ended in an internal error: the rule is typed, but the relation was never finished."""
    text = (
        'app shop package "com.shop" "A shop"\nstate Cart "c" { total: Numbr "t" }\naction Pay(amount: Number) "p"\n'
        'recognize Pay(amount = ?a) when tap(id = "pay") with Cart(total = ?a).\n'
        'define Big when not Cart(total = 5).\nupdate Cart(total = 1) when tap(id = "x").\n'
    )
    assert _codes(load_text(text)) == ["E0208"]


def test_a_long_chain_of_imports_is_refused(tmp_path):
    for number in range(200):
        (tmp_path / f"m{number}.vsa").write_text(f'module m{number} "x"\nimport m{number + 1}\n')
    (tmp_path / "m200.vsa").write_text('module m200 "x"\n')
    assert _codes(load(tmp_path / "m0.vsa")) == ["E0217"]


def _chain(length, rule):
    lines = [f"define D{number} when {rule.format(number + 1)}." for number in range(length)]
    return "\n".join([*lines, f"define D{length} when Toast."])


def test_deep_chains_of_definitions_check():
    text = 'spec s "x"\nallow answer(text = "a") when D0, not D0.\ndone when answer earlier.\n' + _chain(
        1500, "D{}"
    )
    assert _codes(load_text(text)) == ["E0408"]


def test_many_ways_to_one_definition_are_looked_at_once():
    """Two rules for each of 40 definitions: 2^40 ways, were each followed."""
    double = "\n".join(_chain(40, "D{}") for _ in range(2))
    text = 'spec s "x"\nallow answer(text = "a") when not D0.\ndone when answer earlier.\n' + double
    assert _codes(load_text(text)) == ["E0408"]


def test_shipped_apps_have_a_path(tmp_path):
    loaded = load_text(f'spec s "x"\nimport apps.settings\n{SPEC}', path=tmp_path / "s.vsa")
    assert loaded.program is not None
    assert "apps.settings" in loaded.program.modules


def test_a_plain_name_takes_no_shipped_app(tmp_path):
    """`import settings` without a module of one's own once took the shipped one silently."""
    loaded = load_text(f'spec s "x"\nimport settings\n{SPEC}', path=tmp_path / "s.vsa")
    (found,) = loaded.diagnostics
    assert (found.code, found.label) == ("E0201", "`apps.settings` exists: it comes with vsac")
    assert [fix.title for fix in found.fixes] == [
        "write `apps.settings`",
        "write `apps.settings as settings`",
    ]


def test_a_misspelt_shipped_app_is_suggested(tmp_path):
    for name in ("opentabel", "apps.opentabel"):
        (found,) = load_text(f'spec s "x"\nimport {name}\n{SPEC}', path=tmp_path / "s.vsa").diagnostics
        assert found.label == "did you mean `apps.opentable`?"


def test_ones_own_module_stands_beside_a_shipped_one(tmp_path):
    (tmp_path / "settings.vsa").write_text(
        'app settings package "my.settings" "x"\nstate Dark { on: Bool }\n'
    )
    text = f'spec s "x"\nimport settings\nimport apps.settings\nallow answer when settings.Dark(on = true).\n{SPEC}'
    loaded = load_text(text.replace(SPEC, "done when answer earlier.\n"), path=tmp_path / "s.vsa")
    assert loaded.program is not None
    assert {"settings", "apps.settings"} <= loaded.program.modules.keys()


def test_what_is_shipped_cannot_be_replaced(tmp_path):
    """A folder `std` or `apps` next to a spec took the place of the shipped modules."""
    (tmp_path / "std").mkdir()
    (tmp_path / "std" / "risk.vsa").write_text('module std.risk "Nothing is risky"\n')
    (tmp_path / "apps").mkdir()
    (tmp_path / "apps" / "settings.vsa").write_text('app apps.settings package "p" "Another"\naction A "a"\n')
    (tmp_path / "s.vsa").write_text(
        'spec s "x"\nimport apps.settings\nimport std.risk\nallow A.\ndone when A earlier.\n'
    )
    loaded = load(tmp_path / "s.vsa", search=[tmp_path])
    assert "E0204" in [item.code for item in loaded.diagnostics]
    own = [file for file in loaded.sources if str(tmp_path) in file]
    assert own == [str(tmp_path / "s.vsa")]


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        ("first 1 Row(ok = false)", []),
        ("first 2 Row has (ok = true)", []),
        ("no Row(ok = false)", ["W0403"]),
    ],
)
def test_the_first_rows_need_no_end_of_the_list(tmp_path, body, codes):
    """`first 1` was said to be known only after scrolling to the last row."""
    (tmp_path / "shop.vsa").write_text(
        'app shop package "com.shop" "x"\nlist Row { name: Text  ok: Bool }\naction Pay\n'
        "update Row(row = ?n, name = ?t, ok = ?c) when Node(node = ?n, text = ?t, checked = ?c).\n"
    )
    (tmp_path / "s.vsa").write_text(
        f'spec s "x"\nimport shop\nallow Pay when {body}.\ndone when Pay earlier.\n'
    )
    assert _codes(load(tmp_path / "s.vsa")) == codes


def _missing(folder, count):
    imports = "".join(f"import m{number}.x\n" for number in range(count))
    file = folder / "s.vsa"
    file.write_text(f'spec s "x"\n{imports}{SPEC}')
    return file


def test_the_folders_are_read_once_for_many_missing_imports(tmp_path, monkeypatch):
    read = []
    modules = loader._modules
    monkeypatch.setattr(loader, "_modules", lambda places: read.append(places) or modules(places))
    loaded = load(_missing(tmp_path, 40))
    assert _codes(loaded) == ["E0201"] * 40 and len(read) == 1


@pytest.mark.parametrize("command", ["check", "lint"])
def test_findings_are_not_compared_with_one_another(tmp_path, monkeypatch, command):
    """4,000 missing imports took 15 seconds: each finding was compared with all before it."""
    compared = []
    equal = Diagnostic.__eq__
    monkeypatch.setattr(
        Diagnostic, "__eq__", lambda self, other: compared.append(1) is None and equal(self, other)
    )
    file = _missing(tmp_path, 60)
    said = vsac(command, file, file)
    assert said.returncode == 1 and "60 errors" in said.stdout
    assert len(compared) <= 2 * 60  # those of the file that is named twice
