"""WebSockets through the proxy: a tunnel of bytes, and the answers in it."""
