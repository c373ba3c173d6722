"""Blueprints: document kinds as data, and the sections that a document gets from one."""
