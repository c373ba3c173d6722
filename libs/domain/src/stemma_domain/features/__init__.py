"""What people and services can do with a document, a feature in each module.

A module has the same order everywhere: requests, state, evolve, decide, work, view, and the ``FEATURE`` with its hooks.
"""
