"""Runs, recordings and reports."""
from __future__ import annotations

import html
import json
import math
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
import threading
from typing import Any

import numpy as np

from ._footfall import ffi, lib
from ._errors import Error, InputError, MAIN, check, new_report, raise_status, text_of, unknown
from ._handles import Handle, view
from ._values import WORDS, array, bytes_of, doubles, number, whole
from ._structs import CLASSES
from ._binding import attach
from ._model import Model, Scene
from ._sim import Event, Sim


# ---- summary -----------------------------------------------------------------------------------


class Record(dict):
    """A mapping whose entries are also attributes: r.peak_force is r["peak_force"]."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no '{name}'; there are: {', '.join(self)}") from None


class Summary(Record):
    """Summary of a run: what `footfall run --json` prints, and an entry "contact.A:B" for each pair
    of bodies that touched: touches, lifts, peak_force (N), peak_time (s), peak_depth (m), impulse
    (N s)."""

    def __missing__(self, key: Any) -> Any:
        raise unknown("entry of the summary", key, self)


def _records(value: Any) -> Any:
    if isinstance(value, dict):
        return Record((k, _records(v)) for k, v in value.items())
    return [_records(v) for v in value] if isinstance(value, list) else value


def _summarise(text: str, columns: Columns) -> Summary:
    out = Summary()
    try:
        data = json.loads(text) if text else {}
    except ValueError:
        data = {}
    for key, value in (data.items() if isinstance(data, dict) else ()):
        out[key] = _records(value)
    pairs: dict[str, Record] = {}
    for event in out.get("contact_events", []):
        pair = pairs.setdefault(f"{event.a}:{event.b}", _no_contact())
        pair["touches" if event.kind == "touch" else "lifts"] += 1
        if event.kind == "lift" and (event.peak_force or 0) > pair.peak_force:
            pair.update(peak_force=event.peak_force, peak_time=event.peak_time)
        pair["peak_depth"] = max(pair.peak_depth, event.get("peak_depth") or 0)
    time_ = columns.time if columns.rows else None
    for name in columns.names:
        if name.startswith("contact.") and name.endswith(".force.n"):
            force = columns[name]
            if time_ is None or not np.any(force):
                continue
            pair = pairs.setdefault(name[8:-8], _no_contact())
            at = int(np.nanargmax(force))
            if force[at] > pair.peak_force:
                pair.update(peak_force=float(force[at]), peak_time=float(time_[at]))
            pair["impulse"] = float(np.trapz(np.nan_to_num(force), time_))
            depth = f"contact.{name[8:-8]}.depth"
            if depth in columns:
                pair["peak_depth"] = max(pair.peak_depth, float(np.nanmax(columns[depth])))
    for name, pair in pairs.items():
        out[f"contact.{name}"] = pair
    return out


def _no_contact() -> Record:
    return Record(touches=0, lifts=0, peak_force=0.0, peak_time=math.nan, peak_depth=0.0,
                  impulse=math.nan)


class Finding(Record):
    """One finding of the audit: at least `kind` and `text`."""


# ---- columns -----------------------------------------------------------------------------------


class Columns(Handle, Mapping):
    """Recorded channels: a mapping from their names to arrays, which are views without a copy.

        run["energy.residual"].max(); run.time; run.units["energy.residual"]; run.match("energy.*")
    """

    incomplete: str
    """Why the run ended early; "" if it is complete."""

    def _take_columns(self, recording, owner) -> None:
        about = lib.ff_recording_about(recording)
        self._recording, self._owner = recording, owner
        self._rows = int(lib.ff_recording_rows(recording))
        self.names: list[str] = [text_of(about.names[i]) for i in range(about.count)]
        #: Unit of each channel.
        self.units: dict[str, str] = {n: text_of(about.units[i]) for i, n in enumerate(self.names)}
        #: YAML text of the scene, overrides applied.
        self.scene_text: str = text_of(about.scene)
        #: File of the scene, "" if unknown.
        self.scene_file: str = text_of(about.file)
        self.__dict__["incomplete"] = text_of(about.incomplete)
        self._at = {name: i for i, name in enumerate(self.names)}
        self._json = text_of(about.summary)
        self._summary: Summary | None = None

    def __getitem__(self, name: str) -> np.ndarray:
        """A column as a read-only view, which keeps the recording alive."""
        self._use()
        if not isinstance(name, str):
            raise TypeError(f"channel: expected text, got {type(name).__name__}")
        if name not in self._at:
            raise _MissingChannel(unknown("channel", name, self.names))
        return view(lib.ff_recording_column(self._recording, self._at[name]), self._rows, self._owner)

    def __iter__(self) -> Iterator[str]:
        self._use()
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: Any) -> bool:
        return name in self._at

    def __eq__(self, other: Any) -> bool:
        return self is other

    __hash__ = object.__hash__

    @property
    def time(self) -> np.ndarray:
        """s"""
        return self["time"]

    @property
    def rows(self) -> int:
        """Number of samples."""
        return self._rows

    def match(self, glob: str) -> dict[str, np.ndarray]:
        """The columns whose names match, as "energy.*"."""
        text = bytes_of(glob, "glob")
        found = [n for n in self.names if lib.ff_channel_matches(n.encode(), text)]
        if not found:
            raise unknown("channel", glob, self.names)
        return {name: self[name] for name in found}

    def vector(self, name: str) -> np.ndarray:
        """Columns NAME.x, .y, .z (or .w, .x, .y, .z) as one array (rows, 3 or 4); a copy."""
        axes = [a for a in "wxyz" if f"{name}.{a}" in self._at]
        if not axes:
            raise unknown("vector", name, sorted({n.rsplit(".", 1)[0] for n in self.names if n[-2:] == ".x"}))
        return np.stack([self[f"{name}.{a}"] for a in axes], axis=1)

    @property
    def summary(self) -> Summary:
        """Summary of the run."""
        self._use()
        if self._summary is None:
            self._summary = _summarise(self._json, self)
        return self._summary

    @property
    def verdict(self) -> str:
        """"good", or the kind of what is wrong; "unknown" of a recording without a summary."""
        return self.summary.get("audit", {}).get("verdict", "unknown")

    @property
    def good(self) -> bool:
        """Is the verdict good and the run complete?"""
        return self.verdict == "good" and not self.incomplete

    @property
    def findings(self) -> list[Finding]:
        """What the audit found, worst first; empty if all is good."""
        listed = self.summary.get("findings") or self.summary.get("audit", {}).get("findings")
        if listed is not None:
            return [Finding(f) if isinstance(f, dict) else Finding(kind="note", text=str(f)) for f in listed]
        if self.verdict in ("good", "unknown"):
            return []
        return [Finding(kind=self.verdict, text=self.verdict_text)]

    @property
    def verdict_text(self) -> str:
        """The verdict in one line."""
        return self.verdict

    @property
    def events(self) -> list[Any]:
        """Touch-downs and lift-offs in order of time: time, kind, a, b, speed, and of lifts
        peak_force, peak_time, peak_depth. At most the first 10,000."""
        return list(self.summary.get("contact_events", []))

    def load_scene(self, set: Mapping[str, Any] | None = None) -> Model:
        """The model of the scene inside the recording."""
        if not self.scene_text:
            raise InputError("the recording has no scene")
        return Model(Scene.parse(self.scene_text, self.scene_file or "scene", set))

    # ---- output

    def report(self, path: str | os.PathLike, title: str | None = None) -> str:
        """Writes the report as one HTML file, and returns its path."""
        self._use()
        with Page(title) as page:
            page.show(self)
            return page.write(path)

    def _repr_html_(self) -> str:
        if self.closed:
            return html.escape(repr(self))
        try:
            return self._inline_report()
        except Error as error:  # built without the page
            return self._table_html(str(error))

    def _inline_report(self) -> str:
        with tempfile.TemporaryDirectory() as folder:
            path = self.report(os.path.join(folder, "report.html"))
            with open(path, encoding="utf-8") as file:
                text = file.read()
        return ('<iframe style="width:100%;height:640px;border:1px solid #ccc" '
                f'srcdoc="{html.escape(text, quote=True)}"></iframe>')

    def _table_html(self, note: str) -> str:
        energy = self.summary.get("energy", {})
        rows = "".join(f"<tr><td>energy.{html.escape(k)}</td><td>{v:.6g} J</td></tr>"
                       for k, v in energy.items() if v is not None)
        return (f"<p><b>{html.escape(self.verdict_text)}</b></p><table>{rows}</table>"
                f"<p><small>{html.escape(note)}</small></p>")

    def plot(self, *globs: str, x: str = "time", ax: Any = None) -> Any:
        """Plots channels over x with matplotlib, one axis for each unit. Returns the figure."""
        try:
            import matplotlib.pyplot as plt
        except ImportError as error:
            raise ImportError("plot needs matplotlib (Debian: python3-matplotlib)") from error
        found = {n: c for glob in (globs or ("energy.*",)) for n, c in self.match(glob).items()}
        units = sorted({self.units[n] for n in found})
        if ax is not None:
            figure, axes = ax.figure, [ax] * len(units)
        else:
            figure, axes = plt.subplots(len(units), 1, sharex=True, squeeze=False,
                                        figsize=(8, 2.6 * len(units)))
            axes = list(axes[:, 0])
        for axis, unit in zip(axes, units):
            for name, column in found.items():
                if self.units[name] == unit:
                    axis.plot(self[x], column, label=name)
            axis.set_ylabel(unit)
            axis.legend(fontsize="small")
        axes[-1].set_xlabel(f"{x} ({self.units[x]})")
        return figure


class _MissingChannel(InputError, KeyError):
    """A channel that is not recorded."""

    def __init__(self, error: InputError) -> None:
        Error.__init__(self, error.what, key=error.key, expected=error.expected,
                       suggestion=error.suggestion, text=str(error))

    def __str__(self) -> str:
        return str(self.args[0])


class Recording(Columns):
    """A recording read from a file (.h5, .csv, .part)."""

    _destroy = lib.ff_recording_close

    def __init__(self, path: str | os.PathLike) -> None:
        out, report = ffi.new("ff_recording **"), new_report()
        name = bytes_of(path, "path")
        check(lib.ff_recording_open(out, name, report), report)
        self._own(out[0])
        self._take_columns(self._ptr, self._ptr)
        self.path: str = os.fspath(path)

    def __repr__(self) -> str:
        return f"<Recording '{self.path}': {self._rows} samples of {len(self.names)} channels>"


def open_recording(path: str | os.PathLike) -> Recording:
    """Opens a recording: columns, units, events, the embedded scene."""
    return Recording(path)


# ---- runs --------------------------------------------------------------------------------------


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run. run: what was computed."""

    def __init__(self, run: Run) -> None:
        super().__init__("interrupted; `run` has what was computed")
        self.run = run


