"""What goes wrong between a service and the bus."""


class InvalidMessage(ValueError):
    """A message that cannot be read, whoever tries: it is dead-lettered at once.

    Its words name types and fields and never quote the message.
    """


class ForeignMessage(InvalidMessage):
    """A message that is not its sender's to send: it is put aside, and nobody is told of it in another's name."""


class ForAnotherWorker(Exception):
    """A message that is as good as ever, for another worker than this one; its words hold nothing of a document."""


class Outage(Exception):
    """A store does not answer, or takes no more: what needs it waits, and is never given up for that.

    Its words are those of the store. An error class of a library that cannot import this one says the same by
    ``is_outage = True``.
    """

    is_outage = True


class TakenOver(Exception):
    """Another process went on with what this one was at work on: the message is that one's to settle."""


class PutOff(Exception):
    """The message is to come again after ``delay_s`` seconds, however often that was so before."""

    def __init__(self, delay_s: float, reason: str = "") -> None:
        self.delay_s = delay_s
        super().__init__(reason)


class GivenUp(Exception):
    """What the message asks for was tried long enough: it is put aside."""


class MessageTooLarge(ValueError):
    """A message body above the limit for our own messages; content of that size is an artifact."""


class BusFailed(RuntimeError):
    """The connection was closed, a permission or consumer is missing, or a subscription ended: the process must end."""
