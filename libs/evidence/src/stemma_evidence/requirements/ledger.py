"""A ledger of demands that is read again and again: ids that last, and what one reading has that another has not."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise
from typing import Protocol

from stemma_contracts.v1.deadlines import (
    MOST_DEADLINE_WORDS,
    MOST_DEADLINES,
    Deadline,
    DeadlineChange,
    Deadlines,
    DueTime,
)
from stemma_contracts.v1.ledger import (
    MOST_AMENDED,
    MOST_QUOTED,
    MOST_ROWS,
    ChangedRow,
    LedgerDifference,
    LedgerRow,
    LedgerRows,
    LedgerWarning,
)
from stemma_languages import Demands, demands
from stemma_markdown import Quotable, differing, match_parts

from stemma_evidence.requirements.deadlines import FoundDeadline, deadlines
from stemma_evidence.requirements.extraction import Requirement, requirements
from stemma_evidence.requirements.rules import read_rules
from stemma_evidence.requirements.units import Exchanges, Source, Unit, units
from stemma_evidence.sources.words import is_foreign


def joined(rows: Sequence[LedgerRow]) -> tuple[list[LedgerRow], dict[str, list[LedgerRow]]]:
    """The rows with the parts of each one joined again, under the id of the whole, and those parts by that id."""
    parts: dict[str, list[LedgerRow]] = {}
    for row in rows:
        parts.setdefault(row.part_of or row.requirement_id, []).append(row)
    wholes = [own[0].model_copy(update={"requirement_id": name, "quote": _words(own)}) for name, own in parts.items()]
    return wholes, {name: own for name, own in parts.items() if own[0].part_of}


def cut_again(row: LedgerRow, parts: Sequence[LedgerRow]) -> Iterator[LedgerRow]:
    """The parts of a row as it reads now; one whose words are gone is none of them.

    Words that are new where two parts meet belong to the first of them.
    """
    words = row.quote.split(" ")
    for part, (start, end) in zip(parts, pairwise(_edges(parts, words)), strict=True):
        if start < end:
            about = {"requirement_id": part.requirement_id, "quote": " ".join(words[start:end])}
            yield row.model_copy(update=about | {"part_of": part.part_of, "parts_given": part.parts_given})


def _edges(parts: Sequence[LedgerRow], words: Sequence[str]) -> list[int]:
    """Where each part begins among the words of now, and where the last one ends."""
    before = _words(parts).split(" ")
    begins = list(accumulate(len(part.quote.split(" ")) for part in parts[:-1]))
    runs = [*differing(before, words)]
    return [0, *(_moved(begin, runs) for begin in begins), len(words)]


def _moved(place: int, runs: Sequence[tuple[tuple[int, int], tuple[int, int]]]) -> int:
    """The place of now that was a place of before."""
    shift = 0
    for (start, end), (now, now_end) in runs:
        if place < start:
            break
        if place < end:
            return min(now + place - start, now_end)
        shift = now_end - end
    return place + shift


def _words(parts: Sequence[LedgerRow]) -> str:
    return " ".join(part.quote for part in parts)


MOST_WARNINGS = 300
MOST_HEADING = 300
MOST_HEADINGS = 6


def read_ledger(sources: Sequence[Source], previous: LedgerRows) -> LedgerRows:
    """The demands and deadlines of all sources; each that was in the previous reading has the id that it had there.

    Rows of one source are compared with those that it had before: equal ones first, then the most similar, of those
    the ones with the fewest rows between. What is left is looked for in the other sources. Rows that a person or a
    model added stay as long as their words stand in their source. A row that a person cut is cut where it was. What an
    amendment deletes or replaces in words is marked, for a person to decide about.
    """
    found = [(source.name, one) for source in sources for one in requirements(source.text, source.language)]
    kept, by_rules = _added(sources, previous), [row for row in previous.rows if row.found_by == "rules"]
    earlier, parts = joined(by_rules)
    room = MOST_ROWS - len(kept) - (len(by_rules) - len(earlier))
    rows = [_row(name, one) for name, one in islice(found, room)]
    same = partners(earlier, rows)
    given = previous.given
    named: list[LedgerRow] = []
    for number, unnamed in enumerate(rows):
        given += number not in same
        own = earlier[same[number]].requirement_id if number in same else f"R{given}"
        row = unnamed.model_copy(update={"requirement_id": own})
        named += cut_again(row, parts[own]) if own in parts else [row]
    told = read_deadlines(sources, named, previous.deadlines)
    more = max(0, len(found) - room)
    marked, _ = amended((*named, *kept), sources)
    return LedgerRows(given=given, rows=tuple(marked), more=more, deadlines=told, bid=read_rules(sources))


PAGE = 2500
"""Characters of a page, so many of them in Latin script."""
_WIDE = re.compile(r"[\u3041-\u9fff]")


def warnings_of(sources: Sequence[Source], found: LedgerRows) -> tuple[LedgerWarning, ...]:
    """What of the sources a person should look at, since the rules may have missed it."""
    foreign = [source.name for source in sources if is_foreign(source.text)]
    long = [source.name for source in sources if _length(source.text) > PAGE]
    with_rows = {row.source for row in found.rows}
    without_dates = long if not (found.deadlines and found.deadlines.found) else []
    warned = [*(("language_unknown", name) for name in foreign), *(("no_deadlines", name) for name in without_dates)]
    warned += [("amends_nothing", one.source) for one in amended(found.rows, sources)[1]]
    warned += [("no_demands", name) for name in long if name not in with_rows]
    return tuple(LedgerWarning(code=code, source=name) for code, name in [*dict.fromkeys(warned)][:MOST_WARNINGS])


def _length(text: str) -> int:
    """The characters of a text; one of a script without spaces says as much as three."""
    return len(text) + 2 * len(_WIDE.findall(text))


def difference(before: LedgerRows, after: LedgerRows) -> LedgerDifference:
    """What changed from one reading to another; a row that only moved did not change."""
    old = {row.requirement_id: row for row in before.rows}
    new = {row.requirement_id: row for row in after.rows}
    both = ((row, new[name]) for name, row in old.items() if name in new)
    return LedgerDifference(
        new=tuple(row for name, row in new.items() if name not in old),
        changed=tuple(
            ChangedRow(requirement_id=row.requirement_id, before=row, after=now)
            for row, now in both
            if _demands(row) != _demands(now)
        ),
        withdrawn=tuple(row for name, row in old.items() if name not in new),
        deadlines=moved(before.deadlines, after.deadlines),
    )


def _demands(row: LedgerRow) -> tuple[str, str, str, str]:
    return row.quote, row.kind, row.obligation, row.amended


def _row(source: str, found: Requirement) -> LedgerRow:
    return LedgerRow(
        requirement_id="R0",
        source=source,
        line=found.unit.line,
        headings=tuple(title[:MOST_HEADING] for title in found.unit.path[-MOST_HEADINGS:]),
        quote=found.unit.text[:MOST_QUOTED],
        announced_by=found.announced_by[:MOST_QUOTED],
        kind=found.kind,
        obligation=found.obligation,
    )


def _added(sources: Sequence[Source], previous: LedgerRows) -> list[LedgerRow]:
    """The rows that no rule found, as far as their words are still there, where they are now."""
    texts = {source.name: Quotable(source.text) for source in sources}
    added = [row for row in previous.rows if row.found_by != "rules"]
    found = ((row, texts[row.source].find(row.quote)) for row in added if row.source in texts)
    return [row.model_copy(update={"line": _line(texts[row.source].text, place)}) for row, place in found if place]


def _line(text: str, place: tuple[int, int]) -> int:
    return text.count("\n", 0, place[0]) + 1


WHICH = 1000
"""Characters that are quoted before a time that stands deep in a long sentence."""
Rows = Mapping[tuple[str, int, str], str]
"""The ids of rows by their source, their line and their words."""


def read_deadlines(sources: Sequence[Source], rows: Sequence[LedgerRow], previous: Deadlines | None) -> Deadlines:
    """The deadlines of all sources; each that was in the previous reading has the id that it had there.

    One that names another time than it did has what it was, with the version of its source that changed it. A sentence
    of a later source that says that a deadline moved replaces the one that it names, or the only one of its kind.
    """
    named = {(row.source, row.line, row.quote): row.requirement_id for row in rows}
    found = [(source, one) for source in sources for one in _found(source, named)]
    kept = found[:MOST_DEADLINES]
    old = previous or Deadlines()
    unnamed = [_deadline(source, one, named) for source, one in kept]
    same = _same(old.found, unnamed)
    given, told = old.given, list[Deadline]()
    for number, one in enumerate(unnamed):
        given += number not in same
        about = (
            {"deadline_id": f"D{given}"} if number not in same else _kept(old.found[same[number]], one, kept[number][0])
        )
        told.append(one.model_copy(update=about))
    replaced = _replaced(told, kept)
    return Deadlines(given=given, found=tuple(replaced), more=len(found) - len(kept))


def moved(before: Deadlines | None, after: Deadlines | None) -> tuple[str, ...]:
    """The ids of the deadlines that a reading found changed."""
    known = {one.deadline_id: len(one.changes) for one in before.found} if before else {}
    return (
        tuple(one.deadline_id for one in after.found if len(one.changes) > known.get(one.deadline_id, 0))
        if after
        else ()
    )


def _found(source: Source, rows: Rows) -> Iterator[FoundDeadline]:
    demanded = {(line, quote) for name, line, quote in rows if name == source.name}
    return islice(deadlines(source.text, source.language, demanded), 10 * MOST_DEADLINES)


def _deadline(source: Source, found: FoundDeadline, rows: Rows) -> Deadline:
    unit, when = found.unit, found.when
    begin = 0 if when.end <= MOST_DEADLINE_WORDS else max(0, when.start - WHICH)
    return Deadline(
        deadline_id="D0",
        kind=found.kind,
        due=found.due,
        source=source.name,
        line=unit.line,
        quote=unit.text[begin : begin + MOST_DEADLINE_WORDS],
        requirement_id=rows.get((source.name, unit.line, unit.text), ""),
    )


@dataclass(frozen=True)
class _Undated:
    """The words of a deadline without its time, by which it is known again."""

    source: str
    quote: str


def _same(before: Sequence[Deadline], after: Sequence[Deadline]) -> dict[int, int]:
    """The number of the old deadline that each new one is: what is due is the same, and most of the words, or it is the
    only one of its kind that is left in its source."""
    pairs = partners([_undated(one) for one in before], [_undated(one) for one in after])
    same = {new: old for new, old in pairs.items() if before[old].kind == after[new].kind}
    olds = _alone(before, set(same.values()))
    news = _alone(after, set(same))
    return same | {number: olds[about] for about, number in news.items() if about in olds}


def _undated(one: Deadline) -> _Undated:
    return _Undated(one.source, one.quote.replace(one.due.written, " "))


def _alone(deadlines: Sequence[Deadline], taken: Collection[int]) -> dict[tuple[str, str], int]:
    """The deadlines that are the only ones of their kind in their source, of those that have no partner yet."""
    left: dict[tuple[str, str], list[int]] = {}
    for number, one in enumerate(deadlines):
        if number not in taken:
            left.setdefault((one.source, one.kind), []).append(number)
    return {about: numbers[0] for about, numbers in left.items() if len(numbers) == 1}


def _kept(before: Deadline, after: Deadline, source: Source) -> dict[str, object]:
    """What a deadline keeps that was there before, with what it was if it changed."""
    changes = before.changes
    if _differs(before.due, after.due):
        change = DeadlineChange(before=before.due, source=source.name, version=source.version, file=source.file)
        changes = (*changes, change)
    return {"deadline_id": before.deadline_id, "changes": changes}


def _differs(before: DueTime, after: DueTime) -> bool:
    if before.days or after.days:
        return (before.days, before.until, before.time) != (after.days, after.until, after.time)
    return before.written.casefold() != after.written.casefold()


def _replaced(told: Sequence[Deadline], found: Sequence[tuple[Source, FoundDeadline]]) -> list[Deadline]:
    """The deadlines, with those of earlier sources that a later one moved marked as replaced."""
    now = list(told)
    for number, (source, one) in enumerate(found):
        if one.moves:
            targets = _targets(now, number, one)
            before = [now[target].due for target in targets] or ([one.before] if one.before else [])
            for target in targets:
                now[target] = now[target].model_copy(update={"replaced_by": now[number].deadline_id})
            if before and not now[number].changes:
                change = DeadlineChange(before=before[0], source=source.name, version=source.version, file=source.file)
                earlier = now[targets[0]].changes if targets else ()
                now[number] = now[number].model_copy(update={"changes": (*earlier, change)})
    return now


def _targets(now: Sequence[Deadline], number: int, one: FoundDeadline) -> list[int]:
    """The deadlines of earlier sources that one of an amendment moves: those it names, else all of one day and kind."""
    mine = now[number]
    earlier = [
        place
        for place, other in enumerate(now[:number])
        if other.source != mine.source and not other.replaced_by and mine.kind in (other.kind, "other")
    ]
    if one.before is not None:
        return [place for place in earlier if now[place].due.days == one.before.days != ()]
    same = [place for place in earlier if now[place].kind == mine.kind != "other" and now[place].due.days]
    return same if len({now[place].due.days for place in same}) == 1 else []


SAME = 0.3
"""The share of what two quotations say, each word weighed by how rare it is, that makes them one that was changed."""

_WORD = re.compile(r"[^\W_]+")


class Quoted(Protocol):
    """A quotation of a source."""

    @property
    def source(self) -> str:
        """The name of the source."""
        ...

    @property
    def quote(self) -> str:
        """The words."""
        ...


def partners(before: Sequence[Quoted], after: Sequence[Quoted]) -> dict[int, int]:
    """The number of the old quotation that each new one is, by the number of the new one.

    Those of one source are compared with those that it had before: equal ones first, then the most similar, of those
    the ones with the fewest others between. What is left is looked for in the other sources.
    """
    found: dict[int, int] = {}
    olds, news = _by_source(before), _by_source(after)
    for source, numbers in news.items():
        found |= _matched(before, after, olds.get(source, []), numbers)
    taken = set(found.values())
    old_left = [number for number in range(len(before)) if number not in taken]
    new_left = [number for number in range(len(after)) if number not in found]
    return found | _matched(before, after, old_left, new_left)


def _by_source(rows: Sequence[Quoted]) -> dict[str, list[int]]:
    numbers: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        numbers.setdefault(row.source, []).append(number)
    return numbers


def _matched(
    before: Sequence[Quoted], after: Sequence[Quoted], olds: Sequence[int], news: Sequence[int]
) -> dict[int, int]:
    """The partners among the rows of these numbers."""
    old, new = [before[number].quote for number in olds], [after[number].quote for number in news]
    rarity = _rarity([*old, *new])
    pairs = match_parts(old, new).items()
    return {news[now]: olds[then] for now, then in pairs if _is_same(old[then], new[now], rarity)}


def _rarity(quotes: Sequence[str]) -> dict[str, float]:
    """How much a word tells, by how few rows have it: "The contractor shall" makes no two rows the same."""
    counts = Counter(word for quote in quotes for word in _words_of(quote))
    return {word: math.log(len(quotes) / count) for word, count in counts.items()}


def _is_same(before: str, after: str, rarity: Mapping[str, float]) -> bool:
    """Whether two rows are one that was changed: they have in common enough of the words that tell something."""
    old, new = _words_of(before), _words_of(after)
    every = sum(rarity[word] for word in old | new)
    return before == after or sum(rarity[word] for word in old & new) >= SAME * every


def _words_of(quote: str) -> set[str]:
    return set(_WORD.findall(quote.casefold()))


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
