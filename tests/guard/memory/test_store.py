"""The memory of certificates: what is kept, found, lowered, expired and forgotten, and what `Tried` says of it."""

import datetime as dt
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.guard.memory.test_certificates import shown, tapped
from tests.guard.memory.test_keys import form
from tests.screen.control.making import listed, page, text
from vsalang.base.source.database import StoreError
from vsalang.guard.memory.certificate import Certificate
from vsalang.guard.memory.certificate_store import MAX_AGE, MOST_ENTRIES, Addition, CertificateStore
from vsalang.guard.memory.certifying import RECORDED
from vsalang.screen.tree import Tree

NOW = dt.datetime(2026, 4, 2, 12, tzinfo=dt.UTC)
IDLE = shown(form())
OTHER = shown(page(text("Sent")))


@pytest.fixture
def store(tmp_path: Path) -> CertificateStore:
    return CertificateStore(tmp_path / "certificates.sqlite", NOW)


def later(store: CertificateStore, time: dt.timedelta) -> CertificateStore:
    return CertificateStore(store.path, NOW + time)


def saved(tree: Tree | None = None, after: object = IDLE, **more: object) -> Certificate:
    made = tapped(tree or form(), after, "Save")  # type: ignore[arg-type]
    return replace(made, **more)  # type: ignore[arg-type]


def kept(store: CertificateStore, certificate: Certificate, number: int) -> str:
    added = store.add(certificate, number)
    assert added is not None
    return added.id


def tried(store: CertificateStore, tree: Tree | None = None) -> list[tuple[object, ...]]:
    screen = shown(tree or form())
    names = {node.node: node.text for node in screen.tree.nodes}
    return [
        (names.get(row.get("node")), row["gesture"], row["effect"], row["times"], row["last"])  # type: ignore[arg-type]
        for row in store.tried(screen)
    ]


def test_what_was_done_twice_counts_twice(store: CertificateStore) -> None:
    assert store.tried(IDLE) == [] and not store.path.exists()
    first, second = store.add(saved(), 1), store.add(saved(), 2)
    assert first is not None and second is not None and first.id != second.id
    assert first.new and second.new
    assert store.add(saved(), 1) == Addition(first.id, new=False)  # the same journal again
    assert tried(store) == [("Save", "tap", "NoChange", 2, dt.date(2026, 4, 1))]
    assert [entry.certificate for entry in store.entries()] == [saved(), saved()]


def test_only_this_very_screen_was_tried(store: CertificateStore) -> None:
    store.add(saved())
    assert tried(store, form("true")) == []
    assert tried(store, form(title="Your profile", shift=50)) != []


def test_a_contradiction_silences_what_was_tried(store: CertificateStore) -> None:
    store.add(saved(), 1)
    store.add(saved(after=OTHER), 2)
    assert tried(store) == []
    hits = store.find(IDLE)
    assert {(hit.entry.certificate.effect.transition, hit.trust) for hit in hits} == {
        ("NoChange", 0.5),
        ("NewPage", 0.5),
    }


@pytest.mark.parametrize(
    "doubtful",
    [
        saved(delivered=None),
        saved(delivered=False),
        saved(key=None),
        saved(after=None),
        saved(after=shown(form(), settled=False)),
    ],
)
def test_what_is_not_certain_is_not_kept(store: CertificateStore, doubtful: Certificate) -> None:
    assert store.add(doubtful) is None
    assert store.entries() == ()


def test_a_walk_is_kept_if_the_user_says_so(store: CertificateStore) -> None:
    """What it says stays marked; a walk whose screen was cut off is not kept in any case."""
    from vsalang.guard.memory import certify_step
    from vsalang.program.action import Action

    back = Action("back")
    walked = certify_step(back, IDLE, OTHER)
    assert store.add(walked) is None
    assert store.add(certify_step(back, IDLE, shown(OTHER.tree, partial=True)), recorded=True) is None
    added = store.add(walked, recorded=True)
    assert added is not None and added.new
    (entry,) = store.entries()
    assert (entry.certificate.confidence, entry.certificate.because) == ("low", RECORDED)


