"""HTTP over aiohttp, shared by all our servers: bodies, encodings, connections."""
