"""The artifacts of one document: those that a job refers to, and those that an outcome refers to."""

from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from stemma_artifacts.store import ArtifactCorrupt, ArtifactMissing, ArtifactStore
from stemma_contracts.v1.document import DocumentHead
from stemma_contracts.v1.references import ArtifactRef

Body = TypeVar("Body", bound=BaseModel)


@dataclass(frozen=True)
class Files:
    artifacts: ArtifactStore
    document: DocumentHead

    async def data(self, ref: ArtifactRef) -> bytes:
        """Raises `ArtifactMissing` and `ArtifactCorrupt`."""
        return await self.artifacts.get(self.document.tenant, self.document.document_id, ref)

    async def text(self, ref: ArtifactRef, encoding: str = "utf-8-sig") -> str | None:
        """None of what is lost, damaged or no text."""
        try:
            return (await self.data(ref)).decode(encoding)
        except (ArtifactMissing, ArtifactCorrupt, UnicodeDecodeError):
            return None

    async def body(self, ref: ArtifactRef | None, of: type[Body]) -> Body | None:
        """None without a reference, and of what is lost, damaged or another body."""
        try:
            return None if ref is None else of.model_validate_json(await self.data(ref))
        except (ArtifactMissing, ArtifactCorrupt, ValidationError):
            return None

    async def put(self, body: BaseModel | str, name: str) -> ArtifactRef:
        head = self.document
        if isinstance(body, str):
            data, media_type = body.encode(), "text/markdown"
        else:
            data, media_type = body.model_dump_json().encode(), "application/json"
        return await self.artifacts.put(head.tenant, head.document_id, data, media_type=media_type, name=name)
