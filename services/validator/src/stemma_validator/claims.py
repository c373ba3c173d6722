"""Where the claims of a draft stand in its sources, and the report of those that stand nowhere."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import ClassVar, Literal

from pydantic import BaseModel, Field
from stemma_contracts import problems
from stemma_contracts.v1.grounding import (
    ClaimKind,
    ClaimSource,
    ClaimStanding,
    DoubtedStatement,
    GroundedClaim,
    GroundingReport,
)
from stemma_contracts.v1.validation import ValidationIssue
from stemma_evidence import (
    EXCHANGED,
    UNSUPPORTED,
    Cited,
    Copied,
    Doubt,
    Found,
    Grounded,
    Source,
    Whose,
    copied,
    dictated,
    doubts,
    ground,
    read,
)

from .confined import Check

MAX_CLAIMS = 2000
"""A report holds no more; those without support go first into it."""
_MAX_PLACES = 3
_RULE = "grounding/"
_WHAT: dict[ClaimKind, str] = {
    "amount": "An amount stands in no input, nor in the brief or a section before",
    "date": "A date stands in no input, nor in the brief or a section before",
    "quantity": "A quantity stands in no input, nor in the brief or a section before",
    "name": "A name stands in no input, nor in the brief or a section before",
    "quotation": "A quotation stands word for word in no input, nor in the brief or a section before",
    "citation": "What is cited is no input, and no input, brief or section before names it",
}
NO_PLACE, NOT_THERE = "no such place", "not said there"
"""How a citation is unsupported that names a place of an input."""
_NO_PLACE = "What is cited has no such place"
_NOT_THERE = "The place that is cited does not say it"
_OTHERWISE = "A sentence says otherwise than the sources"
_ELSEWHERE = "What the sources say of one thing is said of another"

INTERNAL = "internal"
"""How a claim is unsupported that only an internal input says; also the standing of such a source."""
_MOST_TEXT = 300

_UNSUPPORTED_HOW = {
    INTERNAL: "Only an internal input says it",
    EXCHANGED: _ELSEWHERE,
    NO_PLACE: _NO_PLACE,
    NOT_THERE: _NOT_THERE,
}


class ClaimFindings(BaseModel):
    """The report of a draft and its counts; ``unsupported`` by kind are of all claims, also of those left off.

    ``copied`` are the issues of words that are not the document's own to say.
    """

    report: GroundingReport = GroundingReport()
    unsupported: dict[ClaimKind, int] = {}
    copied: tuple[ValidationIssue, ...] = ()

    def issues(self) -> list[ValidationIssue]:
        claims = (_issue(claim) for claim in self.report.claims if claim.standing == UNSUPPORTED)
        statements = (_statement_issue(said) for said in self.report.statements if not said.soft)
        return [*claims, *statements, *self.copied]


def told(found: Iterable[Grounded]) -> ClaimFindings:
    items = [_without_internal(item) for item in found]
    kept = items
    if len(items) > MAX_CLAIMS:
        kept = sorted(items, key=lambda item: item.standing != UNSUPPORTED)[:MAX_CLAIMS]
        kept.sort(key=lambda item: item.claim.start)
    counts = Counter(item.claim.kind for item in items if item.standing == UNSUPPORTED)
    claims = tuple(_claim(item) for item in kept)
    return ClaimFindings(
        report=GroundingReport(claims=claims, left_off=len(items) - len(kept)), unsupported=dict(counts)
    )


def _without_internal(item: Grounded) -> Grounded:
    """The claim as unsupported if it rests on an internal input: of what is computed, all that it is made of counts."""
    is_exchanged = item.how == EXCHANGED
    rests_on = item.places[1:] if is_exchanged else item.places
    inner = [place for place in rests_on if place.source.standing == INTERNAL]
    if len(inner) < len(rests_on) and not item.how:
        return replace(item, places=tuple(place for place in rests_on if place not in inner))
    if inner:
        return replace(item, standing=UNSUPPORTED, places=tuple(inner), how=INTERNAL)
    if is_exchanged and item.places[0].source.standing == INTERNAL and rests_on:
        return replace(item, standing=rests_on[0].source.standing, places=rests_on, how="")
    return item


_CODES: dict[Whose, tuple[str, str]] = {
    "internal": ("words_internal", "Words of an internal input stand in the text"),
    "instruction": ("words_instruction", "An instruction to the writer stands in the text"),
    "request": ("words_request", "A sentence of the client stands in the text as if it were ours"),
}


def words_issue(found: Copied) -> ValidationIssue:
    code, description = _CODES[found.whose]
    text = found.text[:_MOST_TEXT]
    params: dict[str, problems.Param] = {"text": text}
    if found.whose != "instruction":
        params |= {"source": found.name, "line": found.source_line}
    return ValidationIssue(
        line_number=found.line,
        rule=f"words/{found.whose}",
        rule_description=description,
        message=problems.message(code, params),
        error_detail=text,
        code=code,
        params=params,
    )


def no_place(text: str, line: int) -> GroundedClaim:
    return GroundedClaim(kind="citation", text=text[:300], line_number=line, standing="unsupported", how=NO_PLACE)


def said_elsewhere(text: str, line: int, places: Iterable[Cited]) -> GroundedClaim:
    """A citation of a place that does not hold the words; ``places`` are those that do."""
    claim = no_place(text, line)
    sources = tuple(
        ClaimSource(
            standing="input",
            name=place.name[:255],
            line=place.line,
            text=place.text[:200],
            place=place.anchor.label if place.anchor else "",
        )
        for place in places
    )
    return claim.model_copy(update={"how": NOT_THERE, "sources": sources})


def _claim(item: Grounded) -> GroundedClaim:
    return GroundedClaim(
        kind=item.claim.kind,
        text=item.claim.text[:300],
        line_number=item.claim.line,
        standing=_standing(item.standing),
        sources=tuple(_source(place) for place in item.places[:_MAX_PLACES]),
        how=item.how[:300],
    )


def _source(found: Found) -> ClaimSource:
    standing = _standing("input" if found.source.standing == INTERNAL else found.source.standing)
    assert standing != "computed"
    assert standing != "unsupported"
    return ClaimSource(
        standing=standing,
        name=found.source.name[:255],
        heading=found.place.heading[:200],
        line=found.place.line,
        text=found.text[:200],
    )


def _standing(word: str) -> ClaimStanding:
    match word:
        case "input" | "brief" | "upstream" | "computed" | "person" | "unsupported":
            return word
        case _:
            raise AssertionError(f"no standing: {word}")


def _issue(claim: GroundedClaim) -> ValidationIssue:
    text = " ".join(claim.text.split())
    code, params = _said(claim)
    params["text"] = text
    return ValidationIssue(
        line_number=claim.line_number,
        rule=_RULE + claim.kind,
        rule_description=_UNSUPPORTED_HOW.get(claim.how, _WHAT[claim.kind]),
        message=problems.message(code, params),
        error_detail=text,
        code=code,
        params=params,
    )


def _statement_issue(said: DoubtedStatement) -> ValidationIssue:
    """The issue of a sentence, with what the source says that it differs from."""
    code, text = f"statement_{said.why}", " ".join(said.text.split())
    params: dict[str, problems.Param] = {"text": text}
    if said.source is None:
        code += "_unsaid"
    else:
        name = said.source.name or said.source.standing
        params |= {"there": said.source.text, "source": name, "line": said.source.line}
    return ValidationIssue(
        line_number=said.line_number,
        rule=_RULE + "statement",
        rule_description=_OTHERWISE,
        message=problems.message(code, params),
        error_detail=text,
        code=code,
        params=params,
    )


def statement(doubt: Doubt) -> DoubtedStatement:
    """A sentence that the sources do not bear out, with the sentence that is closest."""
    source = None
    if doubt.source and doubt.said:
        where = doubt.source.place(doubt.said.line)
        source = _source(Found(doubt.source, where, " ".join(doubt.said.text.split())))
    text = " ".join(doubt.text.split())[:300]
    return DoubtedStatement(text=text, line_number=doubt.line, why=doubt.why, soft=doubt.soft, source=source)


def _said(claim: GroundedClaim) -> tuple[str, dict[str, problems.Param]]:
    match claim.how:
        case how if how == NOT_THERE and claim.sources:
            places = (f"{source.name}, {source.place or f'line {source.line}'}" for source in claim.sources)
            return "citation_misplaced", {"places": "; ".join(places)}
        case how if how == NOT_THERE:
            return "citation_unsupported", {}
        case how if how == INTERNAL:
            said = claim.sources[0]
            return "claim_internal", {"source": said.name, "line": said.line}
        case how if how == NO_PLACE:
            return "citation_place_unknown", {}
        case how if how == EXCHANGED:
            said = claim.sources[0]
            there, source = " ".join(said.text.split()), said.name or said.standing
            return "claim_swapped", {"there": there, "source": source, "line": said.line}
        case _:
            return f"claim_without_{claim.kind}", {}


class SourceText(BaseModel):
    """A text that claims may stand in: as it is, or as it was read before; and whether its words are ours to say."""

    standing: str
    name: str = ""
    whose: Whose | Literal["ours", ""] = ""
    language: str
    media_type: str = "text/markdown"
    text: str = ""
    known: Source | None = None

    def read(self) -> Source:
        return self.known or read(self.text, self.media_type, self.language, standing=self.standing, name=self.name)


class ClaimsChecked(BaseModel):
    """What was found, the sources that were read for it in their order, and the draft, unless a process read it."""

    findings: ClaimFindings
    read: tuple[Source, ...] = ()
    draft: Source | None = Field(default=None, exclude=True)


class ClaimsCheck(Check[ClaimsChecked]):
    """What is checked: a draft, the sources that it may be grounded on, and words that are its own.

    ``cited`` are the ranges of places that it names, which are looked up as such: the number of a page is no claim.
    ``purpose`` is what its writer was asked for.
    """

    name: ClassVar = "claims check"

    text: str
    language: str
    sources: tuple[SourceText, ...]
    own_words: tuple[str, ...] = ()
    purpose: str = ""
    cited: tuple[tuple[int, int], ...] = ()

    @property
    def characters(self) -> int:
        return len(self.text) + sum(len(source.text) for source in self.sources)

    def run(self) -> ClaimsChecked:
        sources = tuple(source.read() for source in self.sources)
        draft = read(self.text, "text/markdown", self.language, standing="draft", name="")
        ordered = sorted(sources, key=lambda source: source.standing == INTERNAL)
        found: tuple[Grounded, ...] = ground(draft, ordered, self.own_words)
        fresh = tuple(s for s, source in zip(sources, self.sources, strict=True) if source.known is None)
        findings = told(item for item in found if not self._is_of_a_place(item))
        copied = tuple(map(words_issue, self._copied(sources)))[:MAX_CLAIMS]
        said = doubts(draft, (source for source in ordered if source.standing != INTERNAL))
        statements = tuple(map(statement, said))[:MAX_CLAIMS]
        report = findings.report.model_copy(update={"statements": statements})
        findings = findings.model_copy(update={"copied": copied, "report": report})
        return ClaimsChecked(findings=findings, read=fresh, draft=draft)

    def _copied(self, sources: Sequence[Source]) -> tuple[Copied, ...]:
        foreign, ours = list[tuple[Whose, Source]](), list(self.own_words)
        for text, source in zip(self.sources, sources, strict=True):
            if text.whose == "ours":
                ours.append(source.wording)
            elif text.whose:
                foreign.append((text.whose, source))
                ours += dictated(source) if text.standing == "person" else ()
        purpose = Source("brief", "", (), self.purpose.casefold(), {}, wording_lines=((0, 1),))
        return copied(self.text, [*foreign, ("instruction", purpose)], ours)

    def _is_of_a_place(self, item: Grounded) -> bool:
        claim = item.claim
        return item.standing == UNSUPPORTED and any(start <= claim.start < end for start, end in self.cited)