class Run(Columns):
    """A finished run: verdict, summary, columns, events. In a notebook it shows its report."""

    _destroy = lib.ff_run_destroy

    def __init__(self) -> None:
        raise TypeError("runs are made by Model.run")

    @classmethod
    def _make(cls, model: Model | None, create, progress: bool | None, keep: bool, control=None,
              period: float = 0.0) -> Run:
        """create: makes the C run. model None: that of the scene in the C run, which it resumes."""
        self = cls.__new__(cls)
        watcher = ffi.new("ffpy_watcher *")
        bar = _Progress(progress)
        handle = ffi.new_handle(bar)
        watcher.handle = handle if bar.shown else ffi.NULL
        out, report = ffi.new("ff_run **"), new_report()
        options = ffi.new("ff_run_options *", lib.ff_run_options_default())
        options.keep = bool(keep)
        options.context = watcher
        options.progress = ffi.addressof(lib, "ffpy_progress")
        options.summarise = ffi.addressof(lib, "ffpy_summarise")
        check(create(out, options, report), report)
        self._own(out[0], watcher, handle, model.scene._use() if model else None)
        if model is None:
            scene = lib.ff_run_scene(self._ptr)
            model = Model(Scene.parse(text_of(lib.ff_scene_source(scene)), text_of(lib.ff_scene_file(scene))))
        self.model: Model = model
        self.sim: Sim = Sim._borrow(model, lib.ff_run_sim(self._ptr), self._ptr)
        if control is not None:
            self.sim.on_control(period, control)
        self._execute(watcher, bar, keep)
        return self

    def _execute(self, watcher, bar: _Progress, keep: bool) -> None:
        report, interrupted = new_report(), ffi.new("int *")
        watch = threading.get_ident() == MAIN
        stopped = None
        self.sim._guard.begin()
        try:
            status = lib.ffpy_execute(self._ptr, report, watch, interrupted)
        except KeyboardInterrupt as error:  # raised by the handler as soon as the call had ended
            status, stopped = lib.FF_CANCELLED, error
        finally:
            self.sim._guard.leave()
            bar.end()
        c = self._ptr
        recording = lib.ff_run_recording(c)
        if keep and recording != ffi.NULL:
            self._take_columns(recording, c)
        else:
            self._take_nothing(watcher)
        self.__dict__["incomplete"] = text_of(lib.ff_run_incomplete(c))
        lib.ffpy_watcher_free(watcher)
        line = ffi.new("char[]", 1024)
        lib.ffpy_verdict(lib.ff_run_model(c), lib.ff_run_sim(c), line, 1024)
        self._verdict_text = text_of(line)
        self.outputs: list[str] = [text_of(lib.ff_run_output(c, i)) for i in range(lib.ff_run_output_count(c))]
        counts = lib.ff_run_count(c)
        #: s, wall time of the run.
        self.wall: float = counts.wall
        self.model._last_run = self
        self._raise(status, report, stopped, interrupted[0])

    def _take_nothing(self, watcher) -> None:
        self._recording, self._owner, self._rows = None, None, 0
        self.names, self.units, self._at = [], {}, {}
        self.scene_text, self.scene_file = self.model.scene.source, self.model.scene.file
        self._json, self._summary = text_of(watcher.summary), None

    @property
    def event_list(self) -> list[Event]:
        """The events as Event objects, at most the first 10,000."""
        count = ffi.new("int *")
        events = lib.ff_run_events(self._use(), count)
        return [Event(self.model, events[i]) for i in range(count[0])]

    def _raise(self, status: int, report, stopped, interrupted: int) -> None:
        error = self.sim._callbacks.take_error()
        if error is None and (stopped is not None or interrupted):
            time.sleep(0)  # lets a pending handler of the user raise first
            raise Interrupted(self) from None
        if error is not None:
            error.run = self  # type: ignore[attr-defined]
            raise error
        if status == 0:
            return
        try:
            if status == lib.FF_ERROR_STEP and report.what[0] == b"\0":
                lib.ff_sim_failure(lib.ff_run_sim(self._ptr), report)
            raise_status(status, report)
        except Error as failure:
            failure.run = self  # type: ignore[attr-defined]
            raise

    @property
    def verdict_text(self) -> str:
        """The verdict in one line, as `footfall run` prints it."""
        return self._verdict_text

    def __repr__(self) -> str:
        if self.closed:
            return "<Run, closed>"
        ended = f", incomplete {self.incomplete}" if self.incomplete else ""
        return (f"<Run of '{self.model.name}': {self._rows} samples of {len(self.names)} channels"
                f"{ended}; {self._verdict_text}>")

    def close(self) -> None:
        """Lets the run go; columns that are still referred to stay valid."""
        if not self.closed:
            self.sim.close()
        super().close()


