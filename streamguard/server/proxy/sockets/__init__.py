"""WebSockets through the proxy: a byte tunnel, and the answers inside."""
