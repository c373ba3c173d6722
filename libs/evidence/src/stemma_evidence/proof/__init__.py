"""What an exported file proves of itself: made, signed and put into it, and verified without any server.

Verifying reads files of strangers: callers do it in a confined process.
"""
