"""Programs of functions as the text of HLO modules."""

import re

import numpy as np
import pytest

import eagerflow as tf


def hlo(function, *args, **kwargs):
    compiled = tf.function(function, jit_compile=True)
    return compiled.experimental_get_compiler_ir(*args, **kwargs)(stage="hlo")


def check(text):
    """Each name is defined once, before it is read; each computation has one result."""
    assert text.startswith("HloModule ")
    computations = set()
    for block in re.findall(r"^(?:ENTRY )?[\w.]+ \{\n.*?^\}", text, re.MULTILINE | re.DOTALL):
        lines = block.splitlines()
        defined, parameters = set(), []
        assert sum(line.startswith("  ROOT ") for line in lines) == 1, block
        for line in lines[1:-1]:
            name, kind, given = re.fullmatch(
                r"  (?:ROOT )?([\w.-]+) = (?:\(.*?\)|\S+) ([\w-]+)\((.*?)\)(?:, .*)?", line
            ).groups()
            if kind == "parameter":
                parameters.append(int(given))
            elif kind != "constant":
                for operand in filter(None, given.split(", ")):
                    assert operand in defined, line
            for called in re.findall(r"(?:to_apply|condition|body|select|scatter)=([\w.]+)", line):
                assert called in computations, line
            for branches in re.findall(r"branch_computations=\{([\w.,]+)\}", line):
                assert computations.issuperset(branches.split(",")), line
            assert name not in defined
            defined.add(name)
        assert parameters == list(range(len(parameters)))
        computations.add(lines[0].split()[-2])
    assert "ENTRY " in text


def test_whole_text():
    function = tf.function(lambda x, y: tf.reduce_max(x + y, axis=1), jit_compile=True)
    show = function.experimental_get_compiler_ir(tf.ones([2, 3]), tf.TensorSpec([3]))
    assert show() == show(stage="hlo")
    assert show(device_name="/device:CPU:0", platform_name="CPU") == (
        """HloModule _lambda_, entry_computation_layout={(f32[2,3]{1,0}, f32[3]{0})->f32[2]{0}}

region.1 {
  parameter.3 = f32[] parameter(0)
  parameter.4 = f32[] parameter(1)
  ROOT maximum.1 = f32[] maximum(parameter.3, parameter.4)
}

ENTRY main.1 {
  parameter.1 = f32[2,3]{1,0} parameter(0)
  parameter.2 = f32[3]{0} parameter(1)
  broadcast.1 = f32[2,3]{1,0} broadcast(parameter.2), dimensions={1}
  add.1 = f32[2,3]{1,0} add(parameter.1, broadcast.1)
  constant.1 = f32[] constant(-inf)
  ROOT reduce.1 = f32[2]{0} reduce(add.1, constant.1), dimensions={1}, to_apply=region.1
}
"""
    )


IMAGES = tf.TensorSpec([2, 8, 9, 3])


def gradient(function):
    def of(*args):
        with tf.GradientTape() as tape:
            tape.watch(args)
            y = function(*args)
        return tape.gradient(y, args)

    return of


def loop(x, n):
    while tf.reduce_sum(x) < 100.0:
        x = x * 2.0 + tf.cast(n, x.dtype)
    return x


def choice(x, n):
    if n > 0:
        y = x * 2.0
    elif n < -5:
        y = x + tf.cast(n, x.dtype)
    else:
        y = x
    return y, n


