"""From requests to commands: what is checked, and that free text is stored before anything is decided."""

from dataclasses import replace
from hashlib import sha256

import pytest
from domain_story import ref
from orchestrator_intake import ASKED, NOW, commanded, create, refusal_of, refusals_of
from stemma_artifacts.store import ArtifactMissing
from stemma_artifacts.uploads import UploadStore
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.ledger import LedgerRow, LedgerRows, RowCuts, RowParts
from stemma_contracts.v1.needs import NeedAnswer
from stemma_contracts.v1.references import ArtifactRef, InputFile, UploadRef, UploadRole
from stemma_domain.commands import Asked
from stemma_domain.features.inputs.feature import Added, Replaced
from stemma_domain.features.inputs.material import artifact_of, as_input
from stemma_domain.features.ledger.feature import Cut
from stemma_orchestrator.intake import Intake
from stemma_orchestrator.requests import document_id_for

PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 20


@pytest.mark.req("P18")
async def test_stores_the_brief_and_the_title_and_keeps_only_references(intake: Intake) -> None:
    command = await create(intake, title="Bicycles for books")
    assert command.title is not None
    assert await intake.artifacts.get("default", command.document_id, command.brief) == b"Write it."
    assert await intake.artifacts.get("default", command.document_id, command.title) == b"Bicycles for books"
    assert command.created_at == NOW


async def test_refuses_an_unknown_kind_and_names_the_known(intake: Intake) -> None:
    field, message = await refusal_of(intake, kind="poem")
    assert field == "kind"
    assert "proposal" in message


async def test_refuses_a_kind_whose_graph_nobody_runs(intake: Intake) -> None:
    async def graphs() -> frozenset[str]:
        return frozenset({"another"})

    field, message = await refusal_of(replace(intake, graphs=graphs))
    assert (field, "'section'" in message) == ("kind", True)


async def test_names_only_so_many_unknown_sections_in_few_words(intake: Intake) -> None:
    sections = ["research", *(f"{'epilogue' * 7}{number}" for number in range(100))]
    problems = await refusals_of(create(intake, sections=sections))
    assert [problem.field for problem in problems] == [f"sections.{place}" for place in range(1, 21)]
    assert max(len(problem.message) for problem in problems) <= 300


async def test_refuses_an_upload_that_is_not_there(intake: Intake, uploads: UploadStore) -> None:
    missing = UploadRef(object_name="0" * 64, digest="0" * 64, size=3, media_type="text/plain", name="a.txt")
    field, message = await refusal_of(intake, inputs=[missing.model_dump()])
    assert (field, "upload it first" in message) == ("inputs.0", True)


@pytest.mark.parametrize(
    ("data", "media_type", "changes", "words"),
    [
        (b"text", "text/plain", {"digest": "0" * 64}, "digest"),
        (b"text", "text/plain", {"size": 5}, "size"),
        (b"x" * 2000, "application/pdf", {}, "at most 1000"),
        (b"x", "Text Plain", {}, "media_type must look like"),
    ],
)
async def test_refuses_an_upload_that_is_not_what_it_says(
    intake: Intake, uploads: UploadStore, data: bytes, media_type: str, changes: dict[str, object], words: str
) -> None:
    upload = await uploads.put(data, name="a.bin", media_type=media_type)
    field, message = await refusal_of(intake, inputs=[upload.model_dump() | changes])
    assert (field, words in message) == ("inputs.0", True), message


@pytest.mark.req("I1")
@pytest.mark.parametrize(
    ("data", "media_type", "reads", "reason"),
    [
        (b"text", "text/plain", False, None),
        (PNG, "image/png", False, None),
        (b"not a picture", "image/png", False, "wrong_suffix"),
        (b"\xff\xfe", "text/markdown", True, None),
        (b"one\0two", "text/plain", True, None),
        (b"From: a\nTo: b\nSubject: c\n\nNo.", "text/plain", True, None),
        ("ü".encode()[:1], "text/csv", True, None),
        (b"x" * 901, "text/plain", False, "too_large"),
        (b"", "text/plain", False, "empty"),
        (b"<svg/>", "image/svg+xml", True, None),
        (b"%PDF-", "application/pdf", True, None),
    ],
)
async def test_an_input_that_is_no_text_is_read_first_or_has_its_reason_and_never_refuses_the_others(
    intake: Intake, uploads: UploadStore, data: bytes, media_type: str, reads: bool, reason: str | None
) -> None:
    good = await uploads.put(b"text", name="a.md", media_type="text/markdown")
    other = await uploads.put(data, name="b.bin", media_type=media_type)
    command = await create(intake, inputs=[good.model_dump(), other.model_dump()])
    assert command.to_read == (("input-2",) if reads else ())
    assert [(one.input_id, one.reason) for one in command.unreadable] == ([("input-2", reason)] if reason else [])