def execute(model: Model, output, progress, control, period, keep, threads, checkpoint) -> Run:
    """Model.run"""
    if control is not None and period is None:
        raise InputError("control needs a period", key="period")
    if control is not None and not callable(control):
        raise TypeError(f"control: expected a function, got {type(control).__name__}")
    outputs = [] if output is None else [output] if isinstance(output, (str, os.PathLike)) else list(output)
    texts = [ffi.new("char[]", bytes_of(o, "output")) for o in outputs]
    pointers = ffi.new("const char *[]", texts or 1)
    saved = ffi.NULL if checkpoint is None else ffi.new("char[]", bytes_of(checkpoint, "checkpoint"))
    count = whole(threads, "threads", 1, 64)

    def create(out, options, report):
        options.outputs, options.output_count = pointers, len(texts)
        options.checkpoint, options.threads = saved, count
        return lib.ff_run_create(out, model.scene._use(), options, report)

    model._use()
    return Run._make(model, create, progress, keep, control, period)


def resume(checkpoint: str | os.PathLike, *, progress: bool | None = None) -> Run:
    """Goes on with a run from its checkpoint, to the last bit. The scene and the outputs are those
    in the checkpoint."""
    name = ffi.new("char[]", bytes_of(checkpoint, "checkpoint"))
    return Run._make(None, lambda out, options, report: lib.ff_run_resume(out, name, options, report),
                     progress, True)


