"""Golden samples: one file per contract and release, written once and decoded for ever."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stemma_contracts import Entry, Registry, registry

from . import samples

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = ROOT / "golden"


def release() -> str:
    """The release that new samples belong to."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        return str(tomllib.load(file)["project"]["version"])


def golden_of(entry: Entry) -> dict[str, Any]:
    """The full and the minimal sample of one contract, with subject, headers and data."""
    return {
        "subject": samples.subject_of(entry),
        "full": _message(entry, samples.full_envelope(entry).headers(), samples.full(entry.cls)),
        "minimal": _message(entry, samples.minimal_envelope(entry).headers(), samples.minimal(entry.cls)),
    }


def missing(folder: Path, of: Registry = registry) -> Iterator[Entry]:
    """Contracts that no release has a sample of."""
    known = {path.stem for path in folder.glob("*/*.json")}
    return (entry for entry in of.entries() if entry.ce_type not in known)


def _message(entry: Entry, headers: dict[str, str], data: dict[str, Any]) -> dict[str, Any]:
    entry.cls.model_validate(data)
    return {"headers": headers, "data": data}
