"""Build backend for pip: runs setup.py with the packages of the interpreter itself, so that nothing
is fetched where setuptools and cffi are installed (Debian: python3-setuptools, python3-cffi)."""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def _has(module):
    # -I: without the path of pip's empty environment.
    return subprocess.run([sys.executable, "-I", "-c", f"import {module}"], capture_output=True).returncode == 0


def _requires():
    """What the interpreter lacks, for pip to fetch."""
    return [name for name in ("setuptools", "wheel", "cffi") if not _has(name)]


def get_requires_for_build_wheel(config_settings=None):
    return _requires()


def get_requires_for_build_sdist(config_settings=None):
    return [name for name in ("setuptools",) if not _has(name)]


def _setup(command, into, ending):
    isolated = [] if _requires() else ["-I"]
    with tempfile.TemporaryDirectory() as made:
        words = [sys.executable, *isolated, os.path.join(HERE, "setup.py"), "-q", command, "--dist-dir", made]
        done = subprocess.run(words, cwd=HERE)
        if done.returncode != 0:
            sys.exit(done.returncode)
        (name,) = [n for n in os.listdir(made) if n.endswith(ending)]
        os.replace(os.path.join(made, name), os.path.join(into, name)) if _same_disk(made, into) else \
            _copy(os.path.join(made, name), os.path.join(into, name))
    return name


def _same_disk(a, b):
    return os.stat(a).st_dev == os.stat(b).st_dev


def _copy(a, b):
    with open(a, "rb") as source, open(b, "wb") as target:
        target.write(source.read())


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _setup("bdist_wheel", wheel_directory, ".whl")


def build_sdist(sdist_directory, config_settings=None):
    return _setup("sdist", sdist_directory, ".tar.gz")
