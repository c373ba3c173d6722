from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from nats.aio.client import Client
from nats.js.errors import NotFoundError
from stemma_artifacts.store import JetStreamArtifactStore
from stemma_confinement import Limits
from stemma_contracts import registry, subjects
from stemma_contracts.v1.outcomes import DraftValidated
from stemma_messaging import BadSettings, Publisher
from stemma_provisioning import NatsServer
from stemma_testkit.servers import connected, eventually, provisioned_server
from stemma_testkit.working import access, at_work
from stemma_validator.app import ValidatorSettings, open_engine, service

from .conftest import DOCUMENT, TENANT, validate_draft


@asynccontextmanager
async def running(server: NatsServer) -> AsyncIterator[None]:
    async with at_work(service.run(service.load_settings(**access(server, subjects.VALIDATOR)))):
        yield


async def validated(client: Client, text: str) -> DraftValidated:
    js = client.jetstream()
    ref = await JetStreamArtifactStore(js).put(
        TENANT, DOCUMENT, text.encode(), media_type="text/markdown", name="budget.md"
    )
    job = validate_draft(ref)
    subject = subjects.job(subjects.VALIDATOR, registry.entry_of(job).token)
    await Publisher(js, "test").publish(subject, job, id=job.job_id, about=f"{TENANT}/{DOCUMENT}/budget")
    answer = subjects.outcome(subjects.VALIDATOR, "draft-validated")

    async def answered() -> bool:
        with suppress(NotFoundError):
            return bool(await js.get_last_msg(subjects.OUTCOMES, answer))
        return False

    await eventually(answered)
    return DraftValidated.model_validate_json((await js.get_last_msg(subjects.OUTCOMES, answer)).data or b"")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[NatsServer]:
    with provisioned_server(tmp_path) as started:
        yield started


@pytest.mark.req("V1", "V4")
async def test_a_job_on_the_bus_becomes_a_validation(server: NatsServer) -> None:
    async with connected(server) as client, running(server):
        outcome = await validated(client, "# Budget\n\nTODO <b>x</b>\n")
        assert outcome.validation.rules == {"MD033": 1, "STEMMA011": 1}
        assert outcome.validation.report is not None
        await JetStreamArtifactStore(client.jetstream()).get(TENANT, DOCUMENT, outcome.validation.report)


@pytest.mark.req("V3")
def test_an_engine_that_there_is_not_refuses_start_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEMMA_VALIDATOR_ENGINE", "vale")
    with pytest.raises(BadSettings, match="engine"):
        service.load_settings()


@pytest.mark.req("V3")
async def test_a_setting_selects_the_other_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEMMA_VALIDATOR_ENGINE", "markdownlint")
    settings = service.load_settings()
    assert isinstance(settings, ValidatorSettings)
    engine = open_engine(settings, Limits())
    assert (engine.name, engine.version) == ("markdownlint", "0.50.0")
    assert [issue.rule_names[0] for issue in await engine.lint("# A\n\n<b>x</b>\n")] == ["MD033"]


@pytest.mark.req("P16")
@pytest.mark.parametrize(
    ("engine", "file", "content", "problem"),
    [
        ("rumdl", "rumdl.toml", None, r"^rumdl\.toml: file is missing$"),
        ("rumdl", "rumdl.toml", "[global", r"^rumdl\.toml: .+ \(at"),
        ("markdownlint", "markdownlint.json", None, r"^markdownlint\.json: file is missing$"),
        ("markdownlint", "markdownlint.json", "{", r"^markdownlint\.json: .+ line 1"),
        ("markdownlint", "markdownlint.json", "[]", r"^markdownlint\.json: an object is needed$"),
    ],
)
def test_rules_that_cannot_be_read_refuse_start_by_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, engine: str, file: str, content: str | None, problem: str
) -> None:
    (tmp_path / "settings.toml").write_text(f'engine = "{engine}"\n')
    if content is not None:
        (tmp_path / file).write_text(content)
    monkeypatch.setenv("STEMMA_VALIDATOR_CONFIG_DIR", str(tmp_path))
    settings = service.load_settings()
    assert isinstance(settings, ValidatorSettings)
    with pytest.raises(BadSettings, match=problem):
        open_engine(settings, Limits())
