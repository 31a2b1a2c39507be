"""Run by Alembic: applies the migrations on the connection that `database.migrate` holds."""

from alembic import context

from streamguard.sinks.sql.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table="streamguard_version",  # as `database._VERSION_TABLE`
    transaction_per_migration=False,
)
context.run_migrations()
