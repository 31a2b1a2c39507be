"""Settings of the whole suite."""

from hypothesis import settings

# A busy machine is no fault of the code's: time is measured in benchmarks/, not in tests.
settings.register_profile("streamguard", deadline=None)
settings.load_profile("streamguard")
