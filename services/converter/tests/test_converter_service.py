"""The converter as a service: on a real server, with its own settings and credentials."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from stemma_artifacts.store import ArtifactMissing, MemoryArtifactStore, reference
from stemma_confinement import Limits, Stalled
from stemma_contracts import subjects
from stemma_contracts.v1.jobs import CompareReturn, ConvertDocument, FillForm, ReadInput
from stemma_contracts.v1.outcomes import ConversionFailed, DocumentConverted, Outcome
from stemma_contracts.v1.references import ArtifactRef
from stemma_converter.app import ConverterSettings, converter, make_tools, service
from stemma_converter.handlers import Tools, on_convert_document, on_fill_form, routes
from stemma_messaging import WorkerBroker, WorkerSettings
from stemma_testkit.servers import eventually
from stemma_testkit.working import routed
from structlog.testing import capture_logs


def test_settings_that_ship_build_a_converter() -> None:
    settings = service.load_settings()
    assert isinstance(settings, ConverterSettings)
    built = converter(settings)
    assert built.pandoc.program.is_file()
    assert {file.name for file in built.config.iterdir()} >= {"template.docx", "document.typ", "document.html"}
    assert settings.slots > settings.conversions > settings.conversions_per_tenant


@pytest.mark.req("G13")
async def test_an_outcome_names_the_file_for_people(exporter: Any) -> None:
    done = await exporter.outcome("pdf", "# A\n", title="Plan: 2025/26 – “draft”")
    assert (done.artifact.name, done.artifact.media_type) == ("Plan-2025-26-draft.pdf", "application/pdf")


@pytest.mark.parametrize(
    ("program", "draft", "told"),
    [
        ("/bin/false", "Secret.", {"reason": "pandoc_failed", "program": "pandoc", "exit_code": 1}),
        ("/no/such/pandoc", "Secret.", {"reason": "pandoc_failed", "program": "pandoc", "exit_code": 127}),
        (None, "> " * 300 + "Secret.", {"reason": "nested_too_deeply", "program": None, "exit_code": None}),
    ],
)
async def test_a_conversion_that_fails_is_one_warning_without_text_or_paths(
    exporter: Any, program: str | None, draft: str, told: dict[str, Any]
) -> None:
    if program is not None:
        pandoc = replace(exporter.converter.pandoc, program=Path(program))
        exporter.converter = replace(exporter.converter, pandoc=pandoc)

    with capture_logs() as lines:
        failed = await exporter.outcome("md", draft, title="Secret")

    assert isinstance(failed, ConversionFailed)
    assert "Secret" not in f"{failed.detail} {failed.params}"
    assert lines == [{"event": "conversion_failed", "log_level": "warning", "format": "md", **told}]


NESTED = "> " * 300 + "deep"
PROSE = "".join(f"Line {number}.\n\n" for number in range(40))


@pytest.mark.req("G13")
async def test_a_failed_export_names_section_and_line_and_what_to_do(exporter: Any) -> None:
    failed = await exporter.outcome("html", f"# A\n\n{PROSE}", None, f"# B\n\n{PROSE}{NESTED}\n\n{PROSE}")
    assert failed.detail == (
        "section s2, line 83: quotes or lists are nested too deeply; take levels out, and export again"
    )
    assert (failed.code, failed.params) == ("conversion_too_deep_at", {"section_id": "s2", "line": 83})


@pytest.mark.req("G13")
async def test_a_program_that_stops_at_a_passage_is_told_with_its_place_and_one_that_always_stops_without(
    exporter: Any, tmp_path: Path
) -> None:
    real, picky = exporter.converter.pandoc.program, tmp_path / "pandoc"
    picky.write_text(
        f"#!/bin/sh\ncat > {tmp_path}/in.$$\ngrep -q poison {tmp_path}/in.$$ && exit 3\n"
        f'exec {real} "$@" < {tmp_path}/in.$$\n'
    )
    picky.chmod(0o755)
    pandoc = replace(exporter.converter.pandoc, program=picky)
    exporter.converter = replace(exporter.converter, pandoc=pandoc)
    at = await exporter.outcome("html", "# A\n", "# B\n\nOne.\n\n- two\n- poison\n\nThree.\n")
    assert (at.code, at.params) == (
        "conversion_stopped_at",
        {"section_id": "s1", "line": 5, "program": "pandoc", "how": "exit status 3"},
    )
    exporter.converter = replace(exporter.converter, pandoc=replace(pandoc, program=Path("/bin/false")))
    nowhere = await exporter.outcome("html", "# A\n")
    assert (nowhere.code, nowhere.params) == ("conversion_stopped", {"program": "pandoc", "how": "exit status 1"})


async def test_drafts_of_another_tenant_are_out_of_reach(exporter: Any) -> None:
    job = await exporter.job("md", "# A\n")
    foreign = job.model_copy(update={"document": job.document.model_copy(update={"tenant": "other"})})
    with pytest.raises(ArtifactMissing):
        await on_convert_document(foreign, tools=exporter.tools)


@pytest.mark.req("S5")
async def test_a_tenant_with_many_conversions_leaves_one_at_a_time_to_another(
    exporter: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []

    async def endless(job: ConvertDocument, *_: object) -> None:
        begun.append(job.document.tenant)
        await asyncio.Event().wait()

    async def are_two() -> bool:
        return len(begun) == 2

    monkeypatch.setattr("stemma_converter.handlers._stage", endless)
    settings = service.load_settings(conversions=2, conversions_per_tenant=1)
    job: ConvertDocument = await exporter.job("md", title=None)
    tools = make_tools(settings, exporter.store)
    heads = [job.document.model_copy(update={"tenant": tenant}) for tenant in ("one", "one", "two")]
    jobs = [job.model_copy(update={"document": head}) for head in heads]
    tasks = [asyncio.ensure_future(on_convert_document(one, tools=tools)) for one in jobs]
    await eventually(are_two)
    assert begun == ["one", "two"]
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


HELD = b'{"versions": []}'


def all_begun(tools: Tools, convert: ConvertDocument) -> list[asyncio.Future[object]]:
    """A job of each kind over files that all hold the same."""
    about: dict[str, Any] = {"job_id": "doc-1.7", "document": convert.document}
    file, form, answers, back = (reference(HELD, "text/plain", name) for name in ("file", "form", "answers", "return"))
    fill = FillForm(**about, export_id="e1", name="a.xlsx", form=form, answers=answers)
    compare = CompareReturn(**about, return_id="r1", file=back, versions=back)
    read = ReadInput(**about, input_id="i1", version=1, name="a.txt", file=file)
    handled: tuple[Coroutine[Any, Any, object], ...] = (
        on_convert_document(convert, tools=tools),
        on_fill_form(fill, readings=tools.readings),
        tools.readings.compare(compare),
        tools.readings.read(read),
    )
    return [asyncio.ensure_future(one) for one in handled]


@pytest.mark.req("S5", "S6")
async def test_who_waits_for_what_is_lost_takes_the_turn_of_nobody(exporter: Any) -> None:
    looked: list[str] = []

    class Behind(MemoryArtifactStore):
        async def pieces(self, tenant: str, document_id: str, ref: ArtifactRef) -> AsyncGenerator[bytes, None]:
            looked.append(ref.name)
            await asyncio.Event().wait()
            yield b""

    async def are_all() -> bool:
        return sorted(looked) == ["draft.md", "file", "form", "return"]

    settings = service.load_settings(conversions=1, conversions_per_tenant=1, readings=1, readings_per_tenant=1)
    tools = make_tools(settings, Behind())
    convert: ConvertDocument = await exporter.job("md", "# A\n", title=None)
    tasks = all_begun(tools, convert)
    await eventually(are_all)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


@pytest.mark.req("S6")
async def test_a_job_that_waits_for_its_turn_takes_no_room(
    exporter: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    tools = exporter.tools
    turns = tools.turns, tools.readings.turns
    convert = await exporter.job("md", "# A\n", title=None)
    await exporter.store.put("default", "doc-1", HELD, media_type="text/plain", name="file")

    async def are_waiting() -> bool:
        return [one.waiting("default") for one in turns] == [1, 3]

    async with turns[0].turn("default"), turns[1].turn("default"):
        tasks = all_begun(tools, convert)
        await eventually(are_waiting)
        assert [file for file in tmp_path.rglob("*") if file.is_file()] == []
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


@pytest.mark.req("S3")
async def test_a_job_of_each_kind_is_done_in_a_process_within_its_limits(confined: Any) -> None:
    none = Limits(wall_seconds=1e-9)
    tools = replace(confined.tools, limits=none, readings=replace(confined.tools.readings, limits=none))
    for name in ("file", "form", "answers", "return"):
        await confined.store.put("default", "doc-1", HELD, media_type="text/plain", name=name)
    ended = await asyncio.gather(*all_begun(tools, await confined.job("md", "# A\n")), return_exceptions=True)
    assert [type(one) for one in ended] == [Stalled] * 4


@pytest.mark.req("E1", "E10")
@pytest.mark.parametrize(
    ("draft", "name", "outcome"),
    [
        ("# A\n", "document-converted", DocumentConverted),
        (f"{NESTED}\n", "conversion-failed", ConversionFailed),
    ],
)
async def test_a_job_is_converted_and_its_outcome_published(
    exporter: Any, draft: str, name: str, outcome: type[Outcome]
) -> None:
    broker = WorkerBroker(subjects.CONVERTER, WorkerSettings())
    broker.include_router(routes(lambda: exporter.tools))
    job = await exporter.job("md", draft)
    [(subject, told)] = await routed(broker, subjects.JOBS, subjects.job(subjects.CONVERTER, "convert-document"), job)
    assert (subject, type(told)) == (subjects.outcome(subjects.CONVERTER, name), outcome)
    assert isinstance(told, Outcome)
    assert (told.job_id, told.tenant, told.document_id) == ("doc-1.7.convert", "default", "doc-1")
