"""Written cases that tests go through: values, anchors, sentences, agreement, prompts, faults."""
