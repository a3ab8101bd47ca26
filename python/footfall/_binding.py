"""Functions of the headers as Python functions, by the tables of _api."""
from __future__ import annotations

import keyword
from typing import Callable

import numpy as np

from . import _api
from ._footfall import ffi, lib
from ._errors import check, new_report, text_of
from ._values import WORDS, array, bytes_of, number, whole
from ._structs import CLASSES, SHAPED, id_c, id_fields, is_id, plain, python_doc, python_name


class Unsupported(Exception):
    """A function of the library that needs code of its own in the package."""


def read_value(ctype: str, value):
    """A C value that a function returned, as Python sees it."""
    base = plain(ctype)
    if base in SHAPED:
        memory = ffi.new(f"{base} *", value)
        return np.frombuffer(ffi.buffer(memory), dtype=np.float64).copy().reshape(SHAPED[base])
    if base in CLASSES:
        return CLASSES[base]._from_c(value)
    if is_id(base):
        return value.id
    if base in WORDS:
        return WORDS[base].word_of.get(value, value)
    if base == "char *":
        return None if value == ffi.NULL else text_of(value)
    if base == "bool":
        return bool(value)
    return value


def shaped_c(ctype: str, value, what: str):
    values = array(value, SHAPED[ctype], what)
    out = ffi.new(f"{ctype} *")
    ffi.memmove(out, values, ffi.sizeof(ctype))
    return out[0]


class Argument:
    """One argument of a bound function: its name, and its conversion to C."""

    def __init__(self, name: str, ctype: str, finders: dict) -> None:
        self.name = name
        self.annotation = "float"
        base = plain(ctype)
        pointer = base.endswith("*")
        if base in ("double", "float"):
            self.to_c = lambda owner, v, keep: number(v, name)
        elif base in ("bool",):
            self.annotation = "bool"
            self.to_c = lambda owner, v, keep: bool(v)
        elif not pointer and name in finders:
            self.annotation = "int | str"
            self.to_c = lambda owner, v, keep: finders[name](owner, v)
        elif base in ("int", "long", "size_t", "unsigned"):
            self.annotation = "int"
            low, high = (0, 2**63 - 1) if base == "size_t" else (-2**31, 2**31 - 1)
            self.to_c = lambda owner, v, keep: whole(v, name, low, high)
        elif base in WORDS:
            self.annotation = "str"
            self.to_c = lambda owner, v, keep: WORDS[base].value(v, name)
        elif base in SHAPED:
            self.annotation = "ArrayLike"
            self.to_c = lambda owner, v, keep: shaped_c(base, v, name)
        elif is_id(base):
            if base not in finders:
                raise Unsupported(f"{base}: a typed id without a finder")
            self.annotation = "tuple | int | str" if base == "ff_joint_id" else "int | str"
            wanted = id_fields(base)

            def to_c(owner, v, keep):
                found = finders[base](owner, v)
                given = found if isinstance(found, dict) else id_c(found)
                return {name: given[name] for name in wanted}

            self.to_c = to_c
        elif base == "char *" and "const" in ctype:
            self.annotation = "str"
            self.to_c = lambda owner, v, keep: ffi.new("char[]", bytes_of(v, name))
        elif base in CLASSES:
            self.annotation = python_name(base)
            self.to_c = lambda owner, v, keep: CLASSES[base]._make(v, name)._c(keep)[0]
        elif pointer and "const" in ctype and plain(base[:-1]) in CLASSES:
            inner = plain(base[:-1])
            self.annotation = python_name(inner)
            self.to_c = lambda owner, v, keep: CLASSES[inner]._make(v, name)._c(keep)
        else:
            raise Unsupported(f"argument {name} of type {ctype}")


