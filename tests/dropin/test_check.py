"""`python -m eagerflow --check`: what a program uses that is missing, found without running it."""

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from eagerflow_compat.dropin.check import check
from eagerflow_compat.dropin.usage import Usage

ROOT = Path(__file__).parents[2]


def found(text, generation=None, folder=None):
    report = check(textwrap.dedent(text), "program.py", folder, generation)
    return [(finding.line, finding.text.split(";")[0]) for finding in report.findings]


def paths(text):
    return [use.path for use in Usage(textwrap.dedent(text)).uses]


def test_names_are_followed_through_imports_aliases_and_classes():
    text = """\
        import tensorflow as tf
        import tensorflow.keras.backend as K
        from tensorflow.keras import layers as L, no_such
        from tensorflow.keras.layers import Dense, Densee
        import keras
        nn = tf.nn
        nn.relux(1); nn.relu(1); K.foo(1); L.Dense(1)(1).anything; keras.layers.Bar(1)
        tf.data.Dataset.from_tensor(1); tf.Variable.assign; tf.float32.name
        """
    assert found(text) == [
        (3, "tf.keras.no_such is missing"),
        (4, "tf.keras.layers.Densee is missing"),
        (7, "keras.layers.Bar is missing"),
        (7, "tf.keras.backend.foo is missing"),
        (7, "tf.nn.relux is missing"),
        (8, "tf.data.Dataset.from_tensor is missing"),
    ]


def test_names_that_mean_something_else_are_passed_over():
    text = """\
        import tensorflow as tf
        def f(tf):
            return tf.nonsense
        def g():
            tf = object()
            return tf.nonsense
        h = lambda tf: tf.nonsense
        for tf in []:
            tf.nonsense
        """
    assert paths(text) == ["tensorflow"]


def test_functions_find_what_is_imported_after_them():
    text = """\
        def f():
            return tf.nonsense
        import tensorflow as tf
        """
    assert found(text) == [(2, "tf.nonsense is missing")]


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    tf.nonsense\nexcept AttributeError:\n    pass",
        "try:\n    from tensorflow import nonsense\nexcept ImportError:\n    tf.nonsense",
        "if tf.__version__ > '2':\n    tf.nonsense",
        "NEW = tf.__version__ > '2'\nif NEW:\n    pass\nelse:\n    tf.nonsense",
        "x = tf.nonsense if hasattr(tf, 'nonsense') else None",
        "def f():\n    if hasattr(tf, 'nonsense'):\n        return lambda: tf.nonsense",
    ],
)
def test_what_a_program_asks_for_itself_is_told_apart(text):
    report = check("import tensorflow as tf\n" + text, "program.py", None)
    assert report.findings and all(finding.asked for finding in report.findings)


def test_each_generation_has_its_names():
    text = "import tensorflow as tf\nx = tf.placeholder(tf.float32)\ntf.contrib.nonsense(x)\n"
    assert found(text) == [(3, "tf.contrib.nonsense is missing")]
    both = check(text, "program.py", None, "2.x").findings
    assert "tf.compat.v1.placeholder" in both[0].text and "--generation 1.x" in both[0].text
    new = check("import tensorflow as tf\ntf.optimizers\n", "program.py", None, "1.x").findings
    assert "tf.compat.v2.optimizers" in new[0].text


def test_what_raises_when_it_is_used_is_told_with_what_to_do():
    text = "import tensorflow as tf\ns = tf.distribute.TPUStrategy()\n"
    (finding,) = check(text, "program.py", None).findings
    assert "raises when it is used: there are no TPUs here. Run without" in finding.text


def test_own_modules_and_packages_that_are_not_installed(tmp_path):
    (tmp_path / "part.py").write_text("import tensorflow as tf\ntf.nonsense\nimport program\n")
    (tmp_path / "program.py").touch()
    text = "import part\nimport no_such_package.inside\n"
    report = check(text, "program.py", tmp_path)
    assert [(finding.file, finding.line) for finding in report.findings] == [
        ("program.py", 2),
        (str(tmp_path / "part.py"), 2),
    ]


def test_the_generation_is_said_with_its_reason():
    text = "import tensorflow as tf\ntf.Session()\n"
    report = check(text, "program.py", None)
    assert report.why == (
        "taken for TensorFlow 1: tf.Session (program.py:2) does not fit TensorFlow 2"
    )
    assert check(text, "program.py", None, "1.x").why == ""
    doubtful = check(text + "tf.optimizers\ntf.nn.gelu(1.0)\n", "program.py", None)
    assert doubtful.generation == "2.x" and "--generation 1.x" in doubtful.why


def test_parts_of_contrib_have_advice():
    names = ["gan", "bayesflow"]
    text = "import tensorflow as tf\n" + "".join(f"tf.contrib.{name}\n" for name in names)
    findings = check(text, "program.py", None).findings
    assert len(findings) == len(names)
    assert all("instead there is the package tensorflow-" in f.text for f in findings)


