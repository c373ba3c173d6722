"""LangGraph graphs that write and evaluate sections."""

import os

# LangGraph reads this once, when it is imported; its default executes what a crafted checkpoint names.
os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")
