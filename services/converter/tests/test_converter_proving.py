"""An exported file proves by itself what it is: an altered character is named with its block, without any server."""

import asyncio
import json
import re
from collections import Counter
from io import BytesIO
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from docx import Document
from pypdf import PdfWriter
from pypdf.annotations import FreeText
from stemma_contracts.v1.blocks import BlockIndex, IdentifiedBlock
from stemma_contracts.v1.grounding import CitedPlace, CitedText, GroundingReport
from stemma_contracts.v1.inputs import BRIEF
from stemma_contracts.v1.ledger import LedgerRow, LedgerRows, RequirementAnswer
from stemma_contracts.v1.proofs import Proof, ProvenDemand, ProvenName, Settlement
from stemma_contracts.v1.references import InputFile
from stemma_converter.proving import EXPORT, Found, Source, seal, signed
from stemma_evidence.proof.pdf import ProvenPdf, changed_runs
from stemma_evidence.proof.shown import Carried, digest_of
from stemma_evidence.proof.signing import TenantKey, encoded, for_readers, seal_of
from stemma_evidence.proof.verifying import verified
from stemma_evidence.proof.word import ProvenWord
from stemma_ooxml import Package
from stemma_ooxml.word import WordFile

from .conftest import Exporter, picture

SECRET = "a secret of an installation, drawn at random"
KEY = TenantKey.of(SECRET, "default").public
_DRAFT = "# Prices\n\nWe ask 4200 EUR a month.\n\nThe term is 24 months.\n"
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_FIELD = (
    '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>QUOTE "PAGE"</w:instrText></w:r>'
    '<w:r><w:t>1</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
)
"""A field that shows a number of somebody's choice."""
_RUN = re.compile(rb"(<w:t(?: [^>]*)?>)([^<]+)(</w:t>)")


@pytest.fixture(scope="session")
def proven(converter: Any, rich: str) -> tuple[bytes, Proof]:
    """A file that left, and the proof of it that stays."""

    async def made() -> tuple[bytes, Proof]:
        exporter = Exporter(converter, secret=SECRET)
        data, outcome = await exporter.converted(await _proven_job(exporter, rich))
        assert outcome.proof is not None
        return data, Proof.model_validate_json(await exporter.store.get("default", "doc-1", outcome.proof))

    return asyncio.run(made())


async def _proven_job(proving: Exporter, rich: str, form: str = "docx") -> Any:
    """A job with a source of ours and one of the buyer, a demand that a block answers, and two people."""
    job = await proving.job(form, rich, _DRAFT)
    ours = InputFile(name="rates.xlsx", artifact=await proving.stored("rates"))
    theirs = InputFile(name="rfq.pdf", artifact=await proving.stored("rfq"), role="request")
    start = _DRAFT.index("We ask")
    places = tuple(CitedPlace(input_id="i1", name=one.name, label="p. 2", line=1) for one in (ours, theirs))
    cited = CitedText(start=start, end=start + 24, line_number=3, places=places)
    assert job.sections[1].draft is not None
    report = GroundingReport(cited=(cited,), draft=job.sections[1].draft.digest)
    block = IdentifiedBlock(block_id="b" * 10, kind="paragraph", line=3, start=start, end=start + 26)
    row = LedgerRow(
        requirement_id="R1", source="rfq.pdf", line=9, quote="State the price.", kind="work", obligation="mandatory"
    )
    people = (Settlement(how="approved", by="ada", verified=True), Settlement(how="approved", by="grace"))
    section = job.sections[1].model_copy(
        update={
            "grounding": await proving.stored(report),
            "blocks": await proving.stored(BlockIndex(scope="s1", given=1, blocks=(block,))),
            "settled": people,
        }
    )
    return job.model_copy(
        update={
            "sections": (job.sections[0], section),
            "inputs": (ours, theirs),
            "ledger": await proving.stored(LedgerRows(given=1, rows=(row,))),
            "answers": (RequirementAnswer(requirement_id="R1", block_id="b" * 10),),
        }
    )


def _changed(data: bytes, part: str, change: Any) -> bytes:
    package = Package(data, 1 << 28, 1 << 28)
    return package.with_parts({part: change(package.read(part))})


