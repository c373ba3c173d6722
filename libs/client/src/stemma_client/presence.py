"""Who has the editor of a section open: told on the bus while it is so, and stored nowhere."""

from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import dataclass

from nats.errors import Error as NatsError
from stemma_contracts import subjects

from .connection import Connection

HERE, GONE = b"here", b"gone"
"""All that such a message can say. Whatever else comes, the server was made to send, and says nothing."""


@dataclass(frozen=True)
class Presence:
    """That a person has the editor of a section open, or has closed it."""

    person: str
    section_id: str
    here: bool


async def tell_presence(connection: Connection, document_id: str, section_id: str, *, here: bool) -> None:
    """Tell the others of one's tenant; a program tells nobody. Raises as `Connection.asking` does."""
    if login := connection.address.login:
        subject = subjects.presence(connection.address.tenant, login.person, document_id, section_id)
        asking = await connection.asking_connection()
        await connection.call(asking.publish(subject, HERE if here else GONE))


async def follow_presence(connection: Connection, document_id: str) -> AsyncGenerator[Presence, None]:
    """What people of the tenant tell from now on; raises as `Connection.asking` does."""
    subject = subjects.presence(connection.address.tenant, subjects.ANY, document_id, subjects.ANY)
    subscription = await (await connection.asking_connection()).subscribe(subject)
    try:
        async for message in subscription.messages:
            if message.data in (HERE, GONE):
                *_, person, _, section_id = message.subject.split(".")
                yield Presence(person, section_id, message.data == HERE)
    finally:
        with suppress(NatsError):
            await subscription.unsubscribe()
    connection.raise_if_lost()
