"""Why an answer got its status: what was read, where it was looked up, and which rule held."""
