"""Assertions: conditions that hold, errors, and messages that show the values."""

import pytest

import eagerflow as tf

D = tf.debugging
Invalid = tf.errors.InvalidArgumentError


@pytest.mark.parametrize(
    ("name", "holds", "fails", "sign"),
    [
        ("assert_equal", ([1, 2], [1, 2]), ([1, 2], [1, 3]), "x == y"),
        ("assert_none_equal", ([1, 2], [3, 4]), ([1, 2], [3, 2]), "x != y"),
        ("assert_less", ([1, 2], [2, 3]), ([1, 2], [2, 2]), "x < y"),
        ("assert_less_equal", ([1, 2], [1, 2]), ([1, 2], [1, 1]), "x <= y"),
        ("assert_greater", ([1, 2], [0, 1]), ([1, 2], [0, 2]), "x > y"),
        ("assert_greater_equal", ([1, 2], [1, 2]), ([1, 2], [1, 3]), "x >= y"),
    ],
)
def test_comparisons(name, holds, fails, sign):
    check = getattr(D, name)
    check(*holds)
    check([], [])
    with pytest.raises(Invalid, match=f"^note\nCondition {sign} did not hold.\nIndices") as raised:
        check(*fails, message="note")
    assert "\n[[1]]\nCorresponding x values:\n[2]\n" in str(raised.value)


def test_a_comparison_shows_as_much_as_asked():
    x = tf.range(10)
    with pytest.raises(Invalid, match=r"first 3 different values:\n\[\[0\]\n \[1\]\n \[2\]\]\n"):
        D.assert_equal(x, x + 1)
    with pytest.raises(Invalid, match=r"First 5 elements of y:\n\[1 2 3 4 5\]$"):
        D.assert_equal(x, x + 1, summarize=5)
    with pytest.raises(Invalid, match="First 10 elements"):
        D.assert_equal(x, x + 1, summarize=-1)
    with pytest.raises(Invalid, match=r"^Condition x == y did not hold.\nFirst 3 elements of x:"):
        D.assert_equal(x, 5)
    with pytest.raises(Invalid, match="dtype|expected to be"):
        D.assert_equal(x, tf.constant(1.0))


@pytest.mark.parametrize(
    ("name", "holds", "fails", "sign"),
    [
        ("assert_positive", [1], [1, 0], "x > 0"),
        ("assert_negative", [-1], [-1, 0], "x < 0"),
        ("assert_non_negative", [1, 0], [-1], "x >= 0"),
        ("assert_non_positive", [-1, 0], [1], "x <= 0"),
    ],
)
def test_signs(name, holds, fails, sign):
    getattr(D, name)(holds)
    getattr(D, name)([])
    with pytest.raises(Invalid, match=f"note.  \nCondition {sign} did not hold element-wise"):
        getattr(D, name)(fails, message="note")


def test_near():
    D.assert_near([1.0], [1.0 + 1e-7])
    D.assert_near([1.0], [2.0], atol=2.0)
    D.assert_near(tf.constant([1.0], tf.bfloat16), tf.constant([1.0], tf.bfloat16))
    with pytest.raises(Invalid, match="x and y not equal to tolerance rtol"):
        D.assert_near([1.0], [2.0])
    with pytest.raises(Invalid):
        D.assert_near([float("nan")], [float("nan")])
    with pytest.raises(ValueError, match="float64"):
        D.assert_near(tf.constant([1.0]), tf.constant([1.0], tf.float64))


def test_ranks():
    x = tf.ones([3])
    D.assert_rank(x, 1)
    D.assert_rank_at_least(x, 1)
    D.assert_rank_in(x, (0, 1))
    D.assert_scalar(1)
    for check, rank, text in (
        (D.assert_rank, 2, "must have rank 2.  Received rank 1, shape \\(3,\\)"),
        (D.assert_rank_at_least, 2, "must have rank at least 2"),
        (D.assert_rank_in, (2, 3), "must have rank in \\(2, 3\\)"),
    ):
        with pytest.raises(ValueError, match=f"note.  Tensor  {text}"):
            check(x, rank, message="note")
    with pytest.raises(ValueError, match="Rank must be a scalar"):
        D.assert_rank(x, [2])
    with pytest.raises(TypeError, match="must be of type tf.int32; got tf.float32"):
        D.assert_rank(x, 1.5)
    with pytest.raises(ValueError, match="Expected scalar shape"):
        D.assert_scalar(x)