def _in_text(data: bytes, old: str, new: str) -> bytes:
    return _changed(data, "word/document.xml", lambda body: body.replace(old.encode(), new.encode()))


def _altered(run: re.Match[bytes]) -> bytes:
    """Another letter or digit in the place of the first one."""
    letter = re.search(rb"[A-Za-z0-9]", run[2])
    if letter is None:
        return run[0]
    other = bytes([ord(letter[0]) + (-1 if letter[0] in b"9zZ" else 1)])
    return run[1] + run[2][: letter.start()] + other + run[2][letter.end() :] + run[3]


@pytest.mark.req("L9")
def test_a_file_says_what_each_block_rests_on_and_who_settled_it_without_names_of_ours(
    proven: tuple[bytes, Proof],
) -> None:
    data, proof = proven
    found = verified(data, [KEY])
    assert (found.state, found.intact, found.trusted) == ("valid", True, True)
    statement = found.statement
    assert statement is not None
    priced = next(one for one in statement.blocks if one.block_id)
    assert [statement.sources[number].name for number in priced.sources] == ["", "rfq.pdf"]
    assert [statement.demands[number].requirement_id for number in priced.demands] == ["R1"]
    settled = statement.sections[1].settled
    assert [(one.how, one.name, one.verified) for one in settled] == [("approved", "", True), ("approved", "", False)]
    package = Package(data, 1 << 28, 1 << 28)
    inside = encoded(statement) + b"".join(map(package.read, package.names))
    assert not any(word in inside for word in (b"rates", b"grace"))
    person, rates = proof.statement.sections[1].settled[0], proof.statement.sources[0]
    assert (person.name, rates.name, rates.place) == ("ada", "rates.xlsx", "p. 2")
    assert settled[0].seal == seal_of(person.salt, "ada"), "the sender can open what is sealed"
    assert statement.sources[0].seal == seal_of(rates.salt, "rates.xlsx", rates.digest or "")


@pytest.mark.req("L9")
def test_a_digit_altered_in_any_block_or_in_all_is_named_with_its_block(proven: tuple[bytes, Proof]) -> None:
    data, _ = proven
    all_of_them = verified(_changed(data, "word/document.xml", lambda body: _RUN.sub(_altered, body)), [KEY])
    assert all_of_them.state == "altered"
    assert all_of_them.statement
    named = Counter(one.kind for one in all_of_them.findings if one.change != "added")
    assert named["text"] == sum(one.kind == "text" for one in all_of_them.statement.blocks) > 30
    (finding,) = verified(_in_text(data, "4200", "4201"), [KEY]).findings
    assert (finding.change, finding.section, finding.number) == ("altered", "Section 1", 2)
    assert finding.words == "We ask 4201 EUR a month."


@pytest.mark.req("L9")
@pytest.mark.parametrize(
    ("old", "new", "change", "kind"),
    [
        (">The term is 24 months.<", "><", "removed", "text"),
        ("</w:body>", "<w:p><w:r><w:t>We pay all.</w:t></w:r></w:p></w:body>", "added", "text"),
        (
            "<w:sectPr",
            '<w:p><w:pPr><w:pStyle w:val="TOC1"/></w:pPr><w:r><w:t>We pay all.</w:t></w:r></w:p><w:sectPr',
            "added",
            "contents",
        ),
        (
            "</w:body>",
            "<w:p><w:r><w:pict><w:txbxContent><w:p><w:r><w:t>4800</w:t></w:r></w:p></w:txbxContent></w:pict></w:r></w:p></w:body>",
            "added",
            "box",
        ),
        (
            "</w:body>",
            '<w:p><w:fldSimple w:instr="PAGE"><w:r><w:t>all of it</w:t></w:r></w:fldSimple></w:p></w:body>',
            "added",
            "contents numbered",
        ),
        (
            "</w:body>",
            f"<w:p><w:r><w:pict><w:txbxContent><w:p>{_FIELD}</w:p></w:txbxContent></w:pict></w:r></w:p></w:body>",
            "added",
            "box",
        ),
        (">We ask 4200 ", f">We ask </w:t></w:r>{_FIELD}<w:r><w:t>4200 ", "added", "numbered"),
        (
            "</w:body>",
            '<w:p><m:AlternateContent xmlns:m="http://schemas.openxmlformats.org/markup-compatibility/2006"><m:Fallback>'
            "<w:r><w:t>We pay all.</w:t></w:r></m:Fallback></m:AlternateContent></w:p></w:body>",
            "added",
            "box",
        ),
        ("</w:body>", f'<w:altChunk xmlns:r="{_RELATED}" r:id="rId999"/></w:body>', "added", "object"),
        ("</w:body>", '<w:p><w:r><w:sym w:font="Symbol" w:char="F034"/></w:r></w:p></w:body>', "added", "object"),
        ("</w:body>", '<w:sdt><w:sdtPr><w:dataBinding w:xpath="/a"/></w:sdtPr></w:sdt></w:body>', "added", "object"),
    ],
)
def test_a_change_is_named_for_what_it_is(
    proven: tuple[bytes, Proof], old: str, new: str, change: str, kind: str
) -> None:
    found = verified(_in_text(proven[0], old, new), [KEY]).findings
    assert [(one.change, one.kind) for one in found] == [(change, one) for one in kind.split()]


