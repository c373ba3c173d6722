"""Forms of buyers on the command line: what they ask for, and answers written into them."""

import json
from pathlib import Path
from typing import Any

import pytest
from forms_made import document, paragraph, parts_of, table
from stemma_contracts.v1 import events
from stemma_contracts.v1.staleness import StaleMark, StaleReason
from stemma_forms import Field, find_fields

CHANGED = StaleReason(upstream_section_id="research", accepted_version=1, current_version=2)
FORM = document(table(("Company name:", ""), ("Describe your backups (max. 5 words):", "")))


@pytest.fixture
def form(tmp_path: Path) -> Path:
    path = tmp_path / "form.docx"
    path.write_bytes(FORM)
    return path


@pytest.fixture
def fields() -> tuple[Field, ...]:
    return find_fields(FORM)


@pytest.mark.req("L7")
async def test_the_fields_of_a_form_are_listed_with_what_they_accept(cli: Any, form: Path, fields: Any) -> None:
    listed, told = await cli("form", "fields", str(form)), await cli("form", "fields", str(form), "--json")
    assert listed.stdout.splitlines()[1].split("\t")[1:3] == ["table 1, row 2", "text (at most 5 words)"]
    assert [field["id"] for field in json.loads(told.stdout)] == [field.id for field in fields]


@pytest.mark.req("L7")
async def test_answers_below_the_headings_of_fields_are_written_into_the_form(
    cli: Any, form: Path, fields: Any, tmp_path: Path
) -> None:
    headings = (await cli("form", "fields", str(form), "--markdown")).stdout.splitlines()
    answers, output = tmp_path / "answers.md", tmp_path / "filled.docx"
    answers.write_text(f"{headings[0]}\n\nAcme **Ltd**\n\n{headings[2]}\n\nEvery night.\n", encoding="utf-8")
    done = await cli("form", "fill", str(form), "-a", str(answers), "-o", str(output))
    assert (done.exit_code, done.stdout) == (0, f"{output}\n")
    written = parts_of(output.read_bytes())["word/document.xml"].decode()
    assert "Acme Ltd" in written
    assert "Every night." in written


@pytest.mark.req("L7")
async def test_answers_come_from_settled_sections_alone_and_from_none_that_is_stale(
    cli: Any, backstage: Any, document_id: str, requested: Any, drafted: Any, form: Path, fields: Any, tmp_path: Path
) -> None:
    output = tmp_path / "filled.docx"
    draft = await backstage.text(document_id, f"# Form\n\n## {fields[0].id}: Company name\n\nAcme Ltd\n")
    approved = [events.SectionApproved(section_id=name, version=1, starts=()) for name in ("research", "solution")]
    upstream = drafted("research", await backstage.text(document_id, "# Research\n"))
    await backstage.append(document_id, requested, upstream, approved[0], drafted("solution", draft))
    early = await cli("form", "fill", str(form), "-d", document_id, "-o", str(output))
    assert (early.exit_code, output.exists()) == (2, False)
    await backstage.append(document_id, approved[1])
    done = await cli("form", "fill", str(form), "-d", document_id, "-o", str(output), "--json")
    assert done.exit_code == 5
    told = json.loads(done.stdout)
    assert (told["answered"], told["open"]) == ([fields[0].id], [fields[1].id])
    assert "Acme Ltd" in parts_of(output.read_bytes())["word/document.xml"].decode()
    output.unlink()
    edited = await backstage.text(document_id, "# Research\n\nOther words.\n")
    mark = StaleMark(section_id="solution", reasons=(CHANGED,))
    await backstage.append(document_id, drafted("research", edited, 2).model_copy(update={"makes_stale": (mark,)}))
    late = await cli("form", "fill", str(form), "-d", document_id, "-o", str(output))
    assert (late.exit_code, output.exists(), "not written: solution" in late.stderr) == (3, False, True)


@pytest.mark.req("L7")
async def test_what_a_form_does_not_accept_is_refused_and_nothing_is_written(
    cli: Any, form: Path, fields: Any, tmp_path: Path
) -> None:
    output = tmp_path / "filled.docx"
    answers = f"# {fields[1].id}\n\nOne two three four five six\n\n# f-0123456789\n\nx\n"
    done = await cli("form", "fill", str(form), "-a", "-", "-o", str(output), stdin=answers)
    assert done.exit_code == 2
    assert "the answer has 6 words, and the form allows 5 words" in done.output
    assert "The form has no field f-0123456789." in done.output
    assert not output.exists()


@pytest.mark.req("L7")
async def test_a_file_that_is_no_form_is_refused_with_its_name(cli: Any, tmp_path: Path) -> None:
    path = tmp_path / "form.docx"
    path.write_bytes(b"nothing")
    done = await cli("form", "fields", str(path))
    assert done.exit_code == 2
    assert "form.docx: The file is neither a DOCX nor an XLSX" in done.output


async def test_a_form_without_fields_has_none(cli: Any, tmp_path: Path) -> None:
    path = tmp_path / "letter.docx"
    path.write_bytes(document(paragraph("Dear all, here is our answer.")))
    done = await cli("form", "fields", str(path), "--json")
    assert (done.exit_code, json.loads(done.stdout)) == (0, [])
