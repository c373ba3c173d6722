"""What is told of the claims of a draft: a report of all of them, and an issue for each that nothing supports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from pydantic import BaseModel
from stemma_contracts import problems
from stemma_contracts.v1.grounding import ClaimKind, ClaimSource, ClaimStanding, GroundedClaim, GroundingReport
from stemma_contracts.v1.validation import ValidationIssue
from stemma_evidence import EXCHANGED, UNSUPPORTED, Cited, Found, Grounded

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
_ELSEWHERE = "What the sources say of one thing is said of another"

_UNSUPPORTED_HOW = {EXCHANGED: _ELSEWHERE, NO_PLACE: _NO_PLACE, NOT_THERE: _NOT_THERE}


class ClaimFindings(BaseModel):
    """The report of a draft and its counts; ``unsupported`` by kind are of all claims, also of those left off."""

    report: GroundingReport = GroundingReport()
    unsupported: dict[ClaimKind, int] = {}

    def issues(self) -> list[ValidationIssue]:
        """One issue for each unsupported claim of the report."""
        return [_issue(claim) for claim in self.report.claims if claim.standing == UNSUPPORTED]


def told(found: Iterable[Grounded]) -> ClaimFindings:
    """The findings as contracts."""
    items = list(found)
    kept = items
    if len(items) > MAX_CLAIMS:
        kept = sorted(items, key=lambda item: item.standing != UNSUPPORTED)[:MAX_CLAIMS]
        kept.sort(key=lambda item: item.claim.start)
    counts = Counter(item.claim.kind for item in items if item.standing == UNSUPPORTED)
    claims = tuple(_claim(item) for item in kept)
    return ClaimFindings(
        report=GroundingReport(claims=claims, left_off=len(items) - len(kept)), unsupported=dict(counts)
    )


def no_place(text: str, line: int) -> GroundedClaim:
    """A citation of a page, of cells or of a heading that an input does not have."""
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
    standing = _standing(found.source.standing)
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


def _said(claim: GroundedClaim) -> tuple[str, dict[str, problems.Param]]:
    """The code of what is wrong, with what the sources say, or where they say it."""
    match claim.how:
        case how if how == NOT_THERE and claim.sources:
            places = (f"{source.name}, {source.place or f'line {source.line}'}" for source in claim.sources)
            return "citation_misplaced", {"places": "; ".join(places)}
        case how if how == NOT_THERE:
            return "citation_unsupported", {}
        case how if how == NO_PLACE:
            return "citation_place_unknown", {}
        case how if how == EXCHANGED:
            said = claim.sources[0]
            there, source = " ".join(said.text.split()), said.name or said.standing
            return "claim_swapped", {"there": there, "source": source, "line": said.line}
        case _:
            return f"claim_without_{claim.kind}", {}