@pytest.mark.req("L9")
@pytest.mark.parametrize(
    ("part", "old", "new", "kind"),
    [
        ("header1", "</w:hdr>", f"<w:p>{_FIELD}</w:p></w:hdr>", "running"),
        ("header1", "</w:hdr>", f'<w:p><w:pict xmlns:r="{_RELATED}" r:pict="rId9"/></w:p></w:hdr>', "running"),
        (
            "footnotes",
            "</w:footnotes>",
            '<w:footnote w:type="separator"><w:p><w:r><w:t>We pay.</w:t></w:r></w:p></w:footnote></w:footnotes>',
            "running",
        ),
        ("numbering", "</w:numbering>", '<w:lvlText w:val="Void: %1"/></w:numbering>', "label"),
    ],
)
def test_what_is_added_around_the_text_is_named(
    proven: tuple[bytes, Proof], part: str, old: str, new: str, kind: str
) -> None:
    changed = _changed(proven[0], f"word/{part}.xml", lambda body: body.replace(old.encode(), new.encode()))
    assert [(one.change, one.kind) for one in verified(changed, [KEY]).findings] == [("added", kind)]


@pytest.mark.req("L9")
def test_a_comment_that_somebody_added_is_named(proven: tuple[bytes, Proof]) -> None:
    document, buffer = Document(BytesIO(proven[0])), BytesIO()
    document.add_comment(document.paragraphs[-1].runs, text="We pay half.", author="Bea")
    document.save(buffer)
    found = verified(buffer.getvalue(), [KEY])
    assert [(one.change, one.kind, one.words) for one in found.findings] == [("added", "comment", "We pay half.")]
    comment = document.add_comment(document.paragraphs[-1].runs, author="Bea")
    comment.paragraphs[0].add_run().add_picture(BytesIO(picture()))
    document.save(buffer := BytesIO())
    told = [(one.change, one.kind) for one in verified(buffer.getvalue(), [KEY]).findings]
    assert sorted(told) == [("added", "comment"), ("added", "running")]


@pytest.mark.req("L9")
async def test_of_the_brief_and_what_it_demands_the_file_has_seals_alone(exporter: Exporter) -> None:
    brief = InputFile(
        name="brief.md", artifact=await exporter.stored("Stay above 4000."), role="request", input_id=BRIEF
    )
    job = (await exporter.job("docx", _DRAFT)).model_copy(update={"inputs": (brief,)})
    name, quote = ProvenName(name="brief.md"), digest_of("Stay above 4000.")
    asked = ProvenDemand(requirement_id="R1", source=name, place="line 1", quote=quote)
    found = Found(rest=quote, blocks=(), sources=(Source("brief.md", "line 1"),), demands=(asked,))
    proof, carried = signed(job, found, TenantKey.of(SECRET, "default"))
    inside = carried.statement.decode().partition('"sources"')[2]
    assert not any(word in inside for word in ("brief", "line 1", digest_of("Stay above"), brief.artifact.digest))
    (kept,), (sent,) = proof.statement.demands, json.loads(carried.statement)["demands"]
    assert sent["quote"] == seal_of(kept.source.salt, kept.quote)


