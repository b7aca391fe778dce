import pytest

from refrank.models import save_model
from tests.models.kinds import train
from tests.models.members import KINDS, take_apart


@pytest.fixture(scope="session")
def parts(tmp_path_factory):
    """The members of the file of each kind, decoded."""
    path, members = tmp_path_factory.getbasetemp() / "whole", {}
    for name in KINDS:
        save_model(train(name), path)
        members[name] = take_apart(path)
    return members