@pytest.mark.req("I1")
async def test_a_brief_of_another_format_is_read_first_and_an_input_has_its_role(
    intake: Intake, uploads: UploadStore
) -> None:
    brief = await uploads.put(b"%PDF-", name="rfp.pdf", media_type="application/pdf")
    old = await uploads.put(b"# Old\n", name="old.md", media_type="text/markdown")
    given = [old.model_dump() | {"role": "past-text"}]
    command = await create(intake, brief=None, brief_upload=brief.model_dump(), inputs=given)
    assert (command.to_read, command.brief.name, command.inputs[0].role) == (("brief",), "rfp.pdf", "past-text")
    assert command.title is not None
    assert await intake.artifacts.get("default", command.document_id, command.title) == b"rfp"
    titled = await create(intake, brief=None, brief_upload=brief.model_dump(), title="Bicycles")
    assert (command.titled_by_file, titled.titled_by_file) == (True, False)


@pytest.mark.req("B1")
@pytest.mark.parametrize(
    ("name", "media_type", "text", "chosen", "role", "proposed"),
    [
        ("why.eml", "message/rfc822", "From: a\n\nNo.", {}, "internal", True),
        ("why.eml", "message/rfc822", "From: a\n\nNo.", {"role_confirmed": True}, "evidence", False),
        ("why.eml", "message/rfc822", "From: a\n\nNo.", {"role": "request"}, "request", False),
        ("why.txt", "text/plain", "From: a\nTo: b\nSubject: c\n\nNo.", {}, "internal", True),
        ("rates.csv", "text/csv", "Role,Rate\n", {}, "price", True),
        ("facts.md", "text/markdown", "# Facts\n", {}, "evidence", True),
    ],
)
async def test_an_input_has_the_role_that_its_name_or_text_proposes_if_nobody_chose_one(
    intake: Intake,
    uploads: UploadStore,
    name: str,
    media_type: str,
    text: str,
    chosen: dict[str, object],
    role: str,
    proposed: bool,
) -> None:
    given = (await uploads.put(text.encode(), name=name, media_type=media_type)).model_dump() | chosen
    [first] = (await create(intake, inputs=[given])).inputs
    added = await commanded(intake, r.AddInput.model_validate({"document_id": "d1", "upload": given}))
    assert isinstance(added, Added)
    later = as_input(added.request.upload, added.proposed)
    assert [(one.used_as, one.proposed) for one in (first, later)] == [(role, proposed)] * 2


@pytest.mark.req("B1", "L1")
async def test_the_brief_among_the_inputs_is_no_evidence_unless_it_is_a_request_or_a_person_says_so(
    intake: Intake, uploads: UploadStore
) -> None:
    copy = (await uploads.put(b"# Brief\n", name="brief.md", media_type="text/markdown")).model_dump()
    for chosen, role in ((False, "internal"), (True, "evidence")):
        [first] = (await create(intake, brief="# Brief\n", inputs=[copy | {"role_confirmed": chosen}])).inputs
        assert (first.used_as, first.proposed) == (role, not chosen)
    rfp = (await uploads.put(b"%PDF-", name="rfp.pdf", media_type="application/pdf")).model_dump()
    [first] = (await create(intake, brief=None, brief_upload=rfp, inputs=[rfp])).inputs
    assert first.used_as == "request"


ROLES: tuple[UploadRole, ...] = ("request", "evidence", "internal", "price", "form", "past-text", "style")


