"""From a request about the requirement ledger to a command: its sources are there, and its rows can be cut so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from pydantic import ValidationError
from stemma_artifacts.store import ArtifactMissing, ArtifactStore
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.ledger import LedgerRows
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_domain.commands import RequestCommand
from stemma_domain.features.ledger import decide as ledger
from stemma_domain.features.ledger.splitting import WrongCutError, split_rows

from .requests import MAX_NAMED, Received, Refused

LedgerRequest = r.ReadRequirements | r.DecideRequirements | r.SplitRequirements


async def ledger_command(
    received: Received,
    request: LedgerRequest,
    artifacts: ArtifactStore,
    inputs: Sequence[InputFile],
    rows: ArtifactRef | None,
) -> RequestCommand:
    """The command of a request about the ledger that has these rows. Raises `Refused`."""
    match request:
        case r.ReadRequirements():
            sources = _known_sources(request, inputs)
            return ledger.Read(received.asked, sources, request.without_brief, request.second_opinion)
        case r.DecideRequirements():
            return ledger.Decide(received.asked, request.decisions)
        case r.SplitRequirements() if rows is None or rows.digest != request.rows_digest:
            return ledger.Split(received.asked, request.rows_digest)
        case r.SplitRequirements():
            return await _split(received, request, artifacts, rows)
        case _:
            assert_never(request)


async def _split(
    received: Received, request: r.SplitRequirements, artifacts: ArtifactStore, ref: ArtifactRef
) -> ledger.Split:
    about = (received.tenant, request.document_id)
    try:
        rows = LedgerRows.model_validate_json(await artifacts.get(*about, ref))
        cut, parts = split_rows(rows, request.splits)
    except WrongCutError as error:
        raise Refused(error.problem) from None
    except (ArtifactMissing, ValidationError):
        raise Refused(Problem.of("rows_gone", "rows_digest")) from None
    body = cut.model_dump_json().encode()
    stored = await artifacts.put(*about, body, media_type="application/json", name=ref.name)
    return ledger.Split(received.asked, request.rows_digest, stored, parts)


def _known_sources(request: r.ReadRequirements, inputs: Sequence[InputFile]) -> tuple[str, ...]:
    if request.without_brief and not request.sources and not any(_is_request(item) for item in inputs):
        raise Refused(Problem.of("sources_needed", "sources"))
    names = {item.name for item in inputs}
    unknown = [position for position, name in enumerate(request.sources) if name not in names]
    if unknown:
        raise Refused(*(Problem.of("source_unknown", f"sources.{position}") for position in unknown[:MAX_NAMED]))
    return tuple(dict.fromkeys(request.sources))


def _is_request(item: InputFile) -> bool:
    return item.role == "request" and not item.form
