"""What a model is shown of a control: its screen in words, what was done before, and what came after."""

from vsalang.models.effects.answer import Spot
from vsalang.models.effects.place import Place
from vsalang.models.effects.places import spot_of, words_at
from vsalang.models.effects.prompt import EarlierStep, Question
from vsalang.models.effects.way import TYPING, Passage, other_nodes, own_nodes, words_of
from vsalang.models.risk.judge.question import screen_lines
from vsalang.screen.control import controls
from vsalang.screen.screen import TreeScreen
from vsalang.screen.secrets import Redactor


def question_about(
    place: Place, after: TreeScreen | None = None, redactor: Redactor | None = None
) -> Question:
    """The question what touching a control does.

    Args:
        place: the control.
        after: what showed after it was touched; None: it was not yet.
        redactor: replaces secrets; None: they are shown, but for what fields hide.
    """
    node, tree = place.node, place.tree
    kind = next((unit.kind for unit in controls(tree) if unit.taker.node == node.node), "")
    gesture = "" if place.gesture == "tap" else _in_words(place.gesture)
    known = {"touch": gesture, "label": node.label, "id": node.id, "class": node.cls, "kind": kind}
    control = {name: value for name, value in known.items() if value}
    lines = screen_lines(place.screen)
    texts = [text for text, _ in lines]
    later = [text for text, _ in screen_lines(after)] if after is not None else []
    line_nodes = (tree.by_number.get(number) if number is not None else None for _, number in lines)
    node_spots = (None if each is None else spot_of(tree, each) for each in line_nodes)
    spots: list[Spot | None] = [None if spot is None else Spot(spot) for spot in node_spots]
    before: list[EarlierStep] = []
    words_seen = {words for each in tree.nodes if (words := words_at(each))}
    for back, passage in enumerate(place.way.passages, 1):
        earlier, where = _earlier(passage, back, words_seen)
        before.append(earlier)
        spots += where
    if redactor is not None:
        for screen in (place.screen, after, *(each.screen for each in place.way.passages)):
            if screen is not None:
                redactor.learn_screen(screen)
        later = redactor.texts(later)
        *texts, label = redactor.texts([*texts, control.get("label", "")])
        control = {**control, **({"label": label} if label else {})}
        before = [
            EarlierStep(
                each.gesture, *(tuple(redactor.texts(list(part))) for part in (each.touched, each.others))
            )
            for each in before
        ]
    screen_text, later_text = "\n".join(texts), "\n".join(later)
    return Question(node.package or "", control, screen_text, tuple(spots), later_text, tuple(before))


def _earlier(passage: Passage, back: int, words_seen: set[str]) -> tuple[EarlierStep, list[Spot | None]]:
    """What is shown of a step before, as far as it is not shown already, and where its lines stand."""
    own = own_nodes(passage)
    others = [node for node in other_nodes(passage) if words_at(node) not in words_seen]
    words_seen |= {words for node in others if (words := words_at(node))}
    texts = [words_of(passage, node) or "" for node in (*own, *others)]
    node_spots = (spot_of(passage.screen.tree, node) for node in (*own, *others))
    spots = [None if spot is None else Spot(spot, back) for spot in node_spots]
    gesture = "typing" if passage.gesture in TYPING else _in_words(passage.gesture)
    return EarlierStep(gesture, tuple(texts[: len(own)]), tuple(texts[len(own) :])), spots


def _in_words(gesture: str) -> str:
    return gesture.replace("_", " ")