def bind(function: str, handle: str | None = None, finders: dict | None = None,
         may_step: bool = False) -> Callable:
    """A Python function for a C function, from its signature alone. handle: the C type of its first
    argument, which becomes self. finders: names of things to ids. may_step: may be called by
    functions that run during a step."""
    table = _api.FUNCTIONS[function]
    given = list(table["args"])
    returns = plain(table["returns"])
    modifies = False
    if handle:
        if not given or plain(given[0][1]) != f"{handle} *":
            raise Unsupported("its first argument is another object")
        modifies = "const" not in given[0][1] and not may_step
        given = given[1:]
    reported = bool(given) and plain(given[-1][1]) == "ff_report *"
    given = given[:-1] if reported else given
    output = None
    if given and given[0][0] == "out" and "const" not in given[0][1] and returns == "ff_status":
        output = plain(given[0][1])[:-1].strip()
        if output not in CLASSES and output not in SHAPED:
            raise Unsupported(f"output of type {given[0][1]}")
        given = given[1:]
    args = [Argument(name, ctype, finders or {}) for name, ctype in given]
    known = (returns in ("void", "ff_status", "double", "int", "long", "bool", "char *", "size_t",
                         "uint64_t") or returns in SHAPED or returns in CLASSES or returns in WORDS
             or is_id(returns))
    if not known or returns in ("char *",) and "const" not in table["returns"]:
        raise Unsupported(f"returns {table['returns']}")
    call = getattr(lib, function)
    names = [a.name + "_" if keyword.iskeyword(a.name) else a.name for a in args]
    result = output or returns

    def body(owner, values):
        keep: list = []
        passed = [a.to_c(owner, v, keep) for a, v in zip(args, values)]
        out = ffi.new(f"{output} *") if output else None
        report = new_report() if reported else None
        front = [] if out is None else [out]
        passed = front + passed + ([report] if reported else [])
        if owner is None:
            got = call(*passed)
        else:
            guard = owner._guard
            guard.modify() if modifies else guard.enter()
            try:
                got = call(owner._use(), *passed)
            finally:
                guard.leave()
        if returns == "ff_status":
            check(got, report, f"{function}: {text_of(lib.ff_status_text(got))}")
            return read_value(output, out[0]) if output else None
        return None if returns == "void" else read_value(table["returns"], got)

    signature = ", ".join((["self"] if handle else []) + names)
    source = f"def made({signature}):\n    return _call({'self' if handle else 'None'}, ({', '.join(names)}{',' if names else ''}))"
    scope: dict = {"_call": body}
    exec(source, scope)  # a real signature, so that wrong calls say what is missing
    made = scope["made"]
    made.__name__ = made.__qualname__ = function[3:]
    made.__module__ = "footfall"
    made.__annotations__ = {n: a.annotation for n, a in zip(names, args)}
    made.__annotations__["return"] = annotation_of(result, table["returns"])
    doc = table["doc"]
    if not doc and result in _api.STRUCTS:
        doc = _api.STRUCTS[result]["doc"]
    made.__doc__ = f"{python_doc(doc)}\n\n{function} of footfall/{table['header']}".strip()
    made._binds = function
    return made


def annotation_of(base: str, ctype: str) -> str:
    if base in ("void", "ff_status"):
        return "None"
    if base in SHAPED:
        return "Array"
    if base in CLASSES:
        return python_name(base)
    if base in WORDS:
        return "str"
    if base == "char *":
        return "str | None"
    return {"double": "float", "bool": "bool"}.get(base, "int")


def attach(cls: type, handle: str, prefix: str, finders: dict | None = None,
           during_steps: tuple = ()) -> None:
    """Gives a class a method for each C function `prefix`... whose first argument is its handle,
    where it has none of that name yet."""
    for function in _api.FUNCTIONS:
        name = function[len(prefix):]
        if not function.startswith(prefix) or hasattr(cls, name) or name in ("destroy", "close"):
            continue
        try:
            made = bind(function, handle, finders, name in during_steps)
        except Unsupported:
            continue
        made.__qualname__ = f"{cls.__name__}.{name}"
        made.__name__ = name
        setattr(cls, name, made)
