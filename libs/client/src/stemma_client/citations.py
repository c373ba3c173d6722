"""A section with the places of the inputs that its sentences rest on, as footnotes."""

from __future__ import annotations

from stemma_contracts.v1.grounding import CitedText, GroundingReport
from stemma_languages import DEFAULT, Language, UnknownLanguage, language
from stemma_markdown import Footnote, with_footnotes


def cited_text(text: str, report: GroundingReport, tag: str = DEFAULT) -> str:
    """The text of a section with the citations of its report, in the words of a language."""
    spoken = _language(tag)
    return with_footnotes(text, [Footnote(one.start, one.end, places_of(one, spoken)) for one in report.cited])


def places_of(cited: CitedText, spoken: Language) -> str:
    """The places that a sentence rests on, such as ``rfq.pdf, p. 3; prices.xlsx, Prices!A1:D20``."""
    return "; ".join(spoken.citation(place.name, place.kind, place.label) for place in cited.places)


def _language(tag: str) -> Language:
    try:
        return language(tag or DEFAULT)
    except UnknownLanguage:
        return language(DEFAULT)
