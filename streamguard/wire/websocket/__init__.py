"""WebSockets: their frames, and the answers in the conversations that are held over them."""
