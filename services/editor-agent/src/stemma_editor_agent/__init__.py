"""Revises one draft by instruction; what the instruction is not about stays as it is."""
