"""Proper names, told by how they are written."""

import re
from collections.abc import Iterator

from .vocabulary import ANY, CAPITALISED, currency_codes

_CAPITALS = "".join(chr(code) for code in range(0x530) if chr(code).isupper())
_LETTER = r"[^\W\d_\u3040-\u9fff]"
_CAPITAL = rf"[{_CAPITALS}]{_LETTER}*(?:[-'’.&]{_LETTER}+)*"
_JOINED = r"[ ](?:&|of|de|del|della|di|da|do|dos|du|la|le|van|von|zu)[ ](?:(?:la|le|der|den|the)[ ])?"
_RUN = re.compile(rf"(?<![\w@/.#-]){_CAPITAL}(?:(?:[ \n]|{_JOINED}){_CAPITAL}){{0,7}}")
_WORD = re.compile(rf"{_CAPITAL}")
_COMPANY = re.compile(
    r"(?:株式会社|有限会社|合同会社|社団法人|財団法人)([\u3400-\u9fff\u30a0-\u30ffA-Za-z]{2,12})"
    r"|([\u3400-\u9fff\u30a0-\u30ff]{2,12})(?:株式会社|有限公司|公司|財団|大学|銀行)"
)
_PERSON = re.compile(r"([\u3400-\u9fff]{2,5})(?:さん|氏|様|先生|女士|部長|課長|理事長|園長)")
_NO_NAME = re.compile(r"[的在为即是上和与对于把被从向由以了着过给让就都也很及或等这那哪其个两有]")
"""Characters of Chinese that stand before a name and in none."""

_LOWER = re.compile(r"(?<![\w'’-])[a-zß-öø-ÿœ]{3,}")
_ELIDED = re.compile(r"[^\W\d_]{1,5}['’][a-zß-öø-ÿœ]")
_ABSTRACT = re.compile(r"\w{3,}(?:ung|ungen|heit|heiten|keit|keiten|schaft|schaften|tion|tionen|tät|täten|ismus)s?")
"""German nouns that are written like names and are none."""

_LEAST_SHOUTED = 5
_TITLED = re.compile(
    r"(?:^|[^\w])(?:Herrn?|Frau|Dr|Prof|Dipl|Ing|Mr|Mrs|Ms|Messrs|M|MM|Mme|Mlle|Sr|Sra|Srta|Dott|Sig|Dhr|Mevr|Firma)\.?\s$"
)
_OPENING = frozenset('.!?:;|>#•…"“„«([-*+')
_ITEM = re.compile(r"\d\)\Z")
_PARAGRAPH_END = re.compile(r"\n[ ]{0,3}\n")


def names(text: str, language: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and text of each proper name."""
    if language in ("ja", "zh"):
        yield from _eastern(text)
    common = frozenset(_LOWER.findall(text))
    for match in _RUN.finditer(text):
        yield from _in_run(text, match, language, common)


def _eastern(text: str) -> Iterator[tuple[int, int, str]]:
    for pattern in (_COMPANY, _PERSON):
        for match in pattern.finditer(text):
            group = 1 if match[1] else 2
            name = _NO_NAME.split(match[group])[-1]
            if len(name) > 1:
                yield match.end(group) - len(name), match.end(group), name


def _in_run(text: str, match: re.Match[str], language: str, common: frozenset[str]) -> Iterator[tuple[int, int, str]]:
    before = text[max(0, match.start() - 12) : match.start()]
    titled = _TITLED.search(before) is not None
    if not titled and _is_a_noun(match[0], language):
        return
    words = [(found.start() + match.start(), found[0]) for found in _WORD.finditer(match[0])]
    if text[match.end() : match.end() + 1].isdigit():
        words = words[:-1]
    if words and not titled and _opens(before):
        words = _after_opening(words)
    while words and _is_common(words[0][1], language, common):
        words = words[1:]
    while words and words[0][1] in ANY.titles:
        titled, words = True, words[1:]
    while words and (words[-1][1].casefold() in ANY.joining or _is_common(words[-1][1], language, common)):
        words = words[:-1]
    if language == "de" and not titled:
        words = _after_von(text, words)
    if words and (titled or _is_name([word for _, word in words], language)):
        start, end = words[0][0], words[-1][0] + len(words[-1][1])
        yield start, end, text[start:end]


def _is_a_noun(run: str, language: str) -> bool:
    """Whether it is one German word, which has its capital as every noun has."""
    return language == "de" and " " not in run and "\n" not in run and not is_marked(run)


def _opens(before: str) -> bool:
    """Whether a sentence, a paragraph, an item or a cell begins after these characters."""
    said = before.rstrip(" \n_")
    return (
        not said
        or said[-1] in _OPENING
        or (said[-1] == ")" and _ITEM.search(said) is not None)
        or _PARAGRAPH_END.search(before, len(said)) is not None
    )


def _after_opening(words: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Without what is capitalised as the first word of a sentence, or as a line that is set in capitals."""
    if len(words[0][1]) >= _LEAST_SHOUTED and all(word.isupper() for _, word in words):
        return []
    return words if is_marked(words[0][1]) or words[0][1] in ANY.titles else words[1:]


def _after_von(text: str, words: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """German nouns are written like names: of ``Statik von Kessler & Roth`` only what comes after ``von`` is one."""
    for index in range(len(words) - 1, 0, -1):
        if " von " in text[words[index - 1][0] : words[index][0]]:
            return words[index:]
    return words


def _is_common(word: str, language: str, common: frozenset[str]) -> bool:
    """Whether a word is capitalised for its place only: the text has it in lower case as well, or it is no name."""
    return _is_no_name(word, language) or (word.casefold() in common and not is_marked(word))


def _is_no_name(word: str, language: str) -> bool:
    return (
        word.casefold() in CAPITALISED
        or word in currency_codes()
        or _ELIDED.match(word) is not None
        or (language == "de" and _ABSTRACT.fullmatch(word) is not None)
    )


def _is_name(words: list[str], language: str) -> bool:
    return language != "de" or len(words) > 1 or any(map(is_marked, words))


def is_marked(word: str) -> bool:
    """Whether a word is written as only names are: ``GmbH``, ``NATS``, ``McKay``."""
    return word in ANY.companies or (
        word not in currency_codes() and len(word) > 1 and sum(map(str.isupper, word)) > 1 and "-" not in word
    )
