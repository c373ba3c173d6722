"""A document: what is decided about it, what its log makes of it, which work that opens, and views of it.

Pure: no I/O, clock, randomness or logging. Time and ids come with commands and events.
"""
