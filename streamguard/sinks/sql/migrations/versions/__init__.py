"""The migrations, each after the one that its `down_revision` names."""
