"""The records kept beside the answers: results, their sentences, posted contexts, feedback."""
