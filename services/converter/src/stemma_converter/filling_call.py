"""Write answers into one form, in a process of its own: what happens to the file of a stranger happens here.

The folder holds the form and the draft with its answers; the call leaves the filled form.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel
from stemma_contracts.v1.forms import MOST_FIELDS, MOST_REASONS
from stemma_forms import AnswersRefused, FormError, answers_in, fill, find_fields

FORM, ANSWERS, FILLED = "form", "answers.md", "filled"
_REASON = 300


class Filled(BaseModel):
    """What came of it: ``reasons`` why there is no filled form."""

    answered: tuple[str, ...] = ()
    unanswered: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


def prepare() -> None:
    import stemma_forms.spreadsheet.filling
    import stemma_forms.word.filling  # noqa: F401


def fill_form(folder: Path) -> Filled:
    form, given = (folder / FORM).read_bytes(), answers_in((folder / ANSWERS).read_text(encoding="utf-8"))
    try:
        ids = [field.id for field in find_fields(form)]
        answers = {identity: given[identity] for identity in ids if identity in given}
        (folder / FILLED).write_bytes(fill(form, answers))
    except FormError as refusal:
        reasons = refusal.reasons if isinstance(refusal, AnswersRefused) else (str(refusal),)
        return Filled(reasons=tuple(reason[:_REASON] for reason in reasons[:MOST_REASONS]))
    unanswered = [identity for identity in ids if identity not in answers]
    return Filled(answered=tuple(answers)[:MOST_FIELDS], unanswered=tuple(unanswered)[:MOST_FIELDS])
