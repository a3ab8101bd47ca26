"""Structs of the headers as classes, by the tables of _api."""
from __future__ import annotations

import difflib
import inspect
import keyword
import re
from typing import Any

import numpy as np

from . import _api
from ._footfall import ffi, lib
from ._errors import InputError, text_of
from ._values import WORDS, array, bytes_of, doubles, number, whole


SHAPED = {"ff_vec3": (3,), "ff_quat": (4,), "ff_mat3": (3, 3)}


def plain(ctype: str) -> str:
    return ctype.replace("const ", "").replace(" const", "").replace("struct ", "").strip()


def python_name(ctype: str) -> str:
    """BodyDef for ff_body_def."""
    return "".join(part.capitalize() for part in ctype[3:].split("_"))


def id_c(number: int, robot: int | None = None) -> dict:
    """A typed id, of a joint with its robot. All fields are given: cffi clears none."""
    return {"id": number, "of": 0} if robot is None else {"robot": robot, "id": number, "of": 0}


def id_fields(ctype: str) -> list[str]:
    return [field[0] for field in _api.STRUCTS.get(ctype, {}).get("fields", [])]


def is_id(ctype: str) -> bool:
    """A typed number: a struct of `id`, the model it is `of`, and of a joint its `robot`."""
    return id_fields(ctype) in (["id"], ["id", "of"], ["robot", "id", "of"])


def singular(word: str) -> str:
    if word.endswith("ices"):
        return word[:-4] + "ex"
    return word[:-1] if word.endswith("s") else word


