"""A snapshot that the server gives up is asked for again, and never taken for a whole one."""

from pathlib import Path
from unittest.mock import AsyncMock, Mock

import pytest
from nats.aio.msg import Msg
from stemma_provisioning import moving
from stemma_provisioning.moving import NotSaved, file_of, save_stream

GIVEN_UP = {"Status": "408", "Description": "No Flow Response"}


def server(*ends: dict[str, str] | None) -> AsyncMock:
    """A connection to a server whose snapshots end like this, one after the other."""
    client, chunks = AsyncMock(), AsyncMock()
    pieces = [
        Msg(client, data=b"piece") if piece else Msg(client, headers=end) for end in ends for piece in (True, False)
    ]
    chunks.next_msg.side_effect = pieces
    client.new_inbox = Mock(return_value="_INBOX.x")
    client.subscribe.return_value = chunks
    client.request.return_value = Msg(client, data=b'{"config": {"name": "EVENTS"}, "state": {"messages": 1}}')
    return client


@pytest.mark.req("O3")
async def test_a_snapshot_that_the_server_gives_up_is_asked_for_again_and_refused_by_name_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moving, "_PAUSES_S", (0.0, 0.0))
    about = await save_stream(server(GIVEN_UP, GIVEN_UP, {"Status": "204"}), tmp_path, "EVENTS")
    assert (about["state"], file_of(tmp_path, "EVENTS").read_bytes()) == ({"messages": 1}, b"piece")
    with pytest.raises(NotSaved, match="EVENTS: No Flow Response"):
        await save_stream(server(*[GIVEN_UP] * 3), tmp_path, "EVENTS")
