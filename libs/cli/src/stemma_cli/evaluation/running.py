"""Writing the requests: all of Stemma is started for each model and version of the prompts, in a folder of its own."""

import asyncio
import hashlib
import json
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stemma_client import StemmaError
from stemma_client.client import Client
from stemma_client.reading import Reading
from stemma_contracts import subjects
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.review import ReviewMode
from stemma_contracts.v1.views import DocumentView
from stemma_messaging import config_dir

from stemma_cli.local.llama import LlamaServer, served_here
from stemma_cli.local.model import Model
from stemma_cli.local.processes import DidNotStartError
from stemma_cli.local.supervisor import WRITING, LocalStemma, free_port

from .asked import Asked, EvaluationError
from .measuring import Run, measured

ACTOR = "eval"
ENDED = (DocumentStatus.COMPLETED, DocumentStatus.FAILED, DocumentStatus.CANCELLED)
SHIPPED = "shipped"
_OWN = "STEMMA_GENERATION_GRAPH_"


@dataclass(frozen=True)
class Writing:
    """How requests are written: ``prompts`` is a folder of files that replace those that ship."""

    model: str
    recordings: Path
    prompts: Path | None = None
    judge: str = ""
    api_base: str | None = None
    context: int | None = None
    within_s: float = 1800.0

    @property
    def version(self) -> str:
        """The name of the prompts, with the beginning of the digest of what they replace."""
        if self.prompts is None:
            return SHIPPED
        files = sorted(path for path in self.prompts.rglob("*.md"))
        told = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
        return f"{self.prompts.name}@{told[:8]}"

    @property
    def served(self) -> LlamaServer | None:
        """The server that has to be started for it; only `local` and files of models have one."""
        return served_here(self._named, free_port())

    @property
    def _named(self) -> Model:
        return Model(name=self.model, api_base=self.api_base, context=self.context)

    def environment(self, folder: Path, served: LlamaServer | None = None) -> dict[str, str]:
        named = served.model if served else self._named
        told = {
            "MODEL": named.name,
            "API_BASE": named.api_base,
            "CONTEXT_TOKENS": named.context,
            "RECORDINGS": self.recordings.resolve(),
            "NODES": json.dumps({"evaluate": {"model": self.judge}}) if self.judge else None,
            "CONFIG_DIR": _configured(folder, self.prompts) if self.prompts is not None else None,
        }
        return {f"{_OWN}{name}": str(value) for name, value in told.items() if value}


def _configured(folder: Path, prompts: Path) -> Path:
    """The configuration of the service with other prompts: what lies there comes before what a kind brings."""
    made = folder / "config"
    shutil.copytree(config_dir("stemma_generation_graph"), made)
    shutil.copytree(prompts, made / "prompts", dirs_exist_ok=True)
    return made


async def runs(writing: Writing, requests: Mapping[str, Asked]) -> AsyncIterator[Run]:
    """The requests one after the other, each as soon as it was measured."""
    with tempfile.TemporaryDirectory(prefix="stemma-eval-") as folder:
        served = writing.served
        data = Path(folder) / "data"
        own = {subjects.GENERATION: await asyncio.to_thread(writing.environment, Path(folder), served)}
        async with AsyncExitStack() as stack:
            local = LocalStemma(data, services=WRITING, env=own, llama=served)
            try:
                await stack.enter_async_context(local)
            except DidNotStartError as error:
                raise EvaluationError("\n".join([f"{writing.model} cannot be used:", *error.last_lines])) from None
            client = await stack.enter_async_context(local.client())
            client.actor = ACTOR
            for name, asked in requests.items():
                yield await _run(client, writing, name, asked)


async def _run(client: Client, writing: Writing, name: str, asked: Asked) -> Run:
    began, before = time.monotonic(), _count(writing.recordings)
    try:
        accepted = await client.create_document(
            asked.kind, brief=asked.brief, roles=asked.files, review=ReviewMode.NONE, language=asked.language
        )
    except StemmaError as refused:
        return Run(name, writing.model, writing.version, str(refused), values={"completed": 0.0})
    view, ended = await _followed(client, accepted.document_id, writing.within_s)
    told: dict[str, Any] = await measured(client, asked, view, time.monotonic() - began)
    now = _count(writing.recordings) - before
    return Run(name, writing.model, writing.version, ended, asked_now=now, **told)


def _count(recordings: Path) -> int:
    return sum(1 for _ in recordings.glob("*.json"))


async def _followed(client: Client, document_id: str, within_s: float) -> tuple[DocumentView, str]:
    """The document at its end, and how it ended; what waits for review is approved."""
    reading, approved = Reading(document_id), set[tuple[str, int]]()
    try:
        async with asyncio.timeout(within_s), aclosing(client.follow(document_id)) as events:
            async for event in events:
                reading = reading.after(event)
                if event.pending:
                    continue
                if ended := _end_of(reading.view):
                    return reading.view, ended
                await _approve(client, reading.view, approved)
    except TimeoutError:
        pass
    return reading.view, f"no end within {within_s:g} s"


def _end_of(view: DocumentView) -> str:
    if view.is_moving:
        return ""
    if view.status in ENDED:
        return str(view.status)
    asking = [one.section_id for one in view.sections.values() if one.asks]
    return f"waits for an answer: {', '.join(asking)}" if asking else ""


async def _approve(client: Client, view: DocumentView, approved: set[tuple[str, int]]) -> None:
    waiting = {(one.section_id, one.version) for one in view.sections.values() if one.waits_for_review}
    for section_id, version in sorted(waiting - approved):
        approved.add((section_id, version))
        await client.approve(view.document_id, section_id, version)


def combinations(models: Iterable[str], prompts: Sequence[Path], **same: Any) -> list[Writing]:
    """Each model with each version of the prompts, those that ship first."""
    return [Writing(model, prompts=version, **same) for model in models for version in (None, *prompts)]