class Field:
    """One field of a struct: how it is read from C and written to C."""

    def __init__(self, name: str, ctype: str, doc: str, struct: str, counts: dict) -> None:
        self.name, self.doc = name, doc
        self.type = ffi.typeof(struct)
        self.ctype = dict(self.type.fields)[name].type
        self.base = plain(ctype.rstrip("[] *"))
        self.count = counts.get(name)
        self.annotation = "Any"
        self.read, self.write = self._choose(ctype)

    # reading: (C struct) -> value; writing: (C struct, value, keep)
    def _choose(self, ctype: str):
        kind, base = self.ctype.kind, self.base
        if base == "ff_table":
            self.annotation = "Array | None"
            return self._read_table, self._write_table
        if base == "ff_law_choice":
            self.annotation = "LawChoice | str | tuple[str, dict[str, float]]"
        if kind == "enum":
            self.annotation = "str"
            return self._read_enum, self._write_enum
        if kind == "primitive":
            return self._choose_primitive()
        if kind == "struct":
            return self._choose_struct()
        if kind == "array":
            return self._choose_array()
        if kind == "pointer":
            return self._choose_pointer(ctype)
        return None, None

    def _choose_primitive(self):
        name = self.ctype.cname
        if name == "_Bool":
            self.annotation = "bool"
            return (lambda c: bool(getattr(c, self.name))), self._write_bool
        if name == "double":
            self.annotation = "float"
            return (lambda c: getattr(c, self.name)), self._write_double
        self.annotation = "int"
        return (lambda c: getattr(c, self.name)), self._write_int

    def _choose_struct(self):
        base = self.base
        if base in SHAPED:
            self.annotation = "Array"
            return self._read_shaped, self._write_shaped
        if is_id(base):
            self.annotation = "int"
            return (lambda c: getattr(c, self.name).id), self._write_id
        if base == "ff_law_params":
            return (lambda c: None), None
        if base != "ff_law_choice":
            self.annotation = python_name(base)
        return (lambda c: CLASSES[base]._from_c(getattr(c, self.name))), self._write_struct

    def _choose_array(self):
        item = self.ctype.item
        if item.cname == "char":
            self.annotation = "str"
            return (lambda c: text_of(getattr(c, self.name))), None
        if item.cname == "double" or (item.kind == "array" and item.item.cname == "double"):
            self.annotation = "Array"
            return self._read_shaped, self._write_shaped
        if item.kind == "struct" and self.base in _api.STRUCTS and self.base not in SHAPED:
            self.annotation = f"list[{python_name(self.base)}]"
            return (lambda c: [CLASSES[self.base]._from_c(x) for x in getattr(c, self.name)]), None
        if item.kind == "struct" and self.base in SHAPED:
            self.annotation = "Array"
            return self._read_shaped, self._write_shaped
        return None, None

    def _choose_pointer(self, ctype: str):
        item = self.ctype.item
        if item.cname == "char":
            self.annotation = "str | None"
            return self._read_text, self._write_text
        if self.count and item.kind == "pointer" and item.item.cname == "char":
            self.annotation = "list[str]"
            return self._read_texts, self._write_texts
        if self.count and item.cname in ("double", "int"):
            self.annotation = "Array"
            return self._read_numbers, self._write_numbers
        if self.count and item.kind == "struct" and self.base in SHAPED:
            self.annotation = "Array"
            return self._read_numbers, self._write_numbers
        if self.count and item.kind == "struct":
            self.annotation = f"list[{python_name(self.base)}]"
            return self._read_structs, self._write_structs
        if item.kind == "struct" and item.fields is not None and self.base in _api.STRUCTS:
            self.annotation = f"{python_name(self.base)} | None"
            return self._read_pointed, self._write_pointed
        return None, None

    # ---- tables

    def _read_table(self, c):
        table = getattr(c, self.name)
        if table.rows <= 0 or table.values == ffi.NULL:
            return None
        size = table.rows * (1 + table.width)
        return np.array(ffi.unpack(table.values, size)).reshape(table.rows, 1 + table.width)

    def _write_table(self, c, value, keep):
        if value is None:
            return
        values = np.atleast_2d(array(value, what=self.name))
        if values.shape[1:] in ((1,), (3,)) and np.ndim(value) <= 1:  # a constant
            values = np.concatenate([np.zeros((1, 1)), values], axis=1)
        values = np.ascontiguousarray(values)
        if values.ndim != 2 or values.shape[1] not in (2, 4) or values.shape[0] > 10**7:
            raise InputError(f"{self.name}: expected rows of time and 1 or 3 values, got shape "
                             f"{np.shape(value)}", key=self.name)
        pointer = doubles(values)
        keep += [values, pointer]
        table = getattr(c, self.name)
        table.values, table.rows, table.width = pointer, values.shape[0], values.shape[1] - 1

    # ---- values

    def _read_enum(self, c):
        value = getattr(c, self.name)
        return WORDS[self.base].word_of.get(value, value)

    def _write_enum(self, c, value, keep):
        setattr(c, self.name, WORDS[self.base].value(value, self.name))

    def _write_bool(self, c, value, keep):
        if not isinstance(value, (bool, np.bool_)):
            raise TypeError(f"{self.name}: expected True or False, got {type(value).__name__}")
        setattr(c, self.name, bool(value))

    def _write_double(self, c, value, keep):
        setattr(c, self.name, number(value, self.name))

    def _write_int(self, c, value, keep):
        setattr(c, self.name, whole(value, self.name))

    def _write_id(self, c, value, keep):
        getattr(c, self.name).id = whole(value, self.name)

    def _read_shaped(self, c):
        part = getattr(c, self.name)
        address = part if self.ctype.kind == "array" else ffi.addressof(part)
        size = ffi.sizeof(self.ctype)
        flat = np.frombuffer(ffi.buffer(address, size), dtype=np.float64).copy()
        return flat.reshape(self._shape())

    def _shape(self):
        if self.ctype.kind != "array":
            return SHAPED[self.base]
        item, shape = self.ctype, []
        while item.kind == "array":
            shape.append(item.length)
            item = item.item
        return tuple(shape) + SHAPED.get(self.base, ())

    def _write_shaped(self, c, value, keep):
        values = array(value, self._shape(), self.name)
        part = getattr(c, self.name)
        address = part if self.ctype.kind == "array" else ffi.addressof(part)
        ffi.memmove(address, np.ascontiguousarray(values), ffi.sizeof(self.ctype))

    def _write_struct(self, c, value, keep):
        CLASSES[self.base]._make(value, self.name)._fill(getattr(c, self.name), keep)

    # ---- pointers

    def _read_text(self, c):
        pointer = getattr(c, self.name)
        return None if pointer == ffi.NULL else text_of(pointer)

    def _write_text(self, c, value, keep):
        if value is None:
            setattr(c, self.name, ffi.NULL)
            return
        text = ffi.new("char[]", bytes_of(value, self.name))
        keep.append(text)
        setattr(c, self.name, text)

    def _length(self, c) -> int:
        return max(0, getattr(c, self.count))

    def _read_texts(self, c):
        pointer = getattr(c, self.name)
        return [] if pointer == ffi.NULL else [text_of(pointer[i]) for i in range(self._length(c))]

    def _write_texts(self, c, value, keep):
        if isinstance(value, str):
            raise TypeError(f"{self.name}: expected a list of texts, got one text")
        texts = [ffi.new("char[]", bytes_of(v, self.name)) for v in value]
        pointers = ffi.new("const char *[]", texts or 1)
        keep += [texts, pointers]
        setattr(c, self.name, pointers)
        setattr(c, self.count, len(texts))

    def _read_numbers(self, c):
        pointer, count = getattr(c, self.name), self._length(c)
        shape = (count,) + SHAPED.get(self.base, ())
        if pointer == ffi.NULL:
            return np.empty((0,) + shape[1:])
        kind = np.int32 if self.base == "int" else np.float64
        size = count * ffi.sizeof(self.ctype.item)
        return np.frombuffer(ffi.buffer(pointer, size), dtype=kind).copy().reshape(shape)

    def _write_numbers(self, c, value, keep):
        if self.base == "int":
            values = np.ascontiguousarray(value, dtype=np.int32)
        else:
            values = array(value, (-1,) + SHAPED.get(self.base, ()) if np.size(value) else None, self.name)
        pointer = ffi.from_buffer(values) if values.size else ffi.NULL
        keep += [values, pointer]
        setattr(c, self.name, ffi.cast(self.ctype, pointer))
        setattr(c, self.count, len(values))

    def _read_structs(self, c):
        pointer = getattr(c, self.name)
        if pointer == ffi.NULL:
            return []
        return [CLASSES[self.base]._from_c(pointer[i]) for i in range(self._length(c))]

    def _write_structs(self, c, value, keep):
        if isinstance(value, (str, dict)):
            raise TypeError(f"{self.name}: expected a list")
        items = [CLASSES[self.base]._make(v, self.name) for v in value]
        memory = ffi.new(f"{self.base}[]", max(1, len(items)))
        keep.append(memory)
        for i, item in enumerate(items):
            item._fill(memory[i], keep)
        setattr(c, self.name, memory)
        setattr(c, self.count, len(items))

    def _read_pointed(self, c):
        pointer = getattr(c, self.name)
        return None if pointer == ffi.NULL else CLASSES[self.base]._from_c(pointer[0])

    def _write_pointed(self, c, value, keep):
        if value is None:
            setattr(c, self.name, ffi.NULL)
            return
        memory = ffi.new(f"{self.base} *")
        keep.append(memory)
        CLASSES[self.base]._make(value, self.name)._fill(memory[0], keep)
        setattr(c, self.name, memory)


