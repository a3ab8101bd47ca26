"""pip install ./python, wheels and source archives. The C library is compiled by CMake, into a
folder of its own, or taken from FOOTFALL_BUILD (a build folder that has the package already)."""
import os
import re
import shutil
import subprocess
import sys

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = os.path.dirname(os.path.abspath(__file__))
os.chdir(HERE)
# In a clone the project is the folder above; in a source archive it is inside.
INSIDE = os.path.join(HERE, "project")
PROJECT = INSIDE if os.path.isdir(INSIDE) else os.path.dirname(HERE)
NEEDED = ("CMakeLists.txt", "LICENSE", "include", "src", "cli", "papers", "scenes", "sets", "cmake", "web", "examples",
          "docs/man", "python/CMakeLists.txt", "python/native", "python/tools", "python/footfall")


def version():
    with open(os.path.join(PROJECT, "include", "footfall", "api.h"), encoding="utf-8") as file:
        text = file.read()
    return ".".join(re.search(rf"FF_VERSION_{p} (\d+)", text).group(1) for p in ("MAJOR", "MINOR", "PATCH"))


def compile_package(build):
    """The package, built by CMake into build/python/footfall."""
    options = ["-DFOOTFALL_PYTHON=ON", "-DBUILD_TESTING=OFF", f"-DFOOTFALL_PYTHON_PROGRAM={sys.executable}"]
    page = os.environ.get("FOOTFALL_PAGE")
    options += [f"-DFOOTFALL_PAGE={page}"] if page else []
    options += ["-G", "Ninja"] if shutil.which("ninja") else []
    subprocess.run(["cmake", "-S", PROJECT, "-B", build, *options], check=True, stdout=sys.stderr)
    subprocess.run(["cmake", "--build", build, "--target", "footfall_python_package", "--parallel"], check=True,
                   stdout=sys.stderr)


class BuildWithCMake(build_py):
    def run(self):
        build = os.environ.get("FOOTFALL_BUILD")
        if not build:
            build = os.path.join(HERE, "build", "cmake")
            compile_package(build)
        target = os.path.join(self.build_lib, "footfall")
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(os.path.join(build, "python", "footfall"), target,
                        ignore=shutil.ignore_patterns("__pycache__"))


class SourceArchive(sdist):
    """With the sources of the C library, so that it can be built anywhere."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        for name in NEEDED:
            source, target = os.path.join(PROJECT, name), os.path.join(base_dir, "project", name)
            if os.path.isdir(source):
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("node_modules", "__pycache__", "build", "build-*"))
            elif os.path.exists(source):
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copy2(source, target)
        for name in ("backend.py", "pyproject.toml", "setup.py"):
            shutil.copy2(os.path.join(HERE, name), os.path.join(base_dir, name))


class Compiled(Distribution):
    """Wheels are of this platform."""

    def has_ext_modules(self):
        return True


setup(
    name="footfall",
    version=version(),
    description="Contact dynamics with published laws and an energy ledger",
    license="see LICENSE",
    packages=["footfall"],
    package_dir={"footfall": "footfall" if PROJECT != INSIDE else "project/python/footfall"},
    python_requires=">=3.10",
    install_requires=["numpy", "cffi"],
    entry_points={"console_scripts": ["footfall = footfall._study:main"]},
    cmdclass={"build_py": BuildWithCMake, "sdist": SourceArchive},
    distclass=Compiled,
    zip_safe=False,
)
