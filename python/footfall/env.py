"""Environments for learning, with the interface of Gymnasium, which need not be installed."""
from __future__ import annotations

from typing import Any

import numpy as np
