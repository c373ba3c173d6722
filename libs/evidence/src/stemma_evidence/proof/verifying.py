"""Whether a file is what its tenant signed, and if not, which blocks of it are not."""

from collections.abc import Collection
from typing import Literal

from pydantic import BaseModel
from stemma_contracts.v1.proofs import Statement

from .comparing import Finding, findings, pdf_findings
from .pdf import BEGINS, ProvenPdf
from .signing import decoded, is_signed
from .word import ProvenWord

FORMULA = "formula"
State = Literal["valid", "altered", "other_key", "forged", "stripped", "unproven"]
"""As it left; some blocks are not; signed by a key that is not among those that are trusted; the proof is not what its
key signed; what else says that the file is of a document is there and the proof is not; nothing says it."""


class Verified(BaseModel):
    """What a file proves.

    ``intact``: it has not been saved again, so that its looks are as they left, too. ``unsure`` is what another program
    may have made something else of. ``trusted`` is None where no key of the sender was given.
    """

    state: State
    key: str = ""
    trusted: bool | None = None
    intact: bool = False
    findings: tuple[Finding, ...] = ()
    unsure: tuple[Finding, ...] = ()
    statement: Statement | None = None


def verified(content: bytes, trusted: Collection[str] = ()) -> Verified:
    """What a file proves; ``trusted`` are public keys of its sender. Raises `PackageError` for what cannot be read."""
    file = opened(content)
    carried = file.carried
    if carried is None:
        return Verified(state="stripped" if file.is_ours else "unproven")
    statement = decoded(carried.statement)
    if statement is None or not is_signed(carried.key, carried.signature, carried.statement):
        return Verified(state="forged", key=carried.key)
    found = _compared(file, statement)
    is_trusted = carried.key in trusted if trusted else None
    about = {"key": carried.key, "trusted": is_trusted, "statement": statement}
    return found.model_copy(update=about | ({} if is_trusted is not False else {"state": "other_key"}))


def opened(content: bytes) -> ProvenWord | ProvenPdf:
    return ProvenPdf(content) if content.startswith(BEGINS) else ProvenWord(content)


def _compared(file: ProvenWord | ProvenPdf, statement: Statement) -> Verified:
    if file.rest == statement.rest:
        return Verified(state="valid", intact=True)
    if isinstance(file, ProvenPdf):
        over = (Finding(change="added", kind="annotation", page=page) for page in file.laid_over())
        found = [*pdf_findings(statement, file.text), *over]
        return Verified(state="altered" if found else "valid", findings=tuple(found))
    shown = file.shown()
    found = findings(statement, shown)
    unsure = tuple[Finding, ...]()
    if not any(one.block.kind == FORMULA for one in shown):
        # LibreOffice makes objects of formulas.
        unsure = tuple(one for one in found if one.kind == FORMULA)
        found = [one for one in found if one.kind != FORMULA]
    return Verified(state="altered" if found else "valid", findings=tuple(found), unsure=unsure)
