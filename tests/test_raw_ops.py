"""tf.raw_ops and its map; values are compared in tests/oracle."""

import ast

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.graphdef import conditions, op_defs, rules


@pytest.mark.parametrize("name", rules.table())
def test_rules_use_what_there_is(name):
    definition = op_defs.find(name)
    known = {argument.name for argument in definition.inputs} | definition.attributes.keys()
    tree = ast.parse(rules.expression(name), mode="eval")
    bound = {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    places = {"tf": tf, "ops": tf._core.ops, **rules.MODULES}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            assert node.id in known | bound | places.keys() | {"zip", "int"}
        plain = isinstance(node, ast.Attribute) and "(" not in ast.unparse(node)
        path = ast.unparse(node).split(".") if plain else []
        if path and path[0] in places:
            value = places[path[0]]
            for part in path[1:]:
                value = getattr(value, part)


@pytest.mark.parametrize("name", conditions.texts())
def test_conditions_read_what_there_is(name):
    definition = op_defs.find(name)
    known = {argument.name for argument in definition.inputs} | definition.attributes.keys()
    assert rules.is_mapped(name)
    for condition in conditions.of_operation(name):
        read = {
            node.id for node in ast.walk(ast.parse(condition.text)) if isinstance(node, ast.Name)
        }
        assert read & known, condition.text


def test_conditions_are_checked_when_functions_run():
    @tf.function
    def nth(n):
        return tf.raw_ops.NthElement(input=[1.0, 3.0, 2.0], n=n)

    with pytest.raises(tf.errors.InvalidArgumentError, match="NthElement"):
        nth(tf.constant(-1))


def test_functions_run_in_graphs():
    @tf.function
    def top(x):
        return tf.raw_ops.TopKV2(input=tf.raw_ops.Square(x=x), k=2).values

    assert top(tf.constant([1.0, -3.0, 2.0])).numpy().tolist() == [9.0, 4.0]


def test_gradients_flow():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.raw_ops.Sum(input=tf.raw_ops.Mul(x=x, y=x), axis=0)
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0]


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="NoSuchOp"):
        tf.raw_ops.NoSuchOp(x=1)
    assert "Conv2D" in dir(tf.raw_ops)
    for name in dir(tf.raw_ops):
        assert callable(getattr(tf.raw_ops, name)), name


def test_line_of_every_operation_can_be_read():
    for name in op_defs.names():
        assert op_defs.find(name).name == name
    assert op_defs.find("N(o") is None


def test_counts_of_rows_and_decoded_paths():
    found = tf.raw_ops.RaggedBincount(
        splits=tf.constant([0, 2, 2, 3], tf.int64), values=tf.constant([1, 1, 2]),
        size=tf.constant(3), weights=tf.constant([], tf.float32),
    )  # fmt: skip
    assert found.numpy().tolist() == [[0, 2, 0], [0, 0, 0], [0, 0, 1]]
    inputs = tf.constant([[[2.0, 1.0, 0.0]], [[0.0, 3.0, 0.0]], [[0.0, 0.0, 5.0]]])
    greedy = tf.raw_ops.CTCGreedyDecoder(inputs=inputs, sequence_length=[3])
    assert greedy.decoded_values.numpy().tolist() == [0, 1]
    beams = tf.raw_ops.CTCBeamSearchDecoder(
        inputs=inputs, sequence_length=[3], beam_width=4, top_paths=2
    )
    assert beams.decoded_values[0].numpy().tolist() == [0, 1]
    assert len(beams.decoded_values) == 2


IMAGES = tf.reshape(tf.range(24, dtype=tf.float32), [2, 3, 4, 1])
TRANSFORMS = tf.constant([[1.0, 0.5, -0.25, 0.1, 1, 0.5, 0.01, 0.02], [1.0, 0, 1, 0, 1, 0, 0, 0]])


