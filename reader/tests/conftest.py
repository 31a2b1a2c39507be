"""Made-up rows, read once for all tests; one thread, so that sums come in one order."""

import pytest
import torch

from streamguard_reader.records import SOURCES, write_source
from tests import made

torch.set_num_threads(1)


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    return made.write(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="session")
def folder(data, tmp_path_factory):
    where = tmp_path_factory.mktemp("claims")
    for name in sorted(SOURCES.keys() - {"public", "held_out"}):
        write_source(name, data, where)
    return where
