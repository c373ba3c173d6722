"""JSON Schemas (2020-12) of the registered contracts, as a reader of the wire sees them."""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, models_json_schema
from stemma_contracts import Entry, Registry, registry

from contract_tools import samples

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


DIALECT = "https://json-schema.org/draft/2020-12/schema"
SHARED = "shared.json"
"""The file of the types that contracts have in common."""
WIDTH = 120
Schema = dict[str, Any]


class _Untitled(GenerateJsonSchema):
    """Without the titles that say the name of a field again."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def schema_of(entry: Entry) -> Schema:
    """The schema of one contract, whole, with its wire name as ``$id``."""
    return _head(entry) | entry.cls.model_json_schema(schema_generator=_Untitled)


def schemas(of: Registry = registry) -> dict[str, Schema]:
    """All schemas by file name; the types in them stand once, in the shared file."""
    entries = list(of.entries())
    refs, together = models_json_schema(
        [(entry.cls, "validation") for entry in entries],
        ref_template=f"{SHARED}#/$defs/{{model}}",
        schema_generator=_Untitled,
    )
    defs = together["$defs"]
    names = {entry.ce_type: refs[entry.cls, "validation"]["$ref"].rpartition("/")[2] for entry in entries}
    own = {f"{entry.ce_type}.json": _head(entry) | defs[names[entry.ce_type]] for entry in entries}
    shared = {name: schema for name, schema in defs.items() if name not in names.values()}
    return {SHARED: {"$schema": DIALECT, "$id": SHARED, "$defs": shared}, **own}


def committed_schema(folder: Path, ce_type: str) -> Schema | None:
    """The committed schema of a contract, whole; None if there is none."""
    path, shared = folder / f"{ce_type}.json", folder / SHARED
    if not path.exists():
        return None
    defs = {"$defs": _read(shared)["$defs"]} if shared.exists() else {}
    return defs | _read(path)


def as_json(value: Any, indent: int = 0) -> str:
    """The one way in which generated JSON is laid out: what fits into a line is in one."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + indent <= WIDTH or not isinstance(value, dict | list) or not value:
        return line
    inner = " " * (indent + 2)
    if isinstance(value, dict):
        parts = [f"{json.dumps(key, ensure_ascii=False)}: {as_json(each, indent + 2)}" for key, each in value.items()]
    else:
        parts = [as_json(each, indent + 2) for each in value]
    begin, end = "{}" if isinstance(value, dict) else "[]"
    return f"{begin}\n{inner}" + f",\n{inner}".join(parts) + f"\n{' ' * indent}{end}"


def _head(entry: Entry) -> Schema:
    return {"$schema": DIALECT, "$id": f"{entry.ce_type}.json"}


def _read(path: Path) -> Schema:
    return dict(json.loads(path.read_text(encoding="utf-8")))


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
