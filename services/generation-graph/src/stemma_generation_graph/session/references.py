"""Images that the inputs refer to: those that are there, those that are missing, and what was decided about them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from pathlib import PurePosixPath
from typing import Any

from stemma_contracts.tokens import check_file_name
from stemma_contracts.v1.needs import SKIP, MissingReference, NeedAnswer
from stemma_contracts.v1.references import InputFile
from stemma_markdown import similarity

from stemma_generation_graph.sources.markdown import SourceDocument

from .images import Decide, Shown, one_line
from .session import ASSETS, INPUTS, Session

MAX_IMAGE_BYTES = 20 * 1024 * 1024
MAX_CANDIDATES = 5
ALIKE = 0.7
"""The share of characters in common from which names are similar."""
MAX_COMPARED = 50
"""For how many missing images similar names are looked for."""
MAX_REFERENCE_CHARS = 500
BATCH_BYTES = 24_000
"""What one question may hold of references, so that it fits into an event."""


def is_image(media_type: str) -> bool:
    return media_type.startswith("image/")


def scan(session: Session, documents: Sequence[SourceDocument]) -> list[MissingReference]:
    """Put the images that the inputs refer to among the assets; those that are not there, each once."""
    images = dict.fromkeys(name for name in session.names(INPUTS) if _is_image_in(session, INPUTS + name))
    missing: dict[str, MissingReference] = {}
    for document in documents:
        for name in (use.name for use in document.images if use.name):
            if name in images:
                session.manifest[ASSETS + name] = session.manifest[INPUTS + name]
            elif (key := _key(name)) not in missing:
                candidates = tuple(_candidates(key, images)) if len(missing) < MAX_COMPARED else ()
                missing[key] = MissingReference(reference=key, file=document.name, candidates=candidates)
    return list(missing.values())


def _key(name: str) -> str:
    """The name by which a reference is asked for and decided."""
    return name[:MAX_REFERENCE_CHARS]


def batch_of(missing: Sequence[MissingReference]) -> list[MissingReference]:
    """The first of them, as many as one question may hold."""
    sizes = accumulate(len(entry.model_dump_json().encode()) for entry in missing)
    return [entry for entry, size in zip(missing, sizes, strict=True) if size <= BATCH_BYTES]


def question_about(missing: Sequence[MissingReference]) -> str:
    lines = [_line(reference) for reference in missing]
    ask = "Supply each image, name one that was found, or skip it: a skipped image leaves a remark in its place."
    return "\n".join(["These images are not among the inputs:", "", *lines, "", ask])


def _line(missing: MissingReference) -> str:
    found = ", ".join(map(quoted, missing.candidates))
    return f"- {quoted(missing.reference)} (in {quoted(missing.file)})" + (f"; found: {found}" if found else "")


def quoted(name: str) -> str:
    inner = one_line(name).replace("`", "'")
    return f"`{inner}`"


def decided(session: Session, missing: Sequence[MissingReference], answer: NeedAnswer) -> dict[str, str]:
    """What an answer decides: by reference the name of its asset, or `SKIP`; the assets enter the session.

    A decision that does not fit, such as a file that is no image, decides nothing.
    """
    skip_all = not answer.decisions and answer.text.strip().casefold().rstrip(".!") in (SKIP, "skip all")
    found: dict[str, str] = {}
    for reference in (entry.reference for entry in missing):
        decision = SKIP if skip_all else answer.decisions.get(reference)
        if decision is not None and (outcome := _decide(session, reference, decision)):
            found[reference] = outcome
    return found


def _decide(session: Session, reference: str, decision: str | InputFile) -> str | None:
    match decision:
        case "skip":
            return SKIP
        case InputFile(artifact=ref):
            if not is_image(ref.media_type) or ref.size > MAX_IMAGE_BYTES:
                return None
            session.put(ASSETS + asset_name(reference, ref.name), ref)
            return asset_name(reference, ref.name)
        case name:
            if not _is_image_in(session, INPUTS + name):
                return None
            session.manifest[ASSETS + name] = session.manifest[INPUTS + name]
            return name


def asset_name(reference: str, supplied: str) -> str:
    """The name under which a supplied image is shown: the reference itself if it can be a name of a file."""
    try:
        return check_file_name(reference)
    except ValueError:
        digest = hashlib.sha256(reference.encode(errors="replace")).hexdigest()[:8]
        return f"supplied/{digest}-{PurePosixPath(supplied).name}"


def shown_by(decisions: Mapping[str, str]) -> Decide:
    """How an image is shown after what was decided."""

    def decide(reference: str) -> Shown:
        chosen = decisions.get(_key(reference), reference)
        return Shown(None if chosen == SKIP and reference != SKIP else chosen)

    return decide


def supplied_assets(session: Session) -> list[InputFile]:
    """The assets that are not among the inputs under the same name."""
    return [
        InputFile.model_validate({"name": name, "artifact": session.manifest[ASSETS + name]})
        for name in session.names(ASSETS)
        if not _same(session.manifest.get(INPUTS + name), session.manifest[ASSETS + name])
    ]


def _same(one: Mapping[str, Any] | None, other: Mapping[str, Any]) -> bool:
    return one is not None and one["digest"] == other["digest"]


def _is_image_in(session: Session, name: str) -> bool:
    ref = session.ref(name)
    return ref is not None and is_image(ref.media_type)


def _candidates(reference: str, images: Iterable[str]) -> list[str]:
    """Images of the same file name first, then of similar ones."""
    wanted = PurePosixPath(reference).name.casefold()
    by_name = {name: PurePosixPath(name).name.casefold() for name in images}
    same = [name for name, own in by_name.items() if own == wanted]
    likeness = {name: similarity(wanted, own) for name, own in by_name.items() if own != wanted}
    close = sorted((name for name in likeness if likeness[name] >= ALIKE), key=likeness.__getitem__, reverse=True)
    return (same + close)[:MAX_CANDIDATES]