def steppers() -> dict[str, Any]:
    """All time steppers: name -> StepperInfo."""
    return {text_of(c.name): CLASSES["ff_stepper_info"]._from_c(c[0])
            for c in (lib.ff_stepper_at(i) for i in range(lib.ff_stepper_count()))}


# ---- progress ----------------------------------------------------------------------------------


class _Progress:
    """A bar with the time left, on the standard error."""

    def __init__(self, wanted: bool | None) -> None:
        notebook = "ipykernel" in sys.modules
        terminal = hasattr(sys.stderr, "isatty") and sys.stderr is not None and sys.stderr.isatty()
        self.shown = (notebook or terminal) if wanted is None else bool(wanted)
        self.start = time.monotonic()
        self.drawn = False

    def show(self, done: float) -> None:
        spent = time.monotonic() - self.start
        left = spent * (1 - done) / done if done > 0 else 0.0
        full = int(30 * done)
        sys.stderr.write(f"\r[{'#' * full}{'.' * (30 - full)}] {100 * done:3.0f} %, {left:.0f} s left ")
        sys.stderr.flush()
        self.drawn = True

    def end(self) -> None:
        if self.drawn:
            sys.stderr.write("\r" + " " * 60 + "\r")
            sys.stderr.flush()


@ffi.def_extern()
def ffpy_show_progress(context, done):
    ffi.from_handle(context).show(done)


