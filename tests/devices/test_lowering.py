"""Cases of the oracle as compiled programs: they give what the CPU's kernels give."""

import functools
import runpy
import traceback
from pathlib import Path

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core, nest
from eagerflow.framework import func_graph, plugins
from oracle import in_graphs, registry, values

pytestmark = pytest.mark.skipif(
    not any("cpu" in p.name for p in plugins.installed()) or not _core.pjrt.built_in(),
    reason="needs the package xla-cpu-pjrt",
)
# Of each family every so many cases are compiled: a program takes some 50 ms.
FAMILIES = {
    "elementwise": 13,
    "reductions": 7,
    "shapes": 11,
    "indexing": 3,
    "linalg": 3,
    "nn": 3,
    "random": 5,
    "decompositions": 19,
    "special": 11,
    "signal": 11,
    "images": 19,
}
# What XLA computes with other roundings, or leaves undefined where TensorFlow does not.
TOLERANCES = {"float16": 2e-2, "bfloat16": 5e-2, "float32": 2e-4, "float64": 1e-6}
OTHERWISE = frozenset(("elementwise/where_form[nan gradient]",))
recorded = functools.cache(values.load)


def _cases():
    for family, stride in FAMILIES.items():
        for number, (name, answer) in enumerate(recorded(family)[0].items()):
            raised = isinstance(answer, dict) and "raised" in answer
            if number % stride == 0 and not raised and f"{family}/{name}" not in OTHERWISE:
                yield family, name


CASES = list(_cases())


def _traced(case):
    graph = func_graph.FuncGraph("case")
    placeholders = in_graphs.Placeholders(tf, graph, "sizes")
    with graph.as_default():
        leaves = nest.flatten(case.run(placeholders), expand_composites=True)
        graph.finish([graph.capture(x) for x in leaves if isinstance(x, tf.Tensor)])
    return graph, placeholders.values


def _of_case(error):
    frames = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    return "/oracle/" in [name for name in frames if name.endswith(".py")][-1]


@pytest.mark.parametrize(("family", "name"), CASES, ids=[f"{f}/{n}" for f, n in CASES])
def test_programs_compute_like_kernels(family, name):
    """The same graph, run by the CPU's kernels and compiled."""
    case = registry.load(family)[name]
    try:
        _traced(case)  # what a case does to the state of random numbers, it has done before then
        graph, inputs = _traced(case)
        other, _ = _traced(case)
        expected = graph.run(inputs)
    except Exception as error:
        if _of_case(error):
            pytest.skip("the case reads values")
        pytest.skip(f"not in graphs: {error}")
    if any(x.dtype == tf.string for x in [*expected, *inputs]):
        pytest.skip("strings stay on the host")
    other.compile_for(*plugins.compiler())
    try:
        results = other.run(inputs)
    except tf.errors.InvalidArgumentError as error:
        assert "cannot be compiled" in str(error)
        pytest.skip(str(error))
    for x, y in zip(results, expected, strict=True):
        assert (x.dtype, x.shape) == (y.dtype, y.shape)
        tolerance = TOLERANCES.get(y.dtype.name, 0 if y.dtype.is_integer else 2e-4)
        mine, theirs = x.numpy(), y.numpy()
        if theirs.dtype.kind not in "biufc":  # bfloat16
            mine, theirs = mine.astype(np.float32), theirs.astype(np.float32)
        np.testing.assert_allclose(mine, theirs, tolerance, tolerance)


SEED = np.array([1, 2])
# A function of the inputs behind it, none of which is known when the program is compiled.
COMPUTED = {
    "linspace": (
        lambda x, y: tf.linspace(x, y, 5, axis=-1),
        np.float32([1, 2]),
        np.float32([5, -2]),
    ),
    "linspace of one": (lambda x, y: tf.linspace(x, y, 1), 1.0, 5.0),
    "categorical": (
        lambda x, seed: tf.random.stateless_categorical(tf.math.log(x), 33, seed=seed),
        np.float32([[0.1, 0.0, 0.9], [0.5, 0.25, 0.25]]),
        SEED,
    ),
    "shuffle": (
        lambda x, seed: tf.random.experimental.stateless_shuffle(x, seed=seed),
        np.arange(50),
        SEED,
    ),
    "reverse_sequence": (
        lambda x, lengths: tf.reverse_sequence(x, lengths, seq_axis=1, batch_axis=2),
        np.arange(24).reshape([2, 4, 3]),
        [3, 0, 2],
    ),
    "in_top_k": (
        lambda targets, scores: tf.math.in_top_k(targets, scores, 2),
        [0, 2, 5, 1],
        np.float32([[3, 1, 2], [3, 3, 2], [1, 2, 3], [1, 1, np.inf]]),
    ),
}


@pytest.mark.parametrize("name", COMPUTED)
def test_results_are_those_of_kernels(name):
    """Operations that the cases above meet rarely, or with inputs that are known."""
    function, *inputs = COMPUTED[name]
    inputs = [tf.constant(x) for x in inputs]
    compiled = tf.function(function, jit_compile=True)
    np.testing.assert_allclose(compiled(*inputs), function(*inputs), 1e-5, 1e-5)
    assert len(compiled.get_concrete_function(*inputs).graph.program[1].splitlines()) > 5


def test_the_page_lists_the_operations():
    """docs/devices.md says what programs have; tools/lowered_operations.py writes it."""
    tool = Path(__file__).parents[2] / "tools" / "lowered_operations.py"
    names = runpy.run_path(str(tool))
    text = names["PAGE"].read_text()
    assert names["page"](text) == text
