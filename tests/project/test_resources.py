"""Finding what ships: in a checkout, in a package, and not at all."""

from pathlib import Path

import pytest

from vsalang.base import resources

ROOT = Path(__file__).parents[2]


def test_in_a_checkout_it_stands_beside_the_package() -> None:
    for name in resources.NAMES:
        assert resources.resource_dir(name) == ROOT / name


def test_in_a_package_it_is_inside_and_comes_first(tmp_path: Path) -> None:
    package = tmp_path / "vsalang"
    (package / "_shipped" / "stdlib").mkdir(parents=True)
    (tmp_path / "stdlib").mkdir()
    (tmp_path / "pyproject.toml").touch()
    assert resources._find(package, "stdlib") == package / "_shipped" / "stdlib"


def test_a_directory_beside_an_installed_package_is_somebody_elses(tmp_path: Path) -> None:
    (tmp_path / "stdlib").mkdir()
    with pytest.raises(resources.MissingResource, match="Reinstall vsalang"):
        resources._find(tmp_path / "vsalang", "stdlib")


def test_only_what_ships_has_a_name() -> None:
    with pytest.raises(ValueError, match="no resource directory is called 'etc'"):
        resources.resource_dir("etc")


def test_files_that_ship_are_named_as_modules(tmp_path: Path) -> None:
    policies = ROOT / "stdlib" / "std" / "policies" / "all.vsa"
    assert resources.shipped_name(policies) == "std.policies.all"
    assert resources.shipped_name(ROOT / "app_specs" / "apps" / "opentable.vsa") == "apps.opentable"
    assert resources.shipped_name(ROOT / "app_specs" / "examples" / "payments.vsa") == ""
    copied = tmp_path / "stdlib" / "std" / "policies" / "all.vsa"
    copied.parent.mkdir(parents=True)
    copied.write_bytes(policies.read_bytes())
    assert resources.shipped_name(copied) == "" and resources.shipped_name(policies.with_name("no.vsa")) == ""
