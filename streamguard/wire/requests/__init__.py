"""What a request shows of its question and its sources."""
