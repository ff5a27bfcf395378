"""What changes on a screen by itself, so that it is not a sign that an action did something: clocks, advertisements,
the system's bars, and dialogs which say that something went wrong.

Who takes a real change for one of these only leaves the outcome of an action open; the lists are made so.
"""

import re
from typing import Final

from vsalang.screen.control.relevance import words
from vsalang.screen.tree import Node, Tree

_CLOCKS: Final = re.compile(r"(TextClock|DigitalClock|AnalogClock|Chronometer)$")
_TIME: Final = re.compile(
    r"\d{1,2}\s*[:.h]\s*\d{2}(\s*[:.]\s*\d{2})?(\s?[ap]\.?m\b\.?)?|\d+\s?%"
    r"|\d+\s*(s|secs?|seconds?|mins?|minutes?|hours?|hrs?|h|sek\w*|std|stunden?|minuten?|segundos?|minutos?|horas?"
    r"|secondes?|heures?|secondi|minuti|ore)\b",
    re.IGNORECASE,
)
_AD_IDS: Final = re.compile(
    r"(^|_)(ads?|advert\w*|ad_?(view|banner|container)|banner_?ad|native_?ad|sponsored)(_|$)", re.IGNORECASE
)
_AD_CLASSES: Final = re.compile(r"^(Ad(View|Layout|Container|Choices)\w*|\w+Ad(View|Layout))$")
_AD_WORDS: Final = re.compile(
    r"(ad|ads|advertisement|sponsored|promoted|anzeige|werbung|gesponsert|anuncio|publicidad|patrocinado|publicité"
    r"|annonce|sponsorisé|pubblicità|annuncio|sponsorizzato|anúncio|publicidade)\W*",
    re.IGNORECASE,
)
_ERROR_IDS: Final = frozenset({"aerr_close", "aerr_wait", "aerr_restart", "aerr_report", "aerr_app_info"})
_ERRORS: Final = re.compile(
    r"\b(errors?|failed|failure|invalid|try again|could ?n[o'’]t|can[’']?not|can[’']t|unable to|went wrong|has stopped"
    r"|keeps stopping|not responding|isn[’']t responding|no (internet|connection|network)|timed out|denied"
    r"|fehler\w*|fehlgeschlagen|ungültig\w*|erneut versuchen|konnte nicht|nicht möglich|wurde beendet"
    r"|falló|fallo|no se (pudo|puede|ha podido)|inténtal\w+|erreur|échec|échoué|réessay\w+|impossible"
    r"|errore|impossibile|riprova|non riuscit\w+|erro|falha|falhou|tente novamente|não foi possível)\b",
    re.IGNORECASE,
)
_SYSTEM: Final = "com.android.systemui"
_PAGE: Final = 0.5


def only_the_time(node: Node, before: str | None, after: str | None) -> bool:
    """Whether two texts of a node differ in a time, a duration or a share alone, as those of clocks do."""
    if node.cls is not None and _CLOCKS.search(node.cls):
        return True
    return before is not None and after is not None and _timeless(before) == _timeless(after) != before


def clock(node: Node) -> tuple[str | None, str] | None:
    """What a node without a name of its own says besides the time that it tells; None: it tells none."""
    text = words(node)
    rest = _timeless(text)
    return (node.cls, rest) if rest != text else None


def says_error(node: Node) -> bool:
    """Whether a node says that something went wrong, or belongs to the system's dialog which says so."""
    return node.id in _ERROR_IDS or _ERRORS.search(words(node)) is not None


def beside_the_page(tree: Tree) -> frozenset[int]:
    """The numbers of the nodes that are not part of an app's page: advertisements, and the system's bars.

    What is the greater part of the screen is the page, whatever it is called.
    """
    most = _PAGE * len(tree.nodes)
    numbers: set[int] = set()
    system: set[int] = set()
    for node in tree.nodes:
        if node.package == _SYSTEM:
            system.add(node.node)
        elif node.node not in numbers and (top := _advertisement(tree, node)) is not None:
            inside = {top.node, *(inner.node for inner in tree.inside(top))}
            if len(inside) < most:
                numbers |= inside
    return frozenset(numbers | system if len(system) < most else numbers)


def _advertisement(tree: Tree, node: Node) -> Node | None:
    """The node that holds the advertisement which this one belongs to; None: it tells of none."""
    if node.id is not None and _AD_IDS.search(node.id):
        return node
    if node.cls is not None and _AD_CLASSES.search(node.cls):
        return node
    if _AD_WORDS.fullmatch(words(node).strip()):
        return tree.by_number.get(node.parent, node) if node.parent is not None else node
    return None


def _timeless(text: str) -> str:
    return _TIME.sub("#", text)