@pytest.mark.parametrize(
    ("function", "specs", "expected"),
    [
        (
            lambda x, w: tf.nn.conv2d(x, w, [1, 2, 1, 1], "SAME", dilations=[1, 1, 2, 1]),
            (IMAGES, tf.TensorSpec([3, 2, 3, 4])),
            [
                "window={size=3x2 stride=2x1 pad=0_1x1_1 lhs_dilate=1x1 rhs_dilate=1x2}",
                "dim_labels=b01f_01io->b01f",
                "feature_group_count=1",
            ],
        ),
        (
            gradient(lambda x, w: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "VALID")),
            (IMAGES, tf.TensorSpec([3, 2, 3, 2])),
            ["convolution(", "_group_count=3"],
        ),
        (
            gradient(lambda x: tf.nn.max_pool2d(x, 2, 2, "SAME")),
            (IMAGES,),
            ["select-and-scatter(", "window={size=1x2x2x1 stride=1x2x2x1 pad=0_0x0_0x0_1x0_0}"],
        ),
        (
            lambda x: tf.nn.avg_pool2d(x, 3, 1, "SAME"),
            (IMAGES,),
            ["reduce-window(", "pad=0_0x1_1x1_1x0_0 rhs_dilate=1x1x1x1"],
        ),
        (
            lambda x, y: tf.einsum("bij,bkj->bik", x, y),
            (tf.TensorSpec([5, 2, 3]), tf.TensorSpec([5, 4, 3])),
            [
                "lhs_batch_dims={0}, lhs_contracting_dims={2}, "
                "rhs_batch_dims={0}, rhs_contracting_dims={2}"
            ],
        ),
        (
            lambda x: (x[1:7:2], tf.reverse(x, [0]), tf.transpose(x), tf.pad(x, [[1, 2], [0, 3]])),
            (tf.TensorSpec([8, 2]),),
            ["slice={[1:6:2],[0:2:1]}", "dimensions={1,0}", "padding=1_2_0x0_3_0", "reverse("],
        ),
        (
            lambda x, i: tf.gather(x, i, axis=1),
            (tf.TensorSpec([8, 5]), tf.TensorSpec([3], "int64")),
            ["gather(", "start_index_map={1}", "slice_sizes={8,1}", "index_vector_dim=1"],
        ),
        (
            lambda x, i, y: tf.tensor_scatter_nd_add(x, i, y),
            (tf.TensorSpec([8, 5]), tf.TensorSpec([3, 1], "int32"), tf.TensorSpec([3, 5])),
            ["scatter(", "scatter_dims_to_operand_dims={0}", "unique_indices=false"],
        ),
        (
            lambda x: (tf.sort(x), tf.math.top_k(x, 2)),
            (tf.TensorSpec([8, 5]),),
            ["sort(", "dimensions={1}, is_stable=true", "topk(", "k=2, largest=true"],
        ),
        (
            lambda x: tf.signal.rfft(x),
            (tf.TensorSpec([8]),),
            ["fft_type=RFFT, fft_length={8}", "c64[5]{0}"],
        ),
        (
            lambda x, y: tf.linalg.cholesky_solve(tf.linalg.cholesky(x), y),
            (tf.TensorSpec([4, 4], "float64"), tf.TensorSpec([4, 2], "float64")),
            ["cholesky(", "lower=true", "transpose_a=TRANSPOSE", "f64[4,2]{1,0} triangular-solve("],
        ),
        (
            lambda x: tf.linalg.eigh(x),
            (tf.TensorSpec([4, 4]),),
            ['custom_call_target="Eigh", backend_config="1,1,'],
        ),
        (loop, (tf.TensorSpec([3]), tf.TensorSpec([], "int32")), ["while(", "condition=region.2"]),
        (
            choice,
            (tf.TensorSpec([3]), tf.TensorSpec([], "int32")),
            ["conditional(", "branch_computations={"],
        ),
        (
            lambda seed: tf.random.stateless_normal([3], seed),
            (tf.TensorSpec([2], "int64"),),
            ["shift-right-logical(", "bitcast-convert(", "u32"],
        ),
        (
            lambda x: (tf.math.is_finite(x), tf.round(x), tf.math.expm1(x), tf.math.erf(x)),
            (tf.TensorSpec([2], "bfloat16"),),
            ["is-finite(", "round-nearest-even(", "exponential-minus-one(", "erf(", "bf16[2]{0}"],
        ),
        (lambda x: (), (tf.TensorSpec([2]),), ["ROOT tuple.1 = () tuple()"]),
        (lambda x: (x, x), (tf.TensorSpec([0, 2]),), ["->(f32[0,2]{1,0}, f32[0,2]{1,0})}"]),
    ],
)
def test_instructions(function, specs, expected):
    text = hlo(function, *specs)
    check(text)
    for part in expected:
        assert part in text, (part, text)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_constants_of_floats(dtype):
    numbers = [[1.5, -0.0], [np.inf, np.nan]]
    text = hlo(lambda x: (x + tf.constant(numbers, dtype), x * 0.25), tf.TensorSpec([2, 2], dtype))
    check(text)
    assert "constant({{1.5, -0.0}, {inf, nan}})" in text
    assert "constant(0.25)" in text


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        (np.int8([-3, 7]), "s8[2]{0} constant({-3, 7})"),
        (np.uint16([3, 65535]), "u16[2]{0} constant({3, 65535})"),
        (np.int64([[2**40], [1]]), f"s64[2,1]{{1,0}} constant({{{{{2**40}}}, {{1}}}})"),
        (np.complex64([1 + 2j, 3 - 1j]), "c64[2]{0} constant({(1.0, 2.0), (3.0, -1.0)})"),
        (np.full([2, 3], 4, np.int32), "constant(4)"),
    ],
)
def test_constants(values, shown):
    text = hlo(lambda x: x * tf.constant(values), tf.TensorSpec(values.shape, values.dtype))
    check(text)
    assert shown in text


def test_variables_and_captures_are_parameters():
    v = tf.Variable([1.0, 2.0])

    def step(x, *, scale):
        v.assign_add(x * scale)
        return v * 2.0

    text = hlo(step, tf.ones([2]), scale=tf.constant(3.0))
    check(text)
    assert "input_output_alias={ {1}: (2, {}, may-alias) }" in text
    assert "(f32[2]{0}, f32[], f32[2]{0})->(f32[2]{0}, f32[2]{0})" in text


def test_sizes_are_those_of_the_arguments():
    signature = [tf.TensorSpec([None, 2])]
    f = tf.function(lambda x: tf.exp(x), jit_compile=True, input_signature=signature)
    assert "f32[5,2]{1,0} exponential" in f.experimental_get_compiler_ir(tf.ones([5, 2]))()
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot be compiled"):
        f.experimental_get_compiler_ir(tf.TensorSpec([None, 2]))()


def test_refusals():
    plain = tf.function(lambda x: x * x)
    with pytest.raises(ValueError, match="marked with 'jit_compile=True'"):
        plain.experimental_get_compiler_ir(tf.constant(1.0))
    show = tf.function(lambda x: x * x, jit_compile=True).experimental_get_compiler_ir(1.0)
    with pytest.raises(ValueError, match=r"'ir'.*optimized_hlo"):
        show(stage="ir")
    with pytest.raises(tf.errors.UnimplementedError, match="stage='hlo'"):
        show(stage="optimized_hlo")
    with pytest.raises(tf.errors.UnimplementedError, match=r"no instruction for 'chlo\.zeta'"):
        hlo(tf.math.zeta, tf.TensorSpec([2]), tf.TensorSpec([2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Igamma"):
        hlo(tf.math.igamma, tf.TensorSpec([2]), tf.TensorSpec([2]))
