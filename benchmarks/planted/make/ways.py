"""The way from the home screen to where a scene begins, so that traces differ in length and start as real ones do."""

import unicodedata
from collections.abc import Mapping

from benchmarks.planted.make.scenes import Block, Page, Scene
from benchmarks.planted.make.screens import digest

APPS = {
    "en": ("Phone", "Camera", "Clock", "Weather", "Podcasts", "Compass", "Recorder", "Games", "Radio Box", "Stocks"),
    "de": ("Telefon", "Kamera", "Uhr", "Wetter", "Podcasts", "Kompass", "Rekorder", "Spiele", "Radiobox", "Börse"),
    "es": ("Teléfono", "Cámara", "Reloj", "Tiempo", "Podcasts", "Brújula", "Grabadora", "Juegos", "Radio", "Bolsa"),
    "fr": ("Téléphone", "Appareil", "Horloge", "Météo", "Podcasts", "Boussole", "Dictaphone", "Jeux", "Radio", "Cours"),
}  # fmt: skip
MORE_APPS = {
    "en": ("Calculator", "Translator", "Birds", "Bus Times", "Sudoku", "Museum", "Tuner",
           "Sky Map", "Dictionary", "Level"),
    "de": ("Rechner", "Übersetzer", "Vögel", "Buszeiten", "Sudoku", "Museum", "Stimmgerät",
           "Sterne", "Lexikon", "Wasserwaage"),
    "es": ("Calculadora", "Traductor", "Aves", "Autobuses", "Sudoku", "Museo", "Afinador",
           "Estrellas", "Diccionario", "Nivel"),
    "fr": ("Calculette", "Traducteur", "Oiseaux", "Bus", "Sudoku", "Musée", "Accordeur",
           "Étoiles", "Dictionnaire", "Niveau"),
}  # fmt: skip
FRESH_APPS = {
    "en": ("Barometer", "Tides", "Chess", "Magnifier", "Metronome", "Crossword", "Trails",
           "Star Signs", "Timetable", "Origami"),
    "de": ("Barometer", "Gezeiten", "Schach", "Lupe", "Metronom", "Kreuzwort", "Wanderwege",
           "Sternzeichen", "Fahrplan", "Origami"),
    "es": ("Barómetro", "Mareas", "Ajedrez", "Lupa", "Metrónomo", "Crucigrama", "Senderos",
           "Signos", "Horarios", "Origami"),
    "fr": ("Baromètre", "Marées", "Échecs", "Loupe", "Métronome", "Mots croisés", "Sentiers",
           "Signes", "Horaires", "Origami"),
    "it": ("Barometro", "Maree", "Scacchi", "Lente", "Metronomo", "Cruciverba", "Sentieri",
           "Segni", "Orari", "Origami"),
    "pt": ("Barómetro", "Marés", "Xadrez", "Lupa", "Metrónomo", "Palavras cruzadas", "Trilhos",
           "Signos", "Horários", "Origami"),
}  # fmt: skip
APPS_OF: dict[str, Mapping[str, tuple[str, ...]]] = {
    "open": APPS,
    "held": APPS,
    "more": MORE_APPS,
    "fresh": FRESH_APPS,
}
"""The apps on the home screens of a part."""
LABELS = {
    "en": {"settings": "Settings", "play": "Play Store", "documents": "Files", "sms": "Messages"},
    "de": {"settings": "Einstellungen", "play": "Play Store", "documents": "Dateien", "sms": "Nachrichten"},
    "it": {"settings": "Impostazioni", "play": "Play Store", "documents": "File", "sms": "Messaggi"},
    "pt": {"settings": "Definições", "play": "Play Store", "documents": "Ficheiros", "sms": "Mensagens"},
}
ROOMS = {
    "Phone": ("- Recent calls | {n}", "- Voicemail | {m}", "[Keypad]"),
    "Camera": ("Photo", "[Take] [Switch]", "{m} pictures left"),
    "Clock": ("(x) 06:{n} | Mon to Fri", "( ) 09:{m} | Sat", "[Add alarm]"),
    "Weather": ("# {m} degrees", "Wind {n} km/h, light clouds", "- Tomorrow | {n} %", "- Weekend | {m} %"),
    "Podcasts": ("- Morning talk | {n} min", "- The long river | {m} min", "{News} {Science}"),
    "Compass": ("# {n}{m} degrees", "Keep the phone flat", "[Calibrate]"),
    "Recorder": ("00:00", "[Record]", "- Voice {n} | 0:{m}"),
    "Games": ("- Tower {m} | level {n}", "- Words | {m} points", "[New game]"),
    "Radio Box": ("Station {n}", "[Play] [Next]", "- Favourites | {m}"),
    "Stocks": ("- Index | {n},{m}", "- Nordag | {m}.20", "Prices of 10:{n}"),
}
"""What is seen in apps that are opened by mistake, or looked at in passing."""
MORE_ROOMS = {
    "Calculator": ("# {n}", "{n} x {m}", "[7] [8] [9] [x]"),
    "Translator": ("{English} {Polish}", "_Enter words_", "- Said before | {n}"),
    "Birds": ("- Robin | heard {n} times", "- Wren | heard {m} times", "[Listen]"),
    "Bus Times": ("- Line {n} | in {m} min", "- Line {m} | in 3 min", "Stop: Mill Lane"),
    "Sudoku": ("Board {n}, easy", "[Hint] [Undo]", "Best: {m} min"),
    "Museum": ("- Hall {n} | Bronze age", "- Hall {m} | Coins", "Open until 18:00"),
    "Tuner": ("# A", "{n} cents too low", "[Reference tone]"),
    "Sky Map": ("- Jupiter | {n} degrees high", "- Vega | {m} degrees high", "(x) Red light"),
    "Dictionary": ("- murmur | noun, page {n}", "- mellow | adjective, page {m}", "{A} {M} {Z}"),
    "Level": ("# {n}.0 degrees", "Lay the phone on its back", "[Zero]"),
}
"""The same for the part `more`, which shares no screen with the halves; `MORE_APPS` are on its home screens."""
FRESH_ROOMS = {
    "Barometer": ("# 10{n} hPa", "Fallen by {m} since noon", "[Set]"),
    "Tides": ("- High water | 0{m} | 4.{n} m", "- Low water | 1{n} | 0.{m} m", "Harbour: Elm Quay"),
    "Chess": ("Game {n}, your move", "[Resign] [Offer draw]", "Rating: 9{m}"),
    "Magnifier": ("<<Magnified>>", "{m} x", "[Freeze] [Light]"),
    "Metronome": ("# {n} bpm", "3/4", "[Tick]"),
    "Crossword": ("Puzzle {n}", "- 4 across | River in Wales, {m} letters in all", "[Check word]"),
    "Trails": ("- Ridge loop | {n} km", "- Mill path | {m} km", "{Easy} {Steep}"),
    "Star Signs": ("- Aries | page {n}", "- Libra | page {m}", "Only for fun"),
    "Timetable": ("- Tram {n} | every {m} min", "- Ferry | every hour", "_From_"),
    "Origami": ("- Crane | {n} folds", "- Frog | {m} folds", "(x) Slow pictures"),
}
"""The same for the part `fresh`; `FRESH_APPS` are on its home screens."""
ROOMS_OF: dict[str, Mapping[str, tuple[str, ...]]] = {
    "open": ROOMS,
    "held": ROOMS,
    "more": MORE_ROOMS,
    "fresh": FRESH_ROOMS,
}
MOST = {"open": 15, "held": 15, "more": 12, "fresh": 14}
"""A trace of a part has at most so many steps, its end among them."""
NEVER = ("launcher", "systemui", "permission", "android", "installer")
SHORT = 3


