"""What an export proves of itself, as W3C PROV has it (PROV-JSON)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stemma_contracts.v1.proofs import Proof, ProvenName, Statement
    from stemma_contracts.v1.views import DocumentView, ExportView

_PREFIXES = {"prov": "http://www.w3.org/ns/prov#", "stemma": "urn:stemma:"}
Record = tuple[str, str, dict[str, Any]]
"""The kind of a record, its name, and what it says."""


def latest_proven(document: DocumentView) -> ExportView | None:
    """The last export that proves something."""
    return next((one for one in reversed(document.exports.values()) if one.proof), None)


def as_prov(proof: Proof) -> dict[str, Any]:
    """Files, sections, blocks, sources and demands are entities, settlements activities, people agents."""
    made: dict[str, Any] = {"prefix": _PREFIXES}
    for kind, name, record in _records(proof.statement, proof.key):
        made.setdefault(kind, {})[name] = {key: value for key, value in record.items() if value not in ("", None)}
    return made


def _records(statement: Statement, key: str) -> Iterator[Record]:
    file = f"stemma:file/{statement.document_id}/{statement.export_id}"
    yield "entity", file, {"prov:type": "prov:Collection", "stemma:key": key, "stemma:rest": statement.rest}
    for number, source in enumerate(statement.sources):
        told = {"stemma:digest": source.digest, "stemma:place": source.place, "stemma:seal": source.seal}
        yield "entity", f"stemma:source/{number}", {"prov:label": source.name, **told}
    for demand in statement.demands:
        told = {"prov:label": demand.source.name, "stemma:place": demand.place, "stemma:quote": demand.quote}
        yield "entity", f"stemma:demand/{demand.requirement_id}", told
    yield from _sections(statement)
    yield from _blocks(statement, file)


def _sections(statement: Statement) -> Iterator[Record]:
    for section in statement.sections:
        version = f"stemma:section/{section.section_id}/{section.version}"
        yield "entity", version, {"prov:label": section.title, "stemma:draft": section.draft}
        for number, settled in enumerate(section.settled):
            activity = f"{version}/settled/{number}"
            at = settled.at.isoformat() if settled.at else None
            yield "activity", activity, {"prov:type": f"stemma:{settled.how}", "prov:endTime": at}
            used = "wasGeneratedBy" if settled.how == "written" else "used"
            yield used, f"_:{activity}", {"prov:entity": version, "prov:activity": activity}
            if agent := _agent(settled):
                yield "agent", agent, {"prov:type": "prov:Person", "stemma:verified": settled.verified}
                yield "wasAssociatedWith", f"_:{activity}/by", {"prov:activity": activity, "prov:agent": agent}


def _agent(one: ProvenName) -> str:
    who = one.name or one.seal
    return f"stemma:person/{who}" if who else ""


def _blocks(statement: Statement, file: str) -> Iterator[Record]:
    for number, block in enumerate(statement.blocks):
        name = f"stemma:block/{number}"
        yield "entity", name, {"prov:type": f"stemma:{block.kind}", "stemma:digest": block.digest}
        yield "hadMember", f"_:member/{number}", {"prov:collection": file, "prov:entity": name}
        if block.section is not None:
            section = statement.sections[block.section]
            version = f"stemma:section/{section.section_id}/{section.version}"
            yield "wasDerivedFrom", f"_:block/{number}", {"prov:generatedEntity": name, "prov:usedEntity": version}
        for source in block.sources:
            about = {"prov:generatedEntity": name, "prov:usedEntity": f"stemma:source/{source}"}
            yield "wasDerivedFrom", f"_:block/{number}/source/{source}", {**about, "prov:type": "prov:Quotation"}
        for demand in block.demands:
            asked = f"stemma:demand/{statement.demands[demand].requirement_id}"
            yield "wasInfluencedBy", f"_:{asked}/{number}", {"prov:influencee": name, "prov:influencer": asked}
