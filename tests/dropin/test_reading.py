"""Programs that ask for the version, or for names, and what they are taken for."""

import itertools

import pytest

from eagerflow_compat.dropin.reading import Reading
from eagerflow_compat.dropin.reading_parts import Level
from eagerflow_compat.dropin.recognise import generation_of, judge

IMPORTS = """\
import re, sys
from distutils.version import LooseVersion
from packaging import version
import tensorflow as tf
import tensorflow
from tensorflow import __version__ as tf_version
OLD = tf.__version__.startswith("1")
def is_old():
    "Whether this is the first generation."
    major = int(tf.__version__.split(".")[0])
    return major == 1
def is_before(text):
    return LooseVersion(tf.__version__) < LooseVersion(text)
class Versions:
    old = int(tf_version[0]) < 2
"""
# Conditions that hold for the first generation only.
CHECKS = [
    'tf.__version__.startswith("1.")',
    'tf.__version__.startswith(("0.", "1."))',
    'tf.__version__[0] == "1"',
    '"1" == tf.__version__.split(".", 1)[0]',
    'tf.__version__.split(".")[0] in ("0", "1")',
    'int(tf.__version__.split(".")[0]) < 2',
    'not int(tf.version.VERSION.partition(".")[0]) >= 2',
    'tf.__version__ < "2"',
    'tensorflow.__version__ <= "1.15.99"',
    'tf_version < "2.0.0"',
    "float(tf.__version__[:3]) < 2.0",
    'float(".".join(tf.__version__.split(".")[:2])) < 2',
    'tuple(map(int, tf.__version__.split(".")[:2])) < (2, 0)',
    '[int(part) for part in tf.__version__.split(".")[:2]] < [2, 0]',
    'tuple(int(part) for part in tf.__version__.split(".")[:2]) < (2, 0)',
    'LooseVersion(tf.__version__) < LooseVersion("2.0")',
    'LooseVersion(tf.__version__) < "2.0.0"',
    'version.parse(tf.__version__) < version.parse("2.0.0")',
    "version.parse(tf.__version__).major == 1",
    "LooseVersion(tf.__version__).version[0] == 1",
    're.match(r"1\\.\\d+", tf.__version__)',
    're.search("^1", tf.__version__) is not None',
    'hasattr(tf, "placeholder")',
    'not hasattr(tf, "optimizers")',
    '"Session" in dir(tf)',
    'getattr(tf, "Session", None) is not None',
    'not getattr(tf, "optimizers", False)',
    "not tf.executing_eagerly()",
    "OLD",
    "not (not OLD)",
    "is_old()",
    'is_before("2.0")',
    "Versions.old",
    'tf.__version__ < "2" and len(sys.argv) > 0 or is_old()',
]
OLD = "sess = tf.Session(); sess.run(tf.placeholder(tf.float32), feed_dict={})"
NEW = "optimizer = tf.optimizers.SGD(0.1); tf.random.set_seed(1)"
NEUTRAL = (
    "v = tf.Variable(1.0); y = tf.reduce_sum(v * 2.0); optimizer = tf.keras.optimizers.SGD(0.1)"
)


def indented(text, by=4):
    return "\n".join(" " * by + line for line in text.splitlines())


# Programs that either generation runs: the second is taken.
OF_BOTH = {
    "if-else": "if {check}:\n    {old}\nelse:\n    {new}\n{neutral}",
    "if-only": "if {check}:\n    {old}\n{neutral}",
    "else-only": "if not ({check}):\n    {new}\nelse:\n    {old}",
    "enables-eager": "if {check}:\n    tf.enable_eager_execution()\n{neutral}\nprint(v.numpy())",
    "elif": "if len(sys.argv) > 99 and {check}:\n    {old}\nelif {check}:\n    {old}\nelse:\n    {new}",
    "expression": "x = tf.to_float(1) if {check} else tf.cast(1, tf.float32)\n{neutral}",
    "and": "({check}) and tf.enable_eager_execution()\n{neutral}",
    "or": "not ({check}) or tf.enable_eager_execution()\n{neutral}",
    "imports": "if {check}:\n    import tensorflow as tf1\n    {old}\nelse:\n"
    "    import tensorflow.compat.v1 as tf1\n    tf1.disable_v2_behavior()\n    tf1.Session()",
    "in-function": "def main():\n    if {check}:\n        {old}\n        return\n    {new}\nmain()",
    "returns": "def main(argv=None):\n    if {check}:\n        return run_old()\n    {new}\n"
    "def run_old():\n    {old}\nif __name__ == '__main__':\n    main()",
    "in-method": "class Model(tf.keras.Model):\n    def call(self, x):\n        if {check}:\n"
    "            {old}\n        else:\n            {new}\nModel()(1.0)",
    "while": "while {check}:\n    {old}\n    break\n{neutral}",
    "stops": "if {check}:\n    {old}\n    sys.exit(0)\n{new}",
    "flag": "flag = bool({check})\nif flag:\n    {old}\nelse:\n    {new}",
}
# Programs that refuse the first generation, and those that refuse the second.
OF_SECOND = {
    "assert": "assert not ({check}), 'TensorFlow 2 is needed'\n{neutral}",
    "raise": "if {check}:\n    raise RuntimeError('TensorFlow 2 is needed')\n{neutral}",
    "exit": "if {check}:\n    print('old')\n    sys.exit(1)\n{neutral}",
    "assert-over-names": "assert not ({check})\n{neutral}\ndef legacy():\n    {old}",
    "one-stray-name": "assert not ({check})\n{neutral}\nprint(tf.log(1.0))",
}
OF_FIRST = {
    "assert": "assert {check}, 'TensorFlow 1 is needed'\n{neutral}",
    "raise": "if not ({check}):\n    raise ImportError('TensorFlow 1 is needed')\n{neutral}",
    "exit": "def main():\n    if not ({check}):\n        quit()\n    {neutral}\nmain()",
    "names": "if not ({check}):\n    print('warning')\n{old}",
}


