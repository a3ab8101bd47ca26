"""Owners of C objects, and arrays that look into them."""
from __future__ import annotations

import difflib
import math
from typing import Any, Callable

import numpy as np

from ._fast import Guard
from ._footfall import ffi
from ._errors import BusyError, ClosedError, raise_status


def owned(pointer, destroy: Callable | None, keep=()):
    """A C object that its destroy function, which takes the address of a pointer, frees when no
    reference is left. keep: what it needs until then."""
    if destroy is None:
        return ffi.gc(pointer, lambda p, keep=keep: None)
    kind = ffi.getctype(ffi.typeof(pointer), "*")
    return ffi.gc(pointer, lambda p, keep=keep: destroy(ffi.new(kind, p)))


class Handle:
    """Owner of a C object. `close` lets it go; every use afterwards raises ClosedError. Arrays that
    look into it keep it alive."""

    _destroy: Callable | None = None

    def _own(self, pointer, *keep, step: int = 0, read: int = 0, release: bool = True,
             fail: Callable | None = None) -> None:
        """Takes a C object that its destroy function frees when no reference is left. keep: what it
        needs until then. The guard refers to the handle's errors only, not to the handle."""
        destroy = type(self)._destroy
        owner = owned(pointer, destroy, keep)
        self._ptr = owner
        name = type(self).__name__
        self._guard = Guard(int(ffi.cast("uintptr_t", pointer)), owner, fail or Failure(name),
                            step, read, release)

    def _use(self):
        """The C object, for calls that need no lock. It lives as long as somebody refers to it."""
        pointer = self._ptr
        if pointer is None:
            raise ClosedError(f"{type(self).__name__}: used after close")
        return pointer

    def close(self) -> None:
        """Lets the C object go. Calling it twice is allowed."""
        if self._ptr is not None:
            self._guard.close()
            self._ptr = None

    @property
    def closed(self) -> bool:
        """Has it been closed?"""
        return self._ptr is None

    def __enter__(self):
        self._use()
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __reduce__(self):
        raise TypeError(f"{type(self).__name__} cannot be pickled or copied")

    def __setattr__(self, name: str, value: Any) -> None:
        """Public attributes are set once: sizes and owners must stay those of the C object."""
        public = not name.startswith("_") and not isinstance(getattr(type(self), name, None), property)
        if public and name in self.__dict__:
            raise AttributeError(f"{type(self).__name__}.{name} cannot be set")
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be deleted")

    def __getattr__(self, name: str):
        if name in ("_guard", "_ptr"):  # not made yet: its constructor failed
            raise ClosedError(f"{type(self).__name__}: was not created")
        known = [n for n in dir(type(self)) if not n.startswith("_")]
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"; did you mean '{near[0]}'?" if near and not name.startswith("_") else ""
        raise AttributeError(f"{type(self).__name__} has no attribute '{name}'{hint}")


class Failure:
    """Raises for a status, or for the misuse that a guard found."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, status: int) -> None:
        if status == -1:
            raise ClosedError(f"{self.name}: used after close")
        if status == -2:
            raise BusyError(f"{self.name}: in use by another thread; give each thread its own, "
                            "or wait until the call has ended")
        if status == -3:
            raise BusyError(f"{self.name}: cannot be changed in this way by a function that it "
                            "calls during a step")
        raise_status(status)


class Held:
    """An array interface over memory of a C object, which it keeps alive."""

    __slots__ = ("owner", "__array_interface__")

    def __init__(self, pointer, shape: tuple, owner: Any, typestr: str) -> None:
        self.owner = owner
        self.__array_interface__ = {"data": (int(ffi.cast("uintptr_t", pointer)), True),
                                    "shape": shape, "typestr": typestr, "version": 3}


def view(pointer, shape, owner) -> np.ndarray:
    """A read-only array of doubles at the pointer, without a copy; keeps the owner alive."""
    shape = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    if pointer == ffi.NULL or math.prod(shape) == 0:
        return np.empty(shape)
    return np.asarray(Held(pointer, shape, owner, "<f8"))
