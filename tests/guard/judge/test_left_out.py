"""No verdict becomes more permissive when attributes of nodes are left out, whatever rules recognise an action by."""

import random
from pathlib import Path

import pytest

from tests.guard.judge.test_unread import BUTTON, judged, node, page, program, tap
from vsalang.program.action import Action
from vsalang.program.example import LEVELS

TEXTS = {"id": ("a", "b", ""), "text": ("x", "y", ""), "content_desc": ("p", "")}
TEXT_X = 'text = "x"'
FLAGS = ("checked", "focused", "enabled", "password", "selected", "scrollable")
CASES = 12
"""Cases of one seed: each is a program, a page, and some ways to leave attributes out of it."""


def conditions(rng: random.Random) -> str:
    found = []
    for name, values in (("id", ("a", "b")), ("text", ("x", "y")), ("desc", ("p",)), ("label", ("x", "p"))):
        if rng.random() < 0.35:
            op = rng.choice(("=", "!=", "contains", "in"))
            value = rng.choice(values)
            found.append(f'{name} in {{"{value}", "q"}}' if op == "in" else f'{name} {op} "{value}"')
    found += [f"{name} = {rng.choice(('true', 'false'))}" for name in FLAGS if rng.random() < 0.15]
    return ", ".join(found)


def rules(rng: random.Random) -> str:
    """Two rules that recognise Pay by nodes, directly, by their absence, through definitions, screens and counts."""
    marked = ", ".join(filter(None, (conditions(rng), "node = ?n")))
    written = [f"define Marked(n = ?n) when Node({marked})."]
    written.append(f"define Calm when not Node({conditions(rng) or 'checked = true'}).")
    for _ in range(2):
        body = [
            f"tap({conditions(rng)})"
            if rng.random() < 0.8
            else f'press_key(key = "ENTER"), Node({conditions(rng)})'
        ]
        body += rng.sample(
            [
                f"Node({conditions(rng)})",
                f"not Node({conditions(rng) or 'password = true'})",
                "Marked(n = ?m)",
                "not Marked(n = 3)",
                "Calm",
                f"every Node({conditions(rng)}) has ({conditions(rng) or TEXT_X})",
                "every Marked has (n = 3)",
                f"count(Node({conditions(rng)})) {rng.choice(('>', '<', '='))} {rng.randint(0, 3)}",
            ],
            rng.randint(0, 2),
        )
        written.append(f"recognize Pay when {', '.join(body)}.")
    return "\n".join(written) + "\n"


def attributes(rng: random.Random) -> dict[str, str]:
    found = {name: rng.choice(values) for name, values in TEXTS.items()}
    if not found["id"]:
        del found["id"]
    return found | {name: rng.choice(("true", "false")) for name in FLAGS if rng.random() < 0.5}


LEFT_OUT = ("resource-id", "text", "content-desc", "class", "clickable", *FLAGS)
GESTURES = (tap(), tap(500, 750), Action("press_key", {"key": "ENTER"}))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(8))
def test_leaving_attributes_out_permits_nothing(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    stricter = 0
    for case in range(CASES):
        folder = tmp_path / str(case)
        folder.mkdir()
        made = program(folder, rules(rng))
        nodes = [("0,400,1000,600", attributes(rng)), ("0,700,1000,800", attributes(rng))]
        whole = page(*(node(box, **BUTTON, **given) for box, given in nodes))
        for _ in range(3):
            missing = " ".join(rng.sample(LEFT_OUT, rng.randint(1, 3)))
            which = rng.randrange(2)
            cut = page(
                *(
                    node(box, without=missing if n == which else "", **BUTTON, **given)
                    for n, (box, given) in enumerate(nodes)
                )
            )
            for gesture in GESTURES:
                then, now = judged(made, whole, gesture), judged(made, cut, gesture)
                assert all(reason.kind != "error" for reason in (*then.reasons, *now.reasons)), now.reasons
                assert LEVELS.index(now.level) >= LEVELS.index(then.level), (
                    (folder / "shop.vsa").read_text(),
                    nodes,
                    which,
                    missing,
                    str(gesture),
                    [reason.message for reason in then.reasons],
                )
                stricter += now.level != then.level
    assert stricter  # the cases are of a kind in which it matters
