"""Which places of the inputs each sentence of a draft rests on, and whether the places that it names itself are so."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

from cachetools import LRUCache
from pydantic import BaseModel
from stemma_artifacts.store import digest_of
from stemma_confinement import Limits
from stemma_contracts.v1.grounding import CitedPlace, CitedText, ClaimSource, GroundedClaim
from stemma_contracts.v1.inputs import BRIEF, Anchor
from stemma_contracts.v1.jobs import ValidateDraft
from stemma_evidence import Cited, File, Labels, Named, Unit, named, supporting_places, units_of
from stemma_markdown import document_of

from .claims import ClaimFindings, no_place, said_elsewhere
from .confined import Check, checked
from .given import BY_LINE, Given

MAX_CITED = 3000
"""Sentences of one draft that are told with their places."""
MOST_KNOWN = 2000
"""Places of one input that are kept; each place that a draft names may be compared with all of them."""
KEPT = 40_000
"""Places of all inputs that are kept; one takes some 500 bytes."""
_SHOWN = 200

_Key = tuple[str, str, str]
"""Tenant, digest and media type."""


class GivenText(BaseModel):
    """What was read of an input, and where in its file that stands."""

    input_id: str
    name: str
    media_type: str
    text: str
    anchors: tuple[Anchor, ...] = ()
    own: tuple[Anchor, ...] | None = None
    """The places of a text that came without any, if they were read before."""

    @property
    def is_read(self) -> bool:
        known = self.anchors or self.own
        return known is not None and len(known) <= MOST_KNOWN


class CitationsFound(BaseModel):
    """What a draft rests on, and what it names.

    ``ranges`` are those of its own citations, ``wrong`` the claims of those that are none. ``places`` are the labels
    of files that have such, by the line from where on they count. ``draft`` is the text, unless it was mended. ``own``
    are the places of inputs that were read for it, by their ids.
    """

    cited: tuple[CitedText, ...] = ()
    ranges: tuple[tuple[int, int], ...] = ()
    wrong: tuple[GroundedClaim, ...] = ()
    places: dict[str, tuple[tuple[int, str], ...]] = {}
    draft: str | None = None
    own: dict[str, tuple[Anchor, ...]] = {}

    def added_to(self, findings: ClaimFindings) -> ClaimFindings:
        """The claims with the places that they stand at, those that name a wrong place, and what sentences rest on."""
        known = map(self._placed, findings.report.claims) if self.places else findings.report.claims
        claims = tuple(sorted([*known, *self.wrong], key=lambda claim: claim.line_number))
        report = findings.report.model_copy(update={"claims": claims, "cited": self.cited, "draft": self.draft})
        unsupported = dict(findings.unsupported)
        if self.wrong:
            unsupported["citation"] = unsupported.get("citation", 0) + len(self.wrong)
        return findings.model_copy(update={"report": report, "unsupported": unsupported})

    def _placed(self, claim: GroundedClaim) -> GroundedClaim:
        sources = tuple(source.model_copy(update={"place": self._label(source)}) for source in claim.sources)
        return claim.model_copy(update={"sources": sources})

    def _label(self, source: ClaimSource) -> str:
        file = {"input": source.name, "brief": BRIEF}.get(source.standing, "")
        known = self.places.get(file, ())
        above = bisect_right(known, source.line, key=lambda place: place[0])
        return known[above - 1][1] if above else ""


class Citations:
    """Looks up what drafts rest on and name; the places of an input are kept, so that it is parsed once."""

    def __init__(self) -> None:
        self._own: LRUCache[_Key, tuple[Anchor, ...]] = LRUCache(KEPT, getsizeof=lambda own: 1 + len(own))

    async def of(self, job: ValidateDraft, text: str, given: Sequence[Given], limits: Limits) -> CitationsFound:
        """What a draft rests on and names, the inputs before the brief; raises `ValidationImpossible` past limits."""
        ordered = sorted((one for one in given if one.text is not None), key=lambda one: one.input_id == BRIEF)
        if not ordered:
            return CitationsFound()
        inputs = tuple(self._text(job, one) for one in ordered)
        found = await checked(CitingCheck(text=text, language=job.document.language or "en", inputs=inputs), limits)
        self._keep(job, ordered, found.own)
        as_stored = digest_of(text.encode()) == job.draft.digest
        return found.model_copy(update={"draft": job.draft.digest if as_stored else None})

    def _text(self, job: ValidateDraft, one: Given) -> GivenText:
        return GivenText(
            input_id=one.input_id,
            name=one.name,
            media_type=one.ref.media_type,
            text=one.text or "",
            anchors=one.anchors,
            own=self._own.get(_key(job, one)),
        )

    def _keep(self, job: ValidateDraft, given: Sequence[Given], own: Mapping[str, tuple[Anchor, ...]]) -> None:
        for one in given:
            if one.input_id in own and len(own[one.input_id]) <= MOST_KNOWN:
                self._own[_key(job, one)] = own[one.input_id]


def _key(job: ValidateDraft, one: Given) -> _Key:
    return job.document.tenant, one.ref.digest, one.ref.media_type


class CitingCheck(Check[CitationsFound]):
    """What is checked: a draft, and what was read of the inputs, in the order in which they are to be named."""

    name: ClassVar = "citations check"

    text: str
    language: str
    inputs: tuple[GivenText, ...]

    @property
    def characters(self) -> int:
        return len(self.text) + sum(len(given.text) for given in self.inputs)

    @property
    def unknown(self) -> int:
        """The draft, and the inputs whose places are not known: all else goes by lines, whatever stands in them."""
        return len(self.text) + sum(len(given.text) for given in self.inputs if not given.is_read)

    def run(self) -> CitationsFound:
        ids = {given.name: given.input_id for given in self.inputs}
        files = [_file(given) for given in self.inputs]
        document = document_of(self.text)
        units = units_of(document, self.language)
        rests = supporting_places(units, files)
        found = list(named(document, units, files))
        return CitationsFound(
            cited=tuple(_cited(units[number], places, ids) for number, places in rests.items())[:MAX_CITED],
            ranges=tuple((one.start, one.end) for one in found),
            wrong=tuple(_wrong(found, rests)),
            places={
                _called(given): _by_line(file.labels)
                for given, file in zip(self.inputs, files, strict=True)
                if given.anchors
            },
            own={
                given.input_id: file.labels.anchors
                for given, file in zip(self.inputs, files, strict=True)
                if not given.is_read and not given.anchors
            },
        )


def _file(given: GivenText) -> File:
    labels = Labels(given.text, given.media_type, given.anchors, given.own)
    return File(given.name, labels, by_line=given.media_type in BY_LINE)


def _called(given: GivenText) -> str:
    return BRIEF if given.input_id == BRIEF else given.name


def _by_line(labels: Labels) -> tuple[tuple[int, str], ...]:
    found, line, at = list[tuple[int, str]](), 1, 0
    for anchor in labels.anchors:
        line, at = line + labels.text.count("\n", at, anchor.offset), max(at, anchor.offset)
        found.append((line, anchor.label))
    return tuple(found)


def _cited(unit: Unit, places: Iterable[Cited], ids: Mapping[str, str]) -> CitedText:
    return CitedText(
        start=unit.start,
        end=unit.end,
        line_number=unit.line,
        text=unit.text[:_SHOWN],
        places=tuple(
            CitedPlace(
                input_id=ids[place.name],
                name=place.name,
                kind=place.anchor.kind if place.anchor else "",
                label=place.anchor.label if place.anchor else "",
                line=place.line,
                text=place.text[:_SHOWN],
            )
            for place in places
        ),
    )


def _wrong(found: Sequence[Named], rests: Mapping[int, tuple[Cited, ...]]) -> Iterator[GroundedClaim]:
    for one in found:
        if not one.exists:
            yield no_place(one.text, one.line)
        elif not one.holds:
            yield said_elsewhere(one.text, one.line, rests.get(one.unit, ()))
