"""What wraps every handler, one middleware a file, from the outside to the inside.

`Telemetry`, `Heartbeat`, `Settlement`, `DeadLetters`, `PuttingBack`, `Judgement` and `InTurn` wrap all of them, in this
order; the handlers of jobs `Outcomes` and `CallingOff` as well, within. `Chain` is what FastStream sees of them.
"""

from .calling_off import CallingOff
from .chain import Chain, Middleware
from .dead_letters import DeadLetters
from .heartbeat import Heartbeat
from .in_turn import InTurn
from .judgement import Judgement
from .outcomes import Outcomes
from .putting_back import PuttingBack
from .settlement import Settlement
from .telemetry import Telemetry

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
