"""The steps, each behind the one that its `down_revision` names."""