def test_packages_and_folders_that_a_program_adds_are_followed(tmp_path):
    package = tmp_path / "library" / "nets"
    (package / "blocks").mkdir(parents=True)
    for folder in (package, package / "blocks"):
        (folder / "__init__.py").touch()
    (package / "parts.py").write_text("import tensorflow as tf\ntf.nonsense\n")
    block = package / "blocks" / "dense.py"
    block.write_text("from ..parts import tf\nfrom nets import parts\ntf.math.nonsense\n")
    (tmp_path / "library" / "compiled.so").touch()
    add = "import os, sys\nsys.path.append(os.path.join(os.path.dirname(__file__), 'library'))\n"
    report = check(f"{add}import nets.blocks.dense, compiled, gone\n", "run.py", tmp_path)
    assert [(Path(f.file).name, f.text[:24]) for f in report.findings] == [
        ("run.py", "the package gone is not "),
        ("parts.py", "tf.nonsense is missing; "),
    ]
    # A module of the package itself, as the command checks it when it is given a folder.
    report = check(block.read_text(), str(block), block.parent)
    assert [Path(f.file).name for f in report.findings] == ["parts.py"]
    # Where a folder is unknown, what it may have is not missing.
    (finding,) = check(
        "import sys\nsys.path.append(sys.argv[1])\nimport gone\n", "run.py", tmp_path
    ).findings
    assert finding.asked and "may be in a folder" in finding.text


def command(folder, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "eagerflow", "--check", *map(str, arguments)],
        cwd=folder,
        env=dict(os.environ, PYTHONPATH=str(ROOT)),
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_runs_nothing_and_its_status_tells(tmp_path):
    good, bad = tmp_path / "good.py", tmp_path / "bad.py"
    good.write_text("import tensorflow as tf\nprint('it ran', tf.constant(1))\n")
    bad.write_text("import tensorflow as tf\nprint('it ran', tf.constantt(1))\n")
    done = command(tmp_path, good)
    assert done.returncode == 0 and "all are there" in done.stdout and "it ran" not in done.stdout
    done = command(tmp_path, tmp_path)
    assert done.returncode == 1 and "it ran" not in done.stdout
    assert "bad.py:2: tf.constantt is missing; the nearest names are constant" in done.stdout


def test_bad_command_lines(tmp_path):
    (tmp_path / "old.py").write_text("print 'Python 2'\n")
    for arguments in (["no_such_file.py"], ["old.py"], []):
        done = command(tmp_path, *arguments)
        assert done.returncode == 2 and "Traceback" not in done.stderr
    assert "old.py:1: not Python 3: " in command(tmp_path, "old.py").stderr


def test_the_examples_lack_nothing_but_packages():
    done = command(ROOT, ROOT / "examples")
    lacks = [line for line in done.stdout.splitlines() if re.search(r"\.py:\d+: ", line)]
    packages = r"the package (fastapi|pydantic) is not installed$"
    assert all(re.search(packages, line) for line in lacks), done.stdout
    assert done.returncode == bool(lacks) and "serve.py: TensorFlow 2" in done.stdout


@pytest.fixture
def packages(tmp_path, monkeypatch):
    """A folder with two packages: one that asks for a TensorFlow before 2, and one that does not say."""
    for name, requirement in (
        ("first_nets", "tensorflow (<2.0,>=1.8) ; extra == 'cpu'"),
        ("nets", ""),
    ):
        folder = tmp_path / "site" / name
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text(f"from .deep import *\nfrom {name} import wide\n")
        (folder / "deep.py").write_text(
            "import tensorflow as tf\nx = [tf.nn.relux(1), tf.nn.relux(2)]\n"
        )
        (folder / "wide.py").write_text("import numpy\n")
        (folder / "unread.py").write_text("import tensorflow as tf\ntf.no_such()\n")
        info = tmp_path / "site" / f"{name}-1.0.dist-info"
        info.mkdir()
        lines = [f"Requires-Dist: {requirement}"] if requirement else []
        text = "\n".join(["Metadata-Version: 2.1", f"Name: {name}", "Version: 1.0", *lines, ""])
        (info / "METADATA").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))


def test_packages_that_a_program_imports_are_read(packages, tmp_path, capsys):
    from eagerflow_compat.dropin.check import main

    program = tmp_path / "program.py"
    program.write_text("import nets\nimport numpy as np\n")
    report = check(program.read_text(), str(program), tmp_path)
    assert report.generation == "2.x"
    assert [(f.package, Path(f.file).name, f.line) for f in report.findings] == [
        ("nets", "deep.py", 2)
    ]
    assert main([str(program)], None) == 0
    said = capsys.readouterr().out
    assert "all are there" in said and "deep.py:2: tf.nn.relux is missing" in said


def test_packages_that_ask_for_the_first_generation_decide(packages):
    from eagerflow_compat.dropin.imported_packages import excludes_second
    from eagerflow_compat.dropin.recognise import judge

    for text in (
        "import first_nets.deep",
        "import nets, first_nets\nimport tensorflow as tf\ntf.ones(1)",
    ):
        verdict = judge(text)
        assert verdict.generation == "1.x" and "first_nets requires tensorflow" in verdict.reason
    assert judge("import nets").generation == "2.x"
    for requirement in ("tensorflow==1.15.*", "tensorflow-gpu~=1.14", "TensorFlow_CPU (<2)"):
        assert excludes_second(requirement)
    for requirement in (
        "tensorflow",
        "tensorflow>=1.15",
        "tensorflow<2.16",
        "tensorflow-hub<0.5",
        "numpy<2",
    ):
        assert not excludes_second(requirement)
