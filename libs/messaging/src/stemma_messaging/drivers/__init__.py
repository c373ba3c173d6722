"""What brings messages to the subscribers: pushed, pulled into slots, or the latest of each key.

FastStream has loops of its own; `stemma_messaging.feeding` says why they are not used.
"""

from .base import Driver, Link
from .latest import LatestDriver
from .push import PushDriver
from .slots import SlotDriver
from .turns import LaneTurns, Turns

__all__ = ["Driver", "LaneTurns", "LatestDriver", "Link", "PushDriver", "SlotDriver", "Turns"]
