"""The words by which a screen says that a number is a one-time code, or that a text is a password; as RE2 patterns.

They are matched on folded texts (`vsalang.screen.secrets.folding`): without marks on letters, with plain blanks and
dashes.
Languages: English, German, French, Spanish, Italian, Portuguese.
"""

from typing import Any, Final

from vsalang.program.text import words

CODE_WORDS: Final = (
    r"\b(?:otp|one[- ]?time|2fa|mfa|two[- ]factor|passcode|tan|smstan|mtan"
    r"|(?:verification|security|log ?in|sign[- ]?in|access|auth(?:entication|ori[sz]ation)?|confirmation|activation"
    r"|pairing|recovery|reset|sms|unlock|g) ?(?:code|pin|number)"
    r"|code (?:is|ist|est|es|e)|is your [\w. -]{0,40}code|(?:your|ihr|dein|votre|tu|su|il tuo|seu) [\w.-]{0,30} ?code"
    r"|codes? (?:de|d'|di) ?(?:verification|securite|acces|confirmation|validation|verifica|sicurezza|accesso|conferma)"
    r"|(?:bestatigungs|sicherheits|verifizierungs|einmal|zugangs|anmelde|aktivierungs|prufungs|freischalt)-?"
    r"(?:code|passwort|kennwort|pin)|codigo(?: de)?(?: verificacion| seguridad| acceso| confirmacao| verificacao)?"
    r"|mot de passe a usage unique|codice)\b|\bcode ?:"
)
"""What says that a number next to it is a one-time code."""

OTHER_CODES: Final = (
    r"\b(?:zip|postal|post|area|country|dial(?:l?ing)?|error|status|exit|qr|bar|promo|coupon|discount|voucher|gift"
    r"|invite|invitation|referral|product|item|source|dress|sort|swift|tax|building|colou?r|key|morse|game|cheat"
    r"|country calling|airport|currency|language|model|part|booking|rabatt|gutschein|fehler) ?-?codes?\b"
)
"""Codes that are not secrets."""

CREDENTIAL_WORDS: Final = (
    r"(?:passwords?|passphrase|passwd|passwort|kennwort|passcode|mot de passe|contrasena|parola d'ordine|senha"
    r"|pass[ _-]?word|pwd|pin(?: code| number|-?nummer)?|cvv2?|cvc2?|card verification (?:code|value)"
    r"|(?:secret|api|access|private|recovery|encryption|wi-?fi|network security) ?key|secret|access token|auth token"
    r"|client secret|security answer)"
)
"""What says that the text next to it is a password or another credential."""

SAID: Final = (
    rf"\b{CREDENTIAL_WORDS}(?: ?\([^()\x00]{{0,20}}\))?(?:\s*[:=]\s*|\s+(?:is|ist|lautet|est|es|e)\s*:?\s+)"
    r"([^\s\x00]+)"
)
"""A credential with its name before it."""

IS_LABEL: Final = rf"\b{CREDENTIAL_WORDS}(?: ?\([^()\x00]{{0,20}}\))?\s*[:*]?\s*$"
"""A text that ends with the name of a credential."""

SEED_WORDS: Final = r"\b(?:(?:recovery|seed|secret|backup|mnemonic) (?:phrase|words|seed)|mnemonic)\b"
PHONE_WORDS: Final = (
    r"\b(?:phone|telephone|tel|mobile|cell(?:phone)?|whatsapp|handy(?:nummer)?|telefon(?:nummer|o)?|rufnummer|fax"
    r"|portable|movil|cellulare|celular|call|sms to|text|dial)\b"
)

PROSE: Final = frozenset(
    "required optional incorrect wrong invalid correct hidden forgotten forgot reset changed change expired needed "
    "protected too not set enabled disabled on off yes no none null the a an your this strong weak minimum at must new "
    "current old enter show hide missing empty unknown only case sent same different accepted rejected fehlt falsch "
    "true false erforderlich incorrecta incorrect incorrecte requise obligatorio obligatoire vergessen "
    "saved updated stored shown available valid blank used never always also now here later as in to of or and".split()
)
"""What follows the name of a credential in sentences and is none."""


def words_of_name(name: str) -> str:
    """The words of an id or another name: ``et_userPassword`` is ``et user Password``."""
    parted = "".join(
        f" {char}" if char.isupper() and before.islower() else char
        for before, char in zip(f" {name}", name, strict=False)
    )
    return " ".join(parted[word.start : word.end] for word in words(parted))


def compiled(source: str, *, case: bool = False) -> Any:
    """An RE2 pattern for folded bytes.

    Args:
        source: RE2's syntax, ASCII.
        case: whether upper and lower case differ.
    """
    import re2

    options = re2.Options()
    options.log_errors = False
    options.encoding = re2.Options.Encoding.LATIN1
    options.case_sensitive = case
    return re2.compile(source.encode("ascii"), options)
