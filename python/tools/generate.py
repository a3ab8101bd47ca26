#!/usr/bin/env python3
"""Reads the public C headers and writes what the Python package is made of.

    generate.py INCLUDE-FOLDER OUTPUT-FOLDER

- _footfall.c: the extension module (cffi, API mode) with every public type, constant and function;
- footfall/_api.py: names, types and comments of all of them, from which the package makes its
  classes, methods and docstrings.

A new function in a header needs nothing else to be callable as footfall.lib.ff_NAME.
"""
import os
import pprint
import re
import sys

from cffi import FFI
from pycparser import c_ast, c_parser

# ---- text -------------------------------------------------------------------------------------

COMMENT = re.compile(r"/\*(.*?)\*/", re.S)


def headers_in_order(folder):
    """Names of all headers, each after those it includes."""
    order, seen = [], set()

    def visit(name):
        if name in seen:
            return
        seen.add(name)
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            text = file.read()
        for other in re.findall(r'#include "footfall/([a-z0-9_]+\.h)"', text):
            visit(other)
        order.append((name, text))

    for name in sorted(os.listdir(folder)):
        if name.endswith(".h"):
            visit(name)
    return order


def without_directives(text):
    """The text a C compiler other than GCC sees, comments included, line for line, and its
    macros with a value."""
    macros, lines, shown = {}, [], [True]
    for line in text.split("\n"):
        word = re.match(r"\s*#\s*(\w+)\s*(.*)", line)
        if not word:
            lines.append(line if all(shown) else "")
            continue
        kind, rest = word.groups()
        lines.append("")
        if kind in ("if", "ifdef"):
            shown.append(False)  # __cplusplus, __GNUC__
        elif kind == "ifndef":
            shown.append(True)  # the guard
        elif kind == "else":
            shown[-1] = not shown[-1]
        elif kind == "endif":
            shown.pop()
        elif kind == "define" and all(shown):
            name, _, value = rest.partition(" ")
            if value.strip() and "(" not in name:
                macros[name] = value.strip()
    return "\n".join(lines), macros


def tidy(comment):
    """A comment as running text: stars and line breaks removed, paragraphs and code kept."""
    lines = [re.sub(r"^\s*\*? ?", "", line, count=1) if i else line.strip()
             for i, line in enumerate(comment.strip().split("\n"))]
    out = []
    for line in lines:
        indented = line.startswith("  ") or "   " in line.strip()
        if out and line.strip() and out[-1].strip() and not indented and not (out[-1].startswith("  ") or "   " in out[-1].strip()):
            out[-1] += " " + line.strip()
        else:
            out.append(line.rstrip())
    return "\n".join(out).strip()


# ---- comments ----------------------------------------------------------------------------------


def line_of(text, position):
    return text.count("\n", 0, position)


def declarations(text):
    """(code without comments, doc, body with comments) of every declaration at the top level."""
    out, position, previous = [], 0, (-9, "")
    pending = None  # (end line, text) of the last comment
    length = len(text)
    start = None
    depth = 0
    code, parts = [], []
    while position < length:
        if text.startswith("/*", position):
            end = text.index("*/", position) + 2
            if start is None:
                pending = (line_of(text, end), text[position + 2:end - 2])
                trailing = out and line_of(text, position) == out[-1]["last"]
                if trailing and (not out[-1]["doc"] or out[-1]["shared"]):
                    out[-1]["doc"] = tidy(pending[1])
                    previous = (-9, "")
                if trailing:
                    pending = None
            else:
                parts.append(text[position:end])
            position = end
            continue
        char = text[position]
        if start is None and not char.isspace():
            start = position
            first = line_of(text, position)
            doc, shared = "", False
            if pending and first - pending[0] <= 1:
                doc = tidy(pending[1])
            elif first - previous[0] <= 1:
                doc, shared = previous[1], True  # one comment above several declarations
            pending = None
        if start is not None:
            code.append(char)
            parts.append(char)
            depth += (char in "{(") - (char in "})")
            if char == ";" and depth == 0:
                last = line_of(text, position)
                out.append({"code": "".join(code), "doc": doc, "body": "".join(parts), "last": last,
                            "shared": shared})
                previous = (last, doc)
                start, code, parts = None, [], []
        position += 1
    return out


def member_docs(body):
    """Name -> comment of the fields of a struct, or of the values of an enumeration."""
    inside = body[body.index("{") + 1:body.rindex("}")]
    docs, group, before = {}, [], ""
    tokens = re.findall(r"/\*.*?\*/|[;,]|[^;,/]+|/", inside, re.S)
    is_enum = body.lstrip().startswith(("enum", "typedef enum"))
    code = ""

    def close():
        nonlocal code, group
        name = re.match(r"\s*(\w+)", code) if is_enum else re.search(r"(\w+)\s*(\)\s*\(.*)?(\[[^\]]*\]\s*)*$", code, re.S)
        if not is_enum and "(*" in code:
            name = re.search(r"\(\*\s*(\w+)\)", code)
        if name:
            group.append(name.group(1))
        code = ""

    ended = False
    for token in tokens:
        if token.startswith("/*"):
            text = tidy(token[2:-2])
            if group and ended and not code.strip():
                for name in group:
                    docs.setdefault(name, text)
                group = []
            elif code.strip() and is_enum:
                close()
                docs[group[-1]] = text
                group = []
            elif not code.strip():
                before = text
            ended = False if not code.strip() and not group else ended
        elif token in ";,":
            parens = code.count("(") - code.count(")")
            if token == "," and not is_enum and parens:
                code += token
                continue
            close()
            if before and group:
                docs.setdefault(group[-1], before)
                if token == ";":
                    before = ""
            ended = token == ";" or is_enum
        else:
            if token.strip():
                if ended:
                    if "\n" in token or is_enum:
                        group = []
                    ended = False
                elif is_enum:
                    group = []
            code += token
    if code.strip():
        close()
    return docs


