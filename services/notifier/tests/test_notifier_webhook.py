"""Webhooks to a real receiver: signed, bounded, and never into the house."""

from ipaddress import ip_address, ip_network
from itertools import product

import pytest
from standardwebhooks import Webhook as Verifier
from standardwebhooks import WebhookVerificationError
from stemma_notifier.sending import Guard, NotSent, Refused, Webhook, is_public, trusted_ssl_context

from .conftest import SECRET, Receiver, notice

LOOPBACK = [ip_network("127.0.0.0/8")]
PRIVATE = "10.0.0.1 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1 240.0.0.1".split()
TRUST = trusted_ssl_context()


@pytest.mark.req("H7")
async def test_a_webhook_is_signed_so_that_the_standard_library_of_receivers_takes_it(receiver: Receiver) -> None:
    assert await Webhook(LOOPBACK, 10, TRUST).send(receiver.url(), SECRET, notice()) == "HTTP 204"
    [call] = receiver.calls
    told = Verifier(SECRET).verify(call.body, call.headers)
    assert told == {
        "type": "stemma.waiting",
        "timestamp": "2026-03-01T12:00:00+00:00",
        "data": {
            "tenant": "default",
            "rule_id": "r1",
            "event": "",
            "sequence": 0,
            "document_id": "d1",
            "kind": "proposal",
            "sections": [{"section_id": "research", "title": "Research"}],
            "version": 1,
        },
    }
    assert call.notice_id == "msg_1"
    with pytest.raises(WebhookVerificationError):
        Verifier(SECRET).verify(call.body.replace(b"research", b"budget"), call.headers)


@pytest.mark.req("H7")
@pytest.mark.parametrize(
    ("status", "error"), [(301, NotSent), (404, NotSent), (410, Refused), (429, NotSent), (503, NotSent)]
)
async def test_an_answer_other_than_success_is_a_failure_a_redirect_is_not_followed_and_410_is_the_end(
    receiver: Receiver, status: int, error: type[NotSent]
) -> None:
    receiver.status, receiver.location = status, receiver.url("/elsewhere")
    with pytest.raises(NotSent, match=f"HTTP {status}") as failed:
        await Webhook(LOOPBACK, 10, TRUST).send(receiver.url(), SECRET, notice())
    assert type(failed.value) is error
    assert [call.path for call in receiver.calls] == ["/hook"]


@pytest.mark.req("H7")
async def test_a_receiver_that_never_answers_is_left_after_the_limit(receiver: Receiver) -> None:
    with pytest.raises(NotSent, match=r"no answer within 0\.2 s"):
        await Webhook(LOOPBACK, 0.2, TRUST).send(receiver.url("/silent"), SECRET, notice())


HOSTS = ("127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]")


@pytest.mark.req("H7", "S1")
async def test_an_address_of_this_machine_is_refused_however_it_is_written(receiver: Receiver) -> None:
    for scheme, host in product(("http", "https"), HOSTS):
        with pytest.raises(Refused):
            await Webhook([], 10, TRUST).send(f"{scheme}://{host}:{receiver.server_port}/hook", SECRET, notice())
    assert receiver.calls == []


@pytest.mark.req("H7", "S1")
def test_an_address_that_is_not_public_is_known_as_such() -> None:
    addresses = [*PRIVATE, "::", "fe80::1", "fc00::1", "ff02::1", "2001:db8::1"]
    assert [one for one in addresses if is_public(ip_address(one))] == []
    assert is_public(ip_address("93.184.216.34"))
    assert is_public(ip_address("2606:2800:220:1::1"))


@pytest.mark.req("H7", "S1")
@pytest.mark.parametrize("address", ["64:ff9b::7f00:1", "2002:7f00:1::", "::ffff:10.0.0.1"])
async def test_an_address_that_stands_for_a_private_one_is_refused(address: str) -> None:
    with pytest.raises(Refused):
        await Guard([], plain=False).connect_tcp(address, 443)


@pytest.mark.req("H7", "S1")
async def test_plain_http_goes_to_no_public_address_however_it_is_written(receiver: Receiver) -> None:
    with pytest.raises(Refused, match="allowed networks"):
        await Guard([], plain=True).connect_tcp("93.184.216.34", 80)
    for scheme in ("http", "HTTP", "hTTp"):
        with pytest.raises(Refused, match="http is for allowed networks alone"):
            await Webhook([], 10, TRUST).send(receiver.url().replace("http", scheme, 1), SECRET, notice())
