"""Which units of a request demand something, of what kind, and how strictly."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import takewhile
from typing import Literal
from unicodedata import normalize

from stemma_languages import Demands, demands
from stemma_languages.wordlists import NOTHING

from stemma_evidence.requirements.grades import Graded, Grades, Obligation
from stemma_evidence.requirements.units import Exchanges, Unit, units

LABEL_WORDS = 6
"""A first sentence of an item with so few words is its title, if others follow."""
LEAD_END = 30
"""Characters at the end of a sentence without a colon in which it says that a list follows."""
BESIDE = 12
"""Characters beside the word for demands in which it says that a list of them follows: "the following tasks"."""
LONGER = 4
"""Letters of a word that has a capital in a heading of English."""
SERIES = 3
DEMANDING = 0.3
"""How many units a series of numbered demands has at least, and which share of them says that something is demanded."""
CRITERION = 3
"""Words that the name of a criterion has at least, beside its weight."""
KEPT = 500
"""How many announcements and headings are remembered: those of a list come again with each of its items."""

_URL = re.compile(r"https?://\S*")
_WORD = re.compile(r"[\u3041-\u9fff]{1,2}|[^\W_\u3041-\u9fff]+")
"""A word; in a script without spaces, two characters."""
_STOPS = (".", "。")
_ID = re.compile(r"\W{0,3}(?P<series>[A-Z]{1,5}(?:[-_.][A-Z]{1,5}){0,3})[-_. ]?\d{1,4}(?:[.-]\d{1,4}){0,4}(?!\w)\W")
"""The number of a demand with letters before it: "REQ-12", "[F1.2]", "E 3"."""
_SCORE = re.compile(r"\W{0,2}\d{1,3}(?:[.,]\d{1,2})?\s?(?:%|％|[^\W\d]{1,8}\.?)?\W{0,2}")
_WEIGHED = re.compile(
    r".{4,200}?(?:\.{3,}|…|:|\()\s?\d{1,3}(?:[.,]\d{1,2})?\s?(?:%|％|[^\W\d]{1,8})\.?\)?.{0,400}"
    r"|[^%％]{1,99}\d\s?[%％][^%％]{1,99}\d\s?[%％].{0,400}"
)
"""A line of a table that lost its cells: "Price ......... 40 %"."""
_ASKS = ("?", "？")
_ADDS = (",", "(", "、", "，", "（")
_KANA = "\u3041"
_UNTICKED = ("□", "☐", "◻")


@dataclass(frozen=True)
class Requirement:
    """A unit of a request that demands something.

    ``instruction`` is what is handed in, when and how; ``evaluation`` how offers are judged and why they are rejected;
    ``form`` a paper to fill in, sign or certify; ``work`` what is done under the contract. ``announced_by`` is what
    says that it is one of several, of a row the names of its columns.
    """

    unit: Unit
    kind: Kind
    obligation: Obligation
    announced_by: str = ""


def requirements(text: str, language: str) -> Iterator[Requirement]:
    """The demands of a request in Markdown, in their order; ``language`` is a BCP 47 tag.

    Time grows with the length of the text, whatever it holds.
    """
    every = [*units(text, language)]
    reading = _Reading(text, language, every)
    for unit in every:
        found = reading.requirement(unit)
        if found is not None:
            yield found


class _Reading:
    """The reading of one request."""

    def __init__(self, text: str, language: str, every: Sequence[Unit]) -> None:
        self._words = demands(language)
        self._reader = Reader(self._words, text)
        self._series = self._series_among(every)
        self._lead = lru_cache(maxsize=KEPT)(self._reader.read)
        self._about = lru_cache(maxsize=KEPT)(self._read_heading)
        self._announcing = {lead for unit in every for lead in unit.leads}
        self._before: tuple[tuple[str, ...], Kind] = ((), "work")
        self._grades = Grades(self._words, text)
        self._exchanges = Exchanges(self._words)

    def _series_among(self, every: Sequence[Unit]) -> frozenset[str]:
        """The letters before the numbers of demands: of enough units with such a number many demand something."""
        series = defaultdict[str, list[Unit]](list)
        for unit in every:
            if name := _series_of(unit):
                series[name].append(unit)
        return frozenset(
            name
            for name, found in series.items()
            if len(found) >= SERIES
            and sum(self._reader.read(one.text, "").obligation is not None for one in found) >= DEMANDING * len(found)
        )

    def requirement(self, unit: Unit) -> Requirement | None:
        """A unit as a requirement, if it is one by itself or by what announces it."""
        answer = self._exchanges.answer(unit)
        if answer is None or self._is_beside(answer):
            return None
        unit, place = answer, self._place(answer.path)
        graded = self._grades.of(unit.columns, unit.cells) if unit.form == "row" else Graded()
        if graded.legend:
            return None
        informs = self._is_work(unit.path) is False
        said = self._reader.read(unit.text, place, told=self._is_told(unit, place), informs=informs)
        announced_by = self._lead_in(unit)
        if graded.obligation:
            said = replace(said, obligation=graded.obligation, empty=False)
        elif said.obligation is None and not said.denies:
            said, announced_by = self._inherited(unit, place)
            if said.obligation is None and self._is_stated(unit, place):
                said = Said("mandatory")
        only_announces = said.thin and unit.form != "heading" and unit.text in self._announcing
        if said.obligation is None or said.empty or only_announces:
            return None
        return Requirement(unit, self._kind(said, unit, place), said.obligation, announced_by)

    def _is_beside(self, unit: Unit) -> bool:
        """Whether a unit has no words, or stands where a text only lists, defines or shows something."""
        if not any(map(str.isalpha, _URL.sub("", unit.text))) or _is_heading(unit):
            return True
        if unit.text.startswith(_UNTICKED):
            return True
        return any(self._about(title)[1] for title in unit.path[-2:])

    def _place(self, path: tuple[str, ...]) -> Place:
        """What the nearest heading that tells it is about; a title such as "Request for Proposals" is about all."""
        if len(path) == 1:
            return self._about(path[0], whole=True)[0]
        return next((place for title in reversed(path) if (place := self._about(title)[0])), "")

    def _read_heading(self, title: str, *, whole: bool = False) -> tuple[Place, bool]:
        """What a heading announces, and whether that is a list, definitions or examples."""
        words, text = self._words, self._words.folded(title[:NEAR])
        named = text if whole else words.titles.sub("", text)
        place: Place = "evaluation" if words.judging.search(named) else ""
        if not place and words.offering.search(named):
            place = "instruction"
        return place, words.contents.search(text) is not None

    def _is_told(self, unit: Unit, place: Place) -> bool:
        """Whether a verb at the beginning of a unit tells somebody to do it: not in a list of goals, or of no tasks."""
        if unit.form == "heading" or not unit.leads:
            return unit.form != "heading" or unit.text.endswith((*_STOPS, ":"))
        lead = self._lead(unit.leads[-1], place)
        if lead.denies:
            return False
        named = self._words.parties.search(self._words.folded(unit.leads[-1]))
        is_party_alone = named is not None and _is_short(replace(unit, text=unit.leads[-1]))
        return unit.form == "sentence" or lead.obligation is not None or not lead.announces or is_party_alone

    def _lead_in(self, unit: Unit) -> str:
        """The nearest sentence above a list that says that one follows; any other only happens to stand there."""
        if unit.form == "row":
            return unit.leads[-1] if unit.leads else ""
        return next((lead for lead in reversed(unit.leads) if self._leads_in(lead)), "")

    def _leads_in(self, lead: str) -> bool:
        folded = self._words.folded(lead)
        return folded.endswith((":", "：")) or self._words.announces.search(folded[-LEAD_END:]) is not None

    def _inherited(self, unit: Unit, place: Place) -> tuple[Said, str]:
        """What the nearest announcement demands that demands something, and its words; for a row, also the names of its
        columns."""
        if unit.form == "row" and self._lists_demands(unit):
            return Said("mandatory"), self._lead_in(unit)
        if self._scores(unit, place):
            return Said("mandatory", "evaluation"), self._lead_in(unit)
        if _series_of(unit) in self._series:
            return Said("mandatory"), self._lead_in(unit)
        listed = unit.form == "item" and unit.number == 0 and self._stands_in_list(unit)
        if not listed and (_is_title(unit) or unit.number > 1 or (unit.number and not _is_short(unit))):
            return Said(), ""
        if self._reader.tells_buyer(unit.text):
            return Said(), ""
        for lead in reversed(unit.leads):
            said = self._lead(lead, place)
            if said.denies:
                return Said(), ""
            if said.announces and not said.conditional and (said.obligation or self._names_demands(lead)):
                return Said(said.obligation or "mandatory", said.kind), lead
        return Said("mandatory" if listed else None), ""

    def _is_stated(self, unit: Unit, place: Place) -> bool:
        """Whether a unit says what is done or is so, where the text says how the work is done."""
        if unit.form in ("heading", "row") or not unit.text.endswith((*_STOPS, ";", "；")):
            return False
        is_work = self._is_work(unit.path)
        if is_work is False or not self._reader.states(unit.text, about_offer=is_work is None):
            return False
        return not any(self._leads_in(lead) or self._lead(lead, place).denies for lead in unit.leads)

    def _is_work(self, path: tuple[str, ...]) -> bool | None:
        """Whether the nearest heading that tells it, but the title of all, names how the work is done; None if none."""
        for title in reversed(path[1:] or path):
            text = self._words.folded(title[:NEAR])
            if self._words.told.search(text) or self._words.works.search(text):
                return self._words.told.search(text) is None
        return None

    def _names_demands(self, lead: str) -> bool:
        """Whether what announces a list says right beside that word that it is one of demands, or that an offer or the
        work has these parts."""
        text, words = self._words.folded(lead[-NEAR:]), self._words
        if lead.endswith((":", "：")) and words.comprises.search(text):
            return any(named.search(text) for named in (words.offers, words.listing, words.works))
        named = self._words.listing.finditer(text)
        return any(
            self._words.announces.search(text, max(0, one.start() - BESIDE), one.end() + BESIDE) for one in named
        )

    def _stands_in_list(self, unit: Unit) -> bool:
        """Whether an item stands right below a heading that names demands; what does not announce it is passed over."""
        if unit.text in self._announcing or any(self._leads_in(lead) for lead in unit.leads if lead not in unit.path):
            return False
        titles = (unit.path[1:] or unit.path)[-2:]
        named = (self._words.listing.search(self._words.folded(title[:NEAR])) for title in titles)
        return any(named) or (
            self._is_work(unit.path[-1:]) is True and not self._words.tells.search(unit.text.casefold())
        )

    def _scores(self, unit: Unit, place: Place) -> bool:
        """Whether a row or a line is a criterion with its weight."""
        if unit.form != "row":
            return unit.form != "heading" and place == "evaluation" and _WEIGHED.fullmatch(unit.text) is not None
        named = place == "evaluation" or any(map(self._words.judging.search, map(self._words.folded, unit.columns)))
        scores = [cell for cell in unit.cells if _SCORE.fullmatch(cell)]
        least = CRITERION if any("100" in score for score in scores) else 1
        said = any(len(_WORD.findall(cell)) >= least for cell in unit.cells if cell not in scores)
        return named and said and bool(scores)

    def _lists_demands(self, unit: Unit) -> bool:
        named = (*unit.path[-1:], *unit.leads[-1:])
        return any(self._words.listing.search(self._words.folded(name[:NEAR])) for name in named)

    def _kind(self, said: Said, unit: Unit, place: Place) -> Kind:
        """The kind of a demand; if its words do not tell it, that of the place, or of what stands before it there."""
        path, before = self._before
        kind: Kind = said.kind or place or (before if path == unit.path else "work")
        if kind in ("instruction", "work"):
            self._before = (unit.path, kind)
        return kind


def _is_title(unit: Unit) -> bool:
    """Whether a unit only names what comes after it."""
    is_first = unit.number == 0 and unit.count > 1
    is_line = unit.form == "sentence" and not unit.text.endswith(_STOPS)
    return unit.text.endswith((":", "：")) or (_is_short(unit) and (is_first or is_line or unit.text.isupper()))


def _is_heading(unit: Unit) -> bool:
    """Whether a line by itself is written as headings are: without an end, each longer word with a capital.

    A heading that says more than that is a demand that is numbered as headings are.
    """
    longer = [word for word in _WORD.findall(unit.text[:NEAR]) if len(word) >= LONGER]
    named = all(word[0].isupper() for word in longer)
    if unit.form == "heading":
        return named or _is_short(unit)
    if unit.form != "sentence" or unit.count > 1 or not unit.text[-1:].isalnum():
        return False
    return 1 < len(longer) <= LABEL_WORDS and named


def _is_short(unit: Unit) -> bool:
    return len(_WORD.findall(unit.text[:NEAR])) <= LABEL_WORDS


def _series_of(unit: Unit) -> str:
    found = _ID.match(unit.text) if unit.number == 0 else None
    return found["series"] if found else ""


Kind = Literal["instruction", "evaluation", "work", "form"]
Place = Literal["instruction", "evaluation", ""]
"""What the part of the request is about that a sentence stands in."""

NEAR = 120
"""How many characters before a cue its subject is looked for in, and after it who does it."""
AGENT = 40
"""How many characters after "by" it says by whom."""

CUE = 30
"""Characters that a cue has at most of its own; longer ones have what is demanded between two words."""
STATED, ARTICLE = 4, 8
"""Words that a sentence has at least that states something, and characters before what stands first in it."""
THE = 4
"""Characters of an article before a buyer."""
NAME, JOINING = 120, 5
"""Characters before a short name in which the whole one stands, and letters of a word that joins words of it."""
THIN = 5
"""A sentence that announces a list says so few words of its own that its items say all."""

TITLE_WORDS = 6
"""A text with so few words that speaks of judging is a title."""

_SHORT_NAME = re.compile(r" \((?P<short>[A-Z][A-Z0-9]{1,9})\)")
_IN_NAMES = frozenset(
    "of the and for & de du des la le les et del della dei di da do dos das e y el los las van voor der und für".split()
)
_APOSTROPHE = re.compile("['’]")
_NAME = re.compile(r"[^.:;]{2,60}: ")
_MARK = re.compile(r"[\W_]*(?:\d{1,3}(?:\.\d{1,3}){1,5}\.?\s+|\(?[a-z0-9]{1,3}[.)]\s*)?[\W_]*")


@dataclass(frozen=True)
class Said:
    """What a sentence says.

    ``obligation`` is None if it demands nothing, ``kind`` if its words do not tell it. ``denies`` is a demand taken
    back, also from what the sentence announces; ``announces`` that a list may follow; ``empty`` that it demands nothing
    without that list, ``thin`` hardly anything; ``conditional`` that the list says when, not what.
    """

    obligation: Obligation | None = None
    kind: Kind | None = None
    denies: bool = False
    announces: bool = False
    empty: bool = False
    thin: bool = False
    conditional: bool = False


class Reader:
    """Reads sentences by the words of a language; ``text`` is the request, which says what its buyers are called."""

    def __init__(self, words: Demands, text: str) -> None:
        self._words = words
        own = "|".join(re.escape(words.folded(short)) for short in sorted(_abbreviated(words, text)))
        self._buyers = re.compile(rf"{words.buyers.pattern}|(?<!\w)(?:{own})(?:'s)?(?!\w)") if own else words.buyers

    def read(self, sentence: str, place: Place, *, told: bool = True, informs: bool = False) -> Said:
        """What a sentence says; if nobody is ``told``, the verb that it begins with demands nothing, and where its text
        only ``informs``, no weak cue does."""
        text, words = self._words.spelled(sentence), self._words
        announces = text.endswith((":", "：")) or words.announces.search(text) is not None
        if self._denies(text):
            return Said(denies=True, announces=announces)
        judged = self._judges(text, place)
        obligation = self._obligation(text, told=told, informs=informs) or ("mandatory" if judged else None)
        return Said(
            obligation,
            "evaluation" if judged else self._kind(text, place),
            announces=announces,
            empty=announces and self._unsaid(text) == 0,
            thin=text.endswith((":", "：")) and self._unsaid(text) <= THIN,
            conditional=words.conditions.search(text[-NEAR:]) is not None,
        )

    def _denies(self, text: str) -> bool:
        """Whether a text takes a demand back, and no party has another one after that."""
        denial = self._words.not_asked.search(text)
        if denial is None:
            return False
        later = self._words.must.finditer(text, denial.end())
        return not any(self._subject(text, cue.start()) == "party" for cue in later)

    def _judges(self, text: str, place: Place) -> bool:
        """Whether a text says how offers are judged, rather than what is done under the contract."""
        words = self._words
        if not words.judged.search(text) or words.free.search(text) or _is_title_text(text):
            return False
        return bool(place or words.bidders.search(text) or words.offers.search(text))

    def _obligation(self, text: str, *, told: bool, informs: bool) -> Obligation | None:
        words = self._words
        if words.option.search(text):
            return "option"
        if any(self._prefers(cue, text) for cue in words.prefers.finditer(text)):
            return "should"
        tells = told and any(words.begins.match(text, begin) for begin in self._beginnings(text))
        if tells or self._demands(words.must, text) or (not informs and self._is_weak(text)):
            return "mandatory"
        if self._demands(words.should, text):
            return "should"
        if text.endswith(_ASKS) and words.addressed.search(text):
            return "mandatory"
        if any(self._is_asked(cue, text) for cue in words.asks.finditer(text)):
            return "should" if words.should.search(text) else "mandatory"
        return "mandatory" if any(self._is_duty(cue, text) for cue in words.will.finditer(text)) else None

    def _prefers(self, cue: re.Match[str], text: str) -> bool:
        """Whether a cue makes a wish of a sentence, not of a condition or an addition: "weekly, preferably by mail"."""
        before = text[_after_mark(text) : cue.start()]
        is_added = before.rstrip().endswith(_ADDS) and not text.startswith(",", cue.end())
        if is_added or ". " in before or self._words.under.search(before[-NEAR:]):
            return False
        return self._is_demand(cue, text)

    def _beginnings(self, text: str) -> Iterator[int]:
        """Where a text begins: after its mark, after the name that it gives to what it says, and after a condition."""
        begin = _after_mark(text)
        yield begin
        if name := _NAME.match(text, begin):
            yield name.end()
        comma = text.find(", ", begin, begin + NEAR)
        if comma > 0 and self._words.under.match(text[begin:comma]):
            yield comma + len(", ")

    def _is_asked(self, cue: re.Match[str], text: str) -> bool:
        """Whether a buyer asks somebody for something who is no buyer as well."""
        if self._subject(text, cue.start()) != "buyer":
            return False
        asked = self._buyers.search(text, cue.start(), cue.end() + AGENT)
        if asked is None or asked[0].endswith("'s"):
            return True
        return self._words.parties.search(text, cue.start(), asked.start()) is not None

    def _demands(self, cues: re.Pattern[str], text: str) -> bool:
        return any(self._is_demand(cue, text) for cue in cues.finditer(text))

    def _is_weak(self, text: str) -> bool:
        """Whether a cue demands that, in a condition or a description, only says when or which."""
        cues = (cue for cue in self._words.weak.finditer(text) if self._is_demand(cue, text))
        return any(not self._words.under.search(text[max(0, cue.start() - NEAR) : cue.start()]) for cue in cues)

    def _is_demand(self, cue: re.Match[str], text: str) -> bool:
        """Whether what follows a cue is not a possibility, nor a buyer's to do, nor only happens to somebody."""
        if self._words.maybe.search(text[max(0, cue.start() - AGENT) : cue.start()]) or self._is_endured(cue, text):
            return False
        return self._subject(text, cue.start()) != "buyer" and not self._is_buyers(cue, text)

    def _is_duty(self, cue: re.Match[str], text: str) -> bool:
        """Whether somebody who offers or performs will do what follows a cue, rather than see it happen."""
        before = text[max(0, cue.start() - NEAR) : cue.start()]
        clause = self._words.joins.split(before)[-1]
        begin = cue.start() - len(clause if clause.strip() else before)
        return self._subject(text, cue.start(), begin) == "party" and not self._is_endured(cue, text)

    def _is_endured(self, cue: re.Match[str], text: str) -> bool:
        return self._words.endured.match(text[cue.end() : cue.end() + NEAR].lstrip()) is not None

    def _subject(self, text: str, place: int, begin: int = 0) -> Literal["party", "buyer", ""]:
        """Who stands nearest before a place as one who can be the subject of what follows."""
        if self._words.inverts and text[:place].endswith(", "):
            return ""
        before = text[max(begin, place - NEAR) : place]
        named = [*self._words.parties.finditer(before)]
        party = _last(one for one in named if _is_owner(one) or self._acts(one, before))
        buyers = (one for one in self._buyers.finditer(before) if not _is_owner(one))
        buyer = _last(one for one in buyers if self._acts(one, before))
        if party == buyer:
            return ""
        return "party" if party > buyer else "buyer"

    def _acts(self, named: re.Match[str], before: str) -> bool:
        """Whether somebody is the subject of a sentence: nothing is done by, to or with them."""
        return not self._words.beside.search(before[: named.start()])

    def _is_buyers(self, cue: re.Match[str], text: str) -> bool:
        """Whether what follows a cue is done by a buyer; what a buyer approves somebody else has to get approved."""
        after = text[cue.end() : cue.end() + NEAR]
        by = self._words.by.search(after)
        if by is None or self._words.granted.search(after[: by.start()]):
            return False
        is_buyer = self._buyers.search(after, by.end(), by.end() + AGENT) is not None
        is_party = self._words.parties.search(cue[0]) or self._subject(text, cue.start()) == "party"
        return is_buyer and not is_party

    def states(self, text: str, *, about_offer: bool = False) -> bool:
        """Whether a sentence says that something is done or is so, and not by a buyer or how things are now; if it is
        only to be ``about_offer``, an offer or who makes it stands first."""
        text, words = self._words.spelled(text), self._words
        tells = words.works is NOTHING or words.tells.search(text) is not None
        if tells or text.endswith(_ASKS) or len(_WORD.findall(text)) < STATED:
            return False
        begin = _after_mark(text)
        first = min((one.start() for one in words.parties.finditer(text, begin)), default=len(text))
        if about_offer:
            first = min(first, *(one.start() for one in words.offers.finditer(text, begin)), len(text))
            if first > begin + ARTICLE:
                return False
        elif words.states is not NOTHING and not words.states.search(text):
            return False
        buyers = (one for one in self._buyers.finditer(text, begin, begin + NEAR) if not _is_owner(one))
        acts = any(one.start() < first and self._acts(one, text) for one in buyers)
        by = (self._buyers.search(text, one.end(), one.end() + AGENT) for one in words.by.finditer(text))
        return not acts and not any(by)

    def tells_buyer(self, text: str) -> bool:
        """Whether a sentence, or what stands behind its first comma, begins with a buyer who does or may do it."""
        text = self._words.spelled(text)
        if not text.endswith(_STOPS):
            return False
        first, comma = _after_mark(text), text.find(", ", 0, NEAR)
        for begin in (first, comma + len(", ")) if comma > 0 else (first,):
            named = self._buyers.search(text, begin, begin + THE + AGENT)
            if named and named.start() <= begin + THE and self._acts(named, text) and not _is_owner(named):
                return True
        return False

    def _unsaid(self, text: str) -> int:
        """How many words a sentence has after its cue beside those that announce something; in Japanese, before it."""
        words = self._words
        cues = (words.must, words.weak, words.should, words.will, words.begins)
        found = next((cue for pattern in cues if (cue := pattern.search(text)) is not None), None)
        rest = text[min(found.end(), found.start() + CUE) :] if found else text
        if found and found[0][-1:] >= _KANA and not any(map(str.isalnum, rest)):
            rest = text[: found.start()]
        return len(_WORD.findall(words.announces.sub("", words.empty.sub("", rest))))

    def _kind(self, text: str, place: Place) -> Kind | None:
        words = self._words
        if text.endswith(_ASKS):
            return "instruction"
        party = words.parties.search(text)
        offered = words.bidders.match(party[0]) is not None if party else words.offers.search(text) is not None
        if words.papers.search(text) and (offered or words.handed.search(text)):
            return "form"
        if offered:
            return "instruction"
        return "work" if party and not (place and words.offers.search(text)) else None


