"""The campaign of random programs, with eagerflow in place of TensorFlow."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CAMPAIGN = ROOT / "differential"
KINDS = (
    "eager functions captures strings ragged sparse random layers optimizers datasets files".split()
)


def run(code, *arguments):
    """The output of a Python process that imports the campaign's modules."""
    paths = [str(CAMPAIGN), str(ROOT / "tests"), *sys.path]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "TF_USE_LEGACY_KERAS": "1"}
    command = [sys.executable, "-W", "ignore", *code, *arguments]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True
    ).stdout


@pytest.mark.parametrize("kinds", [KINDS[:3], KINDS[3:7], KINDS[7:]], ids=lambda k: "-".join(k))
def test_a_library_differs_from_itself_nowhere(kinds, tmp_path):
    options = ["--programs", "6", "--seed", "3", "--out", str(tmp_path), "--reference", "eagerflow"]
    output = run([str(CAMPAIGN / "campaign.py")], *kinds, *options)
    told = [json.loads(line) for line in output.splitlines()]
    assert [line["kind"] for line in told] == kinds
    assert all(line["programs"] == 6 for line in told)
    assert not list(tmp_path.iterdir())


DIFFERENT = """
import sys
import types
import eagerflow
from pathlib import Path
import campaign, kinds

class Wrong(types.ModuleType):
    "eagerflow with one operation that is wrong for negative values."
    def __getattr__(self, name):
        return getattr(eagerflow, name)
    def abs(self, x):
        return eagerflow.maximum(x, 0.0)

def build(b):
    x = b.constant("f", dtype="float32")
    for k in range(b.integer(1, 6)):
        x = b.add("tf.sin", f"tf.sin({x})", [x])
    x = b.add("tf.abs", f"tf.abs({x})", [x])
    b.add("tf.exp", f"tf.exp({x})", [x])
    return b.program()

kinds.KINDS["wrong"] = build
compared = campaign.Compared(eagerflow, Wrong("wrong"))
filed = campaign.Filed(Path(sys.argv[1]))
options = types.SimpleNamespace(seed=1, programs=50, shrinking=20)
ran, paths = campaign.batch(compared, filed, options, "wrong", 0)
again = campaign.batch(compared, filed, options, "wrong", 0)
print(repr((ran, [path.read_text() for path in paths], [e["op"] for e in filed.entries], again)))
"""


def test_a_difference_is_shrunk_and_filed_once(tmp_path):
    output = run(["-c", DIFFERENT], str(tmp_path)).splitlines()[-1]
    ran, (text,), operations, again = eval(output)
    assert operations == ["tf.abs"]
    assert ran == 50 and again == (50, [])
    statements = [line for line in text.splitlines() if line[:1] in ("a", "v")]
    assert len(statements) == 3, text  # a constant, one sine and the wrong operation
    assert "# eagerflow:  Tensor float32" in text
    printed = subprocess.run(
        [sys.executable, "-c", text.replace("import tensorflow", "import eagerflow")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "tf.Tensor" in printed.stdout


NOISE = """
import eagerflow as tf
from answers import Leaf, Raised, difference
import numpy as np

def leaf(*values, dtype="float32"):
    return [Leaf("Tensor", dtype, np.array(values, dtype))]

print(repr([
    difference(leaf(1.0), leaf(1.00001)),
    difference(leaf(1.0), leaf(1.1)),
    difference(leaf(1.0), leaf(1.1), [leaf(1.0), leaf(1.05)]),
    difference(leaf(1.0, np.nan), leaf(1.0, np.nan)),
    difference(leaf(1.0, np.nan), leaf(1.0, np.inf)),
    difference(leaf(1, dtype="int32"), leaf(1, dtype="int64")),
    difference(leaf(1, dtype="int32"), leaf(2, dtype="int32")),
    difference(leaf(1, dtype="int32"), leaf(2, dtype="int32"), [leaf(3, dtype="int32")]),
    difference(leaf(1.0, 2.0), leaf(1.0)),
    difference(Raised("ValueError", ""), Raised("TypeError", "")),
    difference(Raised("UnimplementedError", ""), leaf(1.0)),
    difference(leaf(1.0), Raised("ValueError", "")),
]))
"""


def test_what_counts_as_a_difference():
    assert eval(run(["-c", NOISE])) == [
        *(None, "value", None, None, "nan"),
        *("dtype: int32, ours int64", "value", None, "shape"),
        *("raises: ValueError, ours TypeError", None, "raises: answers, ours ValueError"),
    ]


EXPLAINED = """
from programs import Program, Statement
statements = (
    Statement("a1", "constant", "a1 = 1", constant=True),
    Statement("a2", "constant", "a2 = 2", constant=True),
    Statement("v3", "one", "v3 = a1", ("a1",)),
    Statement("v4", "two", "v4 = a2", ("a2",)),
    Statement("v5", "three", "v5 = v3", ("v3",)),
)
program = Program(statements, ("v4", "v5"), ("a1", "a2"), 2, "@tf.function")
for name in ("v4", "gradient of a1", "second gradient of a2", "the function"):
    print(*(s.target for s in program.explaining(name)))
"""


def test_statements_that_a_difference_may_depend_on():
    assert run(["-c", EXPLAINED]).splitlines() == [
        "a2 v4",
        "a1 v3 v5",
        "a2 v4",
        "a1 a2 v3 v4 v5",
    ]
