"""The Python client of Stemma.

```python
import asyncio
from stemma_client import Client

async def main() -> None:
    async with Client.connect() as client:
        accepted = await client.create_document("proposal", brief="A bicycle that lends books.")
        async for event in client.follow(accepted.document_id):
            print(event.name)

asyncio.run(main())
```
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stemma_contracts.v1.views import DocumentView, ExportView, SectionView

    from .client import Client, LiveText
    from .errors import (
        AccessDeniedError,
        AnswerTimeoutError,
        BusyError,
        CopyIncompleteError,
        DocumentNotFoundError,
        ExportFailedError,
        InvalidAddressError,
        InvalidInputError,
        InvalidLoginError,
        NobodyAdmitsError,
        NotReadYetError,
        RequestRejectedError,
        RequestTooLargeError,
        ServerUnreachableError,
        StemmaError,
        TenantFullError,
        TooManyRequestsError,
        UnreadableEventError,
    )
    from .overviews import Overview
    from .recorded import RecordedEvent

_MODULES = {
    "Client": "stemma_client.client",
    "LiveText": "stemma_client.client",
    "Overview": "stemma_client.overviews",
    "RecordedEvent": "stemma_client.recorded",
    "DocumentView": "stemma_contracts.v1.views",
    "ExportView": "stemma_contracts.v1.views",
    "SectionView": "stemma_contracts.v1.views",
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is asked for: the command line starts without NATS and Pydantic."""
    return getattr(import_module(_MODULES.get(name, "stemma_client.errors")), name)
