"""Studies and papers."""
from __future__ import annotations

import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
from typing import Any

import numpy as np

from ._footfall import ffi, lib
from ._errors import Error, FileError, InputError, check, new_report, text_of, unknown
from ._handles import Handle
from ._values import bytes_of, doubles, whole
from ._structs import CLASSES
from ._binding import attach
from ._batch import cores
from ._run import Record

PROGRAM = pathlib.Path(__file__).parent / "bin" / "footfall"


class Study(Handle):
    """Many runs of one scene with some of its values varied (docs/studies.md).

        study = ff.Study("slide.yaml")
        study.parameters(0); study.evaluate(0)
    """

    _destroy = lib.ff_study_destroy

    def __init__(self, path: str | os.PathLike) -> None:
        out, report = ffi.new("ff_study **"), new_report()
        name = bytes_of(path, "path")
        check(lib.ff_study_load(out, name, report), report)
        self._own(out[0])
        c = self._ptr
        self.runs: int = lib.ff_study_run_count(c)
        self.parameter_names: list[str] = [text_of(lib.ff_study_parameter_name(c, i))
                                           for i in range(lib.ff_study_parameter_count(c))]
        self.measure_names: list[str] = [text_of(lib.ff_study_measure_name(c, i))
                                         for i in range(lib.ff_study_measure_count(c))]
        self.units: dict[str, str] = {n: text_of(lib.ff_study_measure_unit(c, i))
                                      for i, n in enumerate(self.measure_names)}

    def parameters(self, run: int) -> dict[str, Any]:
        """Values of the parameters of a run, numbers or texts."""
        c, at = self._use(), whole(run, "run", 0, self.runs - 1)
        text = ffi.new("char[]", lib.FF_STUDY_TEXT)
        out = {}
        for i, name in enumerate(self.parameter_names):
            value = lib.ff_study_parameter(c, at, i, text)
            out[name] = text_of(text) if np.isnan(value) else value
        return out

    def evaluate(self, run: int) -> Record:
        """Computes one run: its measures by name, status, verdict, end (s) and reason."""
        c, at = self._use(), whole(run, "run", 0, self.runs - 1)
        values = np.zeros(len(self.measure_names))
        result = ffi.new("ff_study_result *")
        lib.ff_study_evaluate(c, at, doubles(values), result, ffi.NULL)
        made = CLASSES["ff_study_result"]._from_c(result[0])
        return Record(zip(self.measure_names, values.tolist()), status=made.status,
                      verdict=made.verdict, end=made.end, reason=made.reason)

    def sweep(self, threads: int | None = None, runs=None) -> Record:
        """Computes all runs (or those given) on several threads: `run`, `parameters` and `measures`
        as arrays by name, `status`, `verdict` and `reason` as lists. The results do not depend on
        the number of threads. For stores that survive a crash use the program's `sweep`."""
        count = cores() if threads is None else whole(threads, "threads", 1, 1024)
        chosen = [whole(r, "run", 0, self.runs - 1) for r in (range(self.runs) if runs is None else runs)]
        with concurrent.futures.ThreadPoolExecutor(count) as pool:
            done = list(pool.map(self.evaluate, chosen))
        given = [self.parameters(r) for r in chosen]
        return Record(run=np.array(chosen, dtype=int),
                      parameters={n: np.array([g[n] for g in given]) for n in self.parameter_names},
                      measures={n: np.array([d[n] for d in done], dtype=float) for n in self.measure_names},
                      status=[d.status for d in done], verdict=[d.verdict for d in done],
                      reason=[d.reason for d in done])

    def __len__(self) -> int:
        return self.runs


attach(Study, "ff_study", "ff_study_")


# ---- the program -------------------------------------------------------------------------------


def program(*arguments: str, check_exit: bool = True) -> str:
    """Runs the program `footfall` that came with the package and returns what it prints."""
    words = [os.fspath(a) for a in arguments]
    if not all(isinstance(w, str) and "\0" not in w for w in words):
        raise InputError("arguments: expected texts without NUL")
    if not PROGRAM.exists():
        raise FileError(f"the program is missing: {PROGRAM}", file=str(PROGRAM))
    done = subprocess.run([str(PROGRAM), *words], capture_output=True, text=True)
    if check_exit and done.returncode not in (0, 1):
        raise InputError(done.stderr.strip().removeprefix("footfall: ") or f"exit code {done.returncode}")
    return done.stdout


def papers() -> list[Record]:
    """The papers that can be reproduced: key, citation, authors, title, summary."""
    return [Record(p) for p in json.loads(program("paper", "--json"))]


def paper(key: str, *, quick: bool = False, report: str | os.PathLike | None = None) -> Record:
    """Reproduces a paper: claims (each with verdict, expected, paper, found), numbers, good. quick:
    coarser figures, the same claims. report: HTML file to write."""
    if not isinstance(key, str):
        raise TypeError(f"key: expected text, got {type(key).__name__}")
    known = [p.key for p in papers()]
    if key not in known:
        raise unknown("paper", key, known)
    words = ["paper", key, "--json"] + (["--quick"] if quick else [])
    words += [] if report is None else ["--output", os.fspath(report)]
    text = program(*words)
    if not text:
        raise Error(f"the paper '{key}' could not be reproduced")
    return json.loads(text, object_hook=Record)


def main() -> int:
    """python3 -m footfall: the program."""
    return subprocess.call([str(PROGRAM), *sys.argv[1:]])
