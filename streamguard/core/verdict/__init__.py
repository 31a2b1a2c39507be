"""What the answer as a whole comes to: scores, rules, status, result."""
