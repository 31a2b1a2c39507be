"""How well verdicts agree with labels: measures, intervals, curves, thresholds by false alarms."""