@pytest.mark.req("L1")
async def test_demands_are_read_from_requests_of_the_buyer_that_the_document_has_and_from_nothing_else(
    intake: Intake,
) -> None:
    given = {role: InputFile(name=role, artifact=ref("x"), **InputFile.fields_of(role)) for role in ROLES}

    async def refused(files: list[InputFile], **asked: object) -> list[tuple[str, str]]:
        request = r.ReadRequirements.model_validate({"document_id": "d1", **asked})
        return [(one.field, one.code) for one in await refusals_of(commanded(intake, request, files))]

    alone = r.ReadRequirements(document_id="d1", without_brief=True)
    assert (await commanded(intake, alone, [given["request"]])).request == alone
    for role in ("form", "style"):
        assert [field for field, _ in await refused([given[role]], without_brief=True)] == ["sources"]
    every = await refused(list(given.values()), sources=ROLES)
    assert every == [(f"sources.{place}", "source_no_request") for place in range(1, len(ROLES))]
    assert await refused([given["request"]], sources=["request", "new.md"]) == [("sources.1", "input_unknown_among")]


@pytest.mark.req("I4")
async def test_requests_about_inputs_become_commands_and_their_files_artifacts(
    intake: Intake, uploads: UploadStore
) -> None:
    pdf = (await uploads.put(b"%PDF-", name="rfp.pdf", media_type="application/pdf")).model_dump()
    text = (await uploads.put(b"# New\n", name="a.md", media_type="text/markdown")).model_dump()
    about = {"document_id": "d1", "input_id": "input-1", "version": 1}
    added = await commanded(intake, r.AddInput.model_validate({"document_id": "d1", "upload": pdf, "staged": True}))
    replaced = await commanded(intake, r.ReplaceInput.model_validate(about | {"upload": text}))
    assert isinstance(added, Added)
    assert (added.to_read, added.unreadable) == (True, None)
    assert isinstance(replaced, Replaced)
    assert (replaced.to_read, replaced.unreadable) == (False, None)
    assert await intake.artifacts.get("default", "d1", artifact_of(replaced.request.upload)) == b"# New\n"
    for request in (r.ApplyInput.model_validate(about), r.WithdrawInput.model_validate(about)):
        assert await commanded(intake, request) == Asked(request, ASKED, NOW)


async def test_copies_uploads_to_the_artifacts_under_their_names_whatever_they_are(
    intake: Intake, uploads: UploadStore
) -> None:
    files = {"media/plan.png": ("image/png", PNG), "plan.dwg": ("application/octet-stream", b"\x00\xff" * 400)}
    given = [await uploads.put(data, name=name, media_type=kind) for name, (kind, data) in files.items()]
    command = await create(intake, inputs=[one.model_dump() for one in given])
    assert [(one.name, one.artifact.media_type) for one in command.inputs] == [
        (name, kind) for name, (kind, _) in files.items()
    ]
    kept = [await intake.artifacts.get("default", command.document_id, one.artifact) for one in command.inputs]
    assert kept == [data for _, data in files.values()]


async def test_refuses_inputs_of_one_name_and_those_that_are_too_much_together_or_for_a_job(
    intake: Intake, uploads: UploadStore
) -> None:
    text = (await uploads.put(b"text", name="a.md", media_type="text/markdown")).model_dump()
    assert (await refusal_of(intake, inputs=[text] * 2))[0] == "inputs.1.name"
    files = [await uploads.put(bytes([65 + i]) * 900, name=f"{i}.txt", media_type="text/plain") for i in range(3)]
    assert (await refusal_of(intake, inputs=[upload.model_dump() for upload in files]))[0] == "inputs"
    field, message = await refusal_of(intake, inputs=[text | {"name": f"{i:03}-{'n' * 120}.md"} for i in range(200)])
    assert (field, "too many files" in message) == ("inputs", True)


