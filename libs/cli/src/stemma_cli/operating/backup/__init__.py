"""Copies of a whole installation while it runs, and an installation from such a copy.

Nothing stops while a backup is made, so its parts are of different moments, and their order makes them fit together:

1. What speaks of the log: advisories, queues with their consumers, dead letters, summaries. All that they speak of is
   in the log that is copied later.
2. The checkpoints. The log must not speak of one that is not there: see 3.
3. The log, up to the event before the first that names a checkpoint that was not there yet. This is the sequence of
   the backup.
4. What the log speaks of, and never changes: records of calls, artifacts, uploads. Answers come here, too: without
   those about later events.

What was restored is then as an installation whose processes were all killed at once, which is what Stemma survives
anyway: messages come again, jobs that are missing are published anew (``stemma-orchestrator --repair``).
"""
