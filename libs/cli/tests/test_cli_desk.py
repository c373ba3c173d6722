"""`stemma desk`, where there is no gateway, or none that a token is sent to."""

from typing import Any

import pytest


@pytest.mark.req("H1")
@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        ((), 4, "tells of no gateway"),
        (("--gateway", "http://stemma.example"), 2, "is not sent to http://stemma.example unencrypted"),
        (("--gateway", "stemma.example"), 2, "is no address"),
        (("--gateway", "http://127.0.0.1:1"), 4, "no gateway answers at http://127.0.0.1:1"),
    ],
)
async def test_a_token_is_sent_to_no_gateway_but_an_encrypted_one_or_one_of_this_machine(
    cli: Any, given: tuple[str, ...], code: int, said: str
) -> None:
    done = await cli("desk", "--no-browser", *given)
    assert (done.exit_code, said in done.stderr, done.stdout) == (code, True, "")


@pytest.mark.req("H1")
async def test_a_demonstration_that_goes_on_prints_no_json(cli: Any) -> None:
    done = await cli("demo", "--desk", "--json")
    assert (done.exit_code, "leave --json out" in done.stderr) == (2, True)
