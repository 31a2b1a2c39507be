"""The values that cross the border: policy, findings, results."""