@pytest.mark.req("L9")
def test_a_file_that_no_proof_can_be_put_into_is_not_made_empty(tmp_path: Path) -> None:
    (tmp_path / EXPORT).write_bytes(b"%PDF-1.7")
    with pytest.raises(ValueError, match="carries no proof"):
        seal(tmp_path, Carried("", "", b""))
    assert (tmp_path / EXPORT).read_bytes() == b"%PDF-1.7"


@pytest.mark.req("L9")
def test_a_paragraph_that_moved_is_named_and_the_others_are_not(proven: tuple[bytes, Proof]) -> None:
    def swapped(body: bytes) -> bytes:
        paragraphs = [one[0] for one in re.finditer(rb"<w:p>(?:(?!</w:p>).)*</w:p>", body, re.DOTALL)]
        moved = next(one for one in paragraphs if b"24 months" in one)
        return body.replace(moved, b"").replace(b"<w:body>", b"<w:body>" + moved)

    (finding,) = verified(_changed(proven[0], "word/document.xml", swapped), [KEY]).findings
    assert (finding.change, finding.words) == ("moved", "The term is 24 months.")


@pytest.mark.req("L9")
def test_a_proof_that_was_taken_out_or_is_of_another_key_is_named_as_such(proven: tuple[bytes, Proof]) -> None:
    data, proof = proven
    part = WordFile(data).origin_part
    without = _changed(data, part, lambda root: re.sub(rb"<proof.*</proof>", b"", root))
    assert verified(without).state == "stripped"
    other, content = TenantKey.of("another secret", "default"), encoded(for_readers(proof.statement))
    again = ProvenWord(without).with_proof(Carried(other.public, other.sign(content), content))
    assert verified(again, [KEY]).state == "other_key"
    assert verified(again).trusted is None, "valid by its own key, which nobody has said to trust"
    forged = _changed(data, part, lambda root: root.replace(proof.key.encode(), other.public.encode()))
    assert verified(forged, [KEY]).state == "forged"
    assert ProvenWord(without).with_proof(Carried(proof.key, proof.signature, content)) == data, "the same bytes"


@pytest.mark.req("L9")
async def test_a_pdf_proves_itself_also_when_it_was_saved_again_and_a_page_that_is_gone_is_named(
    exporter: Exporter, rich: str
) -> None:
    exporter.secret = SECRET
    data, _ = await exporter.converted(await _proven_job(exporter, rich, "pdf"))
    found = verified(data, [KEY])
    assert (found.state, found.intact) == ("valid", True)
    statement = found.statement
    assert statement is not None
    priced = next(one for one in statement.blocks if one.block_id)
    assert [statement.sources[number].name for number in priced.sources] == ["", "rfq.pdf"]
    assert verified(data + b"%%EOF", [KEY]).intact is False
    again = verified(_saved_again(data), [KEY])
    assert (again.state, again.intact) == ("valid", False)
    over = verified(_saved_again(data, note="We ask 1 EUR."), [KEY])
    assert [(one.change, one.kind, one.page) for one in over.findings] == [("added", "annotation", 1)]
    gone = verified(_saved_again(data, without_last=True), [KEY])
    assert gone.state == "altered"
    assert gone.findings[0].page == priced.page
    run = ProvenPdf(data).text.run
    for number, start in enumerate(accumulate((one.length for one in statement.blocks[:-1]), initial=0)):
        other = "x" if run[start] != "x" else "y"
        (changed,) = changed_runs(statement.blocks, run[:start] + other + run[start + 1 :])
        assert (changed.number, changed.is_added) == (number, False)


def _saved_again(data: bytes, *, without_last: bool = False, note: str = "") -> bytes:
    writer, again = PdfWriter(clone_from=BytesIO(data)), BytesIO()
    if note:
        writer.add_annotation(0, FreeText(text=note, rect=(50, 50, 200, 100)))
    if without_last:
        writer.remove_page(len(writer.pages) - 1)
    writer.write(again)
    return again.getvalue()
