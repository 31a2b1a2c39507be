"""Protocols of agents and their platforms, read only; one file per protocol.

Their clients may reject any extra frame, so the result goes to the side channel alone. Text in an
application's own fields (states, outputs, values) makes an answer count as unread only if no other
frame has shown that text.
"""
