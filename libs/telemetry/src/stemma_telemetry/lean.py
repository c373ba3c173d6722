"""structlog without rich, which it loads for pictures of tracebacks that no line of ours has: 4 MB of a process."""

from __future__ import annotations

import sys

_IS_NEW = "rich" not in sys.modules
if _IS_NEW:
    sys.modules["rich"] = None  # type: ignore[assignment]

import structlog  # noqa: E402

if _IS_NEW:
    del sys.modules["rich"]

__all__ = ["structlog"]
