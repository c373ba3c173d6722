"""A form of a buyer, read or filled in a process of its own: it lies in a folder. Nothing else is imported there."""

from dataclasses import dataclass
from pathlib import Path

from stemma_forms import AnswersRefused, Field, FormError, fill, find_fields, unsupported

FORM, FILLED = "form", "filled"


@dataclass(frozen=True)
class Done:
    """``reasons`` why there are no fields, or why nothing was filled."""

    fields: tuple[Field, ...] = ()
    unsupported: tuple[tuple[str, str], ...] = ()
    reasons: tuple[str, ...] = ()


def prepare() -> None: ...


def find(folder: Path) -> Done:
    try:
        content = (folder / FORM).read_bytes()
        return Done(fields=find_fields(content), unsupported=unsupported(content))
    except FormError as refusal:
        return Done(reasons=(str(refusal),))


def fill_form(folder: Path, answers: dict[str, str]) -> Done:
    try:
        (folder / FILLED).write_bytes(fill((folder / FORM).read_bytes(), answers))
    except FormError as refusal:
        return Done(reasons=refusal.reasons if isinstance(refusal, AnswersRefused) else (str(refusal),))
    return Done()
