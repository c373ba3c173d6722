"""What goes wrong between a service and the bus."""

from __future__ import annotations


class InvalidMessage(ValueError):
    """A message that cannot be read, whoever tries: it is dead-lettered at once.

    Its words name types and fields and never quote the message.
    """


class TakenOver(Exception):
    """Another process went on with what this one was at work on: the message is that one's to settle."""


class MessageTooLarge(ValueError):
    """A message body above the limit for our own messages; content of that size is an artifact."""


class BusFailed(RuntimeError):
    """The connection was closed, a permission is missing or a subscription ended: the process must end."""