@pytest.mark.parametrize(
    ("interpolation", "fill_mode", "expected"),
    [  # TensorFlow's results
        (
            "BILINEAR",
            "CONSTANT",
            [[[1.25, 3.1188, 4.4608], [6.1275, 7.4272, 8.7019]], [[13, 14, 15], [17, 18, 19]]],
        ),
        ("NEAREST", "REFLECT", [[[4, 5, 6], [4, 9, 10]], [[13, 14, 15], [17, 18, 19]]]),
    ],
)
def test_images_are_transformed_in_perspective(interpolation, fill_mode, expected):
    def transform(images, size):
        return tf.raw_ops.ImageProjectiveTransformV3(
            images=images,
            transforms=TRANSFORMS,
            output_shape=size,
            fill_value=-1.0,
            interpolation=interpolation,
            fill_mode=fill_mode,
        )

    result = transform(IMAGES, [2, 3])
    np.testing.assert_allclose(result.numpy()[..., 0], expected, atol=1e-4)
    unknown = tf.function(
        transform,
        input_signature=[tf.TensorSpec([None] * 4), tf.TensorSpec([2], tf.int32)],
    )
    np.testing.assert_array_equal(unknown(IMAGES, tf.constant([2, 3])), result)


def test_integer_images_share_a_transformation():
    result = tf.raw_ops.ImageProjectiveTransformV2(
        images=tf.cast(IMAGES, tf.uint8),
        transforms=TRANSFORMS[:1],
        output_shape=[3, 2],
        interpolation="BILINEAR",
    )
    assert result.dtype is tf.uint8
    assert result.numpy()[..., 0].tolist() == [
        [[1, 3], [6, 7], [5, 5]],
        [[10, 15], [18, 19], [12, 11]],
    ]


IMAGE, KERNEL = tf.ones([1, 2, 2, 1]), tf.ones([1, 1, 1, 1])
# An operation, its other arguments, and optional attributes of each kind.
DEFAULTS = {
    "list(int)": ("Squeeze", {"input": tf.ones([1, 2])}, ["axis"]),
    "bool": (
        "MatMul",
        {"a": tf.ones([1, 2]), "b": tf.ones([2, 1])},
        ["transpose_a", "transpose_b"],
    ),
    "string": (
        "Conv2D",
        {"input": IMAGE, "filter": KERNEL, "strides": [1, 1, 1, 1], "padding": "VALID"},
        ["data_format", "dilations", "explicit_paddings"],
    ),
    "type": ("Shape", {"input": IMAGE}, ["out_type"]),
    "float": ("LeakyRelu", {"features": tf.constant([-1.0, 1.0])}, ["alpha"]),
    "int": ("OneHot", {"indices": [1], "depth": 2, "on_value": 1.0, "off_value": 0.0}, ["axis"]),
}


@pytest.mark.parametrize("in_graph", [False, True])
@pytest.mark.parametrize("kind", DEFAULTS)
def test_none_is_the_default_of_an_optional_attribute(kind, in_graph):
    name, arguments, optional = DEFAULTS[kind]

    def call(**given):
        return getattr(tf.raw_ops, name)(**arguments, **given)

    result = (tf.function(call) if in_graph else call)(**dict.fromkeys(optional))
    expected = call()
    assert result.dtype is expected.dtype
    np.testing.assert_array_equal(result, expected)


def test_none_is_no_value_of_a_required_attribute():
    with pytest.raises(TypeError, match="Expected DataType for argument 'DstT' not None"):
        tf.raw_ops.Cast(x=IMAGE, DstT=None)
    with pytest.raises(TypeError, match="Expected string for argument 'padding' not None"):
        tf.raw_ops.Conv2D(input=IMAGE, filter=KERNEL, strides=[1, 1, 1, 1], padding=None)


def test_gradients_that_are_prevented_are_refused():
    def gradient(function):
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    def prevented(x):
        return tf.raw_ops.PreventGradient(input=x, message="a table")

    for function in (prevented, tf.function(prevented)):
        assert function(tf.constant([3])).numpy().tolist() == [3]
        with pytest.raises(LookupError, match="Gradient explicitly disabled.*a table"):
            gradient(function)
    stopped = gradient(lambda x: tf.stop_gradient(prevented(x)) * x)
    assert stopped.numpy().tolist() == [1.0, 2.0]
