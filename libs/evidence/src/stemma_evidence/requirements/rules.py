"""What a request says about the bid itself: by the words around each number and name."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from babel import Locale
from stemma_contracts.v1.bids import MOST_BID_RULES, MOST_PART, MOST_VALUE, MOST_VALUES, BidRule, BidRuleKind, BidRules
from stemma_languages import BidWords, bid_words, primary
from stemma_markdown import document_of

from stemma_evidence.claims.dates import dates

from .deadlines import title_of
from .units import Source, Unit, units

NEAR = 60
"""Characters between a word for the bid and what is said of it."""
BEFORE, BEHIND, RANGE = 32, 24, 12
"""Characters around a number in which it is said that it is a limit, and between the ends of a range of days."""
LONGEST = 1200
"""Characters of a unit that are looked at: what is longer is no rule of its own."""
LONGEST_NAME = 120
"""Characters of the name of a criterion."""
LEAST_FONT, MOST_FONT = 6, 24
COMPARED: frozenset[str] = frozenset(
    ("page_limit", "word_limit", "paper", "font_size", "line_spacing", "copies", "language", "validity", "criterion")
)
"""What has one value: two of them contradict each other."""
MOST_MARKERS = 40

_BEGIN, _END = r"(?<![^\W\u3041-\u9fff])", r"(?![^\W\u3041-\u9fff])"
"""Where a word may begin and end: scripts that put no spaces between words stand beside it."""
_DIGITS = {ord("\uff10") + number: str(number) for number in range(10)}
_NUMBER = re.compile(
    rf"(?<![.,]){_BEGIN}(\d{{1,3}}(?:[.,\u00a0\u202f ]\d{{3}})?)(?: ?\(\d{{1,6}}\)| ?\([^\W\d_]{{2,20}}\))?"
    rf"{_END}(?!%|[.,]\d)"
)
_BRACKETED = re.compile(r"(?<!\w)[^\W\d_][\w -]{1,20} \((\d{1,5})\)")
_FONTS = re.compile(
    rf"{_BEGIN}(Times New Roman|Arial|Calibri|Verdana|Helvetica|Cambria|Garamond|Courier New|Georgia|Tahoma"
    rf"|Liberation Sans|Century Gothic|Open Sans|Aptos){_END}",
    re.IGNORECASE,
)
_POINTS = re.compile(
    rf"(?<![.,]){_BEGIN}(\d{{1,2}})(?:[.,]([05]))? ?-?"
    rf"(?:(?:pt\.?|points?|punkt|puntos?|punti|punten|pontos){_END}|ポイント|磅)",
    re.IGNORECASE,
)
_LETTER = re.compile(
    r"(?<![\w.])8 ?(?:[.,]5|[- ]?1/2|½)\s?(?:\"|”|''|in(?:ch(?:es)?)?\.?)?\s?(?:x|×|by)\s?11(?![\w.])"
    r"|(?<!\w)(?:US )?letter[- ]size(?!\w)",
    re.IGNORECASE,
)
_A_SIZE = re.compile(rf"(?<!\.){_BEGIN}(?:DIN[ -]?)?A([345])(?!\.\d){_END}", re.IGNORECASE)
_FORMATS = {
    name: re.compile(rf"(?<!\w\.){_BEGIN}(?:{expression}){_END}", re.IGNORECASE)
    for name, expression in {
        "pdf": r"\.?pdf(?:/a(?:-\d\w?)?)?",
        "docx": r"(?:microsoft|ms)[ -]word|word[ -](?:format|document|datei|dokument)|\.?docx?",
        "xlsx": r"(?:(?:microsoft|ms)[ -])?(?:excel|\.?xlsx?)",
        "odt": r"\.?odt",
    }.items()
}
_QUOTED = re.compile(r"[\"“„«'‘`]\s?([^\s\"“”„«»'‘’`][^\"“”„«»'‘’`\n]{2,89}\.[A-Za-z]{3,4})\s?[\"”“»'’`]")
_WEIGHT = re.compile(
    rf"(?<![.,]){_BEGIN}(\d{{1,4}}(?:[.,]\d{{1,2}})?) ?"
    r"(%|per ?cent|pro[zc]ent|pour ?cents?|por ?ciento"
    rf"|(?:points?|pts\.?|punkte?n?|puntos?|punt[ei]n?|pontos){_END}|点|分)",
    re.IGNORECASE,
)
_MARK = re.compile(
    r"^\W*(?:(?:sec(?:tion|\.)?|art(?:icle|\.)?|abschnitt|kapitel|chapitre|secci[óo]n|apartado)\s{1,2})?"
    r"(?:\(?\d{1,3}(?:\.\d{1,3}){0,4}[.)]?|\(?[a-zA-Z][.)])\s{1,3}",
    re.IGNORECASE,
)
_POINTS_OR_PERCENT = {"%": "percent", "points": "points", "": "percent"}
WIDE = re.compile("[\u3041-\u9fff]")
_EDGES = " \t:;,.–—-|()[]=*_•"
_CLAUSE = re.compile("[;•]")
_IN_SENTENCE = re.compile(r"[^:：.。\n]{0,40}[:：]\s?(?P<names>(?:[(（][^()（）\n]{0,90}[)）]|[^.。\n]){3,1000})")
_COMMA = re.compile("[,;、，；](?![^()（）]*[)）])")
_BEHIND_TITLE = re.compile(r"\s?[(:：（]|\s[–—-]\s|\.\s")


@dataclass(frozen=True)
class _Found:
    """A rule before its source is known. ``assumed``: that it is about the whole, no word of its own says."""

    kind: BidRuleKind
    unit: Unit
    part: str = ""
    number: float | None = None
    unit_of: str = ""
    values: tuple[str, ...] = ()
    advised: bool = False
    assumed: bool = False

    @property
    def about(self) -> tuple[object, ...]:
        return self.kind, self.part.casefold(), self.unit_of, self.advised

    @property
    def value(self) -> tuple[object, ...]:
        return self.number, self.values


def read_rules(sources: Sequence[Source]) -> BidRules:
    """The rules for the bid that sources have; those that contradict each other name each other.

    A rule of an amendment replaces those of other sources that have another value.
    """
    found = [(source, one) for source in sources for one in bid_rules(source.text, source.language)]
    kept = found[:MOST_BID_RULES]
    rules = [_rule(f"B{number}", source.name, one) for number, (source, one) in enumerate(kept, start=1)]
    amending = {source.name for source in sources if amends(source)}
    compared = tuple(_compared(rule, rules, amending) for rule in rules)
    return BidRules(found=compared, more=len(found) - len(kept))


def amends(source: Source) -> bool:
    """Whether a source calls itself an amendment, in its name or its first heading."""
    cue = bid_words(source.language).amends
    first = next((piece.text for piece in document_of(source.text[:4000]).prose), "")
    return cue.search(re.sub(r"[_\W]+", " ", source.name)) is not None or cue.search(first[:100]) is not None


def _rule(name: str, source: str, found: _Found) -> BidRule:
    return BidRule.model_validate(
        {
            "rule_id": name,
            "kind": found.kind,
            "part": found.part[:MOST_PART],
            "number": found.number,
            "unit": found.unit_of,
            "values": found.values,
            "advised": found.advised,
            "source": source,
            "line": found.unit.line,
            "quote": found.unit.text[:2000],
        }
    )


def _compared(rule: BidRule, rules: Sequence[BidRule], amending: set[str]) -> BidRule:
    """The rule with those that say otherwise; it is replaced by one of an amendment, if it is of none."""
    if rule.kind not in COMPARED or rule.advised:
        return rule
    others = [
        other
        for other in rules
        if (other.kind, other.part.casefold(), other.unit, other.advised)
        == (rule.kind, rule.part.casefold(), rule.unit, rule.advised)
        and (other.number, other.values) != (rule.number, rule.values)
        and (rule.kind != "criterion" or other.source != rule.source)
    ]
    amended = [other for other in others if (other.source in amending) != (rule.source in amending)]
    later = [other for other in amended if other.source in amending]
    names = [other.rule_id for other in others if other not in amended]
    return rule.model_copy(update={"contradicts": tuple(names[:20]), "replaced_by": later[-1].rule_id if later else ""})


def bid_rules(text: str, language: str) -> list[_Found]:
    """The rules for the bid in a request in Markdown, in their order; ``language`` is a BCP 47 tag.

    Time grows with the length of the text, whatever it holds.
    """
    words = bid_words(language)
    every = [*units(text, language)]
    reading = _Reading(words, title_of(text), language)
    found = [one for unit in every if len(unit.text) <= LONGEST for one in reading.of(unit)]
    below = defaultdict[str, list[str]](list)
    for unit in every:
        if unit.number == 0 and unit.leads:
            below[unit.leads[-1]].append(unit.text)
    listed = [_with_chapters(one, below.get(one.unit.text, ())) if one.kind == "order" else one for one in found]
    return _once([*listed, *_criteria(every, words)])


def _with_chapters(order: _Found, items: Iterable[str]) -> _Found:
    """The rule with the chapters that the items of the list below its sentence name."""
    names = (_trimmed(_BEHIND_TITLE.split(_MARK.sub("", item, count=1))[0])[:MOST_VALUE] for item in items)
    return replace(order, values=tuple(islice(filter(None, names), MOST_VALUES)) or order.values)


def chapters_named(behind: str, language: str) -> tuple[str, ...]:
    """The chapters that a sentence lists itself ``behind`` its words for an order: ": Approach, Team and Cost."."""
    if (found := _IN_SENTENCE.match(behind)) is None:
        return ()
    *names, last = _COMMA.split(found["names"])
    joining = Locale.parse(primary(language)).list_patterns["standard"]["end"].format("", "").strip(", ")
    joining = joining if WIDE.search(joining) else f" {joining} "
    before, joined, after = f" {last.strip()}".rpartition(joining)
    every = (_MARK.sub("", name, count=1) for name in (*names, before if joined else "", after))
    named = [one for name in every if (one := name.strip(_EDGES.replace("()", "")))]
    return tuple(name[:MOST_VALUE] for name in named[:MOST_VALUES]) if len(named) > 1 else ()


def _once(found: Sequence[_Found]) -> list[_Found]:
    """Each rule once, where it stands first; what only mentions the limit of a part is none of the whole."""
    named = {(one.kind, one.number) for one in found if not one.assumed}
    first: dict[tuple[object, ...], _Found] = {}
    for one in sorted(found, key=lambda one: one.unit.start):
        if not (one.assumed and (one.kind, one.number) in named):
            first.setdefault((*one.about, *one.value, *((one.unit.text,) if one.kind == "exclusion" else ())), one)
    return list(first.values())


class _Reading:
    """The reading of one request."""

    def __init__(self, words: BidWords, title: tuple[str, ...] | None, language: str) -> None:
        self._words = words
        self._language_of_text = language
        self._title = title or ()
        numbers = sorted(words.numbers, key=len, reverse=True)
        self._spelled = re.compile(rf"(?<![\w-])(?:{'|'.join(numbers)})(?![\w-])", re.IGNORECASE) if numbers else None
        self._context: tuple[tuple[str, ...], bool] = ((), False)

    def of(self, unit: Unit) -> Iterator[_Found]:
        """The rules of a unit."""
        text = self._with_digits(unit.text.replace("’", "'"))
        if unit.form == "heading" or self._words.denied.search(text):
            return
        about = self._is_about_bids(unit, text)
        advised = self._words.advised.search(text) is not None
        rules: tuple[Callable[[Unit, str], Iterator[_Found]], ...] = (self._named_in_sentence,)
        if about:
            rules = (self._limits, self._look, *rules)
        for rule in rules:
            for one in rule(unit, text):
                yield replace(one, advised=advised and one.kind not in ("exclusion", "blind"))

    def _with_digits(self, text: str) -> str:
        """The text with numbers as digits: "ten (10) pages" and "ten pages" are 10."""
        text = _BRACKETED.sub(self._bracketed, text.translate(_DIGITS))
        if self._spelled is None:
            return text
        return self._spelled.sub(lambda word: str(self._words.numbers[word[0].lower()]), text)

    def _bracketed(self, found: re.Match[str]) -> str:
        last = found[0][: found[0].rindex("(")].split()
        return found[0] if last[-1].lower() not in self._words.numbers else " ".join([*last[:-1], found[1]])

    def _is_about_bids(self, unit: Unit, text: str) -> bool:
        """Whether a unit speaks of the bid: by its words, those before it in its paragraph, or what stands above it."""
        words = self._words
        path, before = self._context
        said = words.bids.search(text) is not None or words.parts.search(text) is not None
        above = any(words.form.search(title) for title in unit.path[-2:] if title not in self._title)
        led = any(words.bids.search(lead) or words.form.search(lead) for lead in unit.leads[-1:])
        carried = unit.number > 0 and before and path == unit.path
        is_about = said or ((above or led or carried) and not words.others.search(text))
        self._context = (unit.path, is_about)
        return is_about

    def _limits(self, unit: Unit, text: str) -> Iterator[_Found]:
        """Limits of pages and words: a number with its unit, and words around it that make it a limit."""
        for kind, measure in (("page_limit", self._words.pages), ("word_limit", self._words.words)):
            for start, end, number, mentioned in self._amounts(unit, text, measure):
                part, assumed = self._part(unit, text, start, end, mentioned=mentioned)
                yield _Found(kind, unit, part, number, assumed=assumed)  # type: ignore[arg-type]

    def _amounts(self, unit: Unit, text: str, measure: re.Pattern[str]) -> Iterator[tuple[int, int, float, bool]]:
        """Where limits in a unit of measure stand, how much they are, and whether the limit is only mentioned."""
        words = self._words
        if unit.form == "row" and unit.leads:
            yield from self._amounts_in_row(unit, text, measure)
        for found in islice(_NUMBER.finditer(text), MOST_MARKERS):
            number = int(re.sub(r"\D", "", found[1]))
            gap = re.match(r"[ \u00a0-]{0,3}", text[found.end() :])
            behind = found.end() + (gap.end() if gap else 0)
            named = measure.match(text, behind) or self._or_less_between(text, behind, measure)
            before, after = text[max(0, found.start() - BEFORE) : found.start()], ""
            if named is None:
                continue
            after = text[named.end() : named.end() + BEHIND]
            mentioned = words.limit.match(after.lstrip(" -")) is not None and "-" in text[found.end() : behind]
            limited = (
                mentioned
                or _ends_with(words.at_most, before)
                or words.or_less.search(after) is not None
                or named.re is not measure
            )
            if number and limited:
                yield found.start(), named.end(), number, mentioned

    def _amounts_in_row(
        self, unit: Unit, text: str, measure: re.Pattern[str]
    ) -> Iterator[tuple[int, int, float, bool]]:
        """The number in a column whose name says that it has limits in this unit of measure."""
        words, place = self._words, 0
        for column, cell in zip(unit.leads[-1].split(" | "), text.split(" | "), strict=False):
            limits = (words.limit, words.at_most, words.or_less)
            number = re.fullmatch(r"\s*(\d{1,6})(?:\s[^\d|]{0,20})?", cell)
            if number and measure.search(column) and any(cue.search(column) for cue in limits):
                yield place, place + len(cell), int(number[1]), False
            place += len(cell) + len(" | ")

    def _or_less_between(self, text: str, place: int, measure: re.Pattern[str]) -> re.Match[str] | None:
        """ "7 or fewer pages": the match of its words, if they stand there."""
        between = re.compile(rf"(?:{self._words.or_less.pattern})[ ](?:{measure.pattern})", re.IGNORECASE)
        return between.match(text, place)

    def _part(self, unit: Unit, text: str, start: int, end: int, *, mentioned: bool) -> tuple[str, bool]:
        """What of the bid a limit is of, as it is named, empty for the whole; and whether no word says that."""
        words = self._words
        if unit.form == "row":
            first = text.split(" | ")[0]
            return ("", False) if words.bids.fullmatch(first) else (_trimmed(first), False)
        if mentioned:
            return "", True
        clause = max((one.end() for one in _CLAUSE.finditer(text, 0, start)), default=0)
        parts = [*words.parts.finditer(text, clause, start)]
        wholes = [*words.bids.finditer(text, clause, start)]
        if parts and (not wholes or parts[-1].end() >= wholes[-1].end()):
            return parts[-1][0], False
        if wholes:
            return "", False
        behind = [*words.parts.finditer(text, end, end + NEAR)]
        if behind:
            return behind[0][0], False
        if words.bids.search(text, end, end + NEAR):
            return "", False
        return self._above(unit)

    def _above(self, unit: Unit) -> tuple[str, bool]:
        """The part that the nearest heading names; the whole below one that is about the form of all."""
        title = _trimmed(unit.path[-1]) if unit.path else ""
        if not title or self._words.form.search(title) or self._words.bids.fullmatch(title):
            return "", True
        return title[:MOST_PART], False

    def _look(self, unit: Unit, text: str) -> Iterator[_Found]:
        """Paper, fonts, spacing, copies and formats."""
        words = self._words
        yield from self._paper(unit, text)
        part = found[0] if (found := words.tables.search(text)) else ""
        fonts = [*_FONTS.finditer(text)]
        if fonts or words.font.search(text):
            sizes = list(self._sizes(text, fonts))
            if sizes:
                yield _Found("font_size", unit, part, min(sizes))
        if fonts and (words.font.search(text) or words.size.search(text) or _POINTS.search(text)):
            names = tuple(dict.fromkeys(one[1] for one in fonts))[:10]
            yield _Found("font", unit, part, values=names)
        for lines, cue in words.spacing.items():
            if cue.search(text):
                yield _Found("line_spacing", unit, part, float(lines))

    def _paper(self, unit: Unit, text: str) -> Iterator[_Found]:
        sizes = ["letter"] if _LETTER.search(text) else []
        for found in islice(_A_SIZE.finditer(text), MOST_MARKERS):
            around = text[max(0, found.start() - 16) : found.end() + 12]
            if found[0].upper().startswith("DIN") or self._words.sheets.search(around):
                sizes.append(f"A{found[1]}")
        if sizes:
            yield _Found("paper", unit, values=tuple(dict.fromkeys(sizes)))

    def _sizes(self, text: str, fonts: Sequence[re.Match[str]]) -> Iterator[float]:
        """The sizes of type that a sentence names: in points, behind a word for it, or beside the name of a font."""
        for found in islice(_POINTS.finditer(text), MOST_MARKERS):
            yield float(f"{found[1]}.{found[2] or 0}")
        places = [one.end() for one in fonts] + [one.end() for one in self._words.size.finditer(text)]
        for place in places[:MOST_MARKERS]:
            beside = re.compile(r"[\s,:(]{0,3}(?:[^\W\d]{1,12} ){0,4}(\d{1,2})(?!\w|[.,]\d)").match(text, place)
            if beside and LEAST_FONT <= int(beside[1]) <= MOST_FONT:
                yield float(beside[1])

    def _named_in_sentence(self, unit: Unit, text: str) -> Iterator[_Found]:
        """What is said of the bid by name: its language, validity, formats, copies, name, and what excludes it."""
        words = self._words
        yield from islice(self._validities(unit, text), 1)
        if not words.excludes.search(text) and not self._is_about_work(text):
            yield from self._language(unit, text)
            yield from self._formats(unit, text)
            yield from self._copies(unit, text)
        if (named := words.named.search(text)) and (quoted := _QUOTED.search(text, named.end(), named.end() + 160)):
            yield _Found("file_name", unit, values=(quoted[1][:MOST_VALUE],))
        subject = words.bids.search(text) or words.bidders.search(text) or words.parts.search(text)
        if subject and words.blind.search(text):
            yield _Found("blind", unit)
        if subject and words.excludes.search(text) and not words.free.search(text):
            yield _Found("exclusion", unit)
        if subject and (order := words.order.search(text)):
            yield _Found("order", unit, values=chapters_named(text[order.end() :], self._language_of_text))

    def _is_about_work(self, text: str) -> bool:
        """Whether a sentence begins with what the contract is about: "the contractor delivers the tender drawings"."""
        words = self._words
        work = words.others.search(text)
        bids = [found.start() for cue in (words.bids, words.parts, words.bidders) if (found := cue.search(text))]
        return work is not None and work.start() < min(bids, default=len(text))

    def _validities(self, unit: Unit, text: str) -> Iterator[_Found]:
        """How long a bid binds: a word for it near one for the bid, and a time behind it, or right before it."""
        words = self._words
        bids = islice(words.bids.finditer(text), MOST_MARKERS)
        near = (words.valid.search(text, max(0, bid.start() - NEAR), bid.end() + NEAR) for bid in bids)
        for valid in filter(None, (*near, words.binding.search(text))):
            for number, name in self._times(text, valid):
                yield _Found("validity", unit, number=number, unit_of=name)
            if until := self._until(text, valid):
                yield _Found("validity", unit, values=(until,))

    def _times(self, text: str, valid: re.Match[str]) -> Iterator[tuple[int, str]]:
        behind = islice(_NUMBER.finditer(text, valid.end(), valid.end() + 2 * NEAR), 4)
        before = _NUMBER.finditer(text, max(0, valid.start() - BEFORE), valid.start())
        for found in (*behind, *before):
            place = found.end() + text[found.end() : found.end() + 1].count(" ") + text[found.end() :].startswith("-")
            for name, cue in self._words.units.items():
                if cue.match(text, place):
                    yield int(re.sub(r"\D", "", found[1])), name

    def _until(self, text: str, valid: re.Match[str]) -> str:
        """The day until which a bid binds, as in ISO 8601: behind the word for it, or right before it; else empty."""
        found, last = "", 0
        for day in sorted(dates(text, self._language_of_text), key=lambda one: one.start):
            behind = valid.end() <= day.start <= valid.end() + 2 * NEAR
            before = 0 < valid.start() - day.end < BEHIND and "," not in text[day.end : valid.start()]
            if len(day.values) != 1 or len(value := min(day.values)) != len("2026-01-31") or not (behind or before):
                continue
            # Of a range it is the end.
            if not found or day.start - last < RANGE:
                found, last = max(found, value), day.end
        return found

    def _language(self, unit: Unit, text: str) -> Iterator[_Found]:
        """The languages in which a bid is written: a word for it, what is done with it, and the name of a language."""
        words = self._words
        tags = [tag for tag, cue in words.languages.items() if self._is_language(unit, text, cue)]
        if tags:
            yield _Found("language", unit, values=tuple(tags)[:10])

    def _is_language(self, unit: Unit, text: str, name: re.Pattern[str]) -> bool:
        words = self._words
        for found in islice(name.finditer(text), MOST_MARKERS):
            before = text[max(0, found.start() - 12) : found.start()]
            spaced = WIDE.search(found[0]) is None
            if spaced and not (_ends_with(words.in_language, before) and self._ends_there(text, found.end())):
                continue
            begin = max(0, found.start() - 2 * NEAR)
            bid = _last_end((words.bids, words.parts), text, begin, found.start())
            done = _last_end((words.written,), text, begin, found.end() + NEAR)
            if bid >= 0 and done >= 0 and found.start() - bid <= 2 * NEAR:
                return True
        return False

    def _ends_there(self, text: str, place: int) -> bool:
        """Whether the name of a language is no adjective of something: "in German", not "in the German market"."""
        behind = text[place:]
        return re.match(r"\W*$|\s?[.,;:)(|/]|\s(?:[^\W\d_]{1,5}|language|sprache)(?!\w)", behind) is not None or (
            self._words.written.match(text, place + 1) is not None
        )

    def _formats(self, unit: Unit, text: str) -> Iterator[_Found]:
        """The formats in which files are handed in."""
        words = self._words
        by_part: dict[str, list[str]] = {}
        for name, cue in _FORMATS.items():
            for match in islice(cue.finditer(text), 1):
                begin, end = max(0, match.start() - 2 * NEAR), match.start() + 2 * NEAR
                bid = _last_end((words.bids, words.parts), text, begin, end)
                if bid >= 0 and _last_end((words.handed,), text, begin, end) >= 0:
                    parts = [*words.parts.finditer(text, begin, match.start())]
                    by_part.setdefault(parts[-1][0] if parts else "", []).append(name)
        for part, names in by_part.items():
            yield _Found("file_format", unit, part, values=tuple(sorted(names)))

    def _copies(self, unit: Unit, text: str) -> Iterator[_Found]:
        """How many copies of the bid are handed in."""
        words = self._words
        for found in islice(_NUMBER.finditer(text), MOST_MARKERS):
            gap = re.match(r"[ -](?:fach(?:er)? |signed |bound )?", text[found.end() :])
            place = found.end() + (gap.end() if gap else 0)
            copies = words.copies.match(text, place)
            if copies is None or int(re.sub(r"\D", "", found[1])) > 50:
                continue
            around = text[max(0, found.start() - NEAR) : copies.end() + NEAR]
            if words.bids.search(around) and words.handed.search(around):
                parts = [*words.parts.finditer(around)]
                yield _Found("copies", unit, parts[0][0] if parts else "", int(found[1]))
                return


def _ends_with(cue: re.Pattern[str], text: str) -> bool:
    """Whether the last words of a text are an expression, with at most some small words behind it."""
    ends = [one.end() for one in cue.finditer(text)]
    return any(re.fullmatch(r"[\s(:~]*(?:[^\W\d_]{1,5}\s){0,3}", text[one:]) for one in ends)


def _last_end(cues: Sequence[re.Pattern[str]], text: str, begin: int, end: int) -> int:
    return max((one.end() for cue in cues for one in cue.finditer(text, begin, end)), default=-1)


def _trimmed(name: str) -> str:
    """A name without its number and the marks around it."""
    return _MARK.sub("", name, count=1).strip(_EDGES)


def _criteria(every: Sequence[Unit], words: BidWords) -> Iterator[_Found]:
    """The criteria by which bids are judged, with their weights: items, rows or headings of one place together."""
    groups: dict[tuple[object, ...], list[_Found]] = {}
    for unit in every:
        if _is_judged(unit, words) and (one := _criterion(unit, words)):
            groups.setdefault((unit.path, unit.leads, unit.form, one.unit_of), []).append(one)
        yield from _listed(unit, words)
    for group in groups.values():
        best = any(words.best.search(text) for one in group for text in (one.unit.text, *one.unit.leads[-1:]))
        total = sum(one.number or 0 for one in group)
        percent = group[0].unit_of == "percent"
        if len(group) > 1 and total > 0 and (total <= 100.5 if percent else best or total % 50 == 0):
            yield from group


def _is_judged(unit: Unit, words: BidWords) -> bool:
    above = (*unit.path[-2:], *unit.leads[-2:])
    return len(unit.text) <= LONGEST and any(words.criteria.search(title) for title in above)


def _criterion(unit: Unit, words: BidWords) -> _Found | None:
    """A row, an item or a heading that is a name and one weight."""
    if unit.form == "sentence":
        return None
    if unit.form == "row":
        return _criterion_in_row(unit, words)
    found = list(_WEIGHT.finditer(unit.text))
    first = next(iter(found), None)
    if first is None or [one[2] for one in found].count(first[2]) > 1:
        return None
    if len(unit.text) - first.end() > 40 and not re.match(r"\W{1,3}[A-ZÀ-Ý]", unit.text[first.end() :]):
        return None
    name = _trimmed(unit.text[: found[0].start()])
    return _weighed(unit, name, found[0][1], found[0][2])


def _criterion_in_row(unit: Unit, words: BidWords) -> _Found | None:
    cells = unit.text.split(" | ")
    columns = unit.leads[-1].split(" | ") if unit.leads else []
    name = next((cell for cell in cells if len(re.findall(r"[^\W\d_]", cell)) > (WIDE.search(cell) is None) + 1), "")
    for column, cell in zip(columns, cells, strict=False):
        weight = _WEIGHT.fullmatch(cell.strip())
        if weight and cell != name:
            return _weighed(unit, _trimmed(name), weight[1], weight[2])
        bare = re.fullmatch(r"\s*(\d{1,4}(?:[.,]\d{1,2})?)\s*", cell)
        if bare and (words.best.search(column) or "%" in column) and (unit_of := _unit_of(column)):
            return _weighed(unit, _trimmed(name), bare[1], unit_of)
    return None


def _unit_of(column: str) -> str:
    if re.search(r"%|per ?cent|pro[zc]ent|pour ?cent|por ?ciento", column, re.IGNORECASE):
        return "%"
    return "points" if re.search(r"point|pts|pun[kt]|pont|[点分]", column, re.IGNORECASE) else ""


def _weighed(unit: Unit, name: str, number: str, measure: str) -> _Found | None:
    least = 2 if WIDE.search(name) else 3
    if not least <= len(name) <= LONGEST_NAME or not any(map(str.isalpha, name)):
        return None
    return _Found("criterion", unit, name, float(number.replace(",", ".")), _POINTS_OR_PERCENT[_unit_of(measure)])


def _listed(unit: Unit, words: BidWords) -> Iterator[_Found]:
    """Criteria that a sentence lists with all their weights: "price 40 %, technical value 60 %"."""
    text = unit.text
    if unit.form == "row" or not words.criteria.search(text) or len(text) > LONGEST:
        return
    found = [one for one in _WEIGHT.finditer(text) if _unit_of(one[2]) == "%"]
    if len(found) < 2 or abs(sum(float(one[1].replace(",", ".")) for one in found) - 100) > 0.5:
        return
    begins = [0, *(one.end() for one in found[:-1])]
    for begin, one in zip(begins, found, strict=True):
        name = re.split(r"[:;]\s", text[begin : one.start()].rstrip(_EDGES))[-1].strip(_EDGES)
        name = re.sub(r"^(?:and|und|et|y|e|en)\s", "", name)
        weighed = _weighed(unit, name, one[1], "%")
        if weighed and len(name) <= NEAR:
            yield weighed
