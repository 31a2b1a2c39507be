"""The chat page's static files, without a build step, and their headers."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType

from streamguard.client import browser_files

_FOLDER = Path(__file__).parent
_MODULE = "streamguard.js"  # is also published by itself
_CONTENT_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}

# Everything from here and nothing else: no inline script or style, no form target, no frame.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
    " img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = MappingProxyType(
    {
        "Content-Security-Policy": CONTENT_SECURITY_POLICY,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-cache",
    }
)


def files() -> dict[str, tuple[bytes, str]]:
    """Return the page's files: path on the server -> content and content type."""
    paths = {path.name: path for path in sorted(_FOLDER.iterdir()) if path.suffix in _CONTENT_TYPES}
    paths[_MODULE] = browser_files() / _MODULE
    found = {
        f"/{name}": (path.read_bytes(), _CONTENT_TYPES[path.suffix]) for name, path in paths.items()
    }
    found["/"] = found.pop("/index.html")
    return found
