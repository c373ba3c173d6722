"""A session: the files of one run by name. The content lies in the artifact store under its digest."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Any, TypeVar

from stemma_contracts.v1.document import DocumentHead
from stemma_contracts.v1.references import ArtifactRef, InputFile

from stemma_generation_graph.sources.library import Library

LABEL_CHARS = 40

_ID = re.compile(r"\d{8}_\d{6}_[A-Za-z0-9_]{1,60}\.md", re.ASCII)
_NOT_IN_LABEL = re.compile(r"[^A-Za-z0-9_]+")


def clean_label(label: str) -> str:
    """A label reduced to letters, digits and ``_``; empty if nothing is left."""
    return _NOT_IN_LABEL.sub("_", label).strip("_")[:LABEL_CHARS]


def is_checkpoint_id(name: object) -> bool:
    """Whether a name has the form of an id: no folder, no other file of a session."""
    return isinstance(name, str) and _ID.fullmatch(name) is not None


def new_checkpoint_id(label: str, at: datetime, taken: Collection[str]) -> str:
    """An id that is not taken; two of one second and label differ by a number."""
    stem = f"{at:%Y%m%d_%H%M%S}_{clean_label(label) or 'checkpoint'}"
    number, found = 1, f"{stem}.md"
    while found in taken:
        number += 1
        found = f"{stem}_{number}.md"
    return found


INPUTS = "inputs/"
ASSETS = "assets/"
CHECKPOINTS = "checkpoints/"
DRAFT = "temp_output.md"
STRUCTURE = "structure.json"
DOCX = "output.docx"

Manifest = dict[str, dict[str, Any]]
T = TypeVar("T")


def new_manifest(inputs: tuple[InputFile, ...]) -> Manifest:
    return {INPUTS + file.name: file.artifact.model_dump(mode="json") for file in inputs}


class Session:
    """A working copy of a manifest. What it does is kept only if its manifest is written to the graph's state.

    Names are keys of the manifest and never paths of a host, so that nothing outside can be reached by one.
    """

    def __init__(self, session_id: str, document: DocumentHead, manifest: Mapping[str, Any], library: Library) -> None:
        self.session_id = session_id
        self.manifest: Manifest = dict(manifest)
        self._document = document
        self._library = library

    def names(self, folder: str) -> list[str]:
        """The names in a folder, without it, in the order in which they came."""
        return [name.removeprefix(folder) for name in self.manifest if name.startswith(folder)]

    def ref(self, name: str) -> ArtifactRef | None:
        entry = self.manifest.get(name)
        return ArtifactRef.model_validate(entry) if entry is not None else None

    def put(self, name: str, ref: ArtifactRef) -> None:
        self.manifest[name] = ref.model_dump(mode="json")

    async def text(self, name: str) -> str:
        """The text of a file; empty if there is none of that name."""
        ref = self.ref(name)
        return await self._library.text(self._document, ref) if ref else ""

    async def compute(self, function: Callable[..., T], *given: Any) -> T:
        return await self._library.compute(function, *given)

    async def write(self, name: str, text: str, media_type: str = "text/markdown") -> ArtifactRef:
        ref = await self._library.store(self._document, text.encode(errors="replace"), media_type, name)
        self.put(name, ref)
        return ref

    async def snapshot(self, label: str, at: datetime) -> str:
        """Keep the draft as it is now, to the byte; the id of the checkpoint."""
        if self.ref(DRAFT) is None:
            await self.write(DRAFT, "")
        checkpoint_id = new_checkpoint_id(label, at, self.names(CHECKPOINTS))
        self.manifest[CHECKPOINTS + checkpoint_id] = self.manifest[DRAFT]
        return checkpoint_id

    def restore_from_checkpoint(self, session_id: str, checkpoint_id: str) -> bool:
        """Make the draft what a checkpoint of this session kept; False for anything else, never an exception."""
        if (
            session_id != self.session_id
            or not is_checkpoint_id(checkpoint_id)
            or CHECKPOINTS + checkpoint_id not in self.manifest
        ):
            return False
        self.manifest[DRAFT] = self.manifest[CHECKPOINTS + checkpoint_id]
        return True

    def prune_checkpoints(self, keep: int) -> None:
        """Forget the oldest checkpoints beyond a number; the last is always kept."""
        for checkpoint_id in self.names(CHECKPOINTS)[: -max(1, keep)]:
            del self.manifest[CHECKPOINTS + checkpoint_id]
