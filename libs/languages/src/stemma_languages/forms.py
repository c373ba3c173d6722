"""The words of forms in every language: headers of their tables, what fields ask for, and how questions are put."""

from collections.abc import Mapping
from functools import cache

from pydantic import BaseModel, ConfigDict

from .languages import DATA

Named = Mapping[str, tuple[str, ...]]


class FormWords(BaseModel):
    """A data file.

    Headers of columns: ``question``, ``answer``, ``not_answer``, ``price``, ``quantity``, and ``ticks`` of those of
    which a row has one crossed. Placeholders: ``insert``.
    Answers: ``yes``, ``no``. Limits: ``words``, ``characters``, ``least``.

    ``concepts`` name what a field asks for, ``roles`` and ``parties`` whose it is (``own`` is the bidder). ``opening``
    begins a request for a text and ``counting`` one for a number; ``asking`` are words of a question that say nothing
    of its subject. ``hedges`` limit a statement. ``things`` join the words for one subject, ``units`` those for a unit.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: tuple[str, ...]
    answer: tuple[str, ...]
    not_answer: tuple[str, ...]
    price: tuple[str, ...]
    insert: tuple[str, ...]
    yes: tuple[str, ...]
    no: tuple[str, ...]
    signature: tuple[str, ...]
    words: tuple[str, ...]
    characters: tuple[str, ...]
    least: tuple[str, ...]
    quantity: tuple[str, ...]
    ticks: tuple[str, ...]
    concepts: Named
    roles: Named
    parties: Named
    asking: tuple[str, ...]
    opening: tuple[str, ...]
    counting: tuple[str, ...]
    hedges: tuple[str, ...]
    things: Named
    units: Named


@cache
def form_words() -> Mapping[str, FormWords]:
    """The words of forms by the tags of their languages."""
    files = sorted((DATA / "forms").glob("*.json"))
    return {file.stem: FormWords.model_validate_json(file.read_bytes()) for file in files}
