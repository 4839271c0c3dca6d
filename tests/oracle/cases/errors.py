"""Bad input: the exception type, and the op, shapes, dtypes and values its message names.

A word that holds a bar is satisfied by any of its parts.
"""

from oracle.registry import errors


def ones(tf, *shape, dtype="float32"):
    return tf.ones(shape, dtype)


errors(
    "errors",
    "elementwise",
    {
        "add shapes": (lambda tf: ones(tf, 2, 3) + ones(tf, 2, 4), ["[2,3]", "[2,4]", "add"]),
        "add shapes function": (lambda tf: tf.add(ones(tf, 2), ones(tf, 3)), ["[2]", "[3]", "add"]),
        "multiply shapes": (lambda tf: ones(tf, 2) * ones(tf, 3), ["[2]", "[3]", "mul"]),
        "subtract shapes": (lambda tf: ones(tf, 4, 1, 2) - ones(tf, 3), ["[4,1,2]", "[3]", "sub"]),
        "divide shapes": (lambda tf: ones(tf, 2) / ones(tf, 3), ["[2]", "[3]", "div"]),
        "maximum shapes": (lambda tf: tf.maximum(ones(tf, 2), ones(tf, 3)), ["[2]", "[3]", "max"]),
        "pow shapes": (lambda tf: ones(tf, 2) ** ones(tf, 3), ["[2]", "[3]", "pow"]),
        "less shapes": (lambda tf: ones(tf, 2) < ones(tf, 3), ["[2]", "[3]", "less"]),
        "squared_difference shapes": (
            lambda tf: tf.math.squared_difference(ones(tf, 2), ones(tf, 3)),
            ["[2]", "[3]", "SquaredDifference|squared_difference"],
        ),
        "logical shapes": (
            lambda tf: tf.logical_and([True, False], [True, False, True]),
            ["[2]", "[3]", "LogicalAnd|logical_and"],
        ),
        "add dtypes": (
            lambda tf: tf.constant(1) + tf.constant(1.0),
            ["add", "int32", "float"],
        ),
        "multiply dtypes": (
            lambda tf: tf.constant(1.0) * tf.constant(1.0, tf.float64),
            ["mul", "float", "double|float64"],
        ),
        "divide dtypes": (
            lambda tf: tf.constant(1.0) / tf.constant(2),
            ["float32", "int32"],
        ),
        "less dtypes": (lambda tf: tf.constant(1) < tf.constant(1.0), ["less", "int32", "float"]),
        "equal dtypes": (lambda tf: tf.constant(1) == tf.constant(1.0), ["equal", "int32"]),
        "int64 and int32": (
            lambda tf: tf.constant(1, tf.int64) + tf.constant(1),
            ["int64", "int32"],
        ),
        "variable dtypes": (lambda tf: tf.Variable(1.0) + tf.Variable(1), ["float", "int32"]),
        "int plus python float": (lambda tf: tf.constant(1) + 2.5, ["float", "int32"]),
        "int plus list of floats": (lambda tf: tf.constant([1, 2]) + [0.5, 1.5], ["int32"]),
        "float plus string": (lambda tf: tf.constant(1.0) + "a", ["float"]),
        "float plus None": (lambda tf: tf.constant(1.0) + None, []),
        "bool plus bool": (lambda tf: tf.constant(True) + tf.constant(True), ["bool", "add"]),
        "int divided by zero": (lambda tf: tf.constant([4, 2]) // tf.constant([2, 0]), ["zero|0"]),
        "int modulo zero": (lambda tf: tf.constant(4) % 0, ["zero|0"]),
        "int64 divided by zero": (
            lambda tf: tf.constant(4, tf.int64) // tf.constant(0, tf.int64),
            ["zero|0"],
        ),
        "int floordiv by python zero": (lambda tf: tf.constant([4, 2]) // 0, ["zero|0"]),
        "negative integer power": (
            lambda tf: tf.constant(2) ** tf.constant(-1),
            ["negative|power"],
        ),
        "sqrt of int": (lambda tf: tf.sqrt(4), ["int32", "sqrt"]),
        "exp of int": (lambda tf: tf.exp(tf.constant(1)), ["int32", "exp"]),
        "logical of int": (lambda tf: tf.logical_and(tf.constant(1), True), ["bool"]),
        "not of float": (lambda tf: tf.logical_not(tf.constant(1.0)), ["bool", "float"]),
        "abs of string": (lambda tf: tf.abs(tf.constant("a")), ["string", "abs"]),
        "cast string": (
            lambda tf: tf.cast(tf.constant("1"), tf.int32),
            ["string", "int32", "cast"],
        ),
        "cast to nonsense": (lambda tf: tf.cast(1, "nonsense"), ["nonsense"]),
        "where shapes": (
            lambda tf: tf.where([True, False], ones(tf, 3), ones(tf, 3)),
            ["[2]", "[3]", "select|where"],
        ),
        "where dtypes": (
            lambda tf: tf.where([True], tf.constant([1]), tf.constant([1.0])),
            ["int32", "float"],
        ),
        "where one branch": (lambda tf: tf.where([True], [1]), []),
        "where float condition": (
            lambda tf: tf.where(tf.constant([1.0]), [1], [2]),
            ["bool", "float"],
        ),
        "clip shapes": (
            lambda tf: tf.clip_by_value(ones(tf, 2), tf.zeros([3]), tf.ones([3])),
            ["[2]|(2,)", "[3]|(3,)"],
        ),
        "less complex": (
            lambda tf: tf.constant(1j) < tf.constant(2j),
            ["complex128", "less"],
        ),
        "unknown argument": (lambda tf: tf.add(1, 2, nonsense=3), ["nonsense"]),
        "missing argument": (lambda tf: tf.add(1), ["argument"]),
        "nothing": (lambda tf: tf.exp(None), ["None"]),
        "object": (lambda tf: tf.exp(object()), []),
    },
)

errors(
    "errors",
    "reductions",
    {
        "axis too large": (lambda tf: tf.reduce_sum(ones(tf, 2, 3), axis=2), ["2"]),
        "axis too small": (lambda tf: tf.reduce_mean(ones(tf, 2, 3), axis=-3), ["-3"]),
        "axis of scalar": (lambda tf: tf.reduce_max(tf.constant(1.0), axis=0), ["0"]),
        "axis twice": (lambda tf: tf.reduce_sum(ones(tf, 2, 3), axis=[0, 0]), ["0"]),
        "axis twice, once negative": (
            lambda tf: tf.reduce_sum(ones(tf, 2, 3), axis=[1, -1]),
            ["1"],
        ),
        "axis float": (lambda tf: tf.reduce_sum(ones(tf, 2), axis=0.5), []),
        "axis string": (lambda tf: tf.reduce_sum(ones(tf, 2), axis="x"), ["x"]),
        "sum of bool": (lambda tf: tf.reduce_sum(tf.constant([True])), ["bool", "sum"]),
        "all of float": (lambda tf: tf.reduce_all(ones(tf, 2)), ["bool", "float"]),
        "sum of strings": (lambda tf: tf.reduce_sum(tf.constant(["a"])), ["string", "sum"]),
        "ragged list": (lambda tf: tf.reduce_sum([[1, 2], [3]]), []),
        "argmax axis": (lambda tf: tf.argmax(ones(tf, 2, 3), axis=5), ["5"]),
        "argmax axis negative": (lambda tf: tf.argmax(ones(tf, 2, 3), axis=-5), ["-5"]),
        "argmax of nothing": (lambda tf: tf.argmax(tf.zeros([0])), []),
        "argmax output type": (
            lambda tf: tf.argmax([1.0], output_type=tf.float32),
            ["float"],
        ),
        "argmin of string": (lambda tf: tf.argmin(tf.constant(["a"])), ["string", "argmin"]),
        "cumsum axis": (lambda tf: tf.cumsum(ones(tf, 2), axis=3), ["3"]),
        "cumprod of bool": (lambda tf: tf.math.cumprod(tf.constant([True])), ["bool", "cumprod"]),
        "logsumexp of int": (lambda tf: tf.reduce_logsumexp([1, 2]), ["int32"]),
    },
)

errors(
    "errors",
    "shapes",
    {
        "reshape": (lambda tf: tf.reshape(tf.range(6), [4, 2]), ["6", "8|[4,2]", "reshape"]),
        "reshape -1": (lambda tf: tf.reshape(tf.range(6), [-1, 4]), ["6", "4", "reshape"]),
        "reshape two -1": (lambda tf: tf.reshape(tf.range(6), [-1, -1]), ["reshape|one|-1"]),
        "reshape negative": (lambda tf: tf.reshape(tf.range(6), [-2, 3]), ["-2"]),
        "reshape overflow": (lambda tf: tf.reshape(tf.range(6), [1 << 31, 1 << 31]), []),
        "reshape float": (lambda tf: tf.reshape(tf.range(6), [2.0, 3.0]), []),
        "reshape matrix": (lambda tf: tf.reshape(tf.range(6), [[2, 3]]), ["reshape", "[1,2]"]),
        "reshape None": (lambda tf: tf.reshape(tf.range(6), [None, 3]), ["None"]),
        "transpose length": (
            lambda tf: tf.transpose(ones(tf, 2, 3), [0, 1, 2]),
            ["transpose", "3|[0,1,2]", "2|[2,3]"],
        ),
        "transpose range": (lambda tf: tf.transpose(ones(tf, 2, 3), [0, 2]), ["2", "transpose"]),
        "transpose twice": (lambda tf: tf.transpose(ones(tf, 2, 3), [0, 0]), ["transpose"]),
        "expand_dims axis": (lambda tf: tf.expand_dims(ones(tf, 2), 3), ["3"]),
        "expand_dims low": (lambda tf: tf.expand_dims(ones(tf, 2), -3), ["-3"]),
        "squeeze size": (lambda tf: tf.squeeze(ones(tf, 2, 1), axis=0), ["squeeze", "0", "2"]),
        "squeeze axis": (lambda tf: tf.squeeze(ones(tf, 1, 1), axis=2), ["2"]),
        "concat shapes": (
            lambda tf: tf.concat([ones(tf, 2, 3), ones(tf, 2, 4)], 0),
            ["[2,3]", "[2,4]", "concat"],
        ),
        "concat ranks": (
            lambda tf: tf.concat([ones(tf, 2, 3), ones(tf, 2)], 0),
            ["[2,3]", "[2]", "concat"],
        ),
        "concat axis": (lambda tf: tf.concat([ones(tf, 2), ones(tf, 2)], 1), ["1", "concat"]),
        "concat axis low": (lambda tf: tf.concat([ones(tf, 2), ones(tf, 2)], -2), ["-2", "concat"]),
        "concat dtypes": (
            lambda tf: tf.concat([tf.constant([1]), tf.constant([1.0])], 0),
            ["int32", "float", "concat"],
        ),
        "concat scalars": (lambda tf: tf.concat([tf.constant(1), tf.constant(2)], 0), ["concat"]),
        "concat nothing": (lambda tf: tf.concat([], 0), []),
        "stack shapes": (
            lambda tf: tf.stack([ones(tf, 2), ones(tf, 3)]),
            ["[2]", "[3]", "pack|stack"],
        ),
        "stack axis": (lambda tf: tf.stack([ones(tf, 2), ones(tf, 2)], axis=3), ["3"]),
        "stack axis low": (lambda tf: tf.stack([ones(tf, 2), ones(tf, 2)], axis=-4), ["-4"]),
        "stack dtypes": (
            lambda tf: tf.stack([tf.constant(1), tf.constant(1.0)]),
            ["int32", "float"],
        ),
        "unstack axis": (lambda tf: tf.unstack(ones(tf, 2), axis=1), ["1"]),
        "unstack num": (lambda tf: tf.unstack(ones(tf, 2, 3), num=3), ["2", "3"]),
        "unstack scalar": (lambda tf: tf.unstack(tf.constant(1)), []),
        "split uneven": (lambda tf: tf.split(ones(tf, 5), 2), ["5", "2", "split"]),
        "split sizes": (lambda tf: tf.split(ones(tf, 5), [1, 2]), ["3", "split"]),
        "split axis": (lambda tf: tf.split(ones(tf, 4), 2, axis=1), ["1", "split"]),
        "split zero": (lambda tf: tf.split(ones(tf, 4), 0), ["0", "split"]),
        "split negative size": (lambda tf: tf.split(ones(tf, 5), [-2, 7]), ["split"]),
        "slice too far": (lambda tf: tf.slice(tf.range(4), [2], [3]), ["slice", "2", "3"]),
        "slice negative begin": (lambda tf: tf.slice(tf.range(4), [-1], [1]), ["slice", "-1"]),
        "slice size": (lambda tf: tf.slice(tf.range(4), [0], [-2]), ["-2"]),
        "slice rank": (lambda tf: tf.slice(tf.range(4), [0, 0], [1, 1]), ["slice", "2"]),
        "strided_slice rank": (
            lambda tf: tf.strided_slice(tf.range(4), [0, 0], [1, 1]),
            ["strided|slice"],
        ),
        "strided_slice zero": (lambda tf: tf.strided_slice(tf.range(4), [0], [3], [0]), ["0|zero"]),
        "tile rank": (lambda tf: tf.tile(ones(tf, 2, 3), [2]), ["tile", "2", "1"]),
        "tile negative": (lambda tf: tf.tile(ones(tf, 2), [-1]), ["tile", "-1"]),
        "pad rank": (lambda tf: tf.pad(ones(tf, 2, 3), [[1, 1]]), ["pad"]),
        "pad shape": (lambda tf: tf.pad(ones(tf, 2), [[1, 1, 1]]), ["pad", "[1,3]"]),
        "pad negative": (lambda tf: tf.pad(ones(tf, 2), [[-1, 0]]), ["pad", "-1"]),
        "pad reflect": (lambda tf: tf.pad(ones(tf, 2), [[2, 0]], "REFLECT"), ["pad", "2"]),
        "pad symmetric": (lambda tf: tf.pad(ones(tf, 2), [[3, 0]], "SYMMETRIC"), ["pad", "3"]),
        "pad mode": (lambda tf: tf.pad(ones(tf, 2), [[1, 0]], "NONSENSE"), ["NONSENSE"]),
        "broadcast_to": (
            lambda tf: tf.broadcast_to(ones(tf, 2, 3), [2, 4]),
            ["[2,3]", "[2,4]", "BroadcastTo|broadcast_to"],
        ),
        "broadcast_to lower rank": (
            lambda tf: tf.broadcast_to(ones(tf, 2, 3), [3]),
            ["BroadcastTo|broadcast_to"],
        ),
        "broadcast_to negative": (lambda tf: tf.broadcast_to(ones(tf, 1), [-2]), ["-2"]),
        "gather range": (lambda tf: tf.gather([1, 2, 3], [0, 5]), ["5", "3", "gather|indices"]),
        "gather negative": (lambda tf: tf.gather([1, 2, 3], -1), ["-1", "3"]),
        "gather axis": (lambda tf: tf.gather([1, 2, 3], 0, axis=1), ["1"]),
        "gather float index": (lambda tf: tf.gather([1, 2], [0.5]), ["float"]),
        "gather nan index": (lambda tf: tf.gather([1, 2], [float("nan")]), ["float"]),
        "gather scalar": (lambda tf: tf.gather(3, 0), []),
        "gather batch shapes": (
            lambda tf: tf.gather(ones(tf, 2, 3), [[0], [1], [2]], batch_dims=1),
            ["2", "3"],
        ),
        "gather of empty": (lambda tf: tf.gather(tf.zeros([0, 2]), [0]), ["0"]),
        "gather_nd range": (lambda tf: tf.gather_nd(ones(tf, 2, 2), [[0, 2]]), ["[0,2]", "[2,2]"]),
        "gather_nd depth": (lambda tf: tf.gather_nd(ones(tf, 2), [[0, 0]]), ["2", "1"]),
        "gather_nd float": (lambda tf: tf.gather_nd(ones(tf, 2), [[0.0]]), ["float"]),
        "scatter_nd range": (lambda tf: tf.scatter_nd([[5]], [1.0], [3]), ["5", "3"]),
        "scatter_nd negative": (lambda tf: tf.scatter_nd([[-1]], [1.0], [3]), ["-1", "3"]),
        "scatter_nd updates": (lambda tf: tf.scatter_nd([[0], [1]], [1.0], [3]), ["[2,1]", "[1]"]),
        "scatter_nd negative shape": (lambda tf: tf.scatter_nd([[0]], [1.0], [-3]), ["-3"]),
        "reverse axis": (lambda tf: tf.reverse(ones(tf, 2), [1]), ["1", "reverse"]),
        "reverse twice": (lambda tf: tf.reverse(ones(tf, 2), [0, 0]), ["0", "reverse"]),
        "boolean_mask shape": (
            lambda tf: tf.boolean_mask(ones(tf, 2, 3), [True, False, True]),
            ["(2,)|[2]", "(3,)|[3]"],
        ),
        "boolean_mask scalar": (lambda tf: tf.boolean_mask([1, 2], True), ["scalar"]),
        "one_hot negative": (lambda tf: tf.one_hot([0], -1), ["-1"]),
        "one_hot float": (lambda tf: tf.one_hot([0.0], 2), ["float"]),
        "one_hot axis": (lambda tf: tf.one_hot([0], 2, axis=3), ["3"]),
        "one_hot values": (lambda tf: tf.one_hot([0], 2, on_value=1, off_value=0.5), ["int32"]),
        "range zero step": (lambda tf: tf.range(0, 3, 0), ["0", "range"]),
        "range wrong way": (lambda tf: tf.range(5, 1), ["5", "1", "range"]),
        "range wrong way down": (lambda tf: tf.range(1, 5, -1), ["1", "5", "range"]),
        "range of vector": (lambda tf: tf.range([1, 2]), ["range", "scalar"]),
        "fill negative": (lambda tf: tf.fill([-1, 2], 0), ["-1", "fill"]),
        "fill value": (lambda tf: tf.fill([2], [1, 2]), ["fill", "[2]"]),
        "zeros negative": (lambda tf: tf.zeros([-1]), ["-1"]),
        "zeros float shape": (lambda tf: tf.zeros([1.5]), []),
        "ones negative": (lambda tf: tf.ones([2, -3]), ["-3"]),
        "eye negative": (lambda tf: tf.eye(-1), []),
        "too many elements": (lambda tf: tf.zeros([1 << 40, 1 << 40]), []),
        "tensor dimension overflow": (lambda tf: tf.fill([1 << 31, 1 << 31, 4], 1.0), []),
    },
)

errors(
    "errors",
    "indexing",
    {
        "out of range": (lambda tf: tf.range(3)[3], ["3", "slice"]),
        "out of range negative": (lambda tf: tf.range(3)[-4], ["-4|-1", "slice"]),
        "too many indices": (lambda tf: tf.range(3)[0, 0], ["1", "slice"]),
        "too many slices": (lambda tf: tf.range(3)[:, :], ["1", "slice"]),
        "zero step": (lambda tf: tf.range(3)[::0], ["slice", "0|zero|strides"]),
        "two ellipses": (lambda tf: tf.zeros([2, 2])[..., ...], ["ellips"]),
        "float": (lambda tf: tf.range(3)[1.0], ["1.0"]),
        "string": (lambda tf: tf.range(3)["a"], ["a"]),
        "float tensor": (lambda tf: tf.range(3)[tf.constant(1.0)], ["float32"]),
        "list": (lambda tf: tf.range(3)[[0, 1]], []),
        "int vector tensor": (lambda tf: tf.range(3)[tf.constant([0, 1])], []),
        "scalar": (lambda tf: tf.constant(1)[0], []),
        "out of range tensor": (lambda tf: tf.range(3)[tf.constant(7)], ["7"]),
        "empty": (lambda tf: tf.zeros([0])[0], ["0"]),
        "assignment": (lambda tf: tf.range(3).__setitem__(0, 1), []),
        "statement": (lambda tf: exec("x[0] = 1", {"x": tf.range(3)}), ["item assignment"]),
    },
)

errors(
    "errors",
    "linalg",
    {
        "matmul inner": (
            lambda tf: tf.matmul(ones(tf, 2, 3), ones(tf, 2, 3)),
            ["[2,3]", "MatMul", "2", "3"],
        ),
        "matmul vector": (lambda tf: tf.matmul(ones(tf, 2, 3), ones(tf, 3)), ["MatMul", "[3]|1"]),
        "matmul vectors": (lambda tf: tf.matmul(ones(tf, 3), ones(tf, 3)), ["MatMul"]),
        "matmul scalar": (lambda tf: tf.matmul(tf.constant(1.0), ones(tf, 2, 2)), ["MatMul"]),
        "matmul batch": (
            lambda tf: tf.matmul(ones(tf, 2, 2, 3), ones(tf, 3, 3, 2)),
            ["[2,2,3]|[2]", "[3,3,2]|[3]", "MatMul"],
        ),
        "matmul batch inner": (
            lambda tf: tf.matmul(ones(tf, 2, 2, 3), ones(tf, 2, 4, 2)),
            ["[2,2,3]", "[2,4,2]", "MatMul"],
        ),
        "matmul dtypes": (
            lambda tf: tf.matmul(ones(tf, 2, 2), ones(tf, 2, 2, dtype="float64")),
            ["MatMul", "float", "double|float64"],
        ),
        "matmul bool": (
            lambda tf: tf.matmul(tf.constant([[True]]), tf.constant([[True]])),
            ["bool", "MatMul"],
        ),
        "matmul both flags": (
            lambda tf: tf.matmul(ones(tf, 2, 2), ones(tf, 2, 2), transpose_a=True, adjoint_a=True),
            ["transpose_a", "adjoint_a"],
        ),
        "einsum size": (
            lambda tf: tf.einsum("ij,jk->ik", ones(tf, 2, 3), ones(tf, 4, 2)),
            ["3", "4"],
        ),
        "einsum rank": (lambda tf: tf.einsum("ijk->k", ones(tf, 2, 3)), ["3|ijk", "2|[2,3]"]),
        "einsum count": (lambda tf: tf.einsum("ij,jk->ik", ones(tf, 2, 3)), []),
        "einsum output": (lambda tf: tf.einsum("ij->ik", ones(tf, 2, 3)), ["k"]),
        "einsum output twice": (lambda tf: tf.einsum("ij->ii", ones(tf, 2, 3)), ["i"]),
        "einsum syntax": (lambda tf: tf.einsum("i?->i", ones(tf, 2, 3)), ["i?->i"]),
        "einsum dtypes": (
            lambda tf: tf.einsum("i,i->", ones(tf, 2), ones(tf, 2, dtype="float64")),
            ["float", "double|float64"],
        ),
    },
)

errors(
    "errors",
    "nn",
    {
        "conv2d channels": (
            lambda tf: tf.nn.conv2d(ones(tf, 1, 5, 5, 3), ones(tf, 3, 3, 2, 4), 1, "SAME"),
            ["3", "2", "Conv2D"],
        ),
        "conv2d filter rank": (
            lambda tf: tf.nn.conv2d(ones(tf, 1, 5, 5, 1), ones(tf, 3, 3), 1, "SAME"),
            ["[3,3]|4"],
        ),
        "conv2d padding": (
            lambda tf: tf.nn.conv2d(ones(tf, 1, 5, 5, 1), ones(tf, 3, 3, 1, 4), 1, "NONSENSE"),
            ["NONSENSE", "VALID", "SAME"],
        ),
        "conv2d stride zero": (
            lambda tf: tf.nn.conv2d(ones(tf, 1, 5, 5, 1), ones(tf, 3, 3, 1, 4), 0, "SAME"),
            ["stride"],
        ),
        "conv2d stride of the batch": (
            lambda tf: tf.nn.conv2d(
                ones(tf, 1, 5, 5, 1), ones(tf, 3, 3, 1, 4), [2, 1, 1, 1], "SAME"
            ),
            ["stride", "batch"],
        ),
        "conv2d strides": (
            lambda tf: tf.nn.conv2d(ones(tf, 1, 5, 5, 1), ones(tf, 3, 3, 1, 4), [1, 2, 3], "SAME"),
            ["strides", "3"],
        ),
        "conv2d dtypes": (
            lambda tf: tf.nn.conv2d(
                ones(tf, 1, 5, 5, 1), ones(tf, 3, 3, 1, 4, dtype="float64"), 1, "SAME"
            ),
            ["float", "double|float64", "Conv2D"],
        ),
        "conv2d int": (
            lambda tf: tf.nn.conv2d(
                ones(tf, 1, 5, 5, 1, dtype="int64"), ones(tf, 3, 3, 1, 1, dtype="int64"), 1, "SAME"
            ),
            ["int64", "Conv2D"],
        ),
        "conv2d groups": (
            lambda tf: tf.nn.conv2d(ones(tf, 1, 5, 5, 4), ones(tf, 3, 3, 2, 3), 1, "SAME"),
            ["Conv2D", "3", "2"],
        ),
        "depthwise channels": (
            lambda tf: tf.nn.depthwise_conv2d(
                ones(tf, 1, 5, 5, 3), ones(tf, 3, 3, 2, 1), [1, 1, 1, 1], "SAME"
            ),
            ["2", "3"],
        ),
        "max_pool2d rank": (lambda tf: tf.nn.max_pool2d(ones(tf, 4, 4), 2, 2, "SAME"), ["4"]),
        "max_pool2d zero": (
            lambda tf: tf.nn.max_pool2d(ones(tf, 1, 4, 4, 1), 0, 1, "SAME"),
            ["0|ksize"],
        ),
        "avg_pool2d padding": (
            lambda tf: tf.nn.avg_pool2d(ones(tf, 1, 4, 4, 1), 2, 2, "NONSENSE"),
            ["NONSENSE"],
        ),
        "avg_pool2d int": (
            lambda tf: tf.nn.avg_pool2d(ones(tf, 1, 4, 4, 1, dtype="int32"), 2, 2, "SAME"),
            ["int32", "AvgPool"],
        ),
        "bias_add size": (
            lambda tf: tf.nn.bias_add(ones(tf, 2, 3), ones(tf, 4)),
            ["[4]|4", "BiasAdd", "[2,3]|3"],
        ),
        "bias_add rank": (lambda tf: tf.nn.bias_add(ones(tf, 2, 3), ones(tf, 1, 3)), ["BiasAdd"]),
        "bias_add vector": (
            lambda tf: tf.nn.bias_add(ones(tf, 3), ones(tf, 3)),
            ["BiasAdd", "[3]"],
        ),
        "softmax int": (lambda tf: tf.nn.softmax(tf.constant([1, 2])), ["int32", "softmax"]),
        "softmax axis": (lambda tf: tf.nn.softmax(ones(tf, 2, 3), axis=2), ["2"]),
        "cross entropy shapes": (
            lambda tf: tf.nn.softmax_cross_entropy_with_logits(ones(tf, 2, 3), ones(tf, 2, 4)),
            ["[2,3]", "[2,4]"],
        ),
        "sparse cross entropy label": (
            lambda tf: tf.nn.sparse_softmax_cross_entropy_with_logits([0, 5], ones(tf, 2, 3)),
            ["5", "3"],
        ),
        "sparse cross entropy negative": (
            lambda tf: tf.nn.sparse_softmax_cross_entropy_with_logits([0, -1], ones(tf, 2, 3)),
            ["-1", "3"],
        ),
        "sparse cross entropy shapes": (
            lambda tf: tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1, 2], ones(tf, 2, 3)),
            ["3", "2"],
        ),
        "sparse cross entropy float labels": (
            lambda tf: tf.nn.sparse_softmax_cross_entropy_with_logits([0.0], ones(tf, 1, 3)),
            ["float"],
        ),
        "sigmoid cross entropy shapes": (
            lambda tf: tf.nn.sigmoid_cross_entropy_with_logits(ones(tf, 2), ones(tf, 3)),
            ["[2]", "[3]"],
        ),
        "sigmoid cross entropy no logits": (
            lambda tf: tf.nn.sigmoid_cross_entropy_with_logits(labels=ones(tf, 2)),
            ["labels", "logits"],
        ),
        "dropout rate": (lambda tf: tf.nn.dropout(ones(tf, 2), 1.5), ["1.5", "rate"]),
        "dropout rate one": (lambda tf: tf.nn.dropout(ones(tf, 2), 1.0), ["rate", "1.0"]),
        "dropout negative": (lambda tf: tf.nn.dropout(ones(tf, 2), -0.1), ["-0.1", "rate"]),
        "dropout int": (lambda tf: tf.nn.dropout(tf.constant([1, 2]), 0.5), ["int32"]),
        "l2_loss int": (lambda tf: tf.nn.l2_loss(tf.constant([1, 2])), ["int32", "L2Loss|l2_loss"]),
        "batch normalisation": (
            lambda tf: tf.nn.batch_normalization(
                ones(tf, 2, 3), ones(tf, 4), ones(tf, 4), None, None, 1e-3
            ),
            ["[2,3]", "[4]"],
        ),
    },
)

