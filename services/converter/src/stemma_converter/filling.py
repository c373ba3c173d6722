"""A form of the buyer with answers in it: a job becomes the filled file, or every reason why there is none."""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypedDict

from stemma_artifacts.store import ArtifactStore
from stemma_confinement import ConfinementError, Limits, Prepared
from stemma_confinement.computing import confined_in
from stemma_contracts.v1.jobs import FillForm
from stemma_contracts.v1.outcomes import FormFilled, FormNotFilled
from stemma_telemetry import get_logger

from .filling_call import ANSWERS, FILLED, FORM, fill_form, prepare

log = get_logger()
# One for all forms of this process; it starts with the first of them.
_prepared = Prepared(prepare)


class _About(TypedDict):
    job_id: str
    tenant: str
    document_id: str


async def on_fill_form(job: FillForm, *, artifacts: ArtifactStore, limits: Limits) -> FormFilled | FormNotFilled:
    """Write the answers of a draft into a form."""
    owner = (job.document.tenant, job.document.document_id)
    about = _About(job_id=job.job_id, tenant=owner[0], document_id=owner[1])
    with TemporaryDirectory(prefix="stemma-") as name:
        folder = Path(name)
        for ref, file in ((job.form, FORM), (job.answers, ANSWERS)):
            await asyncio.to_thread((folder / file).write_bytes, await artifacts.get(*owner, ref))
        try:
            done = await confined_in(folder, _prepared, limits, fill_form)
        except ConfinementError as ended:
            log.warning("form_not_filled", reason=str(ended))
            return FormNotFilled(**about, reasons=(f"{job.name} could not be read: {ended}",))
        if done.reasons:
            return FormNotFilled(**about, reasons=done.reasons)
        content = await asyncio.to_thread((folder / FILLED).read_bytes)
    artifact = await artifacts.put(*owner, content, media_type=job.form.media_type, name=Path(job.name).name)
    return FormFilled(**about, artifact=artifact, answered=done.answered, unanswered=done.unanswered)
