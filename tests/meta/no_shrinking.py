"""A plugin of pytest: Hypothesis stops at the first example that fails, which is enough to see that a test does."""

from hypothesis import Phase, settings


def pytest_collection_finish() -> None:
    settings.register_profile("no shrinking", settings(), phases=(Phase.explicit, Phase.generate))
    settings.load_profile("no shrinking")
