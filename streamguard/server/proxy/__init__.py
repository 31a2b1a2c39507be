"""The reverse proxy: one request and its answer, from the client to the upstream and back."""
