"""Check a request about the requirement ledger: its sources are there, and its rows can be cut so."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pydantic import ValidationError
from stemma_artifacts.store import ArtifactMissing, ArtifactStore
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.ledger import LedgerRows
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_domain.features.ledger.decide import Cut
from stemma_domain.features.ledger.splitting import WrongCutError, split_rows

from .requests import MAX_NAMED, Received, Refused


async def cut_rows(
    received: Received,
    request: r.SplitRequirements,
    time: datetime,
    artifacts: ArtifactStore,
    rows: ArtifactRef | None,
) -> Cut:
    """The request to cut rows of the ledger that has these rows, with what comes of it. Raises `Refused`."""
    if rows is None or rows.digest != request.rows_digest:
        return Cut(request, received.asked, time)
    about = (received.tenant, request.document_id)
    try:
        before = LedgerRows.model_validate_json(await artifacts.get(*about, rows))
        cut, parts = split_rows(before, request.splits)
    except WrongCutError as error:
        raise Refused(error.problem) from None
    except (ArtifactMissing, ValidationError):
        raise Refused(Problem.of("rows_gone", "rows_digest")) from None
    body = cut.model_dump_json().encode()
    stored = await artifacts.put(*about, body, media_type="application/json", name=rows.name)
    return Cut(request, received.asked, time, rows=stored, parts=parts)


def check_sources(request: r.ReadRequirements, inputs: Sequence[InputFile]) -> None:
    """Raise `Refused` if the document does not have what is to be read."""
    if request.without_brief and not request.sources and not any(_is_request(item) for item in inputs):
        raise Refused(Problem.of("sources_needed", "sources"))
    names = {item.name for item in inputs}
    unknown = [(position, name) for position, name in enumerate(request.sources) if name not in names][:MAX_NAMED]
    if unknown:
        known = ", ".join(item.name for item in inputs)
        raise Refused(
            *(Problem.of("input_unknown_among", f"sources.{at}", name=name, known=known) for at, name in unknown)
        )


def _is_request(item: InputFile) -> bool:
    return item.role == "request" and not item.form
