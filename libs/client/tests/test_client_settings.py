from __future__ import annotations

import json
from pathlib import Path

import pytest
from stemma_client import InvalidAddressError
from stemma_client.settings import STATE_FILE, find_server
from stemma_contracts.tokens import InvalidToken

STATE = {"url": "nats://127.0.0.1:5", "tenant": "team", "user": "client-team", "password": "secret", "pid": 7}


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "stemma.json").write_text(json.dumps(STATE))
    return {"STEMMA_DATA_DIR": str(tmp_path)}


@pytest.mark.req("E3")
def test_the_state_file_is_enough(environ: dict[str, str]) -> None:
    found = find_server(environ=environ)

    assert (found.url, found.tenant, found.user, found.password) == (
        "nats://127.0.0.1:5",
        "team",
        "client-team",
        "secret",
    )


@pytest.mark.req("P16")
def test_the_environment_wins_over_the_state_file_and_arguments_over_both(environ: dict[str, str]) -> None:
    environ |= {"STEMMA_NATS_URL": "nats://there:4222", "STEMMA_TENANT": "two", "STEMMA_NATS_PASSWORD": "p"}

    assert find_server(environ=environ).url == "nats://there:4222"
    assert find_server(environ=environ).user == "client-two"
    assert find_server("nats://here:4222", tenant="one", environ=environ).tenant == "one"


@pytest.mark.req("P16")
def test_the_password_of_the_state_file_goes_to_no_other_server(environ: dict[str, str]) -> None:
    found = find_server("nats://elsewhere:4222", environ=environ)

    assert (found.user, found.password) == (None, None)


@pytest.mark.req("P16")
def test_a_password_is_not_shown(environ: dict[str, str]) -> None:
    assert "secret" not in repr(find_server(environ=environ))


@pytest.mark.parametrize("content", ["", "[]", "{", '{"url": 5}'])
def test_a_damaged_state_file_is_no_state_file(tmp_path: Path, content: str) -> None:
    (tmp_path / "stemma.json").write_text(content)

    assert find_server(environ={"STEMMA_DATA_DIR": str(tmp_path)}).url == "nats://127.0.0.1:4222"


@pytest.mark.parametrize(
    "url",
    [
        "nonsense://x",
        "http://127.0.0.1:4222",
        "NATS://there",
        "nats://",
        "nats://:4222",
        "nats://there:notaport",
        "nats://there:99999",
        "nats://[::1",
        "nats://one,",
        "not there",
    ],
)
def test_what_is_no_address_is_refused_by_the_name_of_what_gave_it(url: str, tmp_path: Path) -> None:
    (tmp_path / "stemma.json").write_text(json.dumps({"url": url}))

    with pytest.raises(InvalidAddressError, match="STEMMA_NATS_URL must be an address"):
        find_server(environ={"STEMMA_NATS_URL": url})
    with pytest.raises(InvalidAddressError, match="url must be an address"):
        find_server(url, environ={})
    with pytest.raises(InvalidAddressError, match=STATE_FILE):
        find_server(environ={"STEMMA_DATA_DIR": str(tmp_path)})


@pytest.mark.parametrize(
    "url",
    [
        "there",
        "there:4222",
        "nats://there",
        "tls://there:4222/",
        "wss://there",
        "nats://[::1]:4222",
        "nats://a@b",
        "nats://one,two:1",
    ],
)
def test_an_address_may_be_given_in_every_way_that_a_nats_client_takes(url: str) -> None:
    assert find_server(url, environ={}).url == url


@pytest.mark.req("P16")
def test_a_password_in_a_wrong_address_is_not_shown() -> None:
    with pytest.raises(InvalidAddressError) as refused:
        find_server("nats://me:secret", environ={})
    assert "secret" not in str(refused.value)
    assert find_server("nats://me:secret@one,me:secret@two:1", environ={}).shown == "nats://one,two:1"


def test_a_wrong_tenant_is_refused_by_the_name_of_what_gave_it(tmp_path: Path) -> None:
    (tmp_path / "stemma.json").write_text(json.dumps({"tenant": "a*b"}))

    with pytest.raises(InvalidToken, match="STEMMA_TENANT must match"):
        find_server(environ={"STEMMA_TENANT": "a*b"})
    with pytest.raises(InvalidToken, match=STATE_FILE):
        find_server(environ={"STEMMA_DATA_DIR": str(tmp_path)})
