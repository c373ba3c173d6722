"""Bytes as text: finds the encoding by marks, zeros, validity, and at last by the letters."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 64 * 1024
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_SIGNS = "\xa0–—‘’‚“”„…•€£§°«»·²³½¼¾×±®©™¿¡ªº¹µ¢¥¶†‰"
_WESTERN = "äöüßÄÖÜéèêëàâçîïôûùÿœæÉÈÊËÀÂÇÎÏÔÛÙŒÆñÑáíóúÁÍÓÚåÅøØãõÃÕìòÌÒ"
_CENTRAL = "ąćęłńóśźżĄĆĘŁŃÓŚŹŻáčďéěíňřšťúůýžÁČĎÉĚÍŇŘŠŤÚŮÝŽľĺŕôäőűŐŰöüÖÜßăâîşţÂÎŞŢđĐëç"
_TURKISH = "ğışçöüĞİŞÇÖÜâîûÂÎÛ"
_RUN = re.compile(r"[^\W\d_]{4,}")
_INSIDE = re.compile(r"(?<=[^\W\d_])[^\w\s](?=[^\W\d_])")
_CAPITAL_INSIDE = re.compile(r"[α-ωά-ώа-яà-ÿ][Α-ΩА-ЯÀ-Þ]")
_BESIDE = re.compile(r"(?<=[a-zA-Z])[^\x00-\xff]|[^\x00-\xff](?=[a-zA-Z])")
_UNDEFINED, _FOREIGN = 5.0, 2.0


def decoded(data: bytes) -> tuple[str, str] | None:
    encoding = encoding_of(data)
    if encoding is None:
        return None
    mark = next((mark for mark, name in _MARKS if name == encoding and data.startswith(mark)), b"")
    text = data[len(mark) :].decode(encoding, "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n"), encoding


def encoding_of(data: bytes) -> str | None:
    """The name of the encoding by marks, by zeros, by validity, and at last by what comes out; none for no text."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    if encoding := _wide_without_mark(data):
        return encoding
    if _CONTROL.search(data[:_SAMPLE]):
        return None
    try:
        data.decode("utf-8")
        return "utf-8"
    except UnicodeDecodeError:
        return best_page(data[:_SAMPLE])


def _wide_without_mark(data: bytes) -> str:
    """UTF-16 by its zeros: text of Latin letters has one in every other byte, and on one side alone."""
    sample = data[:_SAMPLE]
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if len(data) % 2 or max(even, odd) < len(sample) * 0.3 or min(even, odd) > len(sample) * 0.02:
        return ""
    return "utf-16-be" if even > odd else "utf-16-le"


def best_page(data: bytes) -> str:
    """The code page with the most usual letters; the Western one if all are equal.

    charset-normalizer 3.5 took nine of 15 code pages for another one on samples of two lines.
    """
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
