"""What a file is for, by its name and by what it says, as far as that is certain: ``data/roles/<tag>.json``.

A name does not say its language, so the words of all of them are looked for.
"""

import re
from collections.abc import Iterator
from csv import reader
from functools import cache, lru_cache
from itertools import takewhile
from pathlib import PurePosixPath
from typing import Literal, TypeAlias
from unicodedata import normalize

from .demands import Demands, demands
from .detection import foreign
from .languages import shipped
from .wordlists import WIDE, WordList, folded, read_lists, whole_words

Role: TypeAlias = Literal["request", "past-text", "style", "form", "internal", "price"]

MAIL = frozenset({"message/rfc822", "application/vnd.ms-outlook", "application/mbox", "application/ms-tnef"})
_MAIL_SUFFIXES = frozenset({".eml", ".emlx", ".msg", ".mbox"})
_FILLED_IN = frozenset({".docx", ".xlsx", ".docm", ".xlsm"})
_SEEN_CHARACTERS, _TITLE_CHARACTERS, _TITLES, _HEADER_LINES = 20_000, 120, 3, 8
_FEWEST_DEMANDS, _FEWEST_RATES, _FEWEST_HEADERS, _FEWEST_LETTERS = 6, 3, 3, 400
_JOINTS = re.compile(r"(?<=[a-zß-ÿ])(?=[A-Z])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])|(?:(?!')[\W_])+")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


class _Lists(WordList):
    """Expressions of one language; ``bid`` names what is handed in, ``old`` says that it was handed in before.

    ``sender``, ``recipient``, ``sent`` and ``subject`` are headers of mails, ``rates`` heads a column of rates.
    """

    request: tuple[str, ...] = ()
    form: tuple[str, ...] = ()
    price: tuple[str, ...] = ()
    style: tuple[str, ...] = ()
    bid: tuple[str, ...] = ()
    old: tuple[str, ...] = ()
    sender: tuple[str, ...] = ()
    recipient: tuple[str, ...] = ()
    sent: tuple[str, ...] = ()
    subject: tuple[str, ...] = ()
    rates: tuple[str, ...] = ()


@cache
def _words(kind: str) -> re.Pattern[str]:
    """The words of a kind in all languages; those of scripts without spaces stand inside of others."""
    found = [word for tag in shipped() for word in getattr(read_lists(_Lists, "roles", tag), kind)]
    spaced = whole_words(word for word in found if not WIDE.search(word))
    return re.compile("|".join((spaced.pattern, *filter(WIDE.search, found))))


def role_of_name(name: str, media_type: str = "") -> Role | None:
    """The role that the name and the media type of a file propose; None where they say nothing certain."""
    path = PurePosixPath(name)
    suffix = path.suffix.lower()
    if media_type in MAIL or suffix in _MAIL_SUFFIXES:
        return "internal"
    if media_type.startswith("image/"):
        return None
    return _role_of_words(_plain(path.stem), fillable=suffix in _FILLED_IN)


def _plain(text: str) -> str:
    """The words of a name, which are joined by signs, capitals and digits."""
    return " ".join(folded(_JOINTS.sub(" ", normalize("NFKC", text))).split())


def _role_of_words(words: str, *, fillable: bool) -> Role | None:
    if _words("style").search(words):
        return "style"
    asks, prices = _words("request").search(words), _words("price").search(words)
    if _words("form").search(words) or (asks and prices):
        return "form" if fillable else "request"
    if prices:
        return "price"
    if _words("bid").search(_words("request").sub(" ", words)):
        return "past-text" if _words("old").search(words) or _YEAR.search(words) else None
    return "request" if asks else None


def role_of_text(text: str) -> Role | None:
    """The role that the beginning of a Markdown or plain text proposes; None where it says nothing certain."""
    lines = _lines(text)
    if _is_mail(lines):
        return "internal"
    if any(map(_is_title_of_request, _titles(lines))) or _makes_demands(lines):
        return "request"
    return _role_of_rates(lines) or ("internal" if unknown_language(text) else None)