def taken(*arguments):
    verdict = judge(*arguments)
    return verdict.generation, verdict.doubt


def running(reading):
    return [p for p, level in reading.problems.items() if level <= Level.POSSIBLE]


def program(template, check):
    return IMPORTS + template.format(check=check, old=OLD, new=NEW, neutral=NEUTRAL)


@pytest.mark.parametrize("check", CHECKS)
def test_checks_of_the_version_choose_branches(check):
    for name, template in OF_BOTH.items():
        text = program(template, check)
        assert taken(text) == ("2.x", None), (name, Reading(text, "2.x").problems)
        assert not running(Reading(text, "1.x")), name
    for name, template in OF_SECOND.items():
        assert generation_of(program(template, check)) == "2.x", name
    for name, template in OF_FIRST.items():
        assert taken(program(template, check)) == ("1.x", None), name


# Where the first generation's branch lies so that it never runs under the second one.
UNUSED_OLD = {
    "never-called": "def legacy():\n    {old}\n{new}",
    "method-never-called": "class Model:\n    def legacy(self):\n        {old}\n"
    "    def train(self):\n        {new}\nModel().train()",
    "class-never-used": "class Old:\n    def __init__(self):\n        {old}\n{new}",
    "false": "if False:\n    {old}\n{new}",
    "constant": "EAGER = True\nif EAGER:\n    {new}\nelse:\n    {old}",
    "constant-in-function": "LEGACY = 0\ndef main():\n    if LEGACY:\n        {old}\n    {new}\nmain()",
    "other-main": "if __name__ == 'other':\n    {old}\n{new}",
    "try-attribute": "try:\n    tf.enable_eager_execution()\nexcept AttributeError:\n    pass\n{new}",
    "try-all": "try:\n    tf.enable_eager_execution()\nexcept:\n    pass\n{new}",
    "try-else": "try:\n    session = tf.Session\nexcept AttributeError:\n    {new}\nelse:\n    {old}",
    "try-import": "try:\n    import tensorflow.contrib.eager as tfe\nexcept ImportError:\n    tfe = None\n"
    "if tfe:\n    tfe.enable_eager_execution()\n{new}",
    "try-function": "def old():\n    {old}\ntry:\n    old()\nexcept AttributeError:\n    {new}",
    "try-new-first": "try:\n    {new}\nexcept AttributeError:\n    {old}",
    "hasattr-eager": "if hasattr(tf, 'enable_eager_execution'):\n    tf.enable_eager_execution()\n{new}",
    "alias": "tf1 = tf.compat.v1 if hasattr(tf.compat, 'v1') else tf\ntf1.Session()\n{new}",
    "after-return": "def main():\n    {new}\n    return\n    {old}\nmain()",
}


@pytest.mark.parametrize("name", UNUSED_OLD)
def test_a_branch_that_never_runs_is_no_evidence(name):
    for lines, tail in itertools.product((NEW, NEUTRAL), ("", "print(v.numpy())")):
        text = UNUSED_OLD[name].format(old=OLD, new=lines)
        assert taken(IMPORTS + text + "\n" + tail) == ("2.x", None)


