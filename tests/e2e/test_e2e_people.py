"""People with roles: each decides in its own name, and nobody in another's."""

import asyncio
import json
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
from stemma_cli.local.supervisor import LocalStemma
from stemma_client import AccessDeniedError, Client, RequestRejectedError
from stemma_client.logins import login_file, read_login
from stemma_client.notifications import new_secret
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.notifications import NotificationRule, Occasion
from stemma_testkit.driving import request_sample, wait_for
from stemma_testkit.servers import barrier, connected_person
from typer.testing import Result

from .conftest import receiving, run

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def run_as(login: Path, settings: dict[str, str], *arguments: str) -> Result:
    return await run(settings | {"STEMMA_LOGIN": str(login)}, *arguments)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def logins(stemma: LocalStemma, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """An owner, an author, two reviewers and a reader."""
    folder = tmp_path_factory.mktemp("logins")
    people = {"olga": "owner", "bob": "author", "ida": "reviewer", "eve": "reviewer", "cy": "reader"}
    for name, role in people.items():
        env = {"STEMMA_DATA_DIR": str(stemma.folder.root)}
        told = await run(env, "user", "add", name, "--role", role, "-o", folder / name)
        assert told.exit_code == 0, told.output
    return {name: folder / name for name in people}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def document_id(logins: dict[str, Path]) -> str:
    """A document of the author's whose first section waits for its reviewer."""
    async with Client.connect(login=logins["bob"]) as client:
        asked = await request_sample(client)
        await wait_for(client, asked, lambda event: isinstance(event, e.SectionReviewRequested))
    return asked


async def decisions(client: Client, document_id: str) -> list[tuple[str, str | None, bool]]:
    """What was decided about a document: the event, who, and whether the server knew that."""
    events = [event.contract for event in await client.history(document_id)]
    return [
        (type(one).__name__, one.actor, one.actor_verified) for one in events if isinstance(one, e.Event) and one.actor
    ]


@pytest.mark.req("S4")
async def test_a_colleague_decides_in_nobodys_name(logins: dict[str, Path], document_id: str) -> None:
    """By the subject, by the body, and by whatever the server carries further."""
    approve = {"document_id": document_id, "section_id": "research", "version": 1, "actor": "ida"}
    wrong = json.dumps({**approve, "version": 9, "request_id": "eve-1"}).encode()
    target = subjects.request_of("default", "ida", "approve-section")
    eve = read_login(logins["eve"])
    async with (
        connected_person(eve, asks=True) as asks,
        connected_person(eve, asks=False) as reads,
        Client.connect(login=logins["eve"]) as client,
    ):
        await asks.publish(target, json.dumps(approve).encode())
        key = "$O.uploads-default.C.forged"
        await asks.request(key, json.dumps(approve).encode(), timeout=10)
        own = subjects.request_of("default", "eve", "approve-section")
        stored = await asks.jetstream().publish(own, wrong)
        quoted = json.dumps({"last_by_subj": key, "no_hdr": True}).encode()
        await asks.publish("$JS.API.STREAM.MSG.GET.OBJ_uploads-default", quoted, reply=target)
        await asks.publish(own, wrong, reply=target)
        view = f"$JS.API.DIRECT.GET.KV_documents.$KV.documents.default.{document_id}"
        cancel = subjects.request_of("default", "olga", "cancel-document")
        for reply in (cancel, subjects.request("default", "cancel-document")):
            await reads.publish(view, b'{"no_hdr": true}', reply=reply)
        await barrier(asks)
        await barrier(reads)

        with pytest.raises(RequestRejectedError):
            await client.answer("eve-1", wait_s=20)
        assert stored.stream == subjects.REQUESTS
        assert await decisions(client, document_id) == [
            ("DocumentRequested", "bob", True),
            ("DecisionRefused", "eve", True),
        ]


@pytest.mark.req("S4")
async def test_history_tells_who_decided_and_whom_a_program_named(
    settings: dict[str, str], logins: dict[str, Path], document_id: str
) -> None:
    approved = await run_as(logins["ida"], settings, "approve", document_id, "research", "--version", "1")
    assert approved.exit_code == 0, approved.output
    async with Client.connect(login=logins["bob"]) as client:
        await wait_for(
            client,
            document_id,
            lambda event: isinstance(event, e.SectionReviewRequested) and event.section_id == "solution",
        )
    someone = settings | {"STEMMA_ACTOR": "someone"}
    assert (await run(someone, "approve", document_id, "solution", "--version", "1")).exit_code == 0
    told = (await run_as(logins["cy"], settings, "history", document_id)).stdout.splitlines()
    rows = [line.split("\t")[1:5] for line in told]
    assert rows[0] == ["bob", "", "", "requested"]
    assert rows[-2:] == [["ida", "research", "1", "approved"], ["someone (claimed)", "solution", "1", "approved"]]


@pytest.mark.req("S4")
@pytest.mark.parametrize(
    ("name", "verb", "words"),
    [
        ("ida", ["new", "proposal", "--sample"], "ida may not create-document: the role reviewer does not allow it"),
        ("bob", ["pause"], "bob may not pause-document: the role author does not allow it"),
        ("cy", ["pause"], "cy may not pause-document: the role reader does not allow it"),
    ],
)
async def test_what_a_role_does_not_allow_is_refused_in_words(
    settings: dict[str, str], logins: dict[str, Path], document_id: str, name: str, verb: list[str], words: str
) -> None:
    arguments = verb if verb[0] == "new" else [*verb, document_id]
    refused = await run_as(logins[name], settings, *arguments)
    assert (refused.exit_code, refused.stderr.splitlines()[0]) == (1, f"error: {words}")


@pytest.mark.req("S4")
async def test_a_person_logs_in_is_that_person_and_is_out_when_removed(
    settings: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "dora.login"
    added = await run(settings, "user", "add", "dora", "--role", "reviewer", "-o", str(file), "--json")
    handed_over = {"person": "dora", "role": "reviewer", "tenant": "default", "login": str(file)}
    assert json.loads(added.stdout).items() > handed_over.items()
    assert file.stat().st_mode & 0o077 == 0
    assert (await run(settings, "login")).exit_code == 1
    assert (await run(settings, "login", str(file))).stdout.startswith("dora is reviewer of default at nats://")
    assert login_file(settings).stat().st_mode & 0o077 == 0
    listed = json.loads((await run(settings, "user", "list", "--json")).stdout)
    assert {"person": "dora", "role": "reviewer"} in listed
    rotated = await run(settings, "user", "rotate", "dora", "-o", str(file))
    assert rotated.exit_code == 0
    assert (await run(settings, "list")).exit_code == 1, "the keys of before are of no use"
    assert (await run(settings, "login", str(file))).exit_code == 0
    async with Client.connect(login=file) as client:
        assert client.actor == "dora"
        following = asyncio.ensure_future(anext(client.follow_all(from_sequence=10_000)))
        await client.documents()
        assert (await run(settings, "user", "remove", "dora")).exit_code == 0
        with pytest.raises(AccessDeniedError, match="does not admit dora any more"):
            await asyncio.wait_for(following, 20)
    refused = await run(settings, "list")
    assert (refused.exit_code, "refuses user dora" in refused.stderr) == (1, True)
    assert (await run(settings, "logout")).exit_code == 0
    assert (await run(settings, "list")).exit_code == 0


@pytest.mark.req("S4")
@pytest.mark.parametrize(
    ("name", "role", "words"), [("Ada", "reader", "'Ada'"), ("finn", "boss", "there is no role 'boss'")]
)
async def test_a_name_and_a_role_that_cannot_be_are_wrong_usage(
    settings: dict[str, str], tmp_path: Path, name: str, role: str, words: str
) -> None:
    refused = await run(settings, "user", "add", name, "--role", role, "-o", tmp_path / "x")
    assert (refused.exit_code, words in refused.stderr) == (2, True)
    assert name not in (await run(settings, "user", "list")).stdout


@pytest.mark.timeout(300)
@pytest.mark.req("H1", "H7")
async def test_a_link_of_a_webhook_decides_once_as_the_person_who_signs_in(
    stemma: LocalStemma, client: Client, settings: dict[str, str], tmp_path: Path
) -> None:
    login = tmp_path / "lia.login"
    added = await run(settings, "user", "add", "lia", "--role", "reviewer", "--output", login, "--json")
    with receiving() as receiver:
        async with Client.connect(login=login) as lia:
            await lia.notifications.add(
                NotificationRule(rule_id="mine", on=(Occasion.WAITING,), webhook=receiver.url, secret=new_secret())
            )
        document_id = await request_sample(client)
        async with asyncio.timeout(60):
            while (call := (await receiver.told.get())["data"])["document_id"] != document_id:
                pass
    there = call["links"]["approve"]
    async with httpx.AsyncClient(base_url=stemma.gateway_url, timeout=60) as http:
        assert (await http.get(there, headers={"Accept": "text/html"})).status_code == 303
        typed = {"user": "lia", "password": json.loads(added.stdout)["password"]}
        assert (await http.post("/sign-in", json=typed)).status_code == 200
        browser = {"Accept": "text/html", "Origin": stemma.gateway_url}
        assert "You approve it as lia" in (await http.get(there, headers=browser)).text
        assert "was approved" in (await http.post(there, headers=browser)).text
        await wait_for(client, document_id, lambda event: isinstance(event, e.SectionApproved))
        again = await http.post(there, headers=browser)
        assert (again.status_code, "this link was used" in again.text) == (409, True)
    decided = [event.contract for event in await client.history(document_id)]
    approvals = [one for one in decided if isinstance(one, e.SectionApproved)]
    assert [(one.section_id, one.actor, one.actor_verified) for one in approvals] == [
        (call["sections"][0]["section_id"], "lia", True)
    ]