def way(scene: Scene, seed: str) -> list[Block]:
    """The steps before a scene: none, where it begins at home or goes on from a walk, and else one to four, or none."""
    first = scene.blocks[0].page if scene.blocks else None
    if first is None or first.app in NEVER or first.app.startswith("pkg.") or "base" in scene.said:
        return []
    lang = scene.said.get("lang", "en")
    label = LABELS.get(lang, LABELS["en"]).get(first.app, first.app.capitalize())
    chance = digest(f"way {seed}")
    kind = chance % 6
    if kind == 5 and len(scene.blocks) >= SHORT:
        return []
    apps = APPS_OF[_part(seed)]
    others = [name for name in apps[lang] if name != label]
    others.sort(key=lambda name: digest(f"{seed} {name}"))
    here, drawer = others[:5], sorted([*others, label])
    home = sorted([*here, label], key=lambda name: digest(f"{name} {seed}"))
    match kind:
        case 0:
            return [_at(scene, home, f"tap {label}")]
        case 1:
            return [_at(scene, here, "scroll down"), _at(scene, drawer, f"tap {label}")]
        case 2:
            found = ("_Search_", *(f"- {name}" for name in drawer))
            typed = (f"_Search_ {label}", f"- {label}")
            return [
                _at(scene, here, "scroll down"),
                Block(
                    Page("launcher", False, "", found), (), (), f"type Search = {label}", False, scene.place
                ),
                Block(Page("launcher", False, "", typed), (), (), f"tap {label} #2", False, scene.place),
            ]
        case 3:
            wrong = Page(
                _key(here[0]), False, here[0], ("Welcome back", f"- Recent | {digest(seed) % 97}", "- Help")
            )
            return [
                _at(scene, home, f"tap {here[0]}"),
                Block(wrong, (), (), "back", False, scene.place),
                _at(scene, home, f"tap {label}"),
            ]
        case _:
            return [_at(scene, here, f"open {first.app}")]