errors(
    "errors",
    "random",
    {
        "int without maxval": (
            lambda tf: tf.random.uniform([2], dtype=tf.int32),
            ["maxval", "int32"],
        ),
        "empty int range": (
            lambda tf: tf.random.uniform([2], 5, 5, tf.int32),
            ["5", "minval", "maxval"],
        ),
        "uint8": (lambda tf: tf.random.uniform([2], 0, 5, tf.uint8), ["uint8"]),
        "normal int": (lambda tf: tf.random.normal([2], dtype=tf.int32), ["int32"]),
        "negative shape": (lambda tf: tf.random.normal([-1]), ["-1"]),
        "float shape": (lambda tf: tf.random.uniform([1.5]), []),
        "matrix shape": (lambda tf: tf.random.uniform([[2, 3]]), ["[1,2]"]),
        "stateless seed": (lambda tf: tf.random.stateless_uniform([2], [1, 2, 3]), ["[3]|3"]),
        "stateless scalar seed": (lambda tf: tf.random.stateless_normal([2], 1), []),
        "shuffle ragged": (lambda tf: tf.random.shuffle([[1], [2, 3]]), []),
    },
)

errors(
    "errors",
    "tensors",
    {
        "ragged": (lambda tf: tf.constant([[1, 2], [3]]), []),
        "mixed list": (lambda tf: tf.constant([1, "a"]), []),
        "None": (lambda tf: tf.constant(None), ["None"]),
        "object": (lambda tf: tf.constant(object()), ["object"]),
        "list of None": (lambda tf: tf.constant([1, None]), []),
        "float as int": (lambda tf: tf.constant(1.5, tf.int32), ["1.5", "int32"]),
        "string as int": (lambda tf: tf.constant("a", tf.int32), ["int32"]),
        "int as string": (lambda tf: tf.constant(1, tf.string), ["1", "string"]),
        "int as bool": (lambda tf: tf.constant(1, tf.bool), ["1", "bool"]),
        "huge int": (lambda tf: tf.constant(2**70), []),
        "huge float": (lambda tf: tf.constant(1e39), []),
        "shape count": (lambda tf: tf.constant([1, 2, 3], shape=[2, 2]), []),
        "shape negative": (lambda tf: tf.constant(1, shape=[-1]), []),
        "convert dtype of tensor": (
            lambda tf: tf.convert_to_tensor(tf.constant(1), dtype=tf.float32),
            ["int32", "float32"],
        ),
        "convert dtype of variable": (
            lambda tf: tf.convert_to_tensor(tf.Variable(1.0), dtype=tf.int32),
            ["int32", "float32"],
        ),
        "tensors of two dtypes": (
            lambda tf: tf.convert_to_tensor([tf.constant(1), tf.constant(1.0)]),
            [],
        ),
        "dtype nonsense": (lambda tf: tf.constant(1, "nonsense"), ["nonsense"]),
        "bool of two": (lambda tf: bool(tf.constant([1, 2])), []),
        "if": (lambda tf: 1 if tf.constant([True, False]) else 2, []),
        "int of two": (lambda tf: int(tf.constant([1, 2])), []),
        "float of string": (lambda tf: float(tf.constant("a")), []),
        "float of two": (lambda tf: float(tf.constant([1.0, 2.0])), []),
        "len of scalar": (lambda tf: len(tf.constant(1)), ["scalar"]),
        "iterate scalar": (lambda tf: list(tf.constant(1)), ["scalar"]),
        "hash": (lambda tf: hash(tf.constant(1)), ["hash", "ref()"]),
        "hash of variable": (lambda tf: hash(tf.Variable(1)), ["hash", "ref()"]),
        "as key": (lambda tf: {tf.constant(1): 2}, ["hash"]),
        "in a set": (lambda tf: {tf.constant(1)}, ["hash"]),
        "index with vector": (lambda tf: [1, 2][tf.constant([0, 1])], []),
        "attribute": (lambda tf: tf.constant(1).nonsense, ["nonsense"]),
        "method of arrays": (lambda tf: tf.constant([1]).astype("float32"), ["astype"]),
        "set attribute shape": (lambda tf: setattr(tf.constant(1), "shape", (1,)), []),
        "set dtype": (lambda tf: setattr(tf.constant(1), "dtype", tf.int64), []),
        "set_shape": (lambda tf: tf.zeros([2, 3]).set_shape([3, 2]), ["(2, 3)", "(3, 2)"]),
        "format spec of vector": (lambda tf: f"{tf.constant([1.0, 2.0]):.2f}", []),
        "format spec of scalar": (lambda tf: f"{tf.constant(1.5):d}", ["d"]),
        "string minus": (lambda tf: tf.constant("a") - tf.constant("b"), ["string", "sub"]),
        "compare with text": (lambda tf: tf.constant(1) == "a", ["a", "int32"]),
        "less than None": (lambda tf: tf.constant(1) < None, []),
        "invert float": (lambda tf: ~tf.constant(1.0), []),
        "matmul vectors": (lambda tf: tf.constant([1.0]) @ tf.constant([1.0]), ["MatMul"]),
        "in": (lambda tf: tf.constant(1) in tf.constant([[1, 2], [3, 4]]), []),
    },
)