# ---- types -------------------------------------------------------------------------------------


def type_text(node):
    """A C type as text: 'const double *', 'ff_vec3', 'double [3][3]'."""
    if isinstance(node, c_ast.TypeDecl):
        quals = "".join(q + " " for q in node.quals)
        return quals + type_text(node.type)
    if isinstance(node, c_ast.IdentifierType):
        return " ".join(node.names)
    if isinstance(node, (c_ast.Struct, c_ast.Enum, c_ast.Union)):
        kind = type(node).__name__.lower()
        return f"{kind} {node.name}" if node.name else f"{kind} {{...}}"
    if isinstance(node, c_ast.PtrDecl):
        quals = "".join(" " + q for q in node.quals)
        inner = type_text(node.type)
        return "function *" if isinstance(node.type, c_ast.FuncDecl) else f"{inner} *{quals}".rstrip()
    if isinstance(node, c_ast.ArrayDecl):
        return type_text(node.type) + " []"
    if isinstance(node, c_ast.FuncDecl):
        return "function"
    return "?"


def read_api(folder):
    api = {"headers": {}, "structs": {}, "enums": {}, "functions": {}, "constants": {}}
    cdef = []
    for name, text in headers_in_order(folder):
        top = COMMENT.search(text)
        api["headers"][name] = tidy(top.group(1)) if top else ""
        plain, macros = without_directives(text)
        plain = re.sub(r"\b(FF_API|FF_PAGE_PRINTF)\b", lambda m: " " * len(m.group()), plain)
        for macro, value in macros.items():
            if re.fullmatch(r"[-0-9.e+]+", value):
                whole = re.fullmatch(r"-?[0-9]+", value)
                cdef.append(f"#define {macro} {value}" if whole else f"static const double {macro};")
                api["constants"][macro] = ""
        for item in declarations(plain):
            read_declaration(api, cdef, name, item)
    return api, "\n".join(cdef)


def read_declaration(api, cdef, header, item):
    code, doc = item["code"].strip(), item["doc"]
    if code.startswith("static"):
        return  # inline helpers have no symbol
    cdef.append(code)
    parser = c_parser.CParser()
    known = "typedef int bool, size_t, uint64_t, int64_t, uint32_t, uint8_t;"
    known += "".join(f"typedef int {t};" for t in api.setdefault("types", []))
    node = parser.parse(known + code).ext[-1]
    if isinstance(node, c_ast.Typedef):
        api["types"].append(node.name)
        target = node.type.type if isinstance(node.type, c_ast.TypeDecl) else None
        if isinstance(target, c_ast.Struct) and target.decls:
            docs = member_docs(item["body"])
            fields = [(d.name, type_text(d.type), docs.get(d.name, "")) for d in target.decls if d.name]
            api["structs"][node.name] = {"doc": doc, "header": header, "fields": fields}
        elif isinstance(target, c_ast.Enum) and target.values:
            docs = member_docs(item["body"])
            values = [(v.name, docs.get(v.name, "")) for v in target.values.enumerators]
            api["enums"][node.name] = {"doc": doc, "header": header, "values": values}
    elif isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.Enum):
        docs = member_docs(item["body"])
        for value in node.type.values.enumerators:
            api["constants"][value.name] = docs.get(value.name, doc)
    elif isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl):
        args = []
        for arg in node.type.args.params if node.type.args else []:
            if isinstance(arg, c_ast.EllipsisParam):
                args.append(("...", "..."))
            elif type_text(arg.type) != "void":
                args.append((arg.name, type_text(arg.type)))
        api["functions"][node.name] = {"doc": doc, "header": header,
                                       "returns": type_text(node.type.type), "args": args}


# ---- output ------------------------------------------------------------------------------------


def write_if_changed(path, text):
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main(folder, out):
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    api, cdef = read_api(folder)
    api.pop("types")
    with open(os.path.join(here, "native", "glue.h"), encoding="utf-8") as file:
        glue = file.read()
    ours = re.search(r"/\* cffi: begin \*/(.*?)/\* cffi: end \*/", glue, re.S).group(1)
    ours = re.sub(r"/\* Python: \*/ (.*?);", r'extern "Python+C" \1;', ours, flags=re.S)
    ffi = FFI()
    ffi.cdef(cdef + COMMENT.sub("", ours))
    ffi.set_source("footfall._footfall", '#include "footfall/footfall.h"\n#include "glue.h"\n')
    os.makedirs(os.path.join(out, "footfall"), exist_ok=True)
    ffi.emit_c_code(os.path.join(out, "_footfall.c"))
    lines = ['"""Generated from the C headers by python/tools/generate.py: do not edit."""\n']
    for name, table in api.items():
        lines.append(f"{name.upper()} = {pprint.pformat(table, width=100, sort_dicts=False)}\n")
    write_if_changed(os.path.join(out, "footfall", "_api.py"), "\n".join(lines))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
