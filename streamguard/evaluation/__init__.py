"""Agreement of verdicts with labels: measures, intervals, curves, thresholds by false alarms."""
