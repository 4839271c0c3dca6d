"""Processes that a program under the drop-in starts import what it imports."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from eagerflow_compat.dropin.children.eagerflow_answers import FOLDER, VARIABLE

CHILD = "import tensorflow as tf, keras; print(tf.__version__, keras is tf.keras or keras.__name__)"

PROGRAM = """
import multiprocessing, subprocess, sys

def version(_):
    import tensorflow.keras.layers as layers
    import tensorflow as tf
    return tf.__version__, layers.Dense is tf.keras.layers.Dense

if __name__ == "__main__":
    import tensorflow as tf
    with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
        assert pool.map(version, [0]) == [version(0)] == [(tf.__version__, True)]
"""

OTHERS = """
import subprocess, sys
import tensorflow as tf

done = subprocess.run([sys.executable, "-c", "import tensorflow as t; print(t.__version__)"],
                      capture_output=True, text=True)
assert done.stdout.strip() == tf.__version__, done.stderr

try:
    import joblib
except ImportError:
    pass
else:
    def version():
        import tensorflow
        return tensorflow.__version__
    assert joblib.Parallel(2)(joblib.delayed(version)() for _ in "ab") == [tf.__version__] * 2
"""


def run(*arguments: str, **variables: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **variables},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("generation", ["1.x", "2.x"])
@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_multiprocessing(tmp_path, method, generation):
    if method != "spawn" and sys.platform == "win32":
        pytest.skip("Windows spawns")
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    run("-m", "eagerflow", "--generation", generation, str(path), method)


@pytest.mark.parametrize("generation", ["1.x", "2.x"])
def test_processes_of_other_kinds(tmp_path, generation):
    path = tmp_path / "program.py"
    path.write_text(OTHERS)
    run("-m", "eagerflow", "--generation", generation, str(path))


def test_keras_may_be_the_packages_own(tmp_path):
    (tmp_path / "keras.py").write_text("")
    (tmp_path / "program.py").write_text(
        "import subprocess, sys\n"
        f"subprocess.run([sys.executable, '-c', {CHILD!r}], check=True, cwd={str(tmp_path)!r})\n"
    )
    out = run("-m", "eagerflow", "--no-keras", str(tmp_path / "program.py"))
    assert out.split()[1] == "keras"


def test_other_environments_have_their_own(tmp_path):
    (tmp_path / "tensorflow.py").write_text("__version__ = 'another'")
    path = os.pathsep.join([FOLDER, str(tmp_path)])
    code = "import tensorflow; print(tensorflow.__version__)"
    for told in ("2.x 1 /elsewhere", "2.x 1 "):
        assert run("-c", code, PYTHONPATH=path, **{VARIABLE: told}).strip() == "another"
