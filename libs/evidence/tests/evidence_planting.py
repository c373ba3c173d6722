"""Defects that are planted by a generator: the same ones for a seed, in any draft whose claims its sources support."""

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from decimal import Decimal
from itertools import combinations
from random import Random

from babel.dates import format_date
from babel.numbers import format_currency, format_decimal
from evidence_corpus import Case, Defect
from stemma_evidence import UNSUPPORTED, Claim, ground, read

_CURRENCIES = {"en": "GBP", "ja": "JPY", "zh": "CNY"}
_LOCALES = {"zh": "zh_CN", "pt": "pt_PT"}
_INVENTED: dict[str, dict[str, str]] = {
    "en": {
        "amount": "The canteen costs {}.", "date": "The council meets on {}.", "quantity": "We employ {} guards.",
        "name": "The cement comes from Wexham Brothers Ltd.", "quotation": 'A child said: "I never saw it before."',
        "citation": "See annexes-2031.pdf for details.",
    },
    "de": {
        "amount": "Die Kantine kostet {}.", "date": "Der Ausschuss tagt am {}.", "quantity": "Wir stellen {} Wachen.",
        "name": "Der Zement kommt von der Brockhausen GmbH.",
        "quotation": "Ein Kind sagt: „Das habe ich noch nie gesehen.“", "citation": "Siehe anlagen-2031.pdf.",
    },
    "fr": {
        "amount": "La cantine coûte {}.", "date": "Le conseil se réunit le {}.", "quantity": "On engage {} gardiens.",
        "name": "Le ciment vient de chez Delorme Industries.",
        "quotation": "Un enfant dit : « Je n'avais jamais vu cela avant. »", "citation": "Voir annexes-2031.pdf.",
    },
    "ja": {
        "amount": "食堂には{}かかります。", "date": "会議は{}に開きます。", "quantity": "警備員は{}人です。",
        "name": "資材は株式会社東雲産業が運びます。", "quotation": "子どもは「こんなのは初めて見ました」と言いました。",
        "citation": "詳しくは shiryo-2031.pdf をご覧ください。",
    },
    "es": {
        "amount": "El comedor cuesta {}.", "date": "El consejo se reúne el {}.", "quantity": "Hay {} vigilantes.",
        "name": "El cemento viene de Hormigones Barrera.",
        "quotation": "Un niño dice: «Nunca había visto algo así antes.»", "citation": "Véase anexos-2031.pdf.",
    },
    "it": {
        "amount": "La mensa costa {}.", "date": "Il consiglio si riunisce il {}.", "quantity": "Ci sono {} custodi.",
        "name": "Il cemento viene da Fratelli Bonetti.",
        "quotation": "Un bambino dice: «Non ho mai visto niente di simile.»", "citation": "Si veda allegati-2031.pdf.",
    },
    "nl": {
        "amount": "De kantine kost {}.", "date": "De raad vergadert op {}.", "quantity": "Er komen {} bewakers.",
        "name": "Het cement komt van Gebroeders Hoekstra.",
        "quotation": 'Een kind zegt: "Zoiets heb ik nog nooit gezien."', "citation": "Zie bijlagen-2031.pdf.",
    },
    "pt": {
        "amount": "A cantina custa {}.", "date": "O conselho reúne em {}.", "quantity": "Há {} vigilantes.",
        "name": "O cimento vem da Cimentos Valadares.",
        "quotation": "Uma criança diz: «Nunca tinha visto nada assim antes.»", "citation": "Ver anexos-2031.pdf.",
    },
    "zh": {
        "amount": "食堂费用为{}。", "date": "会议于{}召开。", "quantity": "保安共{}人。",
        "name": "水泥来自长虹建材有限公司。", "quotation": "孩子说：“我以前从来没有见过这样的东西。”",
        "citation": "详见 fujian-2031.pdf。",
    },
}  # fmt: skip
_NUMBER = re.compile(r"[0-9][0-9.,' \u00a0\u202f]*[0-9]|[0-9]")
_INVENTIONS = 4


def planted(case: Case, seed: int) -> Iterator[Defect]:
    """Inventions, changes of value, magnitude and exactness, a value of something else, and exchanged pairs."""
    random = Random(f"{seed} {case.name}")
    yield from _invented(case, random)
    said = read(case.draft, "text/markdown", case.language, standing="draft", name="")
    claims = [item.claim for item in ground(said, case.sources) if item.standing != UNSUPPORTED]
    known = {value for source in case.sources for claim in source.claims for value in claim.values}
    known |= {value for claim in said.claims for value in claim.values}
    for claim in claims:
        yield from _instead(case, claim, claims, random)
        for planting, written in _changed(case, claim, random):
            if not known & set(_values(case, written)):
                yield _replaced(case, planting, claim, written)
    yield from _swapped(case, claims)


