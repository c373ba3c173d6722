"""Revises one draft by instruction; what the instruction is not about stays as it is."""

from stemma_contracts.importing import name_lazily

# LangChain imports LangSmith, which is not used, with 170 modules of types.
name_lazily("langsmith.types", "langsmith.resources")