def unknown_language(text: str) -> str | None:
    """The language of a text if it is none of those with data: no rule says whose words it has, so none is quoted."""
    letters = sum(map(str.isalpha, text[:_SEEN_CHARACTERS]))
    return foreign(text) if letters >= _FEWEST_LETTERS else None


def is_mail(text: str) -> bool:
    """Whether a text begins with headers of a mail."""
    return _is_mail(_lines(text))


def _lines(text: str) -> list[str]:
    seen = normalize("NFKC", text[:_SEEN_CHARACTERS])[:_SEEN_CHARACTERS]  # one letter may become eighteen
    return [line.strip() for line in seen.splitlines() if line.strip()]


def _is_mail(lines: list[str]) -> bool:
    """Whether a text begins with headers: with a sender whose address is given, or a subject.

    Below the title of a request they are those of a letter that asks.
    """
    above = list(takewhile(lambda line: ":" not in line, lines))
    if any(map(_is_title_of_request, _titles(above))):
        return False
    heads = lines[:_HEADER_LINES]
    labels = [folded(line.partition(":")[0]).strip("*_> ") for line in heads if ":" in line]
    kinds = ("sender", "recipient", "sent", "subject")
    there = {kind for kind in kinds if any(_words(kind).fullmatch(label) for label in labels)}
    addressed = "subject" in there or any("@" in line for line in heads)
    return "sender" in there and addressed and len(there) >= _FEWEST_HEADERS


def _titles(lines: list[str]) -> Iterator[str]:
    headings = [line for line in lines if line.startswith("#")] or lines
    return (_plain(line) for line in headings[:_TITLES] if len(line) <= _TITLE_CHARACTERS)


def _is_title_of_request(title: str) -> bool:
    """Whether a title begins or ends with a name of a request, and names no answer to one."""
    found = [match.span() for match in _words("request").finditer(title)]
    at_edge = any(begin == 0 or end == len(title) for begin, end in found)
    return at_edge and not _words("bid").search(_words("request").sub(" ", title))


def _makes_demands(lines: list[str]) -> bool:
    """Whether many lines say what those have to do who offer something."""
    return any(_demanding(lines, words) >= _FEWEST_DEMANDS for words in _known_demands())


@lru_cache(maxsize=1)
def _known_demands() -> tuple[Demands, ...]:
    return tuple({id(words): words for words in map(demands, shipped())}.values())


def _demanding(lines: list[str], words: Demands) -> int:
    spelled = (words.spelled(line) for line in lines if not line.startswith("#"))
    return sum(bool(words.bidders.search(line) and words.must.search(line)) for line in spelled)


def _role_of_rates(lines: list[str]) -> Role | None:
    """What a table of rates that is most of a text is for: ours has rates, that of a buyer waits for them.

    It is one of Markdown, or lines that are cut like the first one.
    """
    first = next((line for line in lines if line.startswith("|")), lines[0] if lines else "")
    sign = next((sign for sign in "|;\t," if sign in first), None)
    rows = [_cells(line, sign) for line in lines if sign and line.count(sign) >= first.count(sign)]
    if len(rows) * 2 < len(lines) or not rows:
        return None
    at = next((n for n, head in enumerate(rows[0]) if _words("rates").match(folded(head).strip("* "))), None)
    rates = [row[at] for row in rows[1:] if at is not None and at < len(row) and set(row[at]) != {"-"}]
    filled = sum(any(map(str.isdigit, rate)) for rate in rates)
    if filled >= _FEWEST_RATES:
        return "price"
    return "request" if not filled and rates.count("") >= _FEWEST_RATES else None


def _cells(line: str, sign: str) -> list[str]:
    cells = line.strip("|").split(sign) if sign == "|" else next(reader([line], delimiter=sign))
    return [cell.strip() for cell in cells]
