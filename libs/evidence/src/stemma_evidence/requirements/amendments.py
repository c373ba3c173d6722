"""Amendments in words, "Section 3.2 is deleted", and answers about a section, with the rows of others they touch."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stemma_contracts.v1.ledger import MOST_AMENDED, LedgerRow
from stemma_languages import Demands, demands

from .exchanges import Exchanges
from .units import Source, Unit, units

QUOTED = 200
"""Characters of a question that stand before its answer."""
NEAR = 10
"""Characters behind the word for a section in which its number stands."""
_NUMBER = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){0,5}")
_HEADED = re.compile(r"(?:[^\W\d]{1,12}\.?\s|§\s?|第)?([0-9]{1,3}(?:\.[0-9]{1,3}){0,5})(?![0-9])")
_QUOTED = re.compile(r"[\"“„«「『]([^\"”“»」』]{1,200})[\"”“»」』]")


@dataclass(frozen=True)
class Instruction:
    """What a sentence says is done to the sections of these numbers; of a replacement, the words ``before``.

    One that ``answers`` a question about them may change nothing.
    """

    source: str
    line: int
    words: str
    numbers: frozenset[str]
    before: str = ""
    answers: bool = False

    @property
    def told(self) -> str:
        """The sentence with its place, as it stands at the rows that it touches."""
        return f"{self.source}:{self.line}: {self.words}"[:MOST_AMENDED]

    def touches(self, row: LedgerRow) -> bool:
        """Whether a row of one of the sections is another source's, and has the words that are replaced."""
        return row.source != self.source and self.before in row.quote


def instructions(source: Source) -> Iterator[Instruction]:
    """The instructions of a source in their order, with the first sentence that answers each question."""
    words = demands(source.language)
    exchanges, answered = Exchanges(words), ""
    for unit in units(source.text, source.language):
        answer = exchanges.answer(unit)
        if answer is None:
            answered = ""
        elif found := _instruction(source.name, answer, words):
            yield found
        elif exchanges.question and exchanges.question != answered:
            answered = exchanges.question
            said = f"{answered[:QUOTED]} - {answer.text}"
            if numbers := frozenset(_numbers(words.places, words.folded(f"{answered} {answer.text}"))):
                yield Instruction(source.name, unit.line, said, numbers, answers=True)


def _instruction(source: str, unit: Unit, words: Demands) -> Instruction | None:
    text = words.folded(unit.text)
    replaces = words.replaced.search(text) is not None
    if not (replaces or words.deleted.search(text)):
        return None
    numbers = frozenset(_numbers(words.places, text))
    quoted = _QUOTED.search(unit.text)
    before = quoted[1] if quoted and replaces else ""
    return Instruction(source, unit.line, unit.text, numbers, before) if numbers else None


def _numbers(places: re.Pattern[str], text: str) -> Iterator[str]:
    for place in places.finditer(text):
        if number := _NUMBER.search(text, place.start(), place.end() + NEAR):
            yield number[0]


def amended(rows: Sequence[LedgerRow], sources: Sequence[Source]) -> tuple[list[LedgerRow], list[Instruction]]:
    """The rows with the last instruction that touches each, and the instructions that touch none; no answers."""
    told = [one for source in sources for one in instructions(source)] if len(sources) > 1 else []
    of_section = defaultdict[str, list[int]](list)
    for place, one in enumerate(told):
        for number in one.numbers:
            of_section[number].append(place)
    marked, found = list[LedgerRow](), set[int]()
    for row in rows:
        sections = {begins[1] for one in (*row.headings, row.quote) if (begins := _HEADED.match(one))}
        touching = {place for number in sections for place in of_section.get(number, ()) if told[place].touches(row)}
        found.update(touching)
        words = told[max(touching)].told if touching else ""
        marked.append(row if row.amended == words else row.model_copy(update={"amended": words}))
    return marked, [one for number, one in enumerate(told) if number not in found and not one.answers]
