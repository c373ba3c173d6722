"""A job about a section names the data of its document kind; a worker that has other data gives the job back.

While a release is rolled out, workers of both are there. A job that the older orchestrator published is as good as
one of the newer, which tells its data in the bucket `capabilities`: whoever has that does it. For any other the job is
another worker's. It says so in its log and gives the job back, which costs neither a slot nor a try, until there is
one that has the data.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from nats.js import JetStreamContext
from nats.js.errors import NotFoundError
from pydantic import ValidationError
from stemma_contracts import subjects
from stemma_contracts.v1.capabilities import Capabilities
from stemma_contracts.v1.jobs import SectionJob

from .broker import WorkerBroker
from .errors import ForAnotherWorker

Current = Callable[[str], Awaitable[str | None]]


class KindDiffers(ForAnotherWorker):
    """The job is for a worker that has the same data of its document kind."""

    def __init__(self, kind: str, wanted: str, here: str | None) -> None:
        has = f"here is {here[:12]}" if here else "there is none here"
        super().__init__(f"the document kind {kind} is wanted as {wanted[:12]}, {has}")


@dataclass(frozen=True)
class SameKind:
    """The digests of the document kinds of this process, and how to ask for those of the orchestrator."""

    digests: Mapping[str, str]
    current: Current

    async def require(self, job: SectionJob) -> None:
        """Raises `KindDiffers` for a job that is to be made with other data than is here."""
        kind, wanted = job.document.kind, job.kind_digest
        here = self.digests.get(kind)
        if wanted is None or here == wanted:
            return
        if here is None or await self.current(kind) != here:
            raise KindDiffers(kind, wanted, here)


def same_kind(broker: WorkerBroker, digests: Mapping[str, str]) -> SameKind:
    """The check of a worker that is connected."""
    return SameKind(digests, told_by_orchestrator(broker.jetstream))


def told_by_orchestrator(jetstream: JetStreamContext) -> Current:
    """What the orchestrator tells of the kinds that it has; nothing while it told none, or nobody can read what."""
    bucket = subjects.CAPABILITIES_BUCKET

    async def current(kind: str) -> str | None:
        try:
            told = await jetstream.get_last_msg(f"KV_{bucket}", f"$KV.{bucket}.{subjects.ORCHESTRATOR}", direct=True)
            kinds = Capabilities.model_validate_json(told.data or b"{}").kinds
        except (NotFoundError, ValidationError):
            return None
        return next((known.digest for known in kinds if known.kind == kind), None)

    return current
