"""Two proxies behind nginx, with real PostgreSQL and Redis: `make test-cluster`."""
