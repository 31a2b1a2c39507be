"""What is kept beside the answers: results, their sentences, given contexts, feedback."""
