"""What brings messages to the subscribers: pushed, pulled into slots, or the latest of each key.

FastStream has loops of its own; `stemma_messaging.feeding` says why they are not used.
"""

from .base import Driver, Link
from .compacting import CompactingDriver
from .pull import PullDriver
from .push import PushDriver
from .turns import LaneTurns, Throttle, Turns

__all__ = ["CompactingDriver", "Driver", "LaneTurns", "Link", "PullDriver", "PushDriver", "Throttle", "Turns"]