async def test_names_every_input_that_is_wrong_before_any_is_copied(intake: Intake, uploads: UploadStore) -> None:
    good = await uploads.put(b"text", name="a.md", media_type="text/markdown")
    bad = good.model_dump() | {"media_type": "No Type"}
    request = r.CreateDocument.model_validate(
        {"kind": "proposal", "brief": "b", "inputs": [good.model_dump(), bad | {"name": "b.md"}, bad]}
    )
    problems = await refusals_of(commanded(intake, request))
    assert [problem.field for problem in problems] == ["inputs.1", "inputs.2.name", "inputs.2"]
    with pytest.raises(ArtifactMissing):
        await intake.artifacts.get("default", document_id_for("default", ASKED["request_id"]), artifact_of(good))


@pytest.mark.req("G2")
async def test_refuses_a_kind_that_is_written_from_files_without_one(intake: Intake, uploads: UploadStore) -> None:
    async def graphs() -> frozenset[str]:
        return frozenset({"document_agent"})

    intake = replace(intake, graphs=graphs)
    image = (await uploads.put(PNG, name="plan.png", media_type="image/png")).model_dump()
    text = (await uploads.put(b"# Site\n", name="site.md", media_type="text/markdown")).model_dump()
    told = (
        "'document' is written from files: give at least one of text/markdown, text/plain, text/csv, application/json"
    )
    assert await refusal_of(intake, kind="agentic") == ("inputs", told)
    assert await refusal_of(intake, kind="agentic", inputs=[image]) == ("inputs", told)
    command = await create(intake, kind="agentic", inputs=[image, text])
    assert [item.name for item in command.inputs] == ["plan.png", "site.md"]


@pytest.mark.parametrize(
    ("data", "media_type", "words"),
    [(b" \n", "text/markdown", "blank"), (b"x", "A b", "must look like"), (b"b" * 600, "text/markdown", "")],
)
async def test_refuses_a_brief_that_is_no_text_or_too_long(
    intake: Intake, uploads: UploadStore, data: bytes, media_type: str, words: str
) -> None:
    upload = await uploads.put(data, name="brief.md", media_type=media_type)
    field, message = await refusal_of(intake, brief=None, brief_upload=upload.model_dump())
    assert (field, words in message) == ("brief_upload", True), message


async def test_stores_feedback_before_it_is_decided(intake: Intake) -> None:
    request = r.ReviseSection(document_id="d1", section_id="research", version=1, feedback="Shorter.")
    command = await commanded(intake, request)
    assert command.stored.keys() == {"feedback"}
    assert await intake.artifacts.get("default", "d1", command.stored["feedback"]) == b"Shorter."


def answer(**fields: object) -> r.AnswerNeed:
    about = {"document_id": "doc1", "section_id": "document", "need_id": "n1", "answer": ""}
    return r.AnswerNeed.model_validate(about | fields)


@pytest.mark.req("B1")
async def test_an_answer_to_an_open_heading_is_stored_as_evidence_under_it(intake: Intake) -> None:
    command = await commanded(intake, answer(answer="Ada leads.", heading="Our\n# team"))
    stored = command.stored["answer"]
    assert await intake.artifacts.get("default", "doc1", stored) == b"# Our # team\n\nAda leads.\n"
    assert stored.media_type == "text/markdown"


@pytest.mark.req("G10")
async def test_decisions_about_images_are_stored_with_the_uploads_as_artifacts(
    intake: Intake, uploads: UploadStore
) -> None:
    upload = await uploads.put(PNG, name="plan.png", media_type="image/png")
    decisions = {"media/plan.png": upload.model_dump(), "media/old.png": "skip"}
    command = await commanded(intake, answer(answer="Use it.", decisions=decisions))
    stored = NeedAnswer.model_validate_json(await intake.artifacts.get("default", "doc1", command.stored["answer"]))
    assert (stored.text, stored.decisions["media/old.png"]) == ("Use it.", "skip")
    taken = stored.decisions["media/plan.png"]
    assert isinstance(taken, InputFile)
    assert await intake.artifacts.get("default", "doc1", taken.artifact) == PNG


@pytest.mark.req("G10")
@pytest.mark.parametrize(
    ("data", "media_type", "words"),
    [
        (b"text", "text/plain", "cannot be shown"),
        (b"text", "image/png", "not image/png"),
        (PNG * 99, "image/png", "1000"),
    ],
)
async def test_refuses_a_decision_that_is_no_image(
    intake: Intake, uploads: UploadStore, data: bytes, media_type: str, words: str
) -> None:
    upload = await uploads.put(data, name="plan.png", media_type=media_type)
    [problem] = await refusals_of(commanded(intake, answer(decisions={"a.png": upload.model_dump()})))
    assert (problem.field, words in problem.message) == ("decisions.a.png", True)