@pytest.mark.parametrize(
    "text",
    [
        "{old}",
        "def main():\n    {old}\nmain()",
        "def main(_):\n    {old}\nif __name__ == '__main__':\n    tf.app.run()",
        "def main(_):\n    {old}\ntf.compat.v1.app.run(main=main)",
        "if len(sys.argv) > 1:\n    {old}\nelse:\n    print('nothing to do')",
        "class Net(object):\n    def __init__(self):\n        self.build()\n    def build(self):\n"
        "        {old}\nnet = Net()",
        "import unittest\nclass TestIt(tf.test.TestCase):\n    def test_it(self):\n        {old}\n"
        "tf.test.main()",
        "def model_fn():\n    {old}\nfunction = model_fn\nfunction()",
        "try:\n    {old}\nexcept tf.errors.OutOfRangeError:\n    print('done')",
        "for _ in range(3):\n    {old}",
        "with tf.device('/cpu:0'):\n    {old}",
        "def legacy():\n    {old}",
        "tf.enable_eager_execution()\n@tf.function\ndef f(x):\n    return x\nprint(f(1).numpy())",
        "import tensorflow.contrib.eager as tfe\ntfe.enable_eager_execution()",
        "assert tf.__version__ == '1.15.0'\n{old}",
        "from tensorflow import keras\nprint(keras.__version__)\n{old}",
    ],
)
def test_programs_of_the_first_generation(text):
    assert taken(IMPORTS + text.format(old=OLD)) == ("1.x", None)


def test_names_of_both_are_said():
    text = "import tensorflow as tf\ntf.Session()\ntf.to_float(1)\ntf.optimizers.SGD()"
    verdict = judge(text, None, "train.py")
    assert verdict.generation == "1.x"
    for part in (
        "tf.optimizers (train.py:4)",
        "tf.Session (train.py:2) with 1 more",
        "--generation 2.x",
    ):
        assert part in verdict.doubt
    verdict = judge("import tensorflow as tf\nprint(tf.log(1.0).numpy())", None, "train.py")
    assert verdict.generation == "2.x"
    assert ".numpy() (train.py:2)" in verdict.doubt and "--generation 1.x" in verdict.doubt
    verdict = judge("import tensorflow as tf\ntf.contrib\ntf.optimizers\ntf.random.set_seed(1)")
    assert verdict.generation == "2.x" and "tf.contrib (program.py:2)" in verdict.doubt


def test_modules_beside_the_program_are_followed(tmp_path):
    (tmp_path / "versions.py").write_text(
        "import tensorflow as tf\nOLD = tf.__version__[0] == '1'\ndef is_old():\n    return OLD"
    )
    (tmp_path / "common.py").write_text("import tensorflow as tf\ndef unused():\n    tf.Session()")
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("from versions import is_old")
    (tmp_path / "package" / "net.py").write_text(
        "from common import tf\ndef build():\n    tf.placeholder(tf.float32)"
    )
    for condition in ("versions.OLD", "versions.is_old()", "is_old()", "package.is_old()"):
        text = "import versions, package\nfrom versions import is_old\nfrom common import tf\n"
        text += f"if {condition}:\n    tf.Session()\nelse:\n    tf.optimizers.SGD()"
        assert taken(text, tmp_path) == ("2.x", None)
    assert judge("import common", tmp_path).generation == "1.x"  # there is nothing else
    assert taken("from package.net import build\nbuild()", tmp_path) == ("1.x", None)
    assert taken("import package.net as net\nnet.build()", tmp_path) == ("1.x", None)


def test_levels():
    text = (
        "import sys, tensorflow as tf\ntf.log\nif sys.argv[1:]:\n    tf.to_float\n"
        "def f():\n    tf.Session\ntry:\n    tf.placeholder\nexcept AttributeError:\n    pass"
    )
    levels = {problem.name: level for problem, level in Reading(text, "2.x").problems.items()}
    assert levels == {
        "tf.log": Level.CERTAIN,
        "tf.to_float": Level.POSSIBLE,
        "tf.Session": Level.UNUSED,
        "tf.placeholder": Level.CAUGHT,
    }


@pytest.mark.parametrize(
    "text",
    [
        "def f(n):\n    return f(n - 1)\nf(3)",
        "def f():\n    g()\ndef g():\n    f()\nf()",
        "f = lambda: f()\nf()",
        "x = 'a' * 10**9 * 10**9",
        "x = [1] * 10**9",
        "x = 10 ** 10 ** 10",
        "while True:\n    pass",
        "x = " + "(" * 60 + "1" + ")" * 60,
        "x = " + "+".join(["1"] * 3000),
        "match 1:\n    case 1:\n        pass\n    case _:\n        pass",
        "del x\nglobal y\nx: int = 3\nx += 1\nasync def f():\n    async with a as b:\n        await c",
        "f'{x!r:>{w}}'\n{1: 2, **a}\n{*b}\nx[1:2, ...]\n(y := 3)\nlambda *a, k=1, **b: a",
        "try:\n    pass\nfinally:\n    pass",
        "import tensorflow.no_such_name as x\nfrom . import y\nfrom .z import *",
    ],
)
def test_any_program_is_read(text):
    assert generation_of("import tensorflow as tf\n" + text) == "2.x"
