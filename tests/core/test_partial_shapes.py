"""Static shapes of operations that TensorFlow does not have, or not with these arguments.

The families `partial_shapes` of tests/oracle compare the others with TensorFlow.
"""

import pytest

import eagerflow as tf
from eagerflow import _core
from eagerflow.framework import func_graph
from oracle import registry, static_shapes

STREAM = "key=1, counter_low=0, counter_high=0"
WINDOW = "[1, 2, 2, 1], [1, 2, 2, 1], 'VALID'"

# The letters are those of tests/oracle/static_shapes.py.
CALLS = f"""
avg_pool_grad(x(2, 4, 3, 4), v(2, 8, 6, 4), {WINDOW})
batch_norm(x(2, 5, 3), x(3), x(3))
attention(x(2, 5, 3), x(2, 4, 3), x(2, 4, 6))
attention(x(2, 5, 3), x(2, 4, 3), x(2, 4, 6), x(5, 4))
attention_grad(x(2, 5, 6), x(2, 5, 3), x(2, 4, 3), x(2, 4, 6), x(2, 5, 6), x(40))
batch_norm_grad(x(2, 5, 3), x(2, 5, 3), x(3), x(3), x(3))
batch_norm_inference(x(2, 5, 3), x(3), x(3), x(3), x(3))
bytes_string(x(2, 3), s())
bitcast(x(2, 3), tf.uint8)
bitcast(x(4, 2), tf.int64)
count_integers(n(6), k(2), k(5), False, tf.int32)
hypot(x(2, 3), x(3))
linear_scan(x(2, 3), x(2, 3), axis=1)
csv_fields(s(4), 44, [0, 2], True, False)
eigh_factors(x(2, 3, 3))
fake_quant(x(2, 3), x(5, 3), False)
fake_quant(x(2, 3), x(5, 1), True)
fake_quant_grad(x(2, 3), x(2, 3), x(5, 3))
fake_quant_limits(x(3), x(3), 0.0, 255.0, True)
fourier(x(2, 6), [1], 'half')
int8_conv2d(x(2, 5, 4, 3), i(2, 2, 3, 6), x(6), [1, 1, 1, 1], 'SAME')
int8_depthwise_conv2d(x(2, 5, 4, 3), i(2, 2, 3, 2), x(6), [1, 2, 2, 1], 'VALID')
int8_matmul(x(2, 5, 3), i(3, 4), x(4))
gather_grad(x(4, 3), n(4), v(5, 3))
gather_grad(x(5, 4), n(4), v(5, 3), axis=1)
gather_nd_grad(x(4, 3), n(4, 1), v(5, 3))
gather_or_default(s(5), l(2, 3), s())
gather_or_zero(x(5, 3), n(2, 4))
gelu_grad(x(2, 3), x(2, 3))
gru(x(7, 2, 12), x(2, 4), x(4, 12), x(12))
gru(x(7, 2, 12), x(2, 4), x(4, 12), x(12), b(7, 2))
gru_grad(x(7, 2, 4), x(2, 4), x(7, 2, 4), x(7, 2, 16), x(2, 4), x(4, 12))
layer_norm(x(2, 5, 3), x(3), x(3))
layer_norm_grad(x(2, 5, 3), x(2, 5, 3), x(3), x(10), x(10))
log_softmax_grad(x(2, 3), x(2, 3))
lstm(x(7, 2, 16), x(2, 4), x(2, 4), x(4, 16))
lstm_grad(x(7, 2, 4), x(2, 4), x(2, 4), x(7, 2, 4), x(7, 2, 4), x(7, 2, 16), x(2, 4), x(2, 4), x(4, 16))
cofactors(x(2, 3, 3))
cofactors_grad(x(2, 3, 3), x(2, 3, 3))
max_pool_places(x(2, 8, 6, 4), {WINDOW})
max_pool_winners(x(2, 8, 6, 4), x(2, 4, 3, 4), {WINDOW})
pad_rows(x(6, 3), x(), l(4), k(5))
partition_order(n(2, 3), 4)
philox_binomial(d(2, 3), d(2, 3), {STREAM})
philox_gamma(d(2, 3), {STREAM})
philox_normal(v(2, 3), tf.float32, {STREAM})
philox_poisson(d(2, 3), {STREAM}, highest=9.0)
philox_shuffle(k(4), {STREAM})
philox_truncated_normal(v(2, 3), tf.float32, {STREAM})
philox_uniform(v(2, 3), tf.float32, {STREAM})
philox_uniform_full_int(v(2, 3), tf.int32, {STREAM})
philox_uniform_int(v(2, 3), tf.int32, {STREAM}, minval=k(1), maxval=k(9))
pick_winners(x(2, 8, 6, 4), u(2, 4, 3, 4), {WINDOW})
qr_factors(x(2, 4, 3))
remaining_boxes(x(6, 4), l(6), k(3), 0.5)
resample(x(2, 8, 6, 3), n(4), x(4, 2), n(5), x(5, 2))
schur(w(2, 3, 3))
set_rows(l(5), l(6), l(4), l(4), 'union')
ragged_to_variant(x(5, 2), [l(3)], False)
ragged_to_variant(x(5, 2), [l(4), l(3)], True)
simple_rnn(x(7, 2, 4), x(2, 4), x(4, 4))
simple_rnn_grad(x(7, 2, 4), x(2, 4), x(7, 2, 4), x(2, 4), x(4, 4))
softmax_grad(x(2, 3), x(2, 3))
spread_to_winners(x(2, 4, 3, 4), u(2, 4, 3, 4), 8, 6, {WINDOW})
sparse_dots(l(5, 2), x(2, 3), x(4, 3))
sparse_fill_rows(l(5, 2), k(4))
sparse_flat_places(l(5, 2), v(4, 3), [0])
sparse_intersection(l(5, 2), l(4, 2))
sparse_layout(l(5, 2), k(4), k(3))
sparse_matmul(x(5), l(5, 2), x(3, 4), None, k(2), k(3))
sparse_multiply(x(5), l(5, 2), x(4), l(4, 2))
sparse_order(l(5, 2), v(4, 3), [1, 0])
sparse_product(x(5), l(5, 2), x(4), l(4, 2), k(3), k(2), k(4))
sparse_product_term(x(5), x(4), l(6, 2), l(4, 2), l(5, 2), k(3), k(2), k(4), 0)
sparse_reshape_places(l(5, 2), v(4, 3), v(2, 6))
sparse_segment_sum(x(5, 3), n(4), n(4))
sparse_segment_sum(x(5, 3), n(4), n(4), k(6))
sparse_slice_places(l(5, 2), v(0, 1), v(2, 2), v(1, 1))
sparse_sum(x(5), l(5, 2), x(4), l(4, 2))
sparse_to_dense(x(5), x(), l(5, 2), v(4, 3))
sparse_union(l(5, 2), l(4, 2))
stitch_rows(n(4), x(4, 3))
roll(x(4, 5), k(2), k(1))
strided_slice_update(x(4, 5), x(2), v(1, 0), v(3, 2), v(1, 1))
strided_slice_grad(x(2, 2), v(4, 5), v(1, 0), v(3, 2), v(1, 1))
string_bytes(s(2), tf.int32)
string_join_rows(s(), s(2, 3))
string_of_number(x(2, 3))
string_part(s(2, 3), 0, 1)
string_replace(s(2, 3), s(), [1, 2], False, True)
string_split(s(4), s())
triangle_root(w(2, 3, 3))
unpad_rows(x(4, 5, 3), l(5), k(9))
utf8_decode(s(4))
utf8_encode(n(7), l(4))
"""


