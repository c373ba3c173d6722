"""What of running text is quoted as a whole: a sentence with those that lean on it, a list with what leads to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from stemma_languages import is_caption, is_form_text, is_instruction, leans, negates
from stemma_markdown import sentence_ranges

from .material import NO_SPACES, Form, Passage, Place

LEAST_WORDS, LEAST_CHARACTERS = 4, 6
"""Of a sentence that stands for itself; characters are counted where a script knows no spaces."""

MOST_OF_LABEL, MOST_OF_PASSAGE = 40, 2_000
"""Characters of a line that is the label of the lines after it, and of a passage that further sentences lean on."""
MARGIN = -1
"""The column of a paragraph that no list holds: before the mark of any item."""

_NUMBER = re.compile(
    r"(?:[^\W\d_]{2,12} )?(?:\(?(?:\d{1,4}|[A-Za-z]|[ivx]{2,4}|[IVX]{2,5})[.)]\s?){1,4}"
    r"|[（(][一二三四五六七八九十\d]{1,3}[）)]|[①-⑳]"
)
"""What stands before a sentence to order it: "4.2.", "i.", "(b)", "Exhibit 2.", "（一）"."""
_LETTERED = re.compile(r"\(?[a-zα-ω]{1,2}\)\s|[IVX]{1,5}[.)]\s|\(?[ivx]{1,5}\)\s")
"""What stands before an item that belongs to the sentence above it."""
_DECIMAL = re.compile(r"．\d")
_STRAY_MARKUP = re.compile(r"(?:^|(?<=[\s.,;:!?]))\*{2,3}(?=\s|$)")
"""Asterisks that make nothing bold, as where a mark was left open."""
_FOOTNOTE = re.compile(r"\[\^[^\[\]\s]{1,40}\]")
_DEBRIS = re.compile(r"\{%|\{\{|:::|!!!|\]\(|\]\[|\[!|#include|\*\*|</?[a-z][^<>]*>")
"""Marks of another system than Markdown, and links that lead nowhere."""
_CLOSERS = "\"'”’»›」』)]）】*_ "
_ENDS = (".", "!", "?", "。", "！", "？", "．")
_COLONS = (":", "：")
_HANGS = (";", ",", "；", "，", "、", "…", "...", *_COLONS)
_PAIRS = (("(", ")"), ("[", "]"), ("«", "»"), ("「", "」"), ("（", "）"), ("《", "》"))


class PassageReader:
    """Puts the paragraphs of a text together as they come, in reading order."""

    def __init__(self, language: str) -> None:
        self.passages: list[Passage] = []
        self._language = language
        self._joint = "" if language in NO_SPACES else " "
        self._lead: int | None = None
        self._columns: list[int] = []
        self._items: list[str] = []
        self._above: list[tuple[int, int]] = []
        self._listed = False

    @property
    def lead(self) -> str:
        """The line that leads to what comes next; empty if the last one says all that it says."""
        return "" if self._lead is None or self._items else self.passages[-1].text

    def told(self, words: str, place: Place, number: int) -> None:
        """Take a heading, or the description of a picture; it ends the list that is open."""
        self.end()
        self._above.clear()
        self._add(words, place, number, "heading")

    def end(self) -> None:
        """What comes next is no item of the list that is open."""
        if self._items:
            self.passages[-1] = replace(self.passages[-1], items=tuple(self._items))
        self._lead, self._items = None, []

    def paragraph(self, text: str, column: int, place: Place, number: int, is_item: bool) -> None:
        """Take a paragraph of which the text begins at a column of its line."""
        text = self._labelled(text)
        if self._lead is not None and (column > self._lead if is_item else self._is_next(text)):
            self._listed = is_item
            self._item(_plain(text), column)
            return
        self.end()
        while self._above and (self._above[-1][0] >= column or not is_item):
            self._above.pop()
        under = self._above[-1][1] if self._above else -1
        before_it = len(self.passages)
        for words in sentences_of(text, self._language):
            before = self.passages[-1] if self.passages else None
            together = before and before.place == place and (before.paragraph == number or before.form == "sentence")
            is_open = before and not before.items and len(before.text) < MOST_OF_PASSAGE and ends(before.text)
            if before and together and is_open and self._leans(words):
                self.passages[-1] = replace(before, text=f"{before.text}{self._joint}{words}")
            else:
                self._add(words, place, number, "item" if is_item else "sentence", under)
        if is_item:
            self._above.append((column, min(before_it, len(self.passages) - 1)))
        if self.passages and self._leads_on(self.passages[-1]):
            self._lead, self._columns, self._listed = column, [], False

    def _add(self, words: str, place: Place, number: int, form: Form, under: int = -1) -> None:
        if any(map(str.isalnum, words)):
            self.passages.append(Passage(words, place, number, form, position=len(self.passages), under=under))

    def _leads_on(self, last: Passage) -> bool:
        hangs = not ends(last.text) or (last.form == "sentence" and negates(last.text, self._language))
        return last.form != "heading" and hangs

    def _is_next(self, text: str) -> bool:
        """Whether a paragraph with a number of its own goes on with what a colon announces."""
        number = _NUMBER.match(text)
        announced = self.passages[-1].text.endswith(_COLONS) and not self._listed
        return announced and number is not None and " " not in number.group().strip()

    def _item(self, text: str, column: int) -> None:
        while self._columns and self._columns[-1] >= column:
            self._columns.pop()
        self._items.append(f"{'  ' * len(self._columns)}{text}")
        self._columns.append(column)

    def _labelled(self, text: str) -> str:
        """The text, if a short line of its own opens it, with the colon that keeps it apart from what follows."""
        label, _, rest = (part.strip() for part in text.partition("\n"))
        opens = len(label) <= MOST_OF_LABEL and label[-1:].isalnum() and not rest[:1].islower()
        colon = "：" if self._language in NO_SPACES else ": "
        return f"{label}{colon}{rest}" if rest and opens else text

    def _leans(self, words: str) -> bool:
        return leans(words, self._language) and not is_instruction(words, self._language)


def sentences_of(text: str, language: str) -> Iterator[str]:
    """The sentences of plain words, each with the number or the letter before it that would pass for one."""
    begin: int | None = None
    for start, end in sentence_ranges(text, language):
        begin = start if begin is None else begin
        if end < len(text.rstrip()) and (_NUMBER.fullmatch(text[begin:end]) or _DECIMAL.match(text, end - 1)):
            continue
        yield _plain(text[begin:end])
        begin = None


def ends(text: str) -> bool:
    """Whether a text ends as a sentence does."""
    bare = text.rstrip(_CLOSERS)
    return bare.endswith(_ENDS) and not bare.endswith("...")


def is_whole(passage: Passage) -> bool:
    """Whether a passage can be read by itself: nothing of it stayed behind where it stands."""
    number = _NUMBER.match(passage.text)
    text = passage.text[number.end() :] if number else passage.text
    first = next(filter(str.isalnum, text), "")
    unpaired = any(text.count(opening) != text.count(closing) for opening, closing in _PAIRS) or text.count('"') % 2
    is_said = not is_form_text(passage.words) and not is_caption(passage.text, passage.place.language)
    if not first or first.islower() or unpaired or _DEBRIS.search(passage.words) or not is_said:
        return False
    if passage.items or passage.form == "item":
        return bool(passage.items) or not _hangs(passage, text)
    is_long = len(text) >= LEAST_CHARACTERS if passage.place.language in NO_SPACES else len(text.split()) >= LEAST_WORDS
    return is_long and ends(text)


def _hangs(item: Passage, text: str) -> bool:
    is_part = text.endswith(_HANGS) or leans(text, item.place.language) or _LETTERED.match(item.text) is not None
    return is_part or negates(item.place.heading, item.place.language)


def _plain(text: str) -> str:
    return " ".join(_STRAY_MARKUP.sub(" ", _FOOTNOTE.sub("", text)).split())
