"""The dashboard: statistics over many results, and each result by itself."""