errors(
    "errors",
    "variables",
    {
        "assign shape": (
            lambda tf: tf.Variable([1.0, 2.0]).assign([1.0, 2.0, 3.0]),
            ["(2,)", "(3,)"],
        ),
        "assign scalar": (lambda tf: tf.Variable([1.0, 2.0]).assign(1.0), ["(2,)", "()"]),
        "assign dtype": (
            lambda tf: tf.Variable([1.0]).assign(tf.constant([1])),
            ["float32", "int32"],
        ),
        "assign string": (lambda tf: tf.Variable(1.0).assign("a"), []),
        "assign None": (lambda tf: tf.Variable(1.0).assign(None), ["None"]),
        "assign float to int": (lambda tf: tf.Variable(1).assign(1.5), ["1.5", "int32"]),
        "assign_add shape": (
            lambda tf: tf.Variable([1.0, 2.0]).assign_add([1.0, 2.0, 3.0]),
            ["[2]", "[3]"],
        ),
        "assign_add broadcast": (lambda tf: tf.Variable([1.0, 2.0]).assign_add(1.0), ["[2]", "[]"]),
        "assign_sub dtype": (
            lambda tf: tf.Variable([1.0]).assign_sub(tf.constant([1])),
            ["float", "int32"],
        ),
        "assign_add bool": (lambda tf: tf.Variable(True).assign_add(True), ["bool"]),
        "no value": (lambda tf: tf.Variable(), []),
        "None": (lambda tf: tf.Variable(None), []),
        "dtype": (lambda tf: tf.Variable(1.5, dtype=tf.int32), ["1.5", "int32"]),
        "dtype of tensor": (
            lambda tf: tf.Variable(tf.constant(1), dtype=tf.float32),
            ["int32", "float32"],
        ),
        "shape": (lambda tf: tf.Variable([1.0, 2.0], shape=[3]), ["(2,)", "(3,)"]),
        "open shape": (
            lambda tf: tf.Variable([[1.0]], shape=[None, 1]).assign([[1.0, 2.0]]),
            ["(1, 2)", "(None, 1)"],
        ),
        "set trainable": (lambda tf: setattr(tf.Variable(1), "trainable", False), []),
        "set shape": (lambda tf: setattr(tf.Variable(1), "shape", (1,)), []),
        "item assignment": (lambda tf: exec("v[0] = 1.0", {"v": tf.Variable([1.0])}), ["assign"]),
        "augmented dtype": (lambda tf: tf.Variable(1) + 1.5, ["float", "int32"]),
        "bool of two": (lambda tf: bool(tf.Variable([1, 2])), []),
        "len": (lambda tf: len(tf.Variable(1)), []),
    },
)


