"""Results in a database: SQLite in a file, or PostgreSQL for many servers."""
