"""Inputs: each file is read before anything is written, and can be added, replaced and withdrawn at any time."""