def is_ranked(answer):
    return (
        all(shape.rank is not None for shape in answer)
        if isinstance(answer, list)
        else answer.rank is not None
    )


def includes(wider, narrower):
    """Whether the partial shape `wider` includes all shapes that `narrower` includes."""
    if isinstance(wider, list):
        return len(wider) == len(narrower) and all(map(includes, wider, narrower))
    if wider.rank is None or narrower.rank is None:
        return wider.rank is None
    return wider.rank == narrower.rank and all(
        size is None or size == other
        for size, other in zip(wider.as_list(), narrower.as_list(), strict=True)
    )


@pytest.mark.parametrize("call", CALLS.strip().splitlines())
def test_less_is_known_of_less(call):
    """Results of partial shapes include those of full shapes, and known ranks give known ranks."""
    answers = static_shapes.ask(tf, f"tf._core.ops.{call}")
    known = answers[next(iter(answers))]
    assert not isinstance(known, str), known
    for variation, answer in answers.items():
        assert not isinstance(answer, str), f"{variation}: {answer}"
        assert includes(answer, known), f"{variation}: {answer}, but {known}"
        assert "<unknown>" in variation or is_ranked(answer), variation


def test_every_operation_is_asked(monkeypatch):
    graphs = []
    trace = func_graph.trace

    def kept(function, args, *, name):
        graphs.append(func_graph.FuncGraph(name))
        return trace(function, args, name=name, graph=graphs[-1])

    monkeypatch.setattr(func_graph, "trace", kept)
    for family in ("partial_shapes", "partial_shapes_domains"):
        for expression in registry.load(family):
            inputs = static_shapes.inputs_of(expression)
            some, *_, last = static_shapes.variations(inputs)
            for variation in (some, last):
                static_shapes.answer(tf, expression, variation)
    asked = {node.type for graph in graphs for node in graph.nodes}
    here = {call.partition("(")[0] for call in CALLS.strip().splitlines()}
    # What variants hold has no shape, and the shape of what is read from one is an argument.
    names = {
        name: getattr(_core.ops, name).op_name
        for name in dir(_core.ops)
        if not name.startswith(("_", "tensor_list_"))
        and not (name.endswith(("_from_variant", "_variant_grad")) or name.startswith("variant_"))
    }
    assert {
        name for name, type_ in names.items() if type_ not in asked and name not in here
    } == set()