async def test_refuses_more_images_than_a_job_could_carry_beside_those_of_the_document(intake: Intake) -> None:
    about = {"object_name": "0" * 64, "digest": "0" * 64, "size": 9, "media_type": "image/png"}
    images = [UploadRef.model_validate({**about, "name": f"{number}.png"}) for number in range(200)]
    request = answer(decisions={image.name: image.model_dump() for image in images})
    [problem] = await refusals_of(commanded(intake, request, list(map(as_input, images))))
    assert (problem.field, problem.code) == ("decisions", "images_too_many")


@pytest.mark.req("P9")
async def test_a_request_says_whether_edits_are_reviewed(intake: Intake) -> None:
    assert {section.review_edits for section in (await create(intake)).sections} == {"human"}
    assert {section.review_edits for section in (await create(intake, review_edits="none")).sections} == {"none"}


def edit_with(images: list[UploadRef]) -> r.EditSection:
    text = "# Solution\n\n![](plan.png)\n"
    return r.EditSection(document_id="d1", section_id="solution", version=1, text=text, images=tuple(images))


@pytest.mark.req("I5")
async def test_images_come_with_a_text(intake: Intake, uploads: UploadStore) -> None:
    upload = await uploads.put(PNG, name="plan.png", media_type="image/png")
    command = await commanded(intake, edit_with([upload]))
    assert command.stored["text"].name == "draft.md"
    assert await intake.artifacts.get("default", "d1", as_input(upload).artifact) == PNG


@pytest.mark.req("I5")
@pytest.mark.parametrize(
    ("data", "media_type", "inputs", "words"),
    [
        (PNG, "image/svg+xml", (), "cannot be shown in a document"),
        (b"no image", "image/png", (), "plan.png"),
        (PNG, "image/png", ("plan.png",), "another file of the document has this name"),
    ],
)
async def test_an_image_that_a_text_cannot_show_is_refused(
    intake: Intake, uploads: UploadStore, data: bytes, media_type: str, inputs: tuple[str, ...], words: str
) -> None:
    upload = await uploads.put(data, name="plan.png", media_type=media_type)
    held = [InputFile(name=name, artifact=ref("another")) for name in inputs]
    [problem] = await refusals_of(commanded(intake, edit_with([upload]), held))
    assert (problem.field, words in problem.message) == ("images.0", True), problem


@pytest.mark.req("T5", "P19")
async def test_a_document_is_in_the_language_of_its_brief(intake: Intake, uploads: UploadStore) -> None:
    brief = "Schreibe ein Angebot für einen Lesesaal in der Stadtbibliothek."
    assert (await create(intake, brief=brief)).language == "de"
    upload = await uploads.put(brief.encode(), name="brief.md", media_type="text/markdown")
    assert (await create(intake, brief=None, brief_upload=upload.model_dump())).language == "de"
    assert (await create(intake, brief=brief, language="en")).language == "en"
    asked = await create(intake, language="pt-BR", sections=["budget"])
    assert (asked.language, asked.sections[-1].title) == ("pt", "Orçamento")


@pytest.mark.req("T5", "I1")
async def test_a_document_whose_brief_is_read_first_knows_its_titles_in_every_language(
    intake: Intake, uploads: UploadStore
) -> None:
    upload = await uploads.put(b"%PDF-", name="brief.pdf", media_type="application/pdf")
    given = {"brief": None, "brief_upload": upload.model_dump()}
    wordings = {wording.language: wording for wording in (await create(intake, **given)).wordings}
    assert sorted(wordings) == ["de", "es", "fr", "it", "ja", "nl", "pt", "zh"]
    titles = {told.section_id: told.title for told in wordings["pt"].sections}
    assert titles["budget"] == "Orçamento"
    assert (await create(intake, **given, language="de")).wordings == ()
    assert (await create(intake, brief="A hall.")).wordings == ()


