"""The package follows the headers: every function is reachable, documented and in the stub."""
import ast
import inspect
import pathlib
import re

import numpy as np
import pytest

import footfall as ff
from footfall import _api, _structs

PACKAGE = pathlib.Path(ff.__file__).parent

# Functions without a counterpart in the package, callable as ff.lib.NAME, and why.
RAW = {
    "ff_page_compare": "the program compares: footfall view a.h5 b.h5",
    "ff_page_live": "the program makes live pages",
    "ff_run_advance": "Model.run goes to the end; Sim.advance steps",
    "ff_recorder_add_contacts": "Model.run(output=...) records",
    "ff_recorder_add_events": "Model.run(output=...) records",
    "ff_sim_set_user": "a C pointer; Python objects have attributes",
    "ff_sim_user": "a C pointer; Python objects have attributes",
    "ff_sim_model": "Sim.model",
    "ff_sim_contact": "Sim.contacts reads all at once",
    "ff_sampler_create": "Model.run samples",
    "ff_sampler_destroy": "Model.run samples",
    "ff_sampler_at": "Model.run samples",
    "ff_state_save": "Sim.state makes a new one",
    "ff_state_copy": "states are values in Python",
    "ff_recorder_create": "Model.run(output=...) records",
    "ff_recorder_add": "Model.run(output=...) records",
    "ff_recorder_mark": "Model.run(output=...) records",
    "ff_recorder_close": "Model.run(output=...) records",
    "ff_recorder_abandon": "Model.run(output=...) records",
    "ff_number_text": "repr(float)",
    "ff_number_read": "float(text)",
    "ff_report_unknown": "errors are exceptions",
    "ff_ncp_resize": "ncp makes a new problem",
    "ff_qp_residual": "Solution.residual",
    "ff_law_find": "laws[...]",
    "ff_law_lookup": "laws[...]",
    "ff_stepper_find": "steppers()[...]",
    "ff_run_stop": "Ctrl-C",
    "ff_page_available": "Page.write raises",
    "ff_page_check": "Page.write raises",
    "ff_page_text": "variadic; Page.text",
    "ff_tree_added_inertia": "a pointer into the workspace",
    "ff_tree_factor": "numpy.linalg.cholesky",
    "ff_tree_solve": "numpy.linalg.solve",
    "ff_tree_ground_wrench": "of the last forward dynamics in a workspace",
    "ff_tree_resistance": "Tree.joint_loads",
    "ff_tree_q_tidy": "Tree.q_move keeps quaternions unit",
    "ff_leg_pose": "Tree.fk",
    "ff_leg_angles": "Tree.ik",
    "ff_preview_create": "Walk uses it",
    "ff_preview_destroy": "Walk uses it",
    "ff_preview_gains_of": "Walk uses it",
    "ff_preview_steer": "Walk uses it",
    "ff_pendulum_after": "Walk uses it",
    "ff_volume_edges": "layers for friction laws that integrate",
    "ff_volume_outline": "arcs of a section",
    "ff_volume_polyhedron_outline": "arcs of a section",
    "ff_volume_polyhedron_thickness": "pressure at a point",
    "ff_set_remove": "validate uses a temporary folder",
    "ff_run_advance": "Model.run and resume drive a run to its end",
    "ff_page_compare": "the program compares: footfall view a.h5 b.h5",
    "ff_page_live": "the program writes live pages: footfall run --live",
    "ff_page_live_available": "the program writes live pages: footfall run --live",
    "ff_study_parameter_path": "Study.parameters",
    "ff_batch_step": "Batch.step is a rollout of one step",
}


def reached():
    """C functions that the package calls or binds."""
    names = set()
    for file in PACKAGE.glob("*.py"):
        if file.name != "_api.py":
            names |= set(re.findall(r"\bff_[a-z0-9_]+\b", file.read_text()))
    for cls in vars(ff).values():
        if inspect.isclass(cls):
            names |= {getattr(m, "_binds", "") for m in vars(cls).values()}
    names |= {m._binds for m in vars(ff.c).values()}
    glue = (pathlib.Path(__file__).parents[1] / "native" / "glue.c").read_text()
    names |= set(re.findall(r"\bff_[a-z0-9_]+\b", glue))
    names |= {f"{c._ctype}_default" for c in _structs.CLASSES.values()}
    return names


