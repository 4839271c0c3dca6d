"""The tool that lists which of TensorFlow's private names packages use, and which are missing here."""

import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
TOOL = ROOT / "tools" / "package_names.py"

MODULE = """\
import tensorflow as tf
from tensorflow.python.ops import nn_ops, array_ops
from tensorflow.python.framework.load_library import load_op_library

def use(x):
    return nn_ops.relu(x), nn_ops.no_such_name(x), tf.nn.relux(x)
"""


def run(*arguments, given=None):
    done = subprocess.run(
        [sys.executable, TOOL, *arguments],
        env=dict(os.environ, PYTHONPATH=str(ROOT)),
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_names_are_read_from_wheels_sources_and_folders(tmp_path):
    with zipfile.ZipFile(tmp_path / "wheel-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("wheel/__init__.py", MODULE)
    (tmp_path / "installed").mkdir()
    (tmp_path / "installed" / "deep.py").write_text("from tensorflow.python.ops import nn_ops\n")
    (tmp_path / "installed-1.0.dist-info").mkdir()
    source = tmp_path / "setup.py"
    source.write_text(MODULE)
    with tarfile.open(tmp_path / "two-parts-2.1.tar.gz", "w:gz") as archive:
        archive.add(source, "two-parts-2.1/setup.py")
    source.unlink()
    text = run(str(tmp_path))
    table, missing, refused = text.split("\n\n")
    counts = [line.split("|")[1:-1] for line in table.splitlines()[2:]]
    assert [[part.strip() for part in line] for line in counts] == [
        ["installed", "1", "1", "0", "0"],
        ["two-parts", "5", "3", "1", "1"],
        ["wheel", "5", "3", "1", "1"],
    ]
    assert missing.splitlines()[1:] == [
        "tensorflow.python.ops.nn_ops.no_such_name  (two-parts, wheel)"
    ]
    assert "libraries of kernels" in refused.splitlines()[0]
    assert "load_library.load_op_library" in refused.splitlines()[1]
    assert "tensorflow.nn.relux  (two-parts, wheel)" in run(str(tmp_path), "--all")


def test_another_python_says_what_its_packages_have():
    paths = ["json.dumps", "json.no_such", "xml.dom.minidom.Node", "json.decoder.JSONDecoder.x"]
    assert json.loads(run("--exist", given=json.dumps(paths))) == [
        "json.dumps",
        "xml.dom.minidom.Node",
    ]
