"""HTTP over aiohttp, as every server of ours needs it: bodies, encodings, connections."""