def test_every_public_function_has_a_place():
    missing = set(_api.FUNCTIONS) - reached() - set(RAW)
    assert not missing, (f"new in the headers: {sorted(missing)}. They are callable as ff.lib.NAME. "
                         "Write a method for each in python/footfall/, or list it in RAW of this file "
                         "with the reason why it needs none")


def test_raw_list_is_current():
    assert not set(RAW) - set(_api.FUNCTIONS)


def test_every_function_is_in_the_extension():
    assert all(hasattr(ff.lib, name) for name in _api.FUNCTIONS)


def test_headers_are_those_of_the_project():
    folder = pathlib.Path(__file__).parents[2] / "include" / "footfall"
    declared = set()
    for file in folder.glob("*.h"):
        text = re.sub(r"/\*.*?\*/", "", file.read_text(), flags=re.S)
        declared |= set(re.findall(r"^FF_API[^;]*?\b(ff_[a-z0-9_]+)\(", text, flags=re.M))
    assert declared == set(_api.FUNCTIONS)


def test_units_are_in_docstrings():
    assert "kg; nan: from shapes and density" in ff.BodyDef.__doc__
    assert "N m s/rad" in ff.JointDef.__doc__
    assert "m/s^2" in ff.Sim.set_gravity.__doc__ or "m/s^2" in ff.Sim.gravity.__doc__
    for name in ("Model", "Sim", "Run", "Tree", "Batch"):
        for key, member in vars(getattr(ff, name)).items():
            if not key.startswith("_") and (inspect.isfunction(member) or isinstance(member, property)):
                assert inspect.getdoc(member), f"{name}.{key} has no docstring"


def test_docstrings_speak_python():
    for cls in _structs.CLASSES.values():
        assert "NULL" not in cls.__doc__, cls


def test_definitions_have_the_defaults_of_c():
    assert ff.BodyDef().kind == "free"
    assert ff.ReachInfo().reached is False
    run = ff.RunDef()
    assert run.duration == 1 and run.stepper.rtol == 1e-10
    assert np.array_equal(run.gravity, (0, 0, -9.80665)) or run.gravity[2] < -9.8


def test_definitions_name_a_wrong_field():
    with pytest.raises(TypeError, match="did you mean 'mass'"):
        ff.BodyDef(mas=1)
    with pytest.raises(TypeError, match="expected a number"):
        ff.BodyDef(mass="heavy")
    with pytest.raises(ValueError, match="shape"):
        ff.BodyDef(position=(1, 2))


def test_definitions_survive_the_way_through_c():
    for cls in _structs.CLASSES.values():
        one = cls()
        keep = []
        assert cls._from_c(one._c(keep)[0]) == one, cls


def stub():
    return ast.parse((PACKAGE / "__init__.pyi").read_text())


def test_stub_has_every_name_and_no_other():
    names = {n.name for n in stub().body if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
    names |= {n.target.id for n in stub().body if isinstance(n, ast.AnnAssign)}
    names |= {"env"}
    assert set(ff.__all__) <= names, set(ff.__all__) - names
    assert names - set(ff.__all__) <= {"_Functions", "__version__", "__all__"}


def test_stub_has_the_signatures_of_the_code():
    for node in stub().body:
        if not isinstance(node, ast.ClassDef) or node.name not in ff.__all__:
            continue
        cls = getattr(ff, node.name)
        for method in (m for m in node.body if isinstance(m, ast.FunctionDef)):
            if method.decorator_list or method.name == "__init__":
                continue
            found = list(inspect.signature(getattr(cls, method.name)).parameters)
            a = method.args
            written = [x.arg for x in a.posonlyargs + a.args + [a.vararg] + a.kwonlyargs + [a.kwarg] if x]
            assert found == written, f"{node.name}.{method.name}"


def test_stub_names_known_types():
    text = (PACKAGE / "__init__.pyi").read_text()
    known = set(ff.__all__) | {"Any", "Array", "ArrayLike", "Callable", "Iterable", "Iterator", "Mapping", "None"}
    known |= {"str", "int", "float", "bool", "bytes", "list", "dict", "tuple", "set", "os", "np", "property",
              "object", "_Functions"}
    for node in ast.walk(ast.parse(text)):
        kinds = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        for kind in (k for k in kinds if k is not None):
            for name in (n for n in ast.walk(kind) if isinstance(n, ast.Name)):
                assert name.id in known, (name.id, ast.unparse(kind))


def test_version():
    assert ff.__version__ == ".".join(str(getattr(ff.lib, f"FF_VERSION_{p}")) for p in ("MAJOR", "MINOR", "PATCH"))
