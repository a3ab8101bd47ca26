"""Numbers, arrays, texts and enumerations between Python and C."""
from __future__ import annotations

import operator
import os

import numpy as np

from . import _api
from ._footfall import ffi, lib
from ._errors import InputError, unknown


# ---- numbers and arrays ----------------------------------------------------------------------------


def array(value, shape=None, what: str = "array") -> np.ndarray:
    """A C-contiguous array of doubles, of this shape (-1: any length)."""
    try:
        out = np.asarray(value, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise TypeError(f"{what}: expected numbers, got {type(value).__name__}") from error
    if shape is not None:
        shape = tuple(shape)
        if np.ndim(value) != len(shape) or any(w not in (-1, n) for w, n in zip(shape, np.shape(value))):
            wanted = ", ".join("n" if w < 0 else str(w) for w in shape)
            raise InputError(f"{what}: expected shape ({wanted}), got {np.shape(value)}", key=what)
    return out


def doubles(values: np.ndarray):
    """Pointer to the numbers of a contiguous array, which must live as long."""
    return ffi.from_buffer("double[]", values) if values.size else ffi.NULL


def number(value, what: str) -> float:
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{what}: expected a number, got text")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError(f"{what}: expected a number, got {type(value).__name__}") from error


def whole(value, what: str, low: int = -2**31, high: int = 2**31 - 1) -> int:
    try:
        out = operator.index(value)
    except TypeError as error:
        raise TypeError(f"{what}: expected a whole number, got {type(value).__name__}") from error
    if not low <= out <= high:
        raise InputError(f"{what}: {out} is out of range ({low} to {high})", key=what)
    return out


def bytes_of(value, what: str) -> bytes:
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if not isinstance(value, str):
        raise TypeError(f"{what}: expected text, got {type(value).__name__}")
    out = value.encode("utf-8", "surrogateescape")
    if b"\0" in out:
        raise InputError(f"{what}: text with a NUL character", key=what)
    return out


# ---- enumerations ----------------------------------------------------------------------------------


class Words:
    """Words of a C enumeration: "half-space" for FF_HALF_SPACE."""

    def __init__(self, ctype: str) -> None:
        names = [n for n, _ in _api.ENUMS[ctype]["values"] if not n.endswith("_COUNT")]
        prefix = os.path.commonprefix(names)
        prefix = prefix[:prefix.rindex("_") + 1]
        self.noun = ctype[3:].replace("_", " ")
        self.value_of = {n[len(prefix):].lower().replace("_", "-"): getattr(lib, n) for n in names}
        self.word_of = {value: word for word, value in self.value_of.items()}

    def value(self, word, what: str) -> int:
        if isinstance(word, str):
            key = word.lower().replace("_", "-")
            if key not in self.value_of:
                raise unknown(self.noun, word, self.value_of)
            return self.value_of[key]
        out = whole(word, what)
        if out not in self.word_of:
            raise InputError(f"{what}: {out} is no {self.noun}", expected=", ".join(self.value_of))
        return out


WORDS = {name: Words(name) for name in _api.ENUMS}
