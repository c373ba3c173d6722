"""The language and the outline of a document, from a request to its command."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

import pytest
from orchestrator_intake import create, refusal_of
from stemma_artifacts.store import ArtifactMissing
from stemma_artifacts.uploads import UploadStore
from stemma_contracts.v1.references import ArtifactRef
from stemma_orchestrator.intake import Intake
from stemma_orchestrator.requests import document_id_for


@pytest.mark.req("T5", "P19")
async def test_a_document_is_in_the_language_that_is_asked_for(intake: Intake) -> None:
    command = await create(intake, language="pt-BR", sections=["budget"])
    assert command.language == "pt"
    assert command.sections[-1].title == "Orçamento"


@pytest.mark.req("T5", "P19")
async def test_a_document_is_in_the_language_of_its_brief(intake: Intake, uploads: UploadStore) -> None:
    brief = "Schreibe ein Angebot für einen Lesesaal in der Stadtbibliothek."
    assert (await create(intake, brief=brief)).language == "de"
    upload = await uploads.put(brief.encode(), name="brief.md", media_type="text/markdown")
    assert (await create(intake, brief=None, brief_upload=upload.model_dump())).language == "de"
    assert (await create(intake, brief=brief, language="en")).language == "en"


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


@pytest.mark.req("P19")
async def test_refuses_a_language_that_the_kind_has_no_titles_in(intake: Intake) -> None:
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


@pytest.mark.req("P19")
async def test_refuses_an_outline_by_its_fields_and_leaves_nothing_behind(intake: Intake) -> None:
    outline = [{"title": "A", "depends_on": ["b"]}, {"title": "B", "depends_on": ["a"]}]
    field, message = await refusal_of(intake, outline=outline, title="A document")
    assert field == "outline.0.depends_on"
    assert message.startswith("the dependencies form a cycle: ")
    brief = ArtifactRef(digest=sha256(b"Write it.").hexdigest(), size=9, media_type="text/markdown", name="brief.md")
    with pytest.raises(ArtifactMissing):
        await intake.artifacts.get("default", document_id_for("default", "r1"), brief)
