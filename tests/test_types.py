"""What type checkers find in programs that use the package."""

import ast
import importlib.util
import pathlib
import re
import subprocess
import sys

import pytest

import eagerflow as tf
from eagerflow import _core

ROOT = pathlib.Path(__file__).parent.parent
PROGRAM = ROOT / "tests" / "typed_program.py"


def found_by(*command: str, pattern: str) -> tuple[dict[int, str], str]:
    """The errors that a checker reports, by line, and all that it says."""
    run = subprocess.run(
        [sys.executable, "-m", *command, str(PROGRAM)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert not run.stderr, run.stderr
    found = re.findall(rf"{PROGRAM.name}:{pattern}", run.stdout)
    return {int(line): message for line, message in found}, run.stdout


MISTAKES = {
    number: message
    for number, text in enumerate(PROGRAM.read_text().splitlines(), 1)
    for message in re.findall(r"# error: (.+)$", text)
}


def test_mypy_finds_mistakes_and_nothing_else():
    pytest.importorskip("mypy")
    found, said = found_by(
        "mypy", "--follow-imports=silent", "--no-pretty", pattern=r"(\d+): error: (.*)"
    )
    assert found.keys() == MISTAKES.keys(), said
    for number, message in MISTAKES.items():
        assert found[number].startswith(message), f"line {number}: {found[number]}"


def test_pyright_finds_mistakes_and_nothing_else():
    pytest.importorskip("basedpyright")
    found, said = found_by("basedpyright", "--level", "error", pattern=r"(\d+):\d+ - error: (.*)")
    assert found.keys() == MISTAKES.keys(), said


@pytest.mark.parametrize("cls", [tf.Tensor, _core.EagerTensor])
def test_the_stub_of_tensors_has_their_public_members(cls):
    stub = ast.parse((ROOT / "eagerflow" / "_core" / "__init__.pyi").read_text())
    listed = set()
    for statement in stub.body:
        if isinstance(statement, ast.ClassDef) and statement.name in ("Tensor", cls.__name__):
            for member in statement.body:
                if isinstance(member, ast.FunctionDef):
                    listed.add(member.name)
                elif isinstance(member, ast.AnnAssign):
                    listed.add(member.target.id)
    # NumPy's methods, which tensors have after `enable_numpy_behavior`.
    numpy_only = {"T", "astype", "clip", "ravel", "reshape", "size", "tolist", "transpose"}
    assert {name for name in dir(cls) if name[0] != "_"} - numpy_only <= listed


def test_the_stub_of_operations_is_up_to_date():
    written = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "op_stubs.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert written.returncode == 0, written.stdout + written.stderr


# How often the annotations of each package say `Any`, at most. The counts may only fall.
MOST_ANY = {
    "eagerflow": 95,
    "eagerflow/audio": 6,
    "eagerflow/autodiff": 107,
    "eagerflow/autograph": 251,
    "eagerflow/checkpoint": 162,
    "eagerflow/compat": 6,
    "eagerflow/config": 14,
    "eagerflow/data": 1169,
    "eagerflow/debug": 58,
    "eagerflow/distribute": 484,
    "eagerflow/experimental": 169,
    "eagerflow/extension_types": 163,
    "eagerflow/feature_column": 315,
    "eagerflow/framework": 750,
    "eagerflow/functions": 355,
    "eagerflow/graph": 546,
    "eagerflow/graphdef": 1930,
    "eagerflow/image": 367,
    "eagerflow/io": 232,
    "eagerflow/keras": 350,
    "eagerflow/keras/applications": 310,
    "eagerflow/keras/backend": 258,
    "eagerflow/keras/callbacks": 168,
    "eagerflow/keras/datasets": 19,
    "eagerflow/keras/engine": 1155,
    "eagerflow/keras/estimator": 7,
    "eagerflow/keras/experimental": 54,
    "eagerflow/keras/export": 17,
    "eagerflow/keras/layers": 1732,
    "eagerflow/keras/losses": 127,
    "eagerflow/keras/metrics": 172,
    "eagerflow/keras/mixed_precision": 23,
    "eagerflow/keras/ops": 321,
    "eagerflow/keras/optimizers": 406,
    "eagerflow/keras/preprocessing": 106,
    "eagerflow/keras/saving": 277,
    "eagerflow/keras/utils": 228,
    "eagerflow/keras/wrappers": 31,
    "eagerflow/linear_operators": 479,
    "eagerflow/lookup": 63,
    "eagerflow/ops": 1533,
    "eagerflow/profiler": 9,
    "eagerflow/protos": 22,
    "eagerflow/quantization": 83,
    "eagerflow/ragged": 540,
    "eagerflow/saved_model": 296,
    "eagerflow/signal": 154,
    "eagerflow/sparse": 172,
    "eagerflow/strings": 138,
    "eagerflow/summary": 89,
    "eagerflow/test": 145,
    "eagerflow/train": 23,
    "eagerflow/util": 20,
    "eagerflow/xla": 3,
    "eagerflow_compat/compat": 1,
    "eagerflow_compat/contrib": 971,
    "eagerflow_compat/dropin": 81,
    "eagerflow_compat/horovod": 161,
    "eagerflow_compat/internals": 544,
    "eagerflow_compat/keras_backend": 209,
    "eagerflow_compat/tpu": 47,
    "eagerflow_compat/v1": 2202,
}


def test_annotations_with_any_do_not_become_more():
    """Whoever lowers a count lowers the maximum too."""
    spec = importlib.util.spec_from_file_location("any_counts", ROOT / "tools" / "any_counts.py")
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    more = {name: found for name, found in tool.counts().items() if found > MOST_ANY.get(name, 0)}
    assert not more, "more annotations with Any than MOST_ANY allows"
