"""Logged answers checked after the fact: any number of them, and what another policy says."""
