"""Markers of the tests that need more than the development tools."""


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "stores: needs chromadb and qdrant-client; skipped where they are missing"
    )