def _invented(case: Case, random: Random) -> Iterator[Defect]:
    currency = _CURRENCIES.get(case.language, "EUR")
    for kind, sentence in _INVENTED[case.language].items():
        for _ in range(_INVENTIONS if "{}" in sentence else 1):
            number = random.randint(101, 989) * random.choice((7, 70, 700))
            day = date(2030, 1, 1) + timedelta(days=random.randint(0, 1500))
            invented = {
                "amount": _money(case, Decimal(number), currency),
                "date": _day(case, day),
                "quantity": _decimal(case, Decimal(number)),
            }
            text = f"{case.draft}\n{sentence.format(invented.get(kind, ''))}\n"
            yield Defect("invention", kind, text, ((len(case.draft) + 1, len(text)),))


def _changed(case: Case, claim: Claim, random: Random) -> Iterator[tuple[str, str]]:
    if claim.kind == "date" and re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", claim.values[0]):
        moved = date.fromisoformat(claim.values[0]) + timedelta(days=random.choice((-31, -3, 4, 45, 366)))
        yield "changed", _day(case, moved)
    if not claim.numbers or claim.kind not in ("amount", "quantity"):
        return
    number, write = claim.numbers[0], _writer(case, claim)
    if write is None:
        return
    yield "magnitude", write(number * random.choice((10, 1000)))
    if number >= 100 and number == int(number):
        digits = list(str(int(number)).rstrip("0"))
        place = random.randrange(len(digits))
        digits[place] = str((int(digits[place]) + random.randint(1, 8)) % 9 + 1)
        yield "changed", write(Decimal("".join(digits).ljust(len(str(int(number))), "0")))
        rounded = round(number, 1 - len(str(int(number))) + 1)
        if rounded != number:
            yield "rounding", write(Decimal(rounded))


def _writer(case: Case, claim: Claim) -> Callable[[Decimal], str] | None:
    """How another number of the same unit is written; None if the claim's words do not tell."""
    if claim.kind == "amount":
        return lambda number: _money(case, number, claim.units[0])
    if len(found := _NUMBER.findall(claim.text)) == 1 and _decimal(case, claim.numbers[0]) == found[0]:
        return lambda number: claim.text.replace(found[0], _decimal(case, number))
    return None


def _instead(case: Case, claim: Claim, claims: list[Claim], random: Random) -> Iterator[Defect]:
    """The value of something else in its place, of which the draft then says it twice."""
    others = [other for other in claims if _could_stand_for(other, claim)]
    if others:
        yield _replaced(case, "instead", claim, random.choice(others).text)


def _swapped(case: Case, claims: list[Claim]) -> Iterator[Defect]:
    for one, other in combinations(claims, 2):
        if _could_stand_for(one, other):
            text = case.draft[: one.start] + other.text + case.draft[one.end : other.start] + one.text
            text += case.draft[other.end :]
            later = other.start + len(other.text) - len(one.text)
            places = ((one.start, one.start + len(other.text)), (later, later + len(one.text)))
            yield Defect("swap", one.kind, text, places)


def _could_stand_for(one: Claim, other: Claim) -> bool:
    if one.kind != other.kind or set(one.values) & set(other.values):
        return False
    if one.kind == "date":
        return len(one.values[0]) == len(other.values[0]) == len("2027-06-01")
    return one.kind in ("amount", "quantity") and bool(set(one.units) & set(other.units))


def _replaced(case: Case, planting: str, claim: Claim, written: str) -> Defect:
    text = case.draft[: claim.start] + written + case.draft[claim.end :]
    return Defect(planting, claim.kind, text, ((claim.start, claim.start + len(written)),))


def _values(case: Case, written: str) -> list[str]:
    said = read(f"x {written} x", "text/markdown", case.language, standing="draft", name="")
    return [value for claim in said.claims for value in claim.values]


def _money(case: Case, number: Decimal, currency: str) -> str:
    written = format_currency(number, currency, locale=_locale(case))
    return re.sub(r"[.,]00(?![0-9])", "", written)


def _day(case: Case, day: date) -> str:
    return format_date(day, "long", locale=_locale(case))


def _decimal(case: Case, number: Decimal) -> str:
    return format_decimal(number, locale=_locale(case))


def _locale(case: Case) -> str:
    return _LOCALES.get(case.language, case.language)
