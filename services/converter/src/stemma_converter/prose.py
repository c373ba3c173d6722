"""Plain prose stands aside while pandoc reads or writes, whose time grows with every word.

A word stands in for several, which come back where it comes out: in the text, in code, in whatever pandoc made of the
place. Prose stays where more is made of the words around it, and a text whose prose does not all come back as words is
read whole.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from secrets import token_hex
from typing import Any

from .tree import Node, Phrase, Words, condensed, in_lines


def _run(signs: str) -> re.Pattern[str]:
    """Words with one space before the next and no other sign than hyphens and these in them.

    They begin with a letter: what begins a line with one is a paragraph, or goes on with it. Two hyphens are a dash to
    Typst. What is longer is several runs, for an expression remembers each sign that it passed.
    """
    word = rf"\(?[^\W_](?:[^\W_]|[{re.escape(signs)}]|-(?![-?])){{0,99}}:?"
    return re.compile(rf"(?:^|(?<= ))(?=[^\W\d_]){word}(?: {word}){{5,199}}(?= |$)", re.MULTILINE)


_READ = _run(",.;!?%€§/()+–—…'\"’‘“”„")
_WRITTEN = _run(",.;?%()")
"""Writers have other signs for some, and an exclamation mark before a link would make an image of it."""
_ADDRESS = re.compile(r"\bwww\.", re.IGNORECASE)
_GAP = re.compile(r"(\n(?:[ \t]*\n)+)")
_TELLING = re.compile(
    r"[<|#\t]|```|~~~|\[(?!\^[\w-]+\](?!\()|(?<=[-+*.)] \[)[ xX]\] )|^[ \t>]*(?:=+|-+)[ \t]*$", re.MULTILINE
)
"""What makes more of the words around it: names of headings and of links, their titles, tags, cells, languages of code;
a tab ends at a column. Marks of notes and of tasks do not."""
_FIXED = ("Header", "Str")
"""What is more than its words to pandoc: headings are named by them, and no stand-in is a part of a word."""
_TIMES = 4
"""How often all prose may come back: a note does so with each reference, and pandoc's limits are for what it writes."""


class Aside:
    """Prose that was set aside, and words that stand in for it."""

    def __init__(self) -> None:
        self._name = f"q{token_hex(8)}x"  # nobody can have written it, and it is in nothing that is kept
        self._stand_in = re.compile(rf"{self._name}([0-9]+)x")
        self._prose: list[str] = []
        self._numbers: dict[str, int] = {}
        self._times = Counter[int]()
        self._words = Words()
        self._phrases: dict[int, Phrase] = {}

    def from_markdown(self, text: str) -> str:
        """A Markdown text without its prose."""
        return "".join(part if _TELLING.search(part) else _READ.sub(self._set_aside, part) for part in _GAP.split(text))

    def from_lines(self, blocks: list[Node]) -> list[Node]:
        """`condensed` blocks without their prose."""
        found: list[Node] = condensed(blocks, lambda words: in_lines(_WRITTEN.sub(self._set_aside, words)))
        return found

    def from_words(self, blocks: list[Node]) -> list[Node]:
        """Blocks without their prose, but for tables and headings, whose lines can be as long as their words."""
        found: list[Node] = condensed(
            blocks, lambda words: _WRITTEN.sub(self._set_aside, words).split(" "), but=("Header", "Table")
        )
        return found

    def _set_aside(self, run: re.Match[str]) -> str:
        if _ADDRESS.search(run[0]):
            return run[0]
        # The same prose has the same stand-in: a writer asks whether a caption is the words of its figure.
        number = self._numbers.setdefault(run[0], len(self._prose))
        if number == len(self._prose):
            self._prose.append(run[0])
        self._times[number] += 1
        return f"{self._name}{number}x"

    def into_text(self, text: str) -> str:
        """A text with its prose."""
        return self._stand_in.sub(self._run_of, text)

    def into_tree(self, blocks: list[Node]) -> bool:
        """Put the prose back, in place; false if all must be read anew.

        So it is if some stands where it is more than words, has not come back, or has too often. Without recursion:
        nobody has looked yet how deep the nodes lie.
        """
        back = _Back(self._prose, self._times)
        waiting: list[tuple[Any, bool]] = [(blocks, False)] if self._prose else []
        while waiting:
            value, fixed = waiting.pop()
            fixed |= isinstance(value, dict) and value["t"] in _FIXED
            for place, item in list(enumerate(value) if isinstance(value, list) else value.items()):
                if isinstance(item, str) and self._name in item:
                    if fixed or not back.may(self._stand_in.findall(item)):
                        return False
                    value[place] = self.into_text(item)
                elif isinstance(item, list) and not fixed and any(stands := [self._stands(one) for one in item]):
                    if not back.may(stand[1] for stand in stands if stand):
                        return False
                    value[place] = self._with_words(item, stands)
                    waiting.append(([one for one, stand in zip(item, stands, strict=True) if not stand], fixed))
                elif isinstance(item, list | dict):
                    waiting.append((item, fixed))
        return back.is_all()

    def _with_words(self, inlines: list[Node], stands: Sequence[re.Match[str] | None]) -> list[Node]:
        """Inlines with the words of each stand-in among them."""
        runs = [self._phrase(int(stand[1])) if stand else None for stand in stands]
        if len(runs) == 1 and runs[0]:
            return runs[0]
        return [one for item, run in zip(inlines, runs, strict=True) for one in run or [item]]

    def _phrase(self, number: int) -> Phrase:
        if number not in self._phrases:
            self._phrases[number] = Phrase.of(self._prose[number], self._words)
        return self._phrases[number]

    def _stands(self, item: Any) -> re.Match[str] | None:
        return self._stand_in.fullmatch(item["c"]) if isinstance(item, dict) and item["t"] == "Str" else None

    def _run_of(self, stand: re.Match[str]) -> str:
        return self._prose[int(stand[1])]


class _Back:
    """How often which prose came back, and how many characters of it still may."""

    def __init__(self, prose: Sequence[str], aside: Counter[int]) -> None:
        self._prose = prose
        self._aside = aside
        self._back = Counter[int]()
        self._left = _TIMES * sum(len(prose[number]) * times for number, times in aside.items())

    def may(self, numbers: Iterable[str]) -> bool:
        """Whether these may come back too."""
        for number in map(int, numbers):
            self._back[number] += 1
            self._left -= len(self._prose[number])
        return self._left >= 0

    def is_all(self) -> bool:
        """Whether all came back."""
        return self._aside <= self._back
