"""Alembic's folder: the migrations of the tables."""