def astray(scene: Scene, seed: str, steps: int) -> tuple[list[Block], list[Block]]:
    """Looks into other apps before and after a scene, which many agents take; each is two to four steps.

    Args:
        scene: they come before one that has a way from home, and after one that ends at home.
        seed: decides whether there are any, and which.
        steps: how many the trace has without them.
    """
    chance, room = digest(f"astray {seed}"), MOST[_part(seed)] - steps
    names = sorted(ROOMS_OF[_part(seed)], key=lambda name: digest(f"{name} {seed}"))
    before: list[Block] = []
    after: list[Block] = []
    if "lang" in scene.said:
        return before, after
    for number in range(chance % 5 if chance % 2 else 0):
        look = _look(scene, names[number], names, f"{seed} {number}")
        if len(look) <= room and way(scene, seed):
            before += look
            room -= len(look)
    ends_at_home = (
        bool(scene.blocks) and scene.blocks[-1].action == "home" and scene.blocks[-1].page is not None
    )
    for number in range(6, 6 + chance // 7 % 4 if ends_at_home else 6):
        look = _look(scene, names[number], names, f"{seed} {number}")
        if len(look) <= room:
            after += look
            room -= len(look)
    return before, after


def _look(scene: Scene, name: str, names: list[str], seed: str) -> list[Block]:
    """Opens an app, perhaps scrolls in it, and goes home."""
    chance, page = digest(seed), _room(name, seed)
    home = sorted([name, *names[4:8]] if name not in names[4:8] else names[4:8])
    opened = _at(scene, home, f"tap {name}")
    looked = [Block(page, (), (), "scroll down", False, scene.place)] if chance % 2 else []
    return [opened, *looked, Block(page, (), (), "home", False, scene.place)]


def _room(name: str, seed: str) -> Page:
    """A page of an app that has nothing to do with the task."""
    odd = 11 if _part(seed) == "held" else 10  # so that halves share no screen
    numbers = {key: str(odd + 2 * (digest(f"{key} {seed}") % 24)) for key in ("n", "m")}
    lines = ROOMS_OF[_part(seed)][name]
    for key, value in numbers.items():
        lines = tuple(line.replace("{" + key + "}", value) for line in lines)
    return Page(_key(name), False, name, lines)


def _part(seed: str) -> str:
    """The part of the set that a trace belongs to: its seed is PART/UNIT/NN, perhaps with a number."""
    return seed.partition("/")[0]


def _key(label: str) -> str:
    plain = unicodedata.normalize("NFKD", label).encode("ascii", "ignore").decode()
    return "".join(letter for letter in plain.lower() if letter.isalpha())


def _at(scene: Scene, apps: list[str], action: str) -> Block:
    lines = tuple(f"- {name}" for name in apps)
    return Block(Page("launcher", False, "", lines), (), (), action, False, scene.place)
