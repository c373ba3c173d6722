"""Where our drivers meet the subscribers of FastStream.

FastStream registers handlers, decodes, calls and wraps them; the messages come from our drivers. Its own loops fetch
whole batches, wait for the slowest of each, begin without regard to lanes, and cost twice as much.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from inspect import unwrap
from typing import Any, get_args, get_type_hints

from faststream import AckPolicy
from faststream.nats.subscriber.usecases.stream_basic import StreamSubscriber
from nats.aio.msg import Msg
from stemma_contracts import Contract, registry
from stemma_telemetry import get_logger, names

from .addresses import matches, overlap
from .delivery import HELD, Delivery, Held, Incoming, Terms, Turn
from .errors import InvalidMessage


def adopt(subscriber: Any, others: Iterable[StreamSubscriber]) -> StreamSubscriber:
    """Make a subscriber of a router one of ours: it is fed, decodes by its annotation, and settles nothing itself.

    Raises `TypeError` for one that would settle messages, declare a stream, take what cannot be decoded, or take what
    one of the others takes.
    """
    if not isinstance(subscriber, StreamSubscriber) or subscriber.stream.declare:
        raise TypeError(f"{_name(subscriber)}: it needs stream=JStream(..., declare=False), which is provisioned")
    if subscriber.ack_policy is not AckPolicy.MANUAL:
        raise TypeError(f"{_name(subscriber)}: our middlewares settle; the router needs ack_policy=AckPolicy.MANUAL")
    _refuse_overlap(subscriber, others)
    for item, handler in _handlers(subscriber):
        item.item_decoder = _decoder(pattern_of(subscriber), taken_by(handler))
    return subscriber


def _handlers(subscriber: StreamSubscriber) -> Iterable[tuple[Any, Callable[..., Any]]]:
    if any(item.dependant is None for item in subscriber.calls):
        subscriber.schema()  # builds what is called
    return [(item, unwrap(item.dependant.call)) for item in subscriber.calls if item.dependant]


def _refuse_overlap(subscriber: StreamSubscriber, others: Iterable[StreamSubscriber]) -> None:
    pattern = pattern_of(subscriber)
    for other in of_stream(others, subscriber.stream.name):
        if overlap(pattern, pattern_of(other)):
            raise TypeError(f"{_name(subscriber)}: {pattern} is for {_name(other)} already, under {pattern_of(other)}")


def results_of(subscriber: StreamSubscriber) -> Iterable[type[Contract]]:
    """The registered contracts that the handlers of a subscriber may return, as they are annotated."""
    known = {entry.cls for entry in registry.entries()}
    for _, handler in _handlers(subscriber):
        returned = get_type_hints(handler).get("return")
        yield from (cls for cls in get_args(returned) or (returned,) if cls in known)


def of_stream(subscribers: Iterable[Any], stream: str) -> list[StreamSubscriber]:
    """Those subscribers that messages of a stream are for."""
    return [own for own in subscribers if isinstance(own, StreamSubscriber) and own.stream.name == stream]


def pattern_of(subscriber: StreamSubscriber) -> str:
    """The subject that a subscriber is for."""
    return subscriber.subject.broker_address


def _name(subscriber: Any) -> str:
    return str(subscriber.calls.name)


def taken_by(handler: Callable[..., Any]) -> type[Any]:
    """What a handler takes, as it is annotated; raises `TypeError` where no message can be decoded to that."""
    hints = get_type_hints(handler)
    hints.pop("return", None)
    taken = next(iter(hints.values()), None)
    if len(hints) != 1 or not (taken is Delivery or (isinstance(taken, type) and issubclass(taken, Contract))):
        raise TypeError(f"{handler.__name__}: it needs one parameter, annotated with a contract or with Delivery")
    assert isinstance(taken, type)
    return taken


def _decoder(pattern: str, taken: type[Any]) -> Callable[[Incoming], Awaitable[Any]]:
    """The contract that ``ce-type`` names, or the message as it came. FastStream runs one that is no coroutine in a
    thread."""

    async def decode(message: Incoming) -> Any:
        delivery = message.held.delivery
        if not matches(pattern, delivery.subject):
            raise InvalidMessage("no handler is for this subject")
        return delivery if taken is Delivery else delivery.decode(taken)

    return decode


class Feed:
    """The subscribers of one stream, as a driver feeds them; raises `TypeError` if there are none."""

    def __init__(self, stream: str, subscribers: Iterable[StreamSubscriber], terms: Terms) -> None:
        self._terms = terms
        self._subscribers = {pattern_of(subscriber): subscriber for subscriber in subscribers}
        if not self._subscribers:
            raise TypeError(f"{stream}: messages are brought that no handler is for")
        self._in_flight: dict[int, Held] = {}
        for subscriber in self._subscribers.values():
            subscriber.schema()  # builds what is called, as `start` does, which subscribes as well
            subscriber.running = True

    async def handle(self, message: Msg, turn: Turn | None = None) -> None:
        """Handle a message and settle it. A cancelled handler gives the message back; nothing else is raised.

        After a silence the server delivers again what this process still works on: the work goes on, and is
        settled by the newest delivery.
        """
        sequence = message.metadata.sequence.stream
        if sequence in self._in_flight:
            self._in_flight[sequence].message = message
            return
        held = self._in_flight[sequence] = Held(message, Delivery.of(message), self._terms, turn)
        setattr(message, HELD, held)
        try:
            await self._subscriber(message.subject).process_message(message)
        except Exception as error:  # of FastStream, before the middlewares: the server delivers it again
            get_logger().error(names.Log.MESSAGE_UNSETTLED, subject=held.delivery.template, error=error)
        finally:
            del self._in_flight[sequence]
            delattr(message, HELD)  # each names the other, and garbage is collected rarely
        if isinstance(held.error, asyncio.CancelledError):
            raise held.error

    def _subscriber(self, subject: str) -> StreamSubscriber:
        if subject in self._subscribers:  # as the subjects of jobs are, which come most
            return self._subscribers[subject]
        fitting = (own for pattern, own in self._subscribers.items() if matches(pattern, subject))
        return next(fitting, None) or next(iter(self._subscribers.values()))
