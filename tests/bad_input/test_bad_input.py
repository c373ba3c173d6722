"""What nobody can use is answered with an error that names it; nothing of it stays, and everything goes on."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from bad_inputs import (
    GOOD,
    MIB,
    NOTE,
    SECTION,
    Act,
    World,
    answer_to,
    ask,
    blueprint,
    config_of,
    connected,
    criteria,
    dependencies,
    described,
    file,
    inputs,
    is_empty,
    kinds,
    link,
    long_brief,
    publish,
    settings,
)
from faults_here import here
from stemma_cli.local.supervisor import LocalStemma
from stemma_contracts import subjects
from stemma_provisioning import PROVISIONER
from stemma_testkit.servers import eventually

pytestmark = pytest.mark.asyncio(loop_scope="module")
WATCHED = (subjects.EVENTS, subjects.JOBS, subjects.DEAD)
CRITERION = {"id": "a", "description": "d", "weight": 0.7, "threshold": 0.5}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stemma(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LocalStemma]:
    config = config_of("orchestrator", tmp_path_factory.mktemp("config"))
    unknown = NOTE | {"sections": [SECTION | {"graph": "no_such_graph"}]}
    (config / "blueprints" / "note.json").write_text(json.dumps(unknown))
    local = LocalStemma(tmp_path_factory.mktemp("stemma"), services=[])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STEMMA_ORCHESTRATOR_CONFIG_DIR", str(config))
        async with local as running, here(running, [subjects.ORCHESTRATOR], running.url):
            async with connected(running, PROVISIONER) as admin:
                known = await admin.jetstream().key_value(subjects.CAPABILITIES_BUCKET)
                await known.put(subjects.GENERATION, b'{"graphs": ["section"]}')
            yield running


@pytest_asyncio.fixture(loop_scope="module")
async def world(stemma: LocalStemma, tmp_path: Path) -> AsyncIterator[World]:
    async with stemma.client() as client, connected(stemma, "client-default") as plain:
        yield World(stemma, client, plain, tmp_path)


APPROVE = {"document_id": "d", "section_id": "s", "version": 1}

CASES: dict[str, tuple[Act, str]] = {
    "not JSON": (ask(b"kind: proposal"), "the body is not JSON: Expecting value"),
    "no object": (ask([1]), "the body must be a JSON object"),
    "not UTF-8": (ask(b"\xff\xfe\x00"), "the body is not JSON"),
    "nested without end": (ask(b"[" * 50_000), "the body is not JSON"),
    "a missing field": (ask({"brief": "x"}), "kind: Field required"),
    "a misspelt field": (
        ask({"kind": "proposal", "brieff": "x"}),
        "^brief: give exactly one .*; brieff is unknown$",
    ),
    "a misspelt field beside an unknown kind": (
        ask(GOOD | {"kind": "poem", "titel": "x"}),
        "^kind: 'poem' is not known; .*; titel is unknown$",
    ),
    "a wrong type": (ask(GOOD | {"brief": 3}), "brief: Input should be a valid string"),
    "a wrong type inside": (ask(GOOD | {"inputs": [{"name": 7}]}), "inputs.0.name: Input should be a valid string"),
    "an unknown kind": (ask(GOOD | {"kind": "poem"}), "kind: 'poem' is not known; known are: .*proposal"),
    "an unknown section": (ask(GOOD | {"sections": ["epilogue"]}), "sections.0: proposal has no section 'epilogue'"),
    "an unknown document": (ask(APPROVE, "approve-section"), "document_id: no document is called"),
    "an unknown request": (ask({}, "sing-song"), "subject: 'sing-song' is not known here; known are: .*edit-section"),
    "a wildcard in the name": (ask(GOOD, "create*"), "subject: 'create\\*' is not known here"),
    "a newer version": (ask(GOOD, ce_type="stemma.create.document.v9"), "ce-type: 'stemma.create.document.v9' is not"),
    "another type": (ask(GOOD, ce_type="stemma.keep.section.v1"), "ce-type: .* does not belong on the subject"),
    "a wildcard in an id": (
        ask(APPROVE | {"document_id": "d.*"}, "approve-section"),
        "document_id: String should match",
    ),
    "a wildcard in a request id": (ask(GOOD | {"request_id": ">"}), "request_id: String should match"),
    "a body of 70 KB": (ask(GOOD | {"brief": "x" * 70_000}), "brief: it takes 70002 of the .* send it as brief_upload"),
    "a body of 150 KB": (publish(150_000), "message size exceeds maximum allowed"),
    "a body of 300 KB": (publish(300_000), "maximum payload exceeded"),
    "an empty brief": (ask(GOOD | {"brief": ""}), "brief: String should have at least 1 character"),
    "a blank brief": (ask(GOOD | {"brief": " \n"}), "brief is blank"),
    "a brief of 2 MB": (long_brief, "brief_upload: brief.md has 2000000 bytes; at most 1048576 are taken"),
    "a name that commands a terminal": (inputs(file("a\x1b[2J.md")), "file name must not have hidden, '..' or control"),
    "a name that leads out": (described(name="../../etc/passwd"), "inputs.0.name: .*must not have"),
    "a link that leads out": (inputs(link("/etc/passwd")), "link.md is a link that leads out of"),
    "a file of 51 MB": (inputs(file("plan.dwg", size=51 * MIB)), "plan.dwg is larger than 50 MiB"),
    "a file that says it has 51 MB": (
        described(size=51 * MIB, media_type="application/pdf"),
        "inputs.0: a.txt has 53477376 bytes; at most 52428800 are taken",
    ),
    "a file that was not uploaded": (described(), "inputs.0: there is no such upload; upload it first"),
    "a cycle": (
        dependencies('{"proposal": {"research": ["budget"], "budget": ["research"]}}'),
        "dependencies.json: the dependencies form a cycle: .*research -> ",
    ),
    "an unknown upstream": (dependencies('{"proposal": {"budget": ["x"]}}'), "dependencies.json: 'budget' names .*'x'"),
    "an upstream twice": (
        dependencies('{"proposal": {"budget": ["research", "research"]}}'),
        "dependencies.json: 'budget' names 'research' twice",
    ),
    "a key twice": (
        dependencies('{"proposal": {}, "proposal": {}}'),
        "dependencies.json: 'proposal' stands there twice",
    ),
    "a broken line": (dependencies('{"proposal":\n{,'), "dependencies.json: line 2: Expecting property name"),
    "an unknown graph": (ask(GOOD | {"kind": "note"}), "kind: its blueprint needs the graph 'no_such_graph'"),
    "an unknown field of a blueprint": (blueprint(colour="red"), "note.json: colour: Extra inputs are not permitted"),
    "a blueprint without sections": (blueprint(sections=[]), "note.json: sections: Tuple should have at least 1 item"),
    "a kind without its prompt": (kinds('{"tale": {}}'), "tale"),
    "an unknown schema": (kinds('{"research": {"schema": "Poem"}}'), "kinds.json: research.schema: .*'Poem'"),
    "weights that make no sense": (
        criteria(json.dumps([CRITERION])),
        "default.json: .* they sum to 0.7",
    ),
    "a criterion twice": (criteria(json.dumps([CRITERION | {"weight": 0.5}] * 2)), "two criteria have the same id"),
    "a setting of a wrong type": (
        settings('max_input_bytes = "much"'),
        "max_input_bytes: .*settings.toml",
    ),
    "a setting with a typo": (settings("max_imput_bytes = 1"), "max_imput_bytes: Extra inputs are not permitted"),
    "a variable with a typo": (
        settings("", STEMMA_ORCHESTRATOR_MAX_IMPUT_BYTES="1"),
        "STEMMA_ORCHESTRATOR_MAX_IMPUT_BYTES: no such setting",
    ),
    "a shared variable with a typo": (
        settings("", STEMMA_NATS_URLL="x"),
        "STEMMA_NATS_URLL: no such setting; STEMMA_NATS_URL is one",
    ),
    "a shared variable of a wrong value": (
        settings("", STEMMA_LOG_LEVEL="foo"),
        r"log_level: .*\(settings.toml or STEMMA_LOG_LEVEL\)",
    ),
}


@pytest.mark.req("E3", "P4", "P12", "P16", "P17")
@pytest.mark.parametrize(("act", "told"), CASES.values(), ids=list(CASES))
async def test_bad_input_is_answered_by_what_is_wrong_with_it(world: World, act: Act, told: str) -> None:
    before = await state_of(world)

    assert re.search(told, said := await act(world)), said

    assert await state_of(world) == before


@pytest.mark.req("I1", "I2")
@pytest.mark.parametrize(
    ("name", "data", "state"),
    [
        ("latin.md", b"caf\xe9", "reading"),
        ("drawing.png", b"<svg/>", "unreadable"),
        ("long.md", b"x " * (3 * MIB), "unreadable"),
        ("empty.md", b"", "unreadable"),
    ],
    ids=["in a code page", "an image that is none", "of 6 MB", "empty"],
)
async def test_a_file_that_may_not_be_readable_refuses_neither_the_request_nor_the_others(
    world: World, name: str, data: bytes, state: str
) -> None:
    (world.folder / "good.md").write_text("The garden has 12 beds.")
    (world.folder / name).write_bytes(data)
    accepted = await world.client.create_document("proposal", brief="A garden.", inputs=[world.folder])
    views = (await world.client.document(accepted.document_id, at_least=accepted.sequence or 0)).input_views
    states = {view.name: view.state for view in views if view.input_id != "brief"}
    assert states == {name: state, "good.md": "read"}


async def state_of(world: World) -> dict[str, int]:
    """What is stored when no request is left."""
    async with connected(world.stemma, PROVISIONER) as admin:
        await eventually(lambda: is_empty(admin, subjects.REQUESTS))
        return {name: (await admin.jetstream().stream_info(name)).state.messages for name in WATCHED}


@pytest.mark.req("E2", "E3")
async def test_fields_that_nobody_knows_are_told_and_do_no_harm(world: World) -> None:
    body = GOOD | {"colour": "red", "request_id": "tolerated"}
    await world.plain.jetstream().publish("stemma.request.v1.default.create-document", json.dumps(body).encode())
    answer = await answer_to(world.plain, "tolerated")
    assert (bool(answer["document_id"]), answer["ignored_fields"]) == (True, ["colour"])
