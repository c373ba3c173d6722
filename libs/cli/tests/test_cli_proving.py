"""The command verifies a file offline, and prints what an export of a document proves."""

import json
import os
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from stemma_cli.proofs import MOST_BYTES
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.proofs import (
    Proof,
    ProvenBlock,
    ProvenDemand,
    ProvenName,
    ProvenSection,
    ProvenSettlement,
    ProvenSource,
    Statement,
)
from stemma_evidence.proof.shown import Carried, digest_of
from stemma_evidence.proof.signing import TenantKey, encoded, for_readers, seal_of
from stemma_evidence.proof.word import ProvenWord
from stemma_ooxml.word import ORIGIN
from stemma_ooxml.word_styles import WORDPROCESSING

pytestmark = pytest.mark.req("L9")
KEY = TenantKey.of("a secret", "default")
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_RELATIONS = f'<Relationships xmlns="{_RELATED.replace("officeDocument", "package")}">{{}}</Relationships>'
_PARTS = {
    "_rels/.rels": _RELATIONS.format(f'<Relationship Id="a" Type="{_RELATED}/officeDocument" Target="document.xml"/>'),
    "_rels/document.xml.rels": _RELATIONS.format(f'<Relationship Id="a" Type="{_RELATED}/customXml" Target="o.xml"/>'),
    "document.xml": f'<d xmlns="{WORDPROCESSING}"><body><p><r><t>We ask 4200 EUR.</t></r></p></body></d>',
    "o.xml": f'<document xmlns="{ORIGIN}" id="doc-1"/>',
}


@pytest.fixture(scope="module")
def proof() -> Proof:
    word = ProvenWord(_file())
    statement = Statement(
        document_id="doc-1",
        export_id="e1",
        rest=word.rest,
        sections=(
            ProvenSection(
                section_id="prices",
                title="Prices",
                version=2,
                settled=(ProvenSettlement(how="approved", name="ada", salt="s", seal=seal_of("s", "ada")),),
            ),
        ),
        sources=(ProvenSource(name="rfq.pdf", place="p. 2"),),
        demands=(ProvenDemand(requirement_id="R1", source=ProvenName(name="rfq.pdf"), quote=digest_of("State it.")),),
        blocks=(ProvenBlock(digest=digest_of("We ask 4200 EUR."), section=0, sources=(0,), demands=(0,)),),
    )
    return Proof(key=KEY.public, signature=KEY.sign(encoded(for_readers(statement))), statement=statement)


def _file(proof: Proof | None = None) -> bytes:
    buffer = BytesIO()
    with ZipFile(buffer, "w") as file:
        for name, content in _PARTS.items():
            file.writestr(name, content)
    if proof is None:
        return buffer.getvalue()
    carried = Carried(proof.key, proof.signature, encoded(for_readers(proof.statement)))
    return ProvenWord(buffer.getvalue()).with_proof(carried)


async def test_a_file_is_verified_without_a_server(cli: Any, proof: Proof, tmp_path: Path) -> None:
    sent = tmp_path / "sent.docx"
    sent.write_bytes(_file(proof))
    done = await cli("verify", str(sent), "--key", KEY.public)
    assert (done.exit_code, done.stdout.splitlines()[0]) == (0, "valid: it is as it left")
    assert "Prices, version 2: approved by a person whose name is sealed" in done.stdout
    assert "ada" not in done.stdout
    done = await cli("verify", str(sent), "--key", "00" * 32, "--json")
    assert (done.exit_code, json.loads(done.stdout)["state"]) == (1, "other_key")
    sent.write_text("nothing")
    assert (await cli("verify", str(sent))).exit_code == 2
    os.truncate(sent, MOST_BYTES + 1)
    refused = await cli("verify", str(sent))
    assert (refused.exit_code, "more than 300 MiB" in refused.stderr) == (2, True)


async def test_the_block_that_was_altered_is_named(cli: Any, proof: Proof, tmp_path: Path) -> None:
    sent = tmp_path / "sent.docx"
    with ZipFile(BytesIO(_file(proof))) as old, ZipFile(sent, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b"4200", b"4201"))
    done = await cli("verify", str(sent))
    assert done.exit_code == 1
    assert "altered: Prices, text 1: 'We ask 4201 EUR.'" in done.stdout
    assert "not proven: its looks, and numbers of pages, also those in the table of contents" in done.stdout


async def test_an_export_says_with_names_what_it_proves_and_prov_says_the_same(
    cli: Any, backstage: Any, document_id: str, requested: Any, proof: Proof
) -> None:
    stored = await backstage.text(document_id, proof.model_dump_json(exclude_defaults=True))
    done = e.DocumentExported(export_id="e1", format=ExportFormat.DOCX, job_id="j", artifact=stored, proof=stored)
    await backstage.append(document_id, requested)
    assert "export it: stemma export" in (await cli("provenance", document_id)).stderr
    await backstage.append(document_id, e.ExportRequested(export_id="e1", format=ExportFormat.DOCX), done)
    assert "Prices, text 1: rests on rfq.pdf p. 2; answers R1" in (await cli("provenance", document_id)).stdout
    told = json.loads((await cli("provenance", document_id, "--json")).stdout)
    assert Proof.model_validate(told) == proof
    prov = json.loads((await cli("provenance", document_id, "--prov")).stdout)
    assert prov["wasAssociatedWith"]["_:stemma:section/prices/2/settled/0/by"]["prov:agent"] == "stemma:person/ada"
    assert prov["wasInfluencedBy"]["_:stemma:demand/R1/0"]["prov:influencee"] == "stemma:block/0"
