"""Code that reads hostile text is called in a process of its own, with limits, and with nothing of ours in reach."""

from .calls import Call, ConfinementError, Crashed, Limits, OutOfMemory, OutOfTime, Stalled
from .prepared import Prepared
