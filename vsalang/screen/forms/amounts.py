"""Amounts of money that a screen shows: value, currency, what they are for, and which of them is the whole one.

A number is an amount if a currency stands next to it, in its own text or in the node next to it, or if the words next
to it say that it is a total. Numbers of cards, accounts and telephones, dates, times, ratings and shares are none.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cached_property
from typing import Final

from vsalang.base.records import dataclass
from vsalang.program import readers
from vsalang.program.dates import date, time
from vsalang.program.text import fold_case, plain
from vsalang.program.written import CURRENCY_CODES
from vsalang.screen.forms.closing import Closings
from vsalang.screen.forms.outline import Outline, level, shorten
from vsalang.screen.forms.rows import Rows
from vsalang.screen.forms.surfaces import CURRENCIES, MONEY_WORDS, Surfaces
from vsalang.screen.forms.words import BALANCE, PART, TOTAL
from vsalang.screen.tree import Node

MOST: Final = 500
"""A screen has at most so many amounts; those after them are left out."""
_LONGEST: Final = 500
"""Texts that are longer, in characters, are prose: an amount in them is not looked for."""

_SIGNS: Final = r"(?:(?<![^\W_])[A-Z]{1,3})?[$€£¥₹₩₽₺₫₱฿₪₴₦₿₸₲₡₵￥￦]"
_BAND: Final = 16
"""So many pixels high is a band in which texts of one line are looked for."""
_MOST_A_BAND: Final = 30
_CODES: Final = sorted(readers.ISO_4217 - {"ALL", "TOP"})
_MARK: Final = rf"(?:{_SIGNS}|(?<![^\W\d_])(?:{'|'.join([*_CODES, *MONEY_WORDS])})(?![^\W\d_]))"
_BODY: Final = r"\d{1,15}(?:[.,'\u00a0\u202f ]\d{1,3}){0,7}(?:[.,]-)?"
_CARD: Final = rf"\d{{4,}}[\u00a0\u202f ]\d{{1,3}}(?:[.,']\d{{3}})*[.,]\d{{2}}\s?(?:{_MARK}|元|円|원)"
"""The end of a card's number, and an amount behind it: "0917 30,00 €" are two numbers."""
_PIECE: Final = re.compile(
    rf"(?P<sign>[-+]?)(?:(?P<before>{_MARK})\s?(?P<one>{_BODY})(?:\s?(?P<after>{_MARK}))?"
    rf"|(?<!\d)(?!{_CARD})(?P<two>{_BODY})\s?(?P<behind>{_MARK}|(?:元|円|원)))"
)
_YEAR: Final = re.compile(rf"(?<=[^\W\d_] )20[2-4]\d(?=\s{_SIGNS}\d)")
"""A year before a sum: in "31 May 2026 ₹7,450" the sign belongs to what follows."""
_LIKE_MONEY: Final = re.compile(r"\d[.,']\d|(?<!\d)\d{1,3}(?!\d)")
"""What a code with letters behind it ("4829 EUR") does not look like."""
_ONLY_MARK: Final = re.compile(rf"(?:{_MARK}|元|円|원)")
_ONLY_NUMBER: Final = re.compile(rf"[-+]?{_BODY}")
_NAMED: Final = re.compile(rf"(?P<name>[^\d\n,;|:]{{2,40}}?)(?:\s*[,:|]\s*|\s+)(?P<number>{_BODY})")
"""A name and a number in one text, and nothing else, as a row says it that is one node."""
_SCALED: Final = re.compile(
    r"\s?(?:万|億|亿|만|[kKmMbB](?![^\W\d_])|tsd|mio|mln|tys|тыс|млн|million|thousand)", re.IGNORECASE
)
_BEFORE: Final = re.compile(
    r"(?:[:：]|(?:^|\s)(?:for|pay|send|für|zahlen|por|pagar|enviar|pour|payer|envoyer|per|paga|voor|betaal|za|zapłać|за|оплатить"
    r"|için|öde|ادفع)|支付|支払う|支払い|결제)\s*$|^\s*[가-힣]{2,4}(?:님|씨)(?:에게|께)\s*$"
    r"|^\s*(?:amount|total|sum|betrag|summe|gesamt|importe|monto|montant|importo|totale|valor|bedrag|totaal|kwota|suma|razem"
    r"|сумма|итого|tutar|toplam|المبلغ|الإجمالي|المجموع|金額|合計|金额|合计|总计|금액|합계|총액)\s*$"
)
"""What may stand before an amount in a sentence: the name of what it is, and that it is paid or for what."""
_LISTED: Final = re.compile(
    r"\s*[^\W\d_][^\d\n|·/%]*?(?:(?:,|\s·)\s[1-9] (?:seats?|places|plätze|plazas|posti|lugares|miejsca|места"
    r"|hours?|stunden?|horas?|heures?|or[ae]|uur|godzin\w*|час\w*|saat))?(?:,|\s·|:)\s+"
)
"""A list of words, and of how many seats or hours there are, before the amount that is its last part."""
_UNTIL: Final = re.compile(
    r"^(?:until|till|bis|hasta|até|fino alle|jusqu'à|tot|do|до) \d{1,2}:\d{2}(?=, )", re.IGNORECASE
)
"""How long, at the beginning of a list: it says nothing of how much."""
_RATE: Final = re.compile(
    r"\d+\s?(?:/|of|von|van|de|di|sur|из|z)\s?\d|\b(?:pp|pro|par|por|al|a|instal\w*|month\w*|monat\w*|mes(?:es)?"
    r"|mois|mes[ei]|rat\w*|versement\w*|cuota\w*|mal|fois|night\w*"
    r"|day\w*|week\w*|year\w*|settiman\w*|woche\w*|semana\w*|semaine\w*|tydz\w*|недел\w*|месяц\w*|hafta\w*"
    r"|nacht|nuit|noche|notte|cash\w*|credit\w*|refund\w*|save\w*|value|balance|saldo|guthaben|solde)\b"
    r"|[期回泊晩月日週周年割引券]|개월|박",
    re.IGNORECASE,
)
"""What says in such a list that the amount is paid more than once, or is not paid at all."""
_OTHERWISE: Final = re.compile(
    r"\b(?:least|most|min\w*|max\w*|up to|over|under|from|start\w*|each|every|per|plus|minus|times|dozen|one|two|three"
    r"|four|five|six|seven|eight|nine|ten|twelve|half|double|discount|sav(?:e|es|ed|ing|ings)|off|deposit|fee|tax|tip|mindestens"
    r"|höchstens|ab|bis|je|rabatt|anzahlung|gebühr|desde|hasta|mínimo|máximo|cada|descuento|partir|jusqu\w*|dès|chaque|remise"
    r"|acompte"
    r"|almeno|sconto|ogni|vanaf|minstens|korting|co najmniej|от|до|не менее|скидка|каждый|en az|indirim|من|حتى)\b"
    r"|最低|最少|最多|最高|最大|至少|每|毎|各|割引|优惠|優惠|최소|최대|할인|[x×*]"
)
"""What says that an amount is not the sum: the least or the most, a rate, a multiple, a part of it."""
_SHORT_MARK: Final = re.compile(rf"(?P<mark>[KTU]?[Ss]h|Rs?|Bs)\.?\s?(?P<body>(?=\d*[.,]\d){_BODY})")
"""Short forms of currencies that are words elsewhere, before a number with marks."""
_CENTS: Final = re.compile(r"\d[.,]\d{2}$")
_NUMBER: Final = re.compile(rf"(?<!\d){_BODY}")
_FEE: Final = re.compile(r"\s*(?:手数料|料金|代金)[:：]?\s*")
_SENTENCE: Final = re.compile(
    r"\s*[.!?)]?\s*$|\s*[,、，]|\s+(?:from|to|for|para|für|pour|voor|dla|для|için|إلى)\s+[^\W\d_]"
)
"""What may follow a sum: nothing, a further part, or from where, to whom or for what it is."""
_MEASURE: Final = re.compile(r"\b\d[\d.,]*\s?(?:kWh|kg|ml|km|[gl])\b")
_ENDS_WITH_MARK: Final = re.compile(rf"(?:{_MARK})\s?$")
_BEGINS_WITH_MARK: Final = re.compile(rf"\s?(?:{_MARK})")
_ON_TOP: Final = re.compile(
    r"\b(?:plus|excl\w*|exkl\w*|zzgl|hors|esclus\w*|oltre|más|mais|bez|hariç|tax|vat|mwst|iva|tva|fees?|extra|deposit|down"
    r"|(?:week|month|year|dai|hour)ly|(?:wöchent|monat|jähr|täg)lich\w*|mens[ui]\w*|seman\w*|anu\w*|diari\w*|elk|elke|aylık"
    r"|haftalık|yıllık|renews?|later|each|every|per|first|now|today|instal\w*|anzahlung"
    r"|acompte|acconto|aanbetaling|zaliczk\w*|аванс)\b"
    r"|ежемесячно|еженедельно|[+%@×]|税|別|另|每|毎|各|抜き|含|별도|부터|から|起|매달|매월|매주|شهري|سنوي",
    re.IGNORECASE,
)
"""What says behind a sum that it is not all that is due."""
_AFTER: Final = re.compile(r"\s*(?:[을를] (?:보낼까요|송금할까요|이체할까요|결제할까요))?[.!?)\]]?\s*$")
_LOOSE: Final = re.compile(r"(?:元|円|원)$")


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount of money.

    Attributes:
        node: the node that shows the number.
        value: how much; None: it has no reading, or two.
        currency: its ISO code where the sign names one currency, else as it is written; None: nothing says which.
        name: what it is for, as the page says; None: nothing says so.
        total: whether it is the whole amount; None: the screen does not say.
    """

    node: Node
    value: int | Decimal | None
    currency: str | None
    name: str | None
    total: bool | None


class Amounts:
    """The amounts of a screen.

    Args:
        about: the outline of the tree.
        on: its surfaces.
        rows: its rows.
        closings: what closes what.
    """

    def __init__(self, about: Outline, on: Surfaces, rows: Rows, closings: Closings) -> None:
        self.about = about
        self.on = on
        self.rows = rows
        self.closings = closings

    @cached_property
    def all(self) -> tuple[Amount, ...]:
        """All amounts: whole ones first, else in the order of the document."""
        result: list[Amount] = []
        for node in self.about.tree.nodes:
            text = self.about.texts.get(node.node)
            if text is None or node.password is True or (node.text is None and self._repeats(node)):
                continue
            result += self._of(node, plain(text))
            if len(result) > MOST:
                break
        return tuple(sorted(self._settled(result[:MOST]), key=lambda amount: amount.total is not True))

    def _repeats(self, node: Node) -> bool:
        """Whether its description only repeats what is shown inside."""
        return any(one is not node for one in self.about.texts_in(node))

    def _of(self, node: Node, text: str) -> Iterator[Amount]:
        if len(text) > _LONGEST or not any(char.isdecimal() for char in text):
            return
        if not TOTAL.search(fold_case(text)):  # there the first number is the sum
            text = _YEAR.sub("    ", text)
        any_piece = False
        marked = CURRENCIES.search(text) is not None
        for match in _PIECE.finditer(text) if marked else ():
            any_piece = True
            if _SCALED.match(text, match.end()):
                continue
            mark = match["before"] or match["behind"]
            value = amount_of(match["one"] or match["two"], negative=match["sign"] == "-")
            if match["after"] and match["after"] != mark:
                mark = None
            name = _own_name(text, match.start(), match.end()) or self._name(node)
            yield Amount(node, value, mark, name, None)
        if not any_piece and _ONLY_NUMBER.fullmatch(text):
            yield from self._bare(node, text)
        elif not any_piece and (named := _NAMED.fullmatch(text)) is not None:
            yield from self._whole(node, named["name"], named["number"])

    def _bare(self, node: Node, text: str) -> Iterator[Amount]:
        """A number alone: an amount if a currency stands next to it, or a word for the whole."""
        if _is_moment(text) or len(re.sub(r"\D", "", text)) > 11:
            return
        name = self._name(node)
        currency = self._mark_beside(node)
        if currency is None and name is not None:
            match = _ONLY_MARK.search(name)
            currency = match.group() if match else None
        if currency is not None or (name is not None and TOTAL.search(fold_case(name)) and not _counts(name)):
            yield Amount(
                node, amount_of(text.lstrip("+-"), negative=text.startswith("-")), currency, name, None
            )

    def _whole(self, node: Node, name: str, number: str) -> Iterator[Amount]:
        """A number behind its name, without a currency: an amount if the name says that it is the whole, and no more.

        "Total nights: 3" is none, and where amounts have a currency, what has none is something else.
        """
        rest = TOTAL.sub("", fold_case(name))
        if not _is_moment(number) and not any(map(str.isalpha, rest)) and not self._in_currency:
            yield Amount(node, amount_of(number), None, name.strip(), None)

    @cached_property
    def _in_currency(self) -> bool:
        """Whether an amount with a currency shows."""
        texts = (plain(text) for text in self.about.texts.values() if len(text) <= _LONGEST)
        return any(CURRENCIES.search(text) is not None and _PIECE.search(text) is not None for text in texts)

    def _mark_beside(self, node: Node) -> str | None:
        """The currency that a node right before or after says, on the same line."""
        for other in (self._before.get(node.node), self._after.get(node.node)):
            if other is None:
                continue
            text = plain(self.about.texts[other.node])
            if _ONLY_MARK.fullmatch(text) and level(node, other):
                return text
        return None

    def _name(self, node: Node) -> str | None:
        """What stands for an amount: on its line at its left, else the text right before it, else its row."""
        left = self._at_left(node)
        if left is not None:
            return left
        before = self._before.get(node.node)
        if before is not None and self._names(before):
            gap = node.top - before.bottom
            if -2 <= gap <= 2 * (node.bottom - node.top) or before.node == node.parent:
                return self.about.texts[before.node].rstrip(" :")
        row = self.rows.of.get(node.node)
        return row.title if row is not None and row.title != self.about.texts.get(node.node) else None

    def _at_left(self, node: Node) -> str | None:
        """The nearest words on its line at its left."""
        middle = (node.top + node.bottom) // 2 // _BAND
        near = (
            other
            for band in range(middle - 2, middle + 3)
            for other in self._bands.get(band, ())[:_MOST_A_BAND]
        )
        left = [
            other
            for other in near
            if other.right <= node.left + 2 and other.window == node.window and level(node, other)
        ]
        return self.about.texts[max(left, key=lambda other: other.right).node].rstrip(" :") if left else None

    @cached_property
    def _bands(self) -> Mapping[int, list[Node]]:
        """The texts that may name an amount, by the height at which they stand."""
        result: dict[int, list[Node]] = {}
        for node in self._leaves:
            if self._names(node):
                result.setdefault((node.top + node.bottom) // 2 // _BAND, []).append(node)
        return result

    def _names(self, node: Node) -> bool:
        """Whether a text has words and is not an amount itself."""
        text = plain(self.about.texts[node.node])
        if not any(char.isalpha() for char in text) or _ONLY_MARK.fullmatch(text):
            return False
        return not (CURRENCIES.search(text) and _PIECE.search(text))

    @cached_property
    def _before(self) -> Mapping[int, Node]:
        """Node -> the node with a text before it in the document, in its window."""
        result: dict[int, Node] = {}
        last: Node | None = None
        for node in self._leaves:
            if last is not None and last.window == node.window:
                result[node.node] = last
            last = node
        return result

    @cached_property
    def _after(self) -> Mapping[int, Node]:
        return {before.node: self.about.tree.by_number[node] for node, before in self._before.items()}

    @cached_property
    def _leaves(self) -> list[Node]:
        return [
            node
            for node in self.about.tree.nodes
            if node.node in self.about.texts and not (node.text is None and self._repeats(node))
        ]

    def _settled(self, result: list[Amount]) -> Iterator[Amount]:
        """The amounts with what is known of which is the whole one, surface by surface."""
        by_surface: dict[int, list[Amount]] = {}
        for amount in result:
            surface = self.on.of.get(amount.node.node)
            by_surface.setdefault(surface.root.node if surface else 0, []).append(amount)
        for amounts in by_surface.values():
            due = [amount for amount in amounts if not self._is_balance(amount)]
            whole = {id(amount) for amount in due if _is_whole(amount.name)}
            if not whole:
                whole = {id(amount) for amount in due if self._committed(amount.node)}
            surface = self.on.of.get(amounts[0].node.node)
            sent = surface is not None and surface.in_front and self.closings.sent(surface)
            if not whole and len(due) == 1 and sent and not self._is_less(due[0]):
                whole = {id(due[0])}
            values = {amount.value for amount in amounts if id(amount) in whole}
            for amount in amounts:
                told_apart = bool(whole) or _is_part(amount.name) or amount not in due
                total = (
                    (id(amount) in whole or (amount.value is not None and amount.value in values))
                    if told_apart
                    else None
                )
                yield Amount(amount.node, amount.value, code_of(amount.currency), amount.name, total)

    def _is_less(self, amount: Amount) -> bool:
        """Whether it is called a part, or stands on what can be ticked: something else may be due, too."""
        taker = self.about.taker_of.get(amount.node.node)
        ticked = taker is not None and (
            taker in self.about.boxes or self.about.tree.by_number[taker].checkable is True
        )
        return ticked or _is_part(amount.name)

    def _is_balance(self, amount: Amount) -> bool:
        """Whether it is called a balance that is there to be spent; "Balance due" is one that is to be paid."""
        words = fold_case(f"{self.about.texts.get(amount.node.node, '')} {amount.name or ''}")
        return BALANCE.search(words) is not None and TOTAL.search(words) is None

    def _committed(self, node: Node) -> bool:
        """Whether it stands on the button that commits."""
        taker = self.about.taker_of.get(node.node)
        closer = self.closings.by_node.get(taker) if taker is not None else None
        return closer is not None and closer.way == "commit"


_BALANCE_LINE: Final = re.compile(
    r"\W*(?:(?:available|current|account) balance|balance (?:afterwards|available|after)"
    r"|verfügbares guthaben|guthaben danach|(?:aktueller )?kontostand(?: danach)?"
    r"|saldo (?:depois|después|dopo|danach|daarna"
    r"|disponível|disponible|disponibile|atual|actual|attuale)"
    r"|solde (?:disponible|actuel|après)|(?:beschikbaar|huidig) saldo"
    r"|(?:dostępne|dostępny) (?:środki|saldo)|доступный (?:баланс|остаток)|остаток после|kullanılabilir bakiye"
    r"|可用余额|账户余额|お?支払い後残高|利用可能残高|잔액|출금 가능 금액|الرصيد (?:المتاح|بعد))\W*"
)


def tells_balance(text: str) -> bool:
    """Whether a text is nothing but a sum that is there to be spent: "Saldo depois: 1.612,18"."""
    sums = list(_NUMBER.finditer(text))
    if len(sums) != 1:
        return False
    rest = CURRENCIES.sub(" ", text[: sums[0].start()] + " " + text[sums[0].end() :])
    return _BALANCE_LINE.fullmatch(fold_case(rest).strip()) is not None


def amount_of(body: str, *, negative: bool = False) -> int | Decimal | None:
    """The number of an amount, in any digits: one mark before exactly three groups them, as in prices.

    None: it has no reading, or two.
    """
    text = re.sub(r"[.,]-$", "", re.sub(r"[\u00a0\u202f]", " ", body.strip()))
    text = "".join(str(unicodedata.decimal(each, each)) for each in text)
    value = readers.number(text)
    if value is None and (match := re.fullmatch(r"\d{1,3}([.,])\d{3}", text)):
        value = readers.number(text, "," if match[1] == "." else ".")
    if value is None:
        return None
    return -value if negative else value


def only_amount(text: str) -> tuple[int | Decimal | None, str | None]:
    """The amount that a text is, with the code of its currency.

    A text with anything else in it, with a sign, or with a scale ("5 lakh", "50+") is not one. Each part is None where
    the text does not say it; a number alone is an amount without a currency.
    """
    text = plain(text).strip()
    if len(text) > _LONGEST or text.startswith(("-", "+", "\u2212")):
        return None, None
    if _ONLY_NUMBER.fullmatch(text):
        return amount_of(text), None
    pieces = list(_PIECE.finditer(text)) if CURRENCIES.search(text) is not None else []
    if len(pieces) != 1 or pieces[0]["sign"]:
        return None, None
    (piece,) = pieces
    rest = text[: piece.start()] + text[piece.end() :]
    if rest.strip():
        return None, None
    mark = piece["before"] or piece["behind"]
    if piece["after"] and piece["after"] != mark:
        mark = None
    return amount_of(piece["one"] or piece["two"]), code_of(mark)


def amount_within(text: str) -> str:
    """The one amount that a text names, as it is written there with its currency; empty: it names none, or more.

    Nothing next to the amount changes how much it is: a scale ("5 lakh"), a sign, "from", "a day". Before it stands
    what it is, or that it is paid; or it is the last part of a list ("Standard, 4 seats, £31.50"). Nothing else in the
    text is a number, but that of the seats or hours of a list, and until when.
    """
    pieces = list(_PIECE.finditer(text)) if len(text) <= _LONGEST else []
    if len(pieces) != 1 or only_amount(pieces[0].group())[0] is None:
        return ""
    before, after = text[: pieces[0].start()], text[pieces[0].end() :]
    words = fold_case(before)
    words = _UNTIL.sub("it", words)
    if _OTHERWISE.search(words) or not _AFTER.match(after):
        return ""
    if _LISTED.fullmatch(words) and not _RATE.search(words):
        return pieces[0].group()
    if any(char.isnumeric() for char in before) or not _BEFORE.search(words):
        return ""
    return pieces[0].group()


def sum_of(words: str) -> tuple[int | Decimal | None, str | None]:
    """The amount that somebody copied, with its currency (`only_amount`), or a short form of one: "KSh 2,000"."""
    value, currency = only_amount(words)
    if value is None and (match := _SHORT_MARK.fullmatch(words.strip())) is not None:
        return amount_of(match["body"]), match["mark"]
    return value, currency


def sum_in(text: str, words: str) -> int | None:
    """Where somebody found a sum in a text that stays as it is; None: it is none, or what is around it may say more.

    It has a currency or cents, and stands there once and whole. Before it stands what may stand before an amount
    (`amount_within`), behind it nothing, a further part, or from where, to whom or for what. No other number stands
    there, but of a measure.

    Args:
        text: on one line.
        words: the sum as it is written there.
    """
    value, currency = sum_of(words)
    start = text.find(words)
    if value is None or start < 0 or (currency is None and _CENTS.search(words) is None):
        return None
    before, after = text[:start], text[start + len(words) :]
    if any(char.isnumeric() for char in before + _MEASURE.sub("", after)):
        return None
    folded, behind = fold_case(before), fold_case(after).replace("券", "")
    named = (
        _BEFORE.search(folded) or _LISTED.fullmatch(folded) or _FEE.fullmatch(folded) or not folded.strip()
    )
    follows = _SENTENCE.match(after) or _AFTER.match(after)
    if not named or not follows or _touches(before, words, after):
        return None
    if _OTHERWISE.search(folded) or _RATE.search(folded) or _RATE.search(behind) or _ON_TOP.search(after):
        return None
    return start


def _touches(before: str, words: str, after: str) -> bool:
    """Whether a letter, a sign or another currency stands right before or behind a sum."""
    last, first = before[-1:], after[:1]
    if last and not last.isspace() and (last.isascii() or not words[0].isdecimal()):
        return True
    if first.isalnum() and _LOOSE.search(words) is None:
        return True
    return bool(_ENDS_WITH_MARK.search(before) or _BEGINS_WITH_MARK.match(after))


def sums_in(text: str) -> Iterator[int | Decimal | None]:
    """What may be sums in a text: numbers with cents or a currency; None: one that has no reading."""
    cents = (match.group() for match in _NUMBER.finditer(text) if _CENTS.search(match.group()))
    money = (match["one"] or match["two"] for match in _PIECE.finditer(text) if CURRENCIES.search(text))
    return map(amount_of, (*cents, *money))


def without_amounts(text: str) -> str:
    """A text without the sums of money in it: a short number, or one with marks, next to its currency."""
    if CURRENCIES.search(text) is None:
        return text
    return _PIECE.sub(lambda piece: "" if _LIKE_MONEY.search(piece.group()) else piece.group(), text)


def code_of(currency: str | None) -> str | None:
    """The ISO code of a currency where what is written names one; else what is written."""
    if currency is None:
        return None
    return CURRENCY_CODES.get(currency) or _MORE_CODES.get(currency.rstrip(".")) or currency


_MORE_CODES: Final = {
    **{
        "Rp": "IDR",
        "원": "KRW",
        "元": "CNY",
        "руб": "RUB",
        "р": "RUB",
        "грн": "UAH",
        "TL": "TRY",
        "RM": "MYR",
    },
    **{"ر.س": "SAR", "د.إ": "AED", "ج.م": "EGP", "د.ك": "KWD", "ر.ق": "QAR", "ر.ع": "OMR"},
    **{"د.أ": "JOD", "د.ب": "BHD", "د.ت": "TND", "د.ج": "DZD", "د.ع": "IQD", "د.م": "MAD"},
    **{"lei": "RON", "лв": "BGN", "￦": "KRW", "฿": "THB", "₿": "XBT", "₸": "KZT", "Fr": "CHF"},
}
"""Signs and words for one currency that the readers of numbers in sentences leave as they are."""


def _own_name(text: str, start: int, end: int) -> str | None:
    """What stands before an amount in its own text, without marks; None: no words."""
    before = text[:start].rsplit("|", 1)[-1].strip(" :·•-–(\t")
    if _PIECE.search(before):
        before = before[[match.end() for match in _PIECE.finditer(before)][-1] :].strip(" :·•-–,;+")
    if any(char.isalpha() for char in before):
        return shorten(before)
    after = text[end:].strip(" :·•-–/")
    return shorten(after) if TOTAL.search(fold_case(after)) else None


def _is_whole(name: str | None) -> bool:
    if name is None:
        return False
    folded = fold_case(name)
    return TOTAL.search(folded) is not None and PART.search(folded) is None


def _is_part(name: str | None) -> bool:
    return name is not None and PART.search(fold_case(name)) is not None


def _counts(name: str) -> bool:
    """Whether a total counts things: "Total items"."""
    return re.search(r"item|count|number|anzahl|steps|points|件|个|개", fold_case(name)) is not None


def _is_moment(text: str) -> bool:
    return date(text, None) is not None or time(text) is not None
