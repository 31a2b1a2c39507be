"""The reverse proxy: relays a request and its answer between client and upstream."""