def _twice(tf):
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    tape.gradient(y, x)
    tape.gradient(y, x)


def _inside_then_outside(tf):
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        tape.gradient(y, x)
    tape.gradient(y, x)


def _reentered(tf):
    tape = tf.GradientTape()
    with tape, tape:
        pass


def _watch_outside(tf):
    tape = tf.GradientTape()
    tape.watch(tf.constant(1.0))


def _after_exit(tf, action):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return action(tape, x, y)


errors(
    "errors",
    "tape",
    {
        "second use": (_twice, ["non-persistent", "GradientTape"]),
        "second use after use inside": (_inside_then_outside, ["non-persistent"]),
        "entered twice": (_reentered, ["already"]),
        "watch number": (lambda tf: _after_exit(tf, lambda tape, x, y: tape.watch(1.0)), []),
        "target is None": (
            lambda tf: _after_exit(tf, lambda tape, x, y: tape.gradient(None, x)),
            ["None"],
        ),
        "output gradient shape": (
            lambda tf: _after_exit(
                tf,
                lambda tape, x, y: tape.gradient(y, x, output_gradients=tf.ones([3])),
            ),
            ["[2]", "[3]"],
        ),
        "unconnected nonsense": (
            lambda tf: _after_exit(
                tf, lambda tape, x, y: tape.gradient(y, x, unconnected_gradients="nonsense")
            ),
            ["nonsense"],
        ),
        "stop_recording when not recording": (
            lambda tf: _after_exit(tf, lambda tape, x, y: tape.stop_recording().__enter__()),
            ["not record|not recording"],
        ),
        "tf.gradients": (lambda tf: tf.gradients(tf.constant(1.0), tf.constant(1.0)), ["eager"]),
    },
)

