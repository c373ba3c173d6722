"""Answers to the fields of a form, found in texts of the bidder: what is asked for is compared, not words.

A field is answered by a value with the same label, a statement that has all words of its question, a passage under a
heading with its words, or a price that is computed. Where that gives nothing, or several things, it stays open.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from stemma_languages import detect

from stemma_forms.field import Field, refusal_of
from stemma_forms.words import normal

from .answers import Knowledge, answer_of, is_for_the_signer, names_a_value
from .facts import Fact, Grid, Reading, Statement, Text, read_text
from .prices import numbered, prices, rates_of


@dataclass(frozen=True)
class Answers:
    """Answers by the ids of fields; ``too_long`` are those that are longer than their fields allow."""

    found: dict[str, str] = field(default_factory=dict)
    too_long: dict[str, str] = field(default_factory=dict)


def find_answers(fields: Sequence[Field], texts: Iterable[Text]) -> Answers:
    """What the texts answer; what a person said goes before what a file says."""
    readings = [(text, read_text(text)) for text in texts]
    language = _language_of(fields)
    said = Knowledge((reading for text, reading in readings if text.said), language)
    files = Knowledge((reading for text, reading in readings if not text.said), language)
    grids = [grid for _, reading in readings for grid in reading.grids]
    computed = {**numbered(fields, grids), **prices(fields, tuple(rates_of(grids)), language)}
    answers = {**dict(_answered(fields, (said, files))), **computed}
    found, too_long = dict[str, str](), dict[str, str]()
    for one in fields:
        if answer := answers.get(one.id, ""):
            if one.limit and one.limit.measured(answer) > one.limit.most:
                too_long[one.id] = answer
            elif refusal_of(one, answer) is None:
                found[one.id] = answer
    return Answers(found, too_long)


def held_by(fields: Sequence[Field], answers: Mapping[str, object], texts: Sequence[Text]) -> dict[str, str]:
    """The answers of a model as far as the texts hold them.

    A choice or a text is taken as it is; a name, a number, a day or an address has to stand in a text.
    """
    words = f" {normal(' '.join(text.text for text in texts))} "
    language, held = _language_of(fields), {}
    for one in fields:
        answer = str(answers.get(one.id, "")).strip()
        if (
            answer
            and not is_for_the_signer(one, language)
            and (not names_a_value(one, language) or f" {normal(answer)} " in words)
        ):
            held[one.id] = answer
    return held


def _language_of(fields: Sequence[Field]) -> str:
    return detect(" ".join(one.question for one in fields))


def _answered(fields: Sequence[Field], known: Sequence[Knowledge]) -> Iterator[tuple[str, str]]:
    for one in fields:
        if answer := next(filter(None, (answer_of(one, knowledge) for knowledge in known)), ""):
            yield one.id, answer
