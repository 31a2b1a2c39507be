"""The dashboard: what results of many answers say together, and each of them by itself."""
