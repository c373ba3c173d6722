"""Signing in at an OpenID provider that runs here: who the provider knows, and who is linked with that, is let in."""

import base64
import json
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from stemma_client.logins import new_seed, public_key
from stemma_gateway.openid import OpenId, Registration
from stemma_gateway.problems import SignInFailed
from stemma_provisioning import NatsServer
from stemma_provisioning.admitted import AdmittedError, Keys
from stemma_provisioning.providers import LEEWAY_S, Trusted
from stemma_provisioning.roles import Role
from stemma_testkit.servers import provisioned_server
from stemma_testkit.serving import free_port

from .conftest import PAGES, at, problem, running_gateway
from .openid_provider import CLIENT, SECRET, OpenIdProvider, SigningKey

GATEWAY_PORT = free_port()
BACK = f"http://127.0.0.1:{GATEWAY_PORT}/sign-in/back"
APPROVAL = {"section_id": "research", "version": 1}


@pytest.fixture(scope="module")
def provider() -> Iterator[OpenIdProvider]:
    """A provider that runs."""
    made = OpenIdProvider(BACK)
    made.start()
    yield made
    made.stop()


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, provider: OpenIdProvider) -> Iterator[NatsServer]:
    """A server that trusts the provider, with a person whom it calls ada@example.com."""
    trusted = Trusted(provider.issuer, (CLIENT,))
    with provisioned_server(tmp_path_factory.mktemp("house"), trusted=trusted) as server:
        link(server, "ada", "ada@example.com")
        yield server


def link(server: NatsServer, name: str, identity: str, role: Role = Role.REVIEWER) -> None:
    keys = Keys(public_key(new_seed()), public_key(new_seed()))
    server.admitted("default").add(name, role, keys, identity)


