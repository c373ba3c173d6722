"""What a file that left proves of itself, read in a process with limits, because it comes from outside."""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import BaseModel
from stemma_confinement import ConfinementError, Limits, Prepared, Stalled
from stemma_confinement.computing import confined_in
from stemma_contracts.v1.proofs import Proof, ProvenSection, ProvenSettlement
from stemma_evidence.proof.comparing import Finding, places_of
from stemma_evidence.proof.verifying import Verified, verified
from stemma_ooxml import PackageError

from .exit_codes import CliError, ExitCode

LIMITS = Limits(seconds=60, memory_mb=1536)
MOST_BYTES = 300 << 20
_FILE = "file"
_SAVED_AGAIN = "valid: saved again since; every word is as it left"
_NOT_PROVEN = "not proven: its looks, and numbers of pages, also those in the table of contents"
_STATES = {
    "altered": "altered: what follows is not what was signed",
    "other_key": "not of this sender: it is signed by another key than those that you named",
    "forged": "forged: the proof is not what its key signed",
    "stripped": "stripped: the file was made by Stemma, and its proof is gone",
    "unproven": "no proof: nothing in the file says who made it",
}
_HOW = {"approved": "approved by", "written": "written by", "policy": "settled by the policy"}


class _Done(BaseModel):
    found: Verified | None = None
    reason: str = ""


async def proof_of(file: Path, keys: Sequence[str]) -> Verified:
    """What a file proves; raises `CliError` for one that cannot be read."""
    try:
        content = await asyncio.to_thread(_beginning, file)
    except OSError as error:
        raise CliError(ExitCode.USAGE, f"{file} cannot be read: {error.strerror}") from None
    if len(content) > MOST_BYTES:
        raise CliError(ExitCode.USAGE, f"{file} has more than {MOST_BYTES >> 20} MiB")
    with TemporaryDirectory(prefix="stemma-") as folder:
        (Path(folder) / _FILE).write_bytes(content)
        try:
            done = await confined_in(Path(folder), _PREPARED, LIMITS, _verify, tuple(keys))
        except (ConfinementError, Stalled) as ended:
            raise CliError(ExitCode.FAILED, f"{file.name} could not be read: {ended}") from None
    if done.found is None:
        raise CliError(ExitCode.USAGE, f"{file.name}: {done.reason}")
    return done.found


def _beginning(file: Path) -> bytes:
    """As much as is read of a file, and a byte more if there is more."""
    with file.open("rb") as opened:
        return opened.read(MOST_BYTES + 1)


def _verify(folder: Path, keys: tuple[str, ...]) -> _Done:
    try:
        return _Done(found=verified((folder / _FILE).read_bytes(), keys))
    except PackageError as refusal:
        return _Done(reason=str(refusal))


def prepare() -> None: ...


# One for all files of this process; it starts with the first of them.
_PREPARED = Prepared(prepare)


def lines(found: Verified) -> Iterator[str]:
    """What a person should know, in the order of its weight."""
    if found.state == "valid":
        yield "valid: it is as it left" if found.intact else _SAVED_AGAIN
    else:
        yield _STATES[found.state]
    yield from (finding_words(one) for one in found.findings)
    if found.state in ("valid", "altered") and not found.intact:
        yield _NOT_PROVEN
    if found.unsure:
        yield f"not sure: {len(found.unsure)} formulas, which another program may have made objects"
    if found.key:
        yield f"key: {found.key}"
    if found.trusted is None and found.state in ("valid", "altered"):
        yield "the file cannot say whose key that is: hold it against the one that its sender tells, by --key"
    if found.statement is not None and found.state in ("valid", "altered"):
        yield f"document: {found.statement.document_id}, {found.statement.export_id}"
        yield from map(section_words, found.statement.sections)


def provenance_lines(proof: Proof) -> Iterator[str]:
    """Who settled what, and of each block that says so what it rests on and answers."""
    statement = proof.statement
    yield f"key: {proof.key}"
    yield from map(section_words, statement.sections)
    for block, place in zip(statement.blocks, places_of(statement), strict=True):
        sources = (statement.sources[number] for number in block.sources)
        rests_on = ", ".join(f"{one.name} {one.place}".strip() for one in sources)
        answers = ", ".join(statement.demands[number].requirement_id for number in block.demands)
        told = [f"rests on {rests_on}" if rests_on else "", f"answers {answers}" if answers else ""]
        if any(told):
            yield f"{place.section}, {block.kind} {place.number}: {'; '.join(filter(None, told))}"


def finding_words(one: Finding) -> str:
    where = f"{one.section}, " if one.section else ""
    what = f"{one.kind} {one.number}" if one.number else one.kind
    what += f", page {one.page}" if one.page else ""
    beside = "behind " if one.change == "removed" else ""
    words = f": {beside}{one.words!r}" if one.words else ""
    return f"  {one.change}: {where}{what}{words}"


def section_words(section: ProvenSection) -> str:
    settled = ", ".join(map(_settled_words, section.settled)) or "not approved"
    return f"  {section.title or section.section_id}, version {section.version}: {settled}"


def _settled_words(one: ProvenSettlement) -> str:
    who = "" if one.how == "policy" else f" {one.name or 'a person whose name is sealed'}"
    return f"{_HOW[one.how]}{who}" + (f" at {one.at:%Y-%m-%d %H:%M} UTC" if one.at else "")