class Struct:
    """A value with named fields. Definitions start with the defaults of the C library; every field
    can be given by name: BodyDef(name="ball", mass=1)."""

    _ctype = ""
    _fields: dict[str, Field] = {}
    _hidden: tuple = ()

    def __init__(self, *given: Any, **named: Any) -> None:
        values = self.__dict__
        for name, value in self._defaults().items():
            values[name] = value
        if len(given) > len(self._fields):
            raise TypeError(f"{type(self).__name__}: at most {len(self._fields)} values")
        for name, value in zip(self._fields, given):
            setattr(self, name, value)
        for name, value in named.items():
            setattr(self, name, value)
        self._fill(ffi.new(f"{self._ctype} *")[0], [])  # checks types and shapes at once

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._fields:
            near = difflib.get_close_matches(name, list(self._fields), n=1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise TypeError(f"{type(self).__name__} has no field '{name}'{hint} "
                            f"Fields: {', '.join(self._fields)}")
        self.__dict__[name] = value

    @classmethod
    def _defaults(cls) -> dict:
        make = getattr(lib, f"{cls._ctype}_default", None)
        c = make() if make else ffi.new(f"{cls._ctype} *")[0]
        return cls._from_c(c).__dict__

    @classmethod
    def _from_c(cls, c):
        self = cls.__new__(cls)
        self.__dict__.update((name, f.read(c)) for name, f in cls._fields.items())
        return self

    @classmethod
    def _make(cls, value, what: str):
        """An instance from one, or from a mapping of its fields."""
        if isinstance(value, cls):
            return value
        if isinstance(value, dict):
            return cls(**value)
        raise TypeError(f"{what}: expected {cls.__name__}, got {type(value).__name__}")

    def _fill(self, c, keep: list) -> None:
        for name, field in self._fields.items():
            if field.write:
                field.write(c, self.__dict__[name], keep)

    def _c(self, keep: list):
        """As a new C struct; keep holds what it points to. Hidden fields have their defaults."""
        make = getattr(lib, f"{self._ctype}_default", None)
        c = ffi.new(f"{self._ctype} *")
        if make:
            c[0] = make()
        keep.append(c)
        self._fill(c[0], keep)
        return c

    def __repr__(self) -> str:
        shown = ", ".join(f"{n}={_short(v)}" for n, v in self.__dict__.items())
        return f"{type(self).__name__}({shown})"

    def __eq__(self, other: Any) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(_same(self.__dict__[n], other.__dict__[n]) for n in self._fields)

    __hash__ = None  # type: ignore[assignment]


def _same(a, b) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(a, b, equal_nan=True)
    return a == b or (isinstance(a, float) and isinstance(b, float) and a != a and b != b)


def _short(value) -> str:
    if isinstance(value, np.ndarray):
        return np.array2string(value, separator=", ", precision=6, threshold=12).replace("\n", "")
    return repr(value)


class LawChoice(Struct):
    """A law by name with its given parameters: LawChoice("hunt-crossley", k=1e5, alpha=0.2)."""

    def __init__(self, law: str | None = None, params: dict | None = None, **more: float) -> None:
        given = dict(params or {}, **more)
        self.__dict__["law"] = law
        self.__dict__["params"] = {str(k): number(v, str(k)) for k, v in given.items()}
        if law is not None:
            bytes_of(law, "law")

    @classmethod
    def _from_c(cls, c):
        count = max(0, c.count)
        law = None if c.law == ffi.NULL else text_of(c.law)
        return cls(law, {text_of(c.names[i]): c.values[i] for i in range(count)})

    @classmethod
    def _make(cls, value, what: str):
        if isinstance(value, cls):
            return value
        if value is None or isinstance(value, str):
            return cls(value)
        if isinstance(value, dict):
            given = dict(value)
            return cls(given.pop("law", None), given)
        if isinstance(value, (tuple, list)) and len(value) == 2 and isinstance(value[1], dict):
            return cls(value[0], value[1])
        raise TypeError(f"{what}: expected the name of a law, or (name, parameters)")

    def _fill(self, c, keep: list) -> None:
        names = [ffi.new("char[]", bytes_of(n, "parameter")) for n in self.params]
        pointers = ffi.new("const char *[]", names or 1)
        values = ffi.new("double[]", [number(v, n) for n, v in self.params.items()] or 1)
        law = ffi.NULL if self.law is None else ffi.new("char[]", bytes_of(self.law, "law"))
        keep += [names, pointers, values, law]
        c.law, c.names, c.values, c.count = law, pointers, values, len(names)


def _counts(fields) -> dict:
    """Pointer field -> the field that counts its values."""
    names = {name: plain(ctype) for name, ctype, _ in fields}
    out = {}
    for name, ctype, _ in fields:
        if "*" not in ctype or plain(ctype) in ("void *", "char *", "function *"):
            continue
        for count in (f"{singular(name)}_count", f"{name}_count", "count"):
            if names.get(count) == "int":
                out[name] = count
                break
    return out


def python_doc(text: str) -> str:
    """A comment of a header in the words of Python: None for NULL, "half-space" for FF_HALF_SPACE,
    BodyDef for ff_body_def."""

    def word(match):
        name = match.group()
        if name in SPOKEN:
            return SPOKEN[name]
        return python_name(name) if name in _api.STRUCTS else name

    return re.sub(r"\b(?:NULL|NAN|INFINITY|FF_[A-Z_]+|ff_[a-z_]+)\b", word, text)


SPOKEN = {"NULL": "None", "NAN": "nan", "INFINITY": "inf"}
for _words, _table in ((WORDS[n], t) for n, t in _api.ENUMS.items()):
    for _name, _ in _table["values"]:
        _word = _words.word_of.get(getattr(lib, _name))
        SPOKEN[_name] = f'"{_word}"' if _word else _name


def _unit(doc: str) -> str:
    return f": {python_doc(doc)}" if doc else ""


def _make_class(ctype: str) -> type:
    table = _api.STRUCTS[ctype]
    counts = _counts(table["fields"])
    base = LawChoice if ctype == "ff_law_choice" else Struct
    fields = {}
    for name, kind, doc in table["fields"]:
        if name in counts.values() or name == "reserved" or base is LawChoice:
            continue
        field = Field(name, kind, doc, ctype, counts)
        if field.read is not None:  # words of Python's own, as `from`, get a _
            fields[name + "_" if keyword.iskeyword(name) else name] = field
    lines = [python_doc(table["doc"]) or f"{ctype} of footfall/{table['header']}.", ""]
    lines += [f"    {n} ({f.annotation}){_unit(f.doc)}" for n, f in fields.items()]
    default = _api.FUNCTIONS.get(f"{ctype}_default")
    if default and default["doc"]:
        lines += ["", f"Defaults: {python_doc(default['doc'])}"]
    if base is LawChoice:
        LawChoice._ctype = ctype
        return LawChoice
    made = type(python_name(ctype), (base,), {"_ctype": ctype, "_fields": fields,
                                              "__doc__": "\n".join(lines)})
    made.__module__ = "footfall"
    made.__annotations__ = {n: f.annotation for n, f in fields.items()}
    made.__signature__ = inspect.Signature(
        [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=...,
                           annotation=f.annotation) for n, f in fields.items()])
    return made


# Structs that are handles, ids or tables of functions get no class.
NOT_CLASSES = {"ff_impact_data", "ff_impact_fit_def", "ff_impact_fit_vary", "ff_law", "ff_law_params", "ff_table",
               "ff_ncp_def", "ff_run_options",
               "ff_batch_def", "ff_qp_problem", "ff_volume_solid", "ff_report", "ff_recording_info",
               "ff_controller_sense", "ff_reach_def", "ff_qp_def"}
CLASSES = {name: _make_class(name) for name in _api.STRUCTS
           if name not in NOT_CLASSES and name not in SHAPED and not is_id(name)}
