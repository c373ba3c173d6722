"""What wraps every handler, from the outside to the inside.

`Telemetry`, `Heartbeat`, `Settlement`, `DeadLetters`, `PuttingBack`, `Judgement` and `InTurn` wrap all of them, in this
order; the handlers of jobs `Outcomes` and `CallingOff` as well, within. `Chain` is what FastStream sees of them.
"""

from .chain import Chain, Middleware
from .settlement import DeadLetters, Judgement, Outcomes, PuttingBack, Settlement
from .telemetry import Telemetry
from .working import CallingOff, Heartbeat, InTurn

__all__ = [
    "CallingOff",
    "Chain",
    "DeadLetters",
    "Heartbeat",
    "InTurn",
    "Judgement",
    "Middleware",
    "Outcomes",
    "PuttingBack",
    "Settlement",
    "Telemetry",
]