@pytest.mark.req("P19")
async def test_refuses_a_language_without_a_file_by_name(intake: Intake) -> None:
    field, message = await refusal_of(intake, language="sv")
    assert (field, "no language 'sv'; there are: de, en" in message) == ("language", True)
    field, message = await refusal_of(intake, brief="Skriv ett förslag till en läsesal i stadsbiblioteket.")
    assert (field, "the brief is in 'sv'" in message) == ("language", True)
    untranslated = replace(intake.catalog["proposal"], translations={})
    field, message = await refusal_of(replace(intake, catalog={"proposal": untranslated}), language="de")
    assert (field, message) == ("language", "proposal has no titles in 'de'; name a language that it has: en")


@pytest.mark.req("P19")
async def test_takes_the_sections_of_an_outline(intake: Intake) -> None:
    outline = [{"title": "Budget", "max_pages": 2}, {"title": "Our team", "depends_on": ["budget"]}]
    command = await create(intake, outline=outline)
    assert [(plan.section_id, plan.kind, plan.max_pages) for plan in command.sections] == [
        ("budget", "budget", 2),
        ("our_team", "default", None),
    ]
    assert not command.chapters_from_request
    assert not (await create(intake, sections=["budget"])).chapters_from_request
    assert (await create(intake)).chapters_from_request


@pytest.mark.req("P19")
async def test_refuses_an_outline_by_its_fields_and_leaves_nothing_behind(intake: Intake) -> None:
    outline = [{"title": "A", "depends_on": ["b"]}, {"title": "B", "depends_on": ["a"]}]
    field, message = await refusal_of(intake, outline=outline, title="A document")
    assert field == "outline.0.depends_on"
    assert message.startswith("the dependencies form a cycle: ")
    brief = ArtifactRef(digest=sha256(b"Write it.").hexdigest(), size=9, media_type="text/markdown", name="brief.md")
    with pytest.raises(ArtifactMissing):
        await intake.artifacts.get("default", document_id_for("default", "r1"), brief)


QUOTE = "Train users and keep records."


async def stored(intake: Intake) -> ArtifactRef:
    row = LedgerRow(requirement_id="R1", source="rfp.md", line=1, quote=QUOTE, kind="work", obligation="mandatory")
    body = LedgerRows(given=1, rows=(row,)).model_dump_json().encode()
    return await intake.artifacts.put("default", "d1", body, media_type="application/json", name="requirements.json")


def request(digest: str, name: str = "R1", cut: int = QUOTE.index("and")) -> r.SplitRequirements:
    return r.SplitRequirements(
        document_id="d1", rows_digest=digest, splits=(RowCuts(requirement_id=name, cuts=(cut,)),)
    )


@pytest.mark.req("L1")
async def test_the_rows_are_cut_and_only_ids_go_into_the_log(intake: Intake) -> None:
    rows = await stored(intake)
    command = await commanded(intake, request(rows.digest), rows=rows)
    assert isinstance(command, Cut)
    assert command.parts == (RowParts(requirement_id="R1", parts=("R1-2",)),)
    assert command.rows is not None
    cut = LedgerRows.model_validate_json(await intake.artifacts.get("default", "d1", command.rows))
    assert [row.quote for row in cut.rows] == ["Train users", "and keep records."]


@pytest.mark.req("L1")
async def test_a_cut_that_cannot_be_made_or_of_rows_that_are_erased_is_refused_with_its_field(intake: Intake) -> None:
    rows = await stored(intake)
    for cut, of, field in ((request(rows.digest, "R9"), rows, "splits.0.requirement_id"),
                           (request(ref("rows").digest), ref("rows"), "rows_digest")):  # fmt: skip
        assert [problem.field for problem in await refusals_of(commanded(intake, cut, rows=of))] == [field]


@pytest.mark.req("L1")
@pytest.mark.parametrize("rows", [None, ref("newer rows")])
async def test_a_cut_of_other_rows_than_those_of_now_is_left_to_the_core_to_refuse(
    intake: Intake, rows: ArtifactRef | None
) -> None:
    command = await commanded(intake, request(ref("rows").digest), rows=rows)
    assert isinstance(command, Cut)
    assert command.rows is None
