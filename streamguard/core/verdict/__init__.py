"""The verdict on the answer as a whole: scores, rules, status, result."""
