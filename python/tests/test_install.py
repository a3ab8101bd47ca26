"""Wheel, source archive and pip, without a network. The wheel takes the package that is built; with
FOOTFALL_INSTALL set the source archive is compiled as well, which takes minutes."""
import os
import pathlib
import subprocess
import sys
import tarfile
import zipfile

import pytest

import footfall as ff

FOLDER = pathlib.Path(__file__).parents[1]
BUILD = pathlib.Path(ff.__file__).parents[2]


def has(module):
    return subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True).returncode == 0


pytestmark = pytest.mark.skipif(not (has("pip") and has("setuptools") and has("wheel")),
                                reason="pip, setuptools or wheel is missing")


def call(*words, **more):
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    env.update(PIP_NO_INDEX="1", PIP_DISABLE_PIP_VERSION_CHECK="1", **more)
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, env=env, cwd=more.get("HOME"))
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def copied(tmp_path):
    """A copy of the package's folder beside links to the rest, so that nothing is written here."""
    root = tmp_path / "project"
    root.mkdir()
    for entry in FOLDER.parent.iterdir():
        if entry.name not in ("python", ".git") and not entry.name.startswith("build"):
            (root / entry.name).symlink_to(entry)
    call("cp", "-r", FOLDER, root / "python")
    return root / "python"


def test_wheel_installs(tmp_path):
    source = copied(tmp_path)
    call(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", tmp_path, source, FOOTFALL_BUILD=str(BUILD))
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert any(n.endswith("_footfall.abi3.so") for n in names) and "footfall/__init__.pyi" in names
    assert "none-any" not in wheel.name
    into = tmp_path / "into"
    call(sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", into, wheel)
    code = "import footfall as ff; print(ff.__file__, ff.load('bouncing-ball').run(progress=False).verdict)"
    out = call(sys.executable, "-c", f"import sys; sys.path.insert(0, {str(into)!r}); {code}")
    assert str(into) in out and out.strip().endswith("good")


def test_source_archive(tmp_path):
    source = copied(tmp_path)
    call(sys.executable, source / "setup.py", "-q", "sdist", "--dist-dir", tmp_path)
    (archive,) = tmp_path.glob("*.tar.gz")
    names = {n.split("/", 1)[1] for n in tarfile.open(archive).getnames() if "/" in n}
    assert {"setup.py", "backend.py", "pyproject.toml", "project/include/footfall/sim.h", "project/src/run/run.c",
            "project/python/tools/generate.py", "project/CMakeLists.txt"} <= names
    sources = {f"project/{file.relative_to(FOLDER.parent)}" for file in (FOLDER.parent / "src").rglob("*.[ch]")}
    assert sources and not sources - names
    if os.environ.get("FOOTFALL_INSTALL"):
        into = tmp_path / "into"
        call(sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", into, archive)
        assert (into / "footfall" / "__init__.py").exists()
