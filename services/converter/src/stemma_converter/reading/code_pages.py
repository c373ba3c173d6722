"""Which code page a text is in that is not Unicode: the one that makes the most usual letters of it.

Price lists are short. On samples of two lines in 15 code pages charset-normalizer 3.5 took nine for another one; the
letters that a language uses are enough to tell them.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_SIGNS = "\xa0–—‘’‚“”„…•€£§°«»·²³½¼¾×±®©™¿¡ªº¹µ¢¥¶†‰"
_WESTERN = "äöüßÄÖÜéèêëàâçîïôûùÿœæÉÈÊËÀÂÇÎÏÔÛÙŒÆñÑáíóúÁÍÓÚåÅøØãõÃÕìòÌÒ"
_CENTRAL = "ąćęłńóśźżĄĆĘŁŃÓŚŹŻáčďéěíňřšťúůýžÁČĎÉĚÍŇŘŠŤÚŮÝŽľĺŕôäőűŐŰöüÖÜßăâîşţÂÎŞŢđĐëç"
_TURKISH = "ğışçöüĞİŞÇÖÜâîûÂÎÛ"
_RUN = re.compile(r"[^\W\d_]{4,}")
_INSIDE = re.compile(r"(?<=[^\W\d_])[^\w\s](?=[^\W\d_])")
_CAPITAL_INSIDE = re.compile(r"[α-ωά-ώа-яà-ÿ][Α-ΩА-ЯÀ-Þ]")
_BESIDE = re.compile(r"(?<=[a-zA-Z])[^\x00-\xff]|[^\x00-\xff](?=[a-zA-Z])")
_UNDEFINED, _FOREIGN = 5.0, 2.0


def best_page(data: bytes) -> str:
    """The name of the code page; the Western one where nothing tells them apart."""
    scores = {name: _score(data, name, value) for name, value in _PAGES.items()}
    return max(scores, key=lambda name: scores[name])


def _score(data: bytes, name: str, value: Callable[[str], float]) -> float:
    wide = name in _WIDE
    text = data.decode(name, "replace")
    undefined = text.count("�") + sum("\x80" <= letter < "\xa0" for letter in text)
    beyond = [letter for letter in text if letter >= "\xa0" and letter != "�"]
    mixed = len((_BESIDE if wide else _INSIDE).findall("".join(c if c >= "\xa0" or c.isalpha() else " " for c in text)))
    mixed += len(_CAPITAL_INSIDE.findall(text))
    bytes_each = 2 if wide else 1
    return bytes_each * (sum(map(value, beyond)) - _UNDEFINED * undefined - _FOREIGN * mixed) - _long_runs(text, name)


def _long_runs(text: str, name: str) -> float:
    """Accents and umlauts stand among plain letters; a word of nothing else is of another page."""
    if name not in _LATIN:
        return 0
    return sum(len(run) for run in _RUN.findall(text) if min(run) >= "\xa0")


def _among(letters: str) -> Callable[[str], float]:
    usual = frozenset(letters + _SIGNS)
    return lambda letter: 1 if letter in usual else -_FOREIGN


def _cyrillic(letter: str) -> float:
    if "а" <= letter <= "я" or letter in "ёіїєґў":
        return 1
    return 0.5 if "А" <= letter <= "Я" or letter in "ЁІЇЄҐЎ№" + _SIGNS else -_FOREIGN


def _greek(letter: str) -> float:
    # The two with three marks are rare; in Russian texts their bytes are the most usual ones.
    return 1 if ("Ά" <= letter <= "ώ" and letter not in "ΰΐ") or letter in _SIGNS else -_FOREIGN


def _japanese(letter: str) -> float:
    if "぀" <= letter <= "ヿ":
        return 1.5
    return 0.9 if "一" <= letter <= "鿿" or "　" <= letter <= "〕" or "！" <= letter <= "～" else -_FOREIGN


def _korean(letter: str) -> float:
    return 1.2 if "가" <= letter <= "힣" else -_FOREIGN


def _first_level(page: str, first: int, last: int) -> Callable[[str], float]:
    """Both Chinese pages have the characters in daily use in their first rows."""

    def value(letter: str) -> float:
        lead = letter.encode(page, "replace")[0]
        usual = first <= lead <= last or "　" <= letter <= "〕" or "！" <= letter <= "～"
        return 1 if usual else -_FOREIGN

    return value


_LATIN = ("cp1252", "iso8859-15", "cp1254", "cp1250", "iso8859-2")
_WIDE = ("shift_jis", "euc_jp", "gb18030", "big5", "euc_kr")
# The first of equals is taken.
_PAGES: dict[str, Callable[[str], float]] = {
    "cp1252": _among(_WESTERN),
    "iso8859-15": _among(_WESTERN),
    "cp1254": _among(_TURKISH),
    "cp1250": _among(_CENTRAL),
    "iso8859-2": _among(_CENTRAL),
    "cp1251": _cyrillic,
    "koi8-r": _cyrillic,
    "cp1253": _greek,
    "shift_jis": _japanese,
    "euc_jp": _japanese,
    "gb18030": _first_level("gb18030", 0xB0, 0xD7),
    "big5": _first_level("big5", 0xA4, 0xC6),
    "euc_kr": _korean,
}
