"""Shapes, joining, slicing, indexing, reductions, running sums, sorting, matrix products."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from eagerflow._core import ops
from gradient_cases import call, call_list, label_of
from gradient_check import Case, spread, spread_complex

SLICES = [
    {"begin": [0, 1], "end": [3, 4], "strides": [1, 2]},
    {"begin": [2, 3], "end": [0, 0], "strides": [-1, -2]},
    {"begin": [1, 0], "end": [2, 4], "strides": [1, 1], "shrink_axis_mask": 1},
    {"begin": [0, 1], "end": [0, 3], "strides": [1, 1], "begin_mask": 1, "end_mask": 1},
    {"begin": [0, 0, 1], "end": [0, 0, 3], "strides": [1, 1, 1], "new_axis_mask": 1,
     "ellipsis_mask": 2},
    {"begin": [0, 0], "end": [0, 0], "strides": [1, 1], "ellipsis_mask": 1, "new_axis_mask": 2},
    {"begin": [2, 1], "end": [3, 2], "strides": [1, 1], "shrink_axis_mask": 3},
]  # fmt: skip
# Indices of matrices [2, 3], [3, 4] and [2, 4], not all in order.
OF_A, OF_B = [[0, 1], [1, 0], [1, 2]], [[0, 3], [1, 1], [2, 0], [1, 0]]
OF_C = [[0, 0], [0, 1], [1, 0], [1, 3]]
SLICED_SHAPES = [(3, 2), (2, 2), (4,), (3, 2), (1, 3, 2), (3, 4, 1), ()]


def shape_cases() -> list[Case]:
    x = spread((2, 3, 2))
    cases = [
        call("reshape", x, shape=[3, -1]),
        call("reshape", spread(()), shape=[1, 1]),
        call("reshape", spread((0, 3)), shape=[3, 0]),
        call("transpose", x),
        call("transpose", x, perm=[1, 2, 0]),
        call("transpose", spread_complex((2, 2)), perm=[1, 0], conjugate=True),
        call("expand_dims", x, axis=1),
        call("expand_dims", x, axis=-1),
        call("ensure_shape", x, shape=list(x.shape)),
        call("squeeze", spread((1, 3, 1)), axis=[0]),
        call("squeeze", spread((1, 3, 1))),
        call("broadcast_to", spread((3, 1)), shape=[2, 3, 4]),
        call("broadcast_to", spread(()), shape=[2, 2]),
        call("broadcast_to", spread((2, 1)), shape=[2, 0]),
        call("tile", spread((2, 3)), multiples=[2, 3]),
        call("tile", spread((2, 3)), multiples=[1, 1]),
        call("tile", spread((2,)), multiples=[0]),
        call("reverse", x, axis=[0]),
        call("roll", x, shift=2, axis=1),
        call("roll", x, shift=-5, axis=-1),
        call("reverse", x, axis=[-1, 1]),
        call("fill", spread(()), dims=[2, 3]),
        call("fill", spread_complex(()), dims=[2]),
        call_list("concat", spread((2, 2)), spread((2, 3), seed=1), axis=1),
        call_list("concat", spread((2, 2)), spread((0, 2)), spread((1, 2), seed=1), axis=0),
        call_list("concat", spread((2, 2)), spread((2, 2), seed=1), spread((2, 1)), axis=-1),
        call_list("stack", spread((2, 2)), spread((2, 2), seed=1)),
        call_list("stack", spread((2, 2)), spread((2, 2), seed=1), axis=-1),
        call_list("stack", spread(()), spread((), seed=1), spread(())),
        call("unstack", x, axis=1),
        call("unstack", x),
        call("split", x, size_splits=[1, 2], axis=1),
        call("split", x, size_splits=[1, 0, 1], axis=-1),
        call("slice", x, begin=[0, 1, 0], size=[2, 1, -1]),
        call("pad", spread((2, 3)), paddings=[1, 0, 2, 1]),
        call("pad", spread((2, 3)), paddings=[0, 1, 0, 0], constant_values=3.0),
        call("pad", spread((3, 3)), paddings=[2, 1, 1, 0], mode="REFLECT"),
        call("pad", spread((2, 3)), paddings=[2, 1, 1, 3], mode="SYMMETRIC"),
        call("mirror_pad_grad", spread((5, 4)), paddings=[1, 1, 1, 0], mode="REFLECT"),
        call("mirror_pad_grad", spread((5, 4)), paddings=[1, 2, 0, 2], mode="SYMMETRIC"),
        call("diag", spread((2, 3))),
        call("diag", spread((3,)), k=1),
        call("diag", spread((2,)), k=-1, num_rows=3, num_cols=4),
        call("diag_part", spread((2, 3, 3))),
        call("diag_part", spread((3, 4)), k=1),
        call("diag_part", spread((4, 3)), k=-2),
        call("linspace", spread(()), spread((), seed=1), num=4),
        call("linspace", spread((2, 3)), spread((2, 3), seed=1), num=3, axis=-1),
        call("linspace", spread((2,)), spread((2,), seed=1), num=1),
        call("matrix_band_part", spread((3, 4)), num_lower=1, num_upper=0),
        call("matrix_band_part", spread((2, 3, 3)), num_lower=-1, num_upper=1),
    ]
    for options, result in zip(SLICES, SLICED_SHAPES, strict=True):
        shape = [3, 4]
        cases.append(call("strided_slice", spread(shape), **options))
        cases.append(call("strided_slice_grad", spread(result), shape=shape, **options))
        for values in (result, result[1:], ()):
            cases.append(
                call("strided_slice_update", spread(shape), spread(values, seed=1), **options)
            )
    return cases


def indexing_cases() -> list[Case]:
    x = spread((3, 4))
    indices = [[2, 0], [0, 0]]
    segments = [1, 0, 1]
    cases = [
        call("gather", x, indices),
        call("gather", x, indices, axis=1),
        call("gather", x, indices, axis=-1),
        call("gather", x, 1),
        call("gather", spread((2, 3, 2)), [[2, 0], [1, 1]], axis=1, batch_dims=1),
        call("gather", spread((2, 2, 3)), [[2, 0], [1, 1]], axis=2, batch_dims=1),
        call("gather", spread_complex((3, 2)), [1, 1]),
        call("gather_grad", spread((2, 2, 4)), indices, shape=[3, 4]),
        call("gather_grad", spread((3, 2, 2)), indices, shape=[3, 4], axis=1),
        call("gather_grad", spread((2, 2)), [[2, 0], [1, 1]], shape=[2, 3], axis=1, batch_dims=1),
        call("gather_or_zero", spread((3, 2)), [2, -1, 0, 0]),
        call("pad_rows", spread((5, 2)), spread((2,)), [0, 2, 2, 5], width=3, wrt=(0, 1)),
        call("pad_rows", spread((4,)), spread(()), [0, 3, 4], width=2, wrt=(0, 1)),
        call("unpad_rows", spread((2, 3)), [0, 2, 2], count=4),
        call(
            "sparse_to_dense", spread((2,)), spread(()), [[0, 1], [1, 0]], shape=[2, 3], wrt=(0, 1)
        ),
        call_list("add_n", spread((2, 3)), spread((2, 3), seed=1), spread((2, 3), seed=2)),
        call_list("add_n", spread((2,))),
        call("gather_nd", x, [[0, 1], [2, 3], [0, 1]]),
        call("gather_nd", x, [[2], [0]]),
        call("gather_nd", spread((2, 3, 2)), [[[2], [0]], [[1], [1]]], batch_dims=1),
        call("gather_nd_grad", spread((2, 4)), [[2], [0]], shape=[3, 4]),
        call("gather_nd_grad", spread((2,)), [[2, 1], [2, 1]], shape=[3, 4]),
        call("gather_nd_grad", spread((2, 1)), [[[2]], [[1]]], shape=[2, 3], batch_dims=1),
        call("scatter_nd", [[1], [3], [1]], spread((3, 2)), shape=[4, 2]),
        call("scatter_nd", [[1, 0], [0, 1]], spread((2,)), shape=[2, 2]),
        call("unsorted_segment_sum", spread((3, 2)), segments, num_segments=3),
        call("unsorted_segment_sum", spread((2, 3)), [[0, 1, 0], [2, -1, 1]], num_segments=3),
        call("dynamic_partition", spread((4, 2)), np.int32([1, 0, 2, 1]), num_partitions=4),
        call("dynamic_partition", spread((2, 2)), np.int32([[1, 0], [1, 1]]), num_partitions=2),
        call("reverse_sequence", spread((3, 4)), [2, 4, 0], seq_axis=1, batch_axis=0),
        call("reverse_sequence", spread((3, 2, 2)), [3, 1], seq_axis=0, batch_axis=2),
        call("segment_sum", spread((4, 2)), [0, 0, 2, 2]),
        call("segment_mean", spread((4, 2)), [0, 0, 2, 2]),
        call("segment_max", spread((4, 2)), [0, 0, 2, 2]),
        call("segment_min", spread((4, 2)), [1, 1, 1, 2]),
        call("segment_prod", spread((4, 2)), [0, 0, 2, 2]),
        call("sparse_dots", [[0, 1], [2, 0]], spread((3, 2)), spread((2, 2), seed=1), wrt=(1, 2)),
        call(
            "sparse_matmul",
            *(spread((3,)), [[0, 1], [2, 0], [2, 1]], spread((2, 2), seed=1)),
            **{"rows": 3, "columns": 2, "wrt": (0, 2)},
        ),
        call(
            "sparse_matmul",
            *(spread((3,)), [[0, 1], [2, 0], [2, 1]], spread((2, 2), seed=1)),
            np.int32([0, 1, 1, 3, 1, 0, 1]),
            **{"rows": 3, "columns": 2, "wrt": (0, 2)},
        ),
        call(
            "sparse_matmul",
            *(spread((2,)), [[2, 1], [0, 1]], spread((3, 2), seed=1)),
            **{"rows": 3, "columns": 2, "adjoint": True, "wrt": (0, 2)},
        ),
        *(
            call(
                "sparse_product",
                *(spread((4,)), of_a, spread((4,), seed=1), of_b),
                **{"rows": 2, "inner": 3, "columns": 4, "wrt": (0, 2)},
            )
            for of_a, of_b in (([[0, 1], [0, 2], [1, 0], [1, 1]], OF_B), ([*OF_A, [0, 1]], OF_B))
        ),
        *(
            call(
                "sparse_product_term",
                *(spread((len(x),)), spread((len(y),), seed=1), OF_A, OF_B, OF_C),
                **{"rows": 2, "inner": 3, "columns": 4, "of": of, "wrt": (0, 1)},
            )
            for of, (x, y) in enumerate(((OF_C, OF_B), (OF_A, OF_C), (OF_A, OF_B)))
        ),
        *(
            call(name, spread((3,)), of_a, spread((2,), seed=1), of_b, wrt=(0, 2))
            for name in ("sparse_multiply", "sparse_sum")
            for of_a, of_b in (
                ([[0, 1], [1, 0], [1, 2]], [[0, 2], [1, 2]]),
                ([[0, 1], [0, 1], [1, 2]], [[0, 1], [1, 2]]),
            )
        ),
        *(
            call(name, spread((2,)), OF_B[:2], spread((2,), seed=1), OF_B[:2], wrt=(0, 2))
            for name in ("sparse_multiply", "sparse_sum")
        ),
        call("sparse_segment_sum", spread((3, 2)), [2, 0, 2], [0, 0, 2]),
        call("sparse_segment_sum", spread((3,)), [2, 0], [0, 1], num_segments=3, scale="mean"),
        call("sparse_segment_sum", spread((3,)), [2, 0, 1], [0, 0, 1], scale="sqrt_n"),
        call("stitch_rows", np.int32([2, 0]), spread((2, 2))),
        call("unsorted_segment_max", spread((4, 2)), [2, 0, -1, 1], num_segments=3),
        call("unsorted_segment_min", spread((2, 2)), [[0, 1], [1, 1]], num_segments=2),
        call("unsorted_segment_prod", spread((4, 2)), [2, 0, -1, 2], num_segments=3),
        call("sort", spread((2, 4))),
        call("sort", spread((4, 2)), axis=0, direction="DESCENDING"),
        call("top_k", spread((2, 5)), k=3),
        call("top_k", spread((4,)), k=1, sorted=False),
    ]
    for name in ("update", "add", "sub", "max", "min"):
        cases += [
            call(f"tensor_scatter_nd_{name}", x, [[2], [0]], spread((2, 4), -1.9, 2.1, seed=1)),
            call(f"tensor_scatter_nd_{name}", x, [[2, 1], [0, 3]], spread(2, -1, 1, seed=1)),
        ]
    cases.append(call("tensor_scatter_nd_add", x, [[1], [1]], spread((2, 4), seed=1)))
    cases.append(call("tensor_scatter_nd_sub", x, [[1], [1]], spread((2, 4), seed=1)))
    return cases


def reduction_cases() -> list[Case]:
    cases = []
    for name in ("reduce_sum", "reduce_mean", "reduce_prod", "reduce_max", "reduce_min"):
        for axis, keepdims in itertools.product((None, 0, -1, [0, 2], []), (False, True)):
            cases.append(call(name, spread((2, 3, 2)), axis=axis, keepdims=keepdims))
        cases.append(call(name, spread(())))
        cases.append(call(name, spread((2, 1, 3, 1, 2)), axis=[1, 4]))
    for name in ("reduce_sum", "reduce_prod"):
        cases.append(call(name, spread((2, 0)), axis=1))
        cases.append(call(name, spread_complex((2, 3)), axis=1))
    cases.append(call("reduce_mean", spread_complex((2, 3)), axis=0))
    cases.append(call("reduce_prod", [[1.5, 0.0, 2.0], [0.0, 3.0, 0.0]], axis=1))
    for name in ("cumsum", "cumprod"):
        for exclusive, reverse in itertools.product((False, True), (False, True)):
            options = {"exclusive": exclusive, "reverse": reverse}
            cases.append(call(name, spread((3, 2), 0.5, 2), **options))
            cases.append(call(name, spread((2, 3), -2, -0.5), axis=-1, **options))
        cases.append(call(name, spread_complex((3,), 0.5, 2)))
    for previous, reverse in itertools.product((False, True), (False, True)):
        options = {"previous": previous, "reverse": reverse}
        cases.append(call("linear_scan", spread((3, 2)), spread((3, 2), seed=1), **options))
        cases.append(
            call("linear_scan", spread((2, 4)), spread((2, 4), seed=1), axis=-1, **options)
        )
        cases.append(call("linear_scan", spread_complex(3), spread_complex(3, seed=3), **options))
    cases.append(call("linear_scan", spread((2, 0)), spread((2, 0)), axis=1, flat=True))
    return cases


def norm_cases() -> list[Case]:
    cases = []
    for options in ({}, {"axis": [1]}, {"axis": [0, 2], "keepdims": True}, {"mean": True}):

        def norms(x: Any, options: Any = options) -> Any:
            reduce = ops.reduce_mean if options.get("mean") else ops.reduce_sum
            kept = {key: value for key, value in options.items() if key != "mean"}
            return ops.scaled_norm(reduce(x * x, **kept), [x], **options)[:2]

        cases.append(Case("scaled_norm", norms, [spread((2, 3, 2))], label=label_of(options)))

    def of_two(x: Any, y: Any) -> Any:
        total = ops.reduce_sum(x * x) + ops.reduce_sum(y * y)
        return ops.scaled_norm(total, [x, y])[0]

    return [*cases, Case("scaled_norm", of_two, [spread((2, 3)), spread(3, seed=1)], label="two")]


def matmul_cases() -> list[Case]:
    cases = []
    for transpose_a, transpose_b in itertools.product((False, True), (False, True)):
        a = spread((3, 2) if transpose_a else (2, 3))
        b = spread((2, 3) if transpose_b else (3, 2), seed=1)
        options = {"transpose_a": transpose_a, "transpose_b": transpose_b}
        cases.append(call("matmul", a, b, **options))
        batch_a, batch_b = spread((2, *a.shape)), spread((2, *b.shape), seed=1)
        cases.append(call("matmul", batch_a, batch_b, **options))
        cases.append(call("matmul", batch_a, b, **options))
    for adjoint_a, adjoint_b in itertools.product((False, True), (False, True)):
        options = {"adjoint_a": adjoint_a, "adjoint_b": adjoint_b}
        cases.append(call("matmul", spread_complex((2, 2)), spread_complex((2, 2), seed=3),
                          **options))  # fmt: skip
    cases += [
        call("matmul", spread_complex((2, 2)), spread_complex((2, 2), seed=3), transpose_a=True),
        call("matmul", spread_complex((2, 2)), spread_complex((2, 2), seed=3), transpose_b=True),
        call("matmul", spread((2, 1, 2, 2)), spread((3, 2, 2), seed=1)),
        call("matmul", spread((2, 3)), spread((2, 3, 1), seed=1)),
        call("matmul", spread((3, 2, 2)), spread((2, 3, 2, 1), seed=1)),
        call("matmul", spread((2, 3, 1, 2)), spread((3, 2, 2), seed=1)),
        call("matmul", spread((2, 0)), spread((0, 2))),
    ]
    return cases


CASES = [
    *shape_cases(),
    *indexing_cases(),
    *reduction_cases(),
    *norm_cases(),
    *matmul_cases(),
]
