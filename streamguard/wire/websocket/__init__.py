"""WebSockets: their frames, and the answers in the conversations over them."""
