"""LangGraph graphs that write and evaluate sections."""

import os

from stemma_contracts.importing import name_lazily

# LangGraph reads this once, when it is imported; its default executes what a crafted checkpoint names.
os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")
# LangChain imports LangSmith, which is not used, with 170 modules of types.
name_lazily("langsmith.types", "langsmith.resources")
