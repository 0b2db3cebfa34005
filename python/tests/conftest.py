# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
import os
import pathlib

import pytest

import footfall

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def scenes():
    """The directory of the scenes that come with footfall."""
    return ROOT / "scenes"


@pytest.fixture
def build():
    """The directory of the tested build."""
    return pathlib.Path(os.environ.get("FF_BUILD", ROOT / "build"))


@pytest.fixture
def ball():
    """A ball dropped from 0.1 m on a floor, as a dict."""
    return {
        "bodies": {"ball": {"mass": "154 g", "shape": {"sphere": {"radius": "1.65 cm"}}, "position": [0, 0, 0.1]}},
        "ground": {"floor": {"plane": {"point": [0, 0, 0], "normal": [0, 0, 1]}}},
        "pairs": [{"between": ["ball", "floor"],
                   "normal": footfall.Normal("azad-featherstone", k=8.5e6, lambda_=3.1e3)}],
        "run": {"until": 0.3},
    }
