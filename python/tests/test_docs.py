"""The code of docs/python.md runs from top to bottom, as a reader would type it."""
import pathlib
import re

import pytest

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "python.md"


def test_page(capsys):
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), flags=re.S | re.M)
    assert len(blocks) >= 8
    scope: dict = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), scope)


def test_every_attribute_named_exists():
    import footfall as ff

    text = PAGE.read_text()
    for name in set(re.findall(r"\bff\.([A-Za-z_]+)\b", text)) - {"html"}:
        assert hasattr(ff, name), name