# ---- pages -------------------------------------------------------------------------------------


class Page(Handle):
    """A report of your own: one HTML file with text, tables, plots and runs.

        with ff.Page("Restitution") as page:
            page.text("Mass 1 kg.")
            page.plot("Restitution", ("impact speed", "m/s"), ("e", "1"))
            page.curve("exact", speed, e)
            page.show(run)
            page.write("report.html")
    """

    _destroy = lib.ff_page_destroy

    def __init__(self, title: str | None = None) -> None:
        out = ffi.new("ff_page **")
        name = ffi.NULL if title is None else ffi.new("char[]", bytes_of(title, "title"))
        check(lib.ff_page_create(out, name))
        self._own(out[0])

    def _do(self, call, *args):
        self._guard.modify()
        try:
            return call(self._use(), *args)
        finally:
            self._guard.leave()

    def text(self, text: str) -> None:
        """Plain text; an empty line starts a paragraph."""
        self._do(lib.ff_page_text, b"%s", ffi.new("char[]", bytes_of(text, "text")))

    def table(self, caption: str, columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
        """A table with a cell of text or a number for each column."""
        heads = [ffi.new("char[]", bytes_of(c, "columns")) for c in columns]
        lines = [[ffi.new("char[]", bytes_of(c if isinstance(c, str) else f"{c}", "cell")) for c in row]
                 for row in rows]
        for line in lines:
            if len(line) != len(heads):
                raise InputError(f"rows: expected {len(heads)} cells, got {len(line)}", key="rows")
        self._do(lib.ff_page_table, bytes_of(caption, "caption"), ffi.new("const char *[]", heads or 1),
                 len(heads))
        for line in lines:
            self._do(lib.ff_page_row, ffi.new("const char *[]", line or 1))

    def plot(self, title: str, x: tuple[str, str] = ("", ""), y: tuple[str, str] = ("", ""),
             log: str = "") -> None:
        """Starts a plot; its curves follow. x, y: label and unit. log: "x", "y" or "xy"."""
        keep: list = []
        axes = [CLASSES["ff_axis"](label=a[0], unit=a[1], log=w in log)._c(keep)[0]
                for w, a in (("x", x), ("y", y))]
        self._do(lib.ff_page_plot, bytes_of(title, "title"), *axes)

    def curve(self, name: str, x, y, style: str = "line") -> None:
        """A curve of the last plot. style: line, dash, dot, markers, line-markers."""
        xs, ys = array(x, (-1,), "x"), array(y, (-1,), "y")
        if len(xs) != len(ys):
            raise InputError(f"x and y: expected the same length, got {len(xs)} and {len(ys)}")
        self._do(lib.ff_page_curve, bytes_of(name, "name"), WORDS["ff_curve_style"].value(style, "style"),
                 doubles(xs), doubles(ys), len(xs))

    def panel(self, y: Iterable[str], x: str | None = None) -> None:
        """A panel of the last replay: channels y over channel x (None: time)."""
        names = [ffi.new("char[]", bytes_of(n, "y")) for n in ([y] if isinstance(y, str) else y)]
        over = ffi.NULL if x is None else ffi.new("char[]", bytes_of(x, "x"))
        self._do(lib.ff_page_panel, over, ffi.new("const char *[]", names or 1), len(names))

    def add_run(self, run: Columns) -> int:
        """Adds a run for the blocks replay, ledger, events, laws and summary; returns its number."""
        out = ffi.new("ff_page_run *")
        check(self._do(lambda c: lib.ff_page_add_run(out, c, _recording_of(run))))
        return out.id

    def show(self, run: Columns) -> None:
        """The whole report of a run, in sections."""
        check(self._do(lib.ff_page_show_run, _recording_of(run)))

    def write(self, path: str | os.PathLike) -> str:
        """Writes the complete file, or none; returns its path."""
        report = new_report()
        check(self._do(lib.ff_page_write, bytes_of(path, "path"), report), report)
        return os.fspath(path)


def _recording_of(run: Columns):
    if not isinstance(run, Columns):
        raise TypeError(f"run: expected Run or Recording, got {type(run).__name__}")
    run._use()
    if run._recording is None:
        raise InputError("the run was made with keep=False: open its recording instead")
    return run._recording


def _page_run(page: Page, run) -> int:
    return whole(run, "run", 0)


attach(Page, "ff_page", "ff_page_", {"ff_page_run": _page_run})