def test_types():
    x = tf.ones([1])
    D.assert_integer([1])
    D.assert_type(x, tf.float32)
    assert D.assert_same_float_dtype([x, x]) is tf.float32 is D.assert_same_float_dtype()
    with pytest.raises(TypeError, match='Expected "x" to be integer type'):
        D.assert_integer(x)
    with pytest.raises(TypeError, match="tensor must be of type tf.int32; got tf.float32"):
        D.assert_type(x, tf.int32)
    with pytest.raises(ValueError, match="must be of the same type"):
        D.assert_same_float_dtype([x, tf.cast(x, tf.float64)])
    with pytest.raises(ValueError, match="Expected floating point type"):
        D.assert_same_float_dtype([tf.constant(1)])
    D.assert_proper_iterable([1])
    for wrong in (x, 3, "text"):
        with pytest.raises(TypeError, match="Expected argument"):
            D.assert_proper_iterable(wrong)
    assert D.is_numeric_tensor(x) and not D.is_numeric_tensor(tf.constant("a"))


def test_shapes():
    x, y = tf.ones([2, 3]), tf.ones([3])
    D.assert_shapes([(x, ("N", "D")), (y, ("D",))])
    D.assert_shapes([(x, "ND"), (y, [3]), (x, (None, 3)), (x, (..., "D")), (x, ("*", "N", "D"))])
    D.assert_shapes({"text": ("N",)})
    D.assert_shapes([(tf.ones([]), ()), (tf.ones([]), (1,))])
    for shapes, text in (
        (
            [(x, ("N", "N"))],
            "Specified by tensor .* dimension 1 must have size 2.  Received size 3",
        ),
        ([(x, (2, 4))], "Specified explicitly.  Tensor .* must have size 4"),
        ([(x, ("N",))], "must have rank 1"),
        ([(x, ("N", "*"))], "only allowed as the first entry"),
        ([(x, 5)], "Specified shape must be an iterable"),
    ):
        with pytest.raises(ValueError, match=text):
            D.assert_shapes(shapes)


def test_assert():
    D.Assert(True, ["unused"])
    tf.Assert(tf.constant(1) > 0, [1])
    with pytest.raises(Invalid, match="to be true. Summarized data: b'why'\n1, 2, 3, ..."):
        D.Assert(tf.constant(False), ["why", [1, 2, 3, 4]])


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([float("nan")], "NaN"),
        ([float("-inf")], "Inf"),
        ([float("nan"), float("inf")], "Inf and NaN"),
    ],
)
def test_check_numerics(values, found):
    with pytest.raises(Invalid, match=f"the loss : Tensor had {found} values"):
        D.check_numerics(values, "the loss")


def test_check_numerics_returns_the_tensor():
    assert D.check_numerics([1.0, 2.0], "").numpy().tolist() == [1.0, 2.0]
    with pytest.raises(Invalid):
        D.check_numerics([1], "")


def test_ranks_are_compared_with_tensors():
    @tf.function
    def known(x):
        tf.debugging.assert_rank_at_least(x, tf.rank(tf.ones([2])))
        return x

    assert known(tf.ones([2, 2])).shape == (2, 2)
    with pytest.raises(ValueError, match="must have rank at least 1"):
        known(tf.constant(1.0))

    @tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec([], tf.int32)])
    def unknown(x, rank):
        tf.debugging.assert_rank(x, rank)
        tf.debugging.assert_rank_in(x, [0, rank])
        return x + 1

    assert unknown(tf.ones([2, 2]), 2).shape == (2, 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have rank 3"):
        unknown(tf.ones([2, 2]), 3)


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize(
    ("name", "y"), [("equal", 9), ("none_equal", 3), ("less", 1), ("less_equal", 1), ("greater", 9)]
)
def test_messages_may_be_tensors(name, y, traced):
    check = getattr(tf.debugging, f"assert_{name}")

    def run(x):
        check(x, y, message=tf.strings.format("got {}", x))
        return x

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"got 3\nCondition"):
        (tf.function(run) if traced else run)(tf.constant(3))