def _is_owner(named: re.Match[str]) -> bool:
    """Whether what is spoken of is only theirs: "the offeror's plan"."""
    return named[0].endswith("'s")


def _after_mark(text: str) -> int:
    mark = _MARK.match(text)
    return mark.end() if mark else 0


def _is_title_text(text: str) -> bool:
    begin = _after_mark(text)
    return not text.endswith(_STOPS) and len(_WORD.findall(text[begin : begin + NEAR])) <= TITLE_WORDS


def _last(found: Iterator[re.Match[str]]) -> tuple[int, int]:
    """Where the last one ends and, of two that end there, which is the longer one: a product team is no team."""
    return max(((one.end(), -one.start()) for one in found), default=(-1, 0))


def _abbreviated(words: Demands, text: str) -> set[str]:
    """The short names that a text gives to public bodies, as in "Administrative Office of the Courts (AOC)"."""
    said = " ".join(text.split())
    found = ((said[max(0, one.start() - NAME) : one.start()], one["short"]) for one in _SHORT_NAME.finditer(said))
    named = ((words.folded(_name_of(short, before.split())), short) for before, short in found)
    return {short for name, short in named if words.bodies.search(name) and not words.parties.search(name)}


def _name_of(short: str, before: Sequence[str]) -> str:
    """What a short name stands for of the words before it: those with capitals, or all whose first letters it has."""
    backwards = before[::-1]
    capitals = sum(1 for _ in takewhile(_is_in_name, backwards))
    left, spelled = short.casefold(), 0
    for count, word in enumerate(backwards, 1):
        if left.endswith(normalize("NFKD", _APOSTROPHE.split(word)[-1])[:1].casefold() or "-"):
            left, spelled = left[:-1], count
        if not left or not (spelled == count or (word.islower() and len(word) <= JOINING)):
            break
    return " ".join(before[len(before) - max(capitals, 0 if left else spelled) :])


def _is_in_name(word: str) -> bool:
    own = _APOSTROPHE.split(word)[-1]
    return word in _IN_NAMES or (word[-1].isalnum() and (word[0].isupper() or own[:1].isupper()))
