"""A document as its log has it: the one fold of its events, what is stale and why, and views of it.

Pure: for every service and every caller that reads the log. What is decided, and which jobs that opens, is the
orchestrator's alone.
"""