errors(
    "errors",
    "dtypes",
    {
        "as_dtype": (lambda tf: tf.as_dtype("nonsense"), ["nonsense"]),
        "as_dtype None": (lambda tf: tf.as_dtype(None), ["None"]),
        "shape text": (lambda tf: tf.TensorShape("abc"), []),
        "shape negative": (lambda tf: tf.TensorShape([-2]), ["-2"]),
        "shape float": (lambda tf: tf.TensorShape([1.5]), ["1.5"]),
        "shape index": (lambda tf: tf.TensorShape([1])[3], []),
        "shape len unknown": (lambda tf: len(tf.TensorShape(None)), []),
        "shape list unknown": (lambda tf: tf.TensorShape(None).as_list(), []),
        "shape merge": (
            lambda tf: tf.TensorShape([1, 2]).merge_with([1, 3]),
            ["(1, 2)", "(1, 3)"],
        ),
        "shape compatible": (
            lambda tf: tf.TensorShape([1, 2]).assert_is_compatible_with([1, 3]),
            ["(1, 2)", "(1, 3)"],
        ),
        "shape rank": (lambda tf: tf.TensorShape([1, 2]).with_rank(3), ["(1, 2)", "3"]),
        "min of string": (lambda tf: tf.string.min, ["string"]),
        "min of complex": (lambda tf: tf.complex64.min, ["complex64"]),
    },
)

errors(
    "errors",
    "optimizers",
    {
        "no gradients": (
            lambda tf: tf.keras.optimizers.SGD().apply_gradients([(None, tf.Variable(1.0))]),
            ["gradient"],
        ),
        "gradient shape": (
            lambda tf: tf.keras.optimizers.SGD().apply_gradients(
                [(tf.ones([3]), tf.Variable([1.0, 2.0]))]
            ),
            ["[3]", "[2]"],
        ),
        "unknown argument": (lambda tf: tf.keras.optimizers.SGD(nonsense=1), ["nonsense"]),
        "negative momentum": (lambda tf: tf.keras.optimizers.SGD(momentum=-1.0), []),
    },
)
