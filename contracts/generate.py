"""Write what is generated from the contracts, or check that it is as committed.

usage: python contracts/generate.py [--check]

Golden samples are only ever added. A schema is not overwritten by one that would break its readers: a
breaking change is a new version of the contract, with an upcaster. What is missing of the committed files of
a contract is not written anew, for nothing would then tell whether the contract has changed.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from contract_tools.asyncapi import asyncapi_yaml
from contract_tools.compatibility import breaks, report
from contract_tools.schemas import (
    ASYNCAPI,
    as_json,
    committed_schema,
    golden_of,
    lost,
    missing,
    release,
    schema_of,
    schemas,
)
from stemma_contracts import registry

ROOT = Path(__file__).resolve().parent


def generated(root: Path = ROOT) -> dict[Path, str]:
    """Every generated file with its content, golden samples that exist left out."""
    folder = root / "golden" / release()
    made = {root / "schemas" / name: schema for name, schema in schemas().items()}
    made |= {folder / f"{e.ce_type}.json": golden_of(e) for e in missing(root / "golden")}
    files = {path: f"{as_json(content)}\n" for path, content in made.items()}
    return files | {root / ASYNCAPI: asyncapi_yaml()}


def breaking(root: Path = ROOT) -> Iterator[str]:
    """Breaking changes against the committed schemas, one line each."""
    for entry in registry.entries():
        if (old := committed_schema(root / "schemas", entry.ce_type)) is not None:
            yield from report(entry, breaks(old, schema_of(entry), entry.family))


def drift(root: Path = ROOT) -> Iterator[str]:
    """Files that differ from what the contracts say."""
    for path, content in generated(root).items():
        if not path.exists() or path.read_text(encoding="utf-8") != content:
            yield f"{path.relative_to(root)} is not as generated: run `make contracts`"


def main() -> int:
    """Generate or check; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing, fail on drift and on breaking changes")
    check = parser.parse_args().check
    problems = [*lost(ROOT), *breaking()]  # first: of a contract that breaks its readers there may be no sample to make
    if check and not problems:
        problems += drift()
    if problems:
        print(*problems, sep="\n", file=sys.stderr)
        return 1
    for path, content in generated().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
