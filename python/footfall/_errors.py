"""Errors as exceptions."""
from __future__ import annotations

import difflib
import threading

from ._footfall import ffi, lib


MAIN = threading.main_thread().ident


class Error(Exception):
    """An error that the library reports.

    what: what is wrong; file, line, column: where, if it is in a file; key: path of the value, as
    in "bodies.ball.mass"; expected: what is allowed; suggestion: the known word nearest to an
    unknown one. Empty text and 0 where not known.
    """

    def __init__(self, what: str, *, file: str = "", line: int = 0, column: int = 0, key: str = "",
                 expected: str = "", suggestion: str = "", text: str = "") -> None:
        super().__init__(text or what)
        self.what = what
        self.file = file
        self.line = line
        self.column = column
        self.key = key
        self.expected = expected
        self.suggestion = suggestion


class InputError(Error, ValueError):
    """A scene, parameter or argument is wrong."""


class FileError(Error, OSError):
    """A file could not be read or written; no partial file is left."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class OutOfMemory(Error, MemoryError):
    """An allocation failed; nothing was changed."""


class StepError(Error, RuntimeError):
    """A step could not be completed; the state is the one before it."""


class CapacityError(Error, RuntimeError):
    """More contacts at once than the capacity of the sim; the state is unchanged."""


class Cancelled(Error):
    """Ended by `cancel`; the state is that at the end of a step."""


class ClosedError(Error, ValueError):
    """The object has been closed."""


class BusyError(Error, RuntimeError):
    """The object is being used by another thread, or by the call that called this function."""


ERRORS = {lib.FF_ERROR_INPUT: InputError, lib.FF_ERROR_MEMORY: OutOfMemory,
          lib.FF_ERROR_FILE: FileError, lib.FF_ERROR_STEP: StepError,
          lib.FF_ERROR_CAPACITY: CapacityError, lib.FF_CANCELLED: Cancelled}


def text_of(pointer) -> str:
    return "" if pointer == ffi.NULL else ffi.string(pointer).decode("utf-8", "replace")


def raise_status(status: int, report=None, what: str = "") -> None:
    """Raises the exception of a status, with what the report says."""
    kind = ERRORS.get(status, Error)
    if report is not None and report.what[0] != b"\0":
        size = lib.ff_report_text(report, ffi.NULL, 0)
        buffer = ffi.new("char[]", size + 1)
        lib.ff_report_text(report, buffer, size + 1)
        raise kind(text_of(report.what), file=text_of(report.file), line=report.line,
                   column=report.column, key=text_of(report.key), expected=text_of(report.expected),
                   suggestion=text_of(report.nearest), text=text_of(buffer))
    raise kind(what or text_of(lib.ff_status_text(status)))


def check(status: int, report=None, what: str = "") -> None:
    if status != 0:
        raise_status(status, report, what)


def new_report():
    return ffi.new("ff_report *")


def unknown(noun: str, word: str, known) -> InputError:
    """An error about an unknown word, with the nearest known one."""
    known = list(known)
    near = difflib.get_close_matches(str(word), known, n=1)
    text = f"unknown {noun} '{word}'"
    text += f"; did you mean '{near[0]}'?" if near else ""
    shown = ", ".join(known[:20]) + (", ..." if len(known) > 20 else "")
    return InputError(f"unknown {noun} '{word}'", key=str(word), expected=shown,
                      suggestion=near[0] if near else "", text=f"{text} Allowed: {shown}")
