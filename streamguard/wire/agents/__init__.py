"""Streams of agents and their platforms, which are only read; one file per protocol.

None of them has a frame in which something of ours may ride without its clients' leave, so the
result is on the side channel alone. What may hold text in a place of the application's own choice
(states, outputs, values) leaves an answer unread only where no other frame has shown its text.
"""
