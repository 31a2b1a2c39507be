"""A server's outputs for operators: metrics, logs, traces."""
