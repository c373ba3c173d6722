"""What would go is shown before a document is erased, and it is erased as it was shown."""

import httpx
import pytest
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.erasure import ErasedStore
from stemma_contracts.v1.requests import EraseDocument
from stemma_testkit.backstage import Backstage

from .desk_pages import plain
from .test_gateway_requirements import bus

__all__ = ["bus"]
pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.req("H2", "O7")]


async def test_what_would_go_is_shown_and_only_that_is_erased(
    web: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    here = f"/desk/documents/{document_id}"
    assert f'href="{here}/erase"' not in (await web.get(here)).text
    await bus.append(document_id, e.DocumentCancelled())
    assert f'href="{here}/erase"' in (await web.get(here)).text
    stores = (ErasedStore(store="model-calls", count=7), ErasedStore(store="artifacts", count=12))
    bus.accepted = {"would_erase": stores, "sequence": 41}
    page = await web.get(f"{here}/erase")
    assert "Records of model calls: 7 Texts and files: 12" in plain(page.text)
    done = await web.post(f"{here}/erase", data={"sequence": "41", "library": "on"})
    assert (done.status_code, done.headers["location"]) == (303, "/desk/documents")
    sent = bus.received[-1][1]
    assert isinstance(sent, EraseDocument)
    assert (sent.document_id, sent.sequence, sent.library) == (document_id, 41, True)