def known(provider: OpenIdProvider) -> dict[str, Any]:
    return {"oidc_issuer": provider.issuer, "oidc_client_id": CLIENT, "oidc_client_secret": SECRET}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def address(
    house: NatsServer, provider: OpenIdProvider, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[str]:
    """A gateway that knows the provider."""
    folder = tmp_path_factory.mktemp("gateway")
    async with running_gateway(house, folder, GATEWAY_PORT, requests_at_once=100_000, **known(provider)) as url:
        yield url


async def gone(visitor: httpx.AsyncClient, next_page: str = "/session") -> str:
    """Where a visitor is sent that wants to sign in at the provider."""
    sent = await visitor.get("/sign-in/provider", params={"next": next_page})
    assert sent.status_code == 303
    return str(sent.headers["location"])


def shown(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.req("H1", "S4")
async def test_a_person_signs_in_at_the_provider_and_is_the_person_who_is_linked_with_that(
    visitor: httpx.AsyncClient, provider: OpenIdProvider
) -> None:
    assert "Sign in with 127.0.0.1" in (await visitor.get("/sign-in", headers=PAGES)).text
    back = await provider.sign_in(visitor, await gone(visitor), "ada")
    signed_in = await visitor.get(back, headers=PAGES)
    assert (signed_in.status_code, signed_in.headers["location"]) == (303, "/session")
    who = (await visitor.get("/session")).json()
    assert (who["tenant"], who["user"], who["kind"]) == ("default", "ada", "person")
    assert (await visitor.get("/documents")).json() == []
    assert (await visitor.post("/documents/d1/approve-section", json=APPROVAL)).status_code == 202
    refused = await visitor.post("/documents/d1/cancel-document", json={})
    assert "the role reviewer does not allow it" in refused.json()["detail"]
    again = await visitor.get(back, headers=PAGES)
    assert (again.status_code, "begin again" in again.text) == (401, True)


@pytest.mark.req("H1", "S4")
async def test_whose_address_was_not_verified_is_let_in_as_nobody(
    visitor: httpx.AsyncClient, provider: OpenIdProvider, house: NatsServer
) -> None:
    link(house, "una", "unverified@example.com")
    back = await provider.sign_in(visitor, await gone(visitor), "unverified")
    refused = await visitor.get(back, headers=PAGES)
    assert (refused.status_code, "nobody here is linked with this identity" in refused.text) == (401, True)
    assert problem(await visitor.get("/session")) == (401, "unauthenticated")


@pytest.mark.req("H1")
async def test_an_answer_to_another_sign_in_is_none(visitor: httpx.AsyncClient, provider: OpenIdProvider) -> None:
    back = httpx.URL(await provider.sign_in(visitor, await gone(visitor), "ada"))
    strangers = [
        ({"state": "x"}, "another sign-in"),
        ({"state": "ä"}, "another sign-in"),
        ({"iss": "https://evil.example"}, "another provider"),
        ({"code": "x"}, "took no such answer"),
    ]
    for changed, words in strangers:
        await gone(visitor)
        state = {"state": httpx.QueryParams(httpx.URL(await gone(visitor)).query)["state"]}
        refused = await visitor.get(back.copy_merge_params({**state, **changed}))
        assert problem(refused) == (401, "sign-in-failed")
        assert words in refused.json()["detail"]
    openid = OpenId(Registration(provider.issuer, CLIENT, SECRET))
    there, visit = await openid.begin("/", BACK)
    async with httpx.AsyncClient(timeout=30) as other:
        assert problem(await other.get(back)) == (401, "sign-in-failed")
        answer = dict(httpx.URL(await provider.sign_in(other, there, "ada")).params)
    with pytest.raises(SignInFailed, match="the token is of another sign-in"):
        await openid.finish(visit.model_copy(update={"nonce": "another"}), answer, BACK)


def unsigned(claims: dict[str, Any]) -> str:
    parts = ({"alg": "none"}, claims)
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts) + "."


@pytest.mark.req("H1", "P15", "S4")
async def test_a_token_of_the_provider_is_a_bearer_token_and_any_other_says_why_it_is_not(
    visitor: httpx.AsyncClient, provider: OpenIdProvider
) -> None:
    good, key = provider.claims(), provider.key
    assert (await visitor.get("/session", headers=shown(key.signed(good)))).json()["user"] == "ada"
    wrong: list[tuple[str, str]] = [
        (key.signed({**good, "iss": "https://evil.example"}), "of another provider"),
        (key.signed({**good, "aud": "another"}), "for another application"),
        (key.signed({**good, "aud": [CLIENT, "another"], "azp": "another"}), "not genuine"),
        (key.signed({**good, "exp": int(time.time()) - 120}), "has expired"),
        (key.signed({**good, "email": "bob@example.com"}), "nobody here is linked"),
        (
            key.signed({name: value for name, value in good.items() if name != "email_verified"}),
            "nobody here is linked",
        ),
        (SigningKey().signed(good), "not genuine"),
        (unsigned(good), "is not signed"),
        ("a.b.c", "no token of a provider"),
    ]
    for token, words in wrong:
        answer = await visitor.get("/session", headers=shown(token))
        assert problem(answer) == (401, "unauthenticated"), words
        assert words in answer.json()["detail"]


@pytest.mark.req("H1", "S4")
async def test_who_is_removed_is_out_and_nobody_is_in_for_longer_than_the_token(
    visitor: httpx.AsyncClient, provider: OpenIdProvider, house: NatsServer
) -> None:
    link(house, "eve", "eve@example.com")
    with pytest.raises(AdmittedError, match=r"eve@example\.com is eve already"):
        link(house, "adam", "eve@example.com")
    eve = shown(provider.key.signed(provider.claims(sub="eve", email="eve@example.com")))
    brief = shown(provider.key.signed(provider.claims(exp=int(time.time()) + 6 - LEEWAY_S)))
    for headers in (eve, brief):
        assert (await visitor.get("/kinds", headers=headers)).status_code == 200
    house.admitted("default").remove("eve")
    for headers in (eve, brief):
        while (answer := await visitor.get("/kinds", headers=headers)).status_code in (200, 503):
            pass
        assert problem(answer) == (401, "unauthenticated")


@pytest.mark.req("H1", "F1")
async def test_a_provider_that_is_away_stops_new_sign_ins_alone_and_may_come_back_with_another_key(
    visitor: httpx.AsyncClient, house: NatsServer, provider: OpenIdProvider, tmp_path: Path
) -> None:
    back = await provider.sign_in(visitor, await gone(visitor), "ada")
    provider.stop()
    try:
        assert problem(await visitor.get(back)) == (503, "provider-away")
        later = shown(provider.key.signed(provider.claims()))
        assert (await visitor.get("/session", headers=later)).json()["user"] == "ada"
        async with running_gateway(house, tmp_path, **known(provider)) as other, at(other) as stranger:
            away = await stranger.get("/sign-in/provider", headers=PAGES)
            assert (away.status_code, "the provider does not answer" in away.text) == (503, True)
            assert int(away.headers["retry-after"]) > 0
    finally:
        provider.key = SigningKey()
        provider.start()
    back = await provider.sign_in(visitor, await gone(visitor), "ada")
    assert (await visitor.get(back)).status_code == 303
    assert (await visitor.get("/session")).json()["user"] == "ada"


@pytest.mark.req("H1")
@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({"STEMMA_OIDC_ISSUER": "https://x"}, "STEMMA_OIDC_CLIENT_ID is not set"),
        ({"STEMMA_OIDC_ISSUER": "http://x.example", "STEMMA_OIDC_CLIENT_ID": "a"}, "must begin with https"),
        ({"STEMMA_OIDC_ISSUER": "https://x", "STEMMA_OIDC_CLIENT_ID": "a", "STEMMA_OIDC_TENANT": "*"}, "OIDC_TENANT"),
    ],
)
async def test_a_provider_that_nobody_can_trust_is_refused_by_the_name_of_the_variable(
    environ: dict[str, str], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        Trusted.of(environ)
    assert Trusted.of({}) is None