def test_the_exact_key_comes_first(store: CertificateStore) -> None:
    asked = saved()
    here = kept(store, asked, 1)
    same_control = kept(store, saved(form("true"), shown(form("true"))), 2)
    task = replace(asked.scope, task="Send the mail")
    assert asked.key is not None
    key = replace(asked.key, screen="0" * 16, control="0" * 16)
    same_task = kept(store, replace(asked, scope=task, key=key), 3)
    (save,) = [node for node in IDLE.tree.nodes if node.text == "Save"]
    found = store.find(IDLE, save, "send the mail")
    assert [(hit.how, hit.entry.id) for hit in found] == [
        ("screen", here),
        ("control", same_control),
        ("task", same_task),
    ]
    assert [hit.how for hit in store.find(IDLE, save, "something else")] == ["screen", "control"]
    assert len(store.find(IDLE, save, "send the mail", k=1)) == 1


def test_entries_expire_by_age_and_module(store: CertificateStore) -> None:
    made = saved()
    assert made.key is not None
    store.add(replace(made, key=replace(made.key, module="old")), 1)
    assert store.tried(IDLE) == [] and len(store.tried(IDLE, "old")) == 1
    later(store, dt.timedelta(hours=1)).add(replace(made, key=replace(made.key, module="new")), 2)
    assert [bool(entry.expired) for entry in store.entries()] == [False, True]
    old = later(store, MAX_AGE + dt.timedelta(days=1))
    assert all("older than 90 days" in entry.expired for entry in old.entries())
    assert old.tried(IDLE, "old") == [] and old.find(IDLE, module="old") == []


def test_forgetting(store: CertificateStore) -> None:
    ids = [kept(store, saved(), number) for number in range(3)]
    store.forget(ids[:2])
    assert [entry.id for entry in store.entries()] == ids[2:]


def test_a_gesture_without_target_has_a_row_without_node(store: CertificateStore) -> None:
    from vsalang.guard.memory import certify_step
    from vsalang.program.action import Action

    store.add(certify_step(Action("back"), IDLE, OTHER, recorded=False))
    (row,) = store.tried(IDLE)
    assert "node" not in row and (row["gesture"], row["effect"]) == ("back", "NewPage")


def test_nodes_that_look_alike_share_it(store: CertificateStore) -> None:
    from vsalang.guard.memory import certify_step
    from vsalang.program.action import Action

    tree = page(listed("Same", "Same"))
    buttons = [node for node in tree.nodes if node.text == "Delete"]
    tap = Action("tap", {"node": buttons[0].node})
    store.add(certify_step(tap, shown(tree), shown(tree), recorded=False))
    assert {row["node"] for row in store.tried(shown(tree))} == {node.node for node in buttons}


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (
            lambda path: path.write_bytes(b"not a database at all, but long enough to be read"),
            "not a database",
        ),
        (lambda path: path.chmod(0o644), "other users may read or write"),
    ],
)
def test_a_file_that_is_not_ours_is_refused(
    store: CertificateStore, spoil: Callable[[Path], object], message: str
) -> None:
    store.add(saved())
    spoil(store.path)
    with pytest.raises(StoreError, match=message):
        store.tried(IDLE)


def test_the_file_is_the_users_alone(store: CertificateStore) -> None:
    store.add(saved())
    assert store.path.stat().st_mode & 0o077 == 0


def test_there_is_room_for_so_many(store: CertificateStore, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_ENTRIES == 5000
    monkeypatch.setattr("vsalang.guard.memory.certificate_store.MOST_ENTRIES", 2)
    for number in range(3):
        later(store, dt.timedelta(seconds=number)).add(saved(), number)
    assert len(store.entries()) == 2
