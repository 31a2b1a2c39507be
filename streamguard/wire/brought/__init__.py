"""What frames bring beside the answer's text: passages, citations, and calls of tools."""
