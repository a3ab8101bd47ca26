import pathlib

import pytest

import footfall as ff

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def ball():
    return ff.load("bouncing-ball")


@pytest.fixture(scope="session")
def humanoid():
    return ff.load("humanoid-standing")
