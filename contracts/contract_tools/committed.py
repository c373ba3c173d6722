"""What is committed of a contract: its schema, its golden sample and its place in ``asyncapi.yaml``.

Each of the three names the contract, so that none of them can go without a word, and the contract neither. Of an old
version with an upcaster the sample stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from stemma_contracts import Registry, registry

from .schemas import SHARED

ASYNCAPI = "asyncapi.yaml"
# The lines, not the YAML: half-merged or cut off, the file still names its contracts.
RECEIVE = re.compile(r"^  ([a-z-]+)\.receive\.(stemma\.[a-z.]+\.v[0-9]+):$", re.MULTILINE)


def lost(root: Path, of: Registry = registry) -> Iterator[str]:
    """Contracts that are gone, and committed files of contracts that are gone, one line each."""
    if not (root / ASYNCAPI).exists():
        yield f"{ASYNCAPI} is gone, which names the contracts and their readers: bring it back"
        return
    registered = {entry.ce_type for entry in of.entries()}
    readers = _readers((root / ASYNCAPI).read_text(encoding="utf-8"))
    samples = {path.stem for path in root.glob("golden/*/*.json")}
    schemas = {path.stem for path in root.glob("schemas/*.json") if path.name != SHARED}
    old_types = of.old_types()
    for ce_type in sorted(samples | schemas | readers.keys() | old_types):
        read_by = ", ".join(readers.get(ce_type, ())) or f"nobody that {ASYNCAPI} names"
        old = ce_type in old_types
        for what in _missing(old or ce_type in registered, old or ce_type in schemas, ce_type in samples):
            yield f"{ce_type}: {what}; read by {read_by}"


def _missing(registered: bool, schema: bool, sample: bool) -> Iterator[str]:
    if not registered:
        yield "the contract is gone; released contracts stay"
    if not schema:
        yield "its schema is gone, which tells what its readers expect: bring it back"
    if not sample:
        yield "its golden sample is gone, which is decoded for ever: bring it back"


def _readers(asyncapi: str) -> dict[str, list[str]]:
    readers: dict[str, list[str]] = {}
    for party, ce_type in RECEIVE.findall(asyncapi):
        readers.setdefault(ce_type, []).append(party)
    return readers
