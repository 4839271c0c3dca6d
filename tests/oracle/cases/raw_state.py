"""`tf.raw_ops` on variables, tables and functions."""

import numpy as np

from oracle.registry import case, errors

GRADIENT = [0.5, -0.5, 1.0]


def _slots(tf):
    return [tf.Variable(v) for v in ([1.0, 2.0, 3.0], [0.1, 0.2, 0.3], [0.4, 0.5, 0.6])]


ASSIGNMENTS = {
    "assign": lambda raw, v: raw.AssignVariableOp(resource=v, value=[2.0, 2.0, 3.0]),
    "add": lambda raw, v: raw.AssignAddVariableOp(resource=v, value=[2.0, 2.0, 3.0]),
    "sub": lambda raw, v: raw.AssignSubVariableOp(resource=v, value=[2.0, 2.0, 3.0]),
    "rows": lambda raw, v: raw.ResourceScatterAdd(resource=v, indices=[1, 1], updates=[1.0, 2.0]),
    "max": lambda raw, v: raw.ResourceScatterMax(resource=v, indices=[1], updates=[9.0]),
    "div": lambda raw, v: raw.ResourceScatterDiv(resource=v, indices=[1], updates=[4.0]),
    "nd": lambda raw, v: raw.ResourceScatterNdSub(ref=v, indices=[[1]], updates=[9.0]),
    "slice": lambda raw, v: raw.ResourceStridedSliceAssign(
        ref=v, begin=[0], end=[2], strides=[1], value=[7.0, 8.0]
    ),
}


@case(how=tuple(ASSIGNMENTS))
def assignments(tf, how):
    v = tf.Variable([1.0, 2.0, 3.0])
    ASSIGNMENTS[how](tf.raw_ops, v.handle)
    return v.read_value()


@case
def reads(tf):
    handle = tf.Variable([1.0, 2.0, 3.0]).handle
    raw = tf.raw_ops
    return [
        raw.ReadVariableOp(resource=handle, dtype=tf.float32),
        raw.ResourceGather(resource=handle, indices=[1, 0], dtype=tf.float32),
        raw.ResourceGatherNd(resource=handle, indices=[[1], [0]], dtype=tf.float32),
        raw.VariableShape(input=handle),
        raw.VarIsInitializedOp(resource=handle),
    ]


UPDATES = {
    "GradientDescent": dict(alpha=0.1, delta=GRADIENT),
    "Momentum": dict(accum=1, lr=0.1, momentum=0.9, use_nesterov=True),
    "KerasMomentum": dict(accum=1, lr=0.1, momentum=0.9),
    "Adam": dict(m=1, v=2, beta1_power=0.9, beta2_power=0.99, lr=0.1, beta1=0.9, beta2=0.99, epsilon=1e-7),
    "AdagradV2": dict(accum=2, lr=0.1, epsilon=1e-7),
    "RMSProp": dict(ms=2, mom=1, lr=0.1, rho=0.9, momentum=0.5, epsilon=1e-7),
    "AdagradDA": dict(
        gradient_accumulator=1, gradient_squared_accumulator=2, lr=0.1, l1=0.01, l2=0.02, global_step=3
    ),
    "Ftrl": dict(accum=2, linear=1, lr=0.1, l1=0.01, l2=0.02, lr_power=-0.5),
    "Adadelta": dict(accum=2, accum_update=1, lr=0.1, rho=0.9, epsilon=1e-6),
    "AddSign": dict(m=1, lr=0.1, alpha=1.0, sign_decay=0.9, beta=0.9),
    "PowerSign": dict(m=1, lr=0.1, logbase=1.0, sign_decay=0.9, beta=0.9),
    "AdaMax": dict(m=1, v=2, beta1_power=0.9, lr=0.1, beta1=0.9, beta2=0.99, epsilon=1e-7),
}  # fmt: skip
SPARSE = ("Momentum", "KerasMomentum", "AdagradV2", "AdagradDA", "RMSProp", "Ftrl", "Adadelta")


def _arguments(tf, optimizer, variables):
    """The slots by their places, which are integers here, and the other arguments."""
    found = {}
    for key, value in UPDATES[optimizer].items():
        if key == "global_step":
            value = tf.constant(value, tf.int64)
        elif type(value) is int:
            value = variables[value].handle
        found[key] = value
    return found


@case(optimizer=tuple(UPDATES))
def updates(tf, optimizer):
    variables = _slots(tf)
    given = _arguments(tf, optimizer, variables)
    if optimizer != "GradientDescent":
        given["grad"] = GRADIENT
    getattr(tf.raw_ops, f"ResourceApply{optimizer}")(var=variables[0].handle, **given)
    return [v.read_value() for v in variables]


@case(optimizer=SPARSE)
def updates_of_rows(tf, optimizer):
    variables = _slots(tf)
    given = _arguments(tf, optimizer, variables)
    update = getattr(tf.raw_ops, f"ResourceSparseApply{optimizer}")
    update(var=variables[0].handle, grad=[0.3, 0.1], indices=[2, 0], **given)
    return [v.read_value() for v in variables]


@case
def tables(tf):
    raw = tf.raw_ops
    words = raw.AnonymousHashTable(key_dtype=tf.string, value_dtype=tf.int64)
    numbers = tf.constant([1, 2], tf.int64)
    raw.InitializeTableV2(table_handle=words, keys=["a", "b"], values=numbers)
    rows = raw.AnonymousMutableHashTableOfTensors(
        key_dtype=tf.int64, value_dtype=tf.float32, value_shape=[2]
    )
    raw.LookupTableInsertV2(table_handle=rows, keys=numbers, values=[[1.0, 2.0], [3.0, 4.0]])
    raw.LookupTableRemoveV2(table_handle=rows, keys=numbers[:1])
    nothing = tf.constant(-1, tf.int64)
    return [
        raw.LookupTableFindV2(table_handle=words, keys=["b", "c"], default_value=nothing),
        raw.LookupTableSizeV2(table_handle=words),
        raw.LookupTableFindV2(table_handle=rows, keys=numbers, default_value=[0.0, 0.0]),
        *raw.LookupTableExportV2(table_handle=rows, Tkeys=tf.int64, Tvalues=tf.float32),
    ]


def _count(tf, limit):
    v = tf.Variable(tf.constant(1, tf.int64))
    before = tf.raw_ops.ResourceCountUpTo(resource=v.handle, limit=limit, T=tf.int64)
    return [before, v.read_value()]


@case
def counts(tf):
    return _count(tf, 5)


def _read_tensor(tf):
    return tf.raw_ops.ReadVariableOp(resource=tf.constant([1.0]), dtype=tf.float32)


errors(
    "raw_state",
    "errors",
    {
        "limit": (lambda tf: _count(tf, 1), ["Reached limit of 1"]),
        "no variable": (_read_tensor, ["ReadVariableOp", "input #0", "resource"]),
    },
)


@case(op=("StandardNormalV2", "Uniform", "TruncatedNormal", "UniformFullInt", "UniformInt"))
def generators(tf, op):
    state = tf.Variable(tf.constant([5, 0, 7], tf.int64))
    limits = dict(minval=tf.constant(0), maxval=tf.constant(100)) if op == "UniformInt" else None
    kind = tf.uint64 if op == "UniformFullInt" else tf.float32
    found = getattr(tf.raw_ops, f"Stateful{op}")(
        resource=state.handle,
        algorithm=tf.constant(1, tf.int64),
        shape=tf.constant([3], tf.int64),
        **(limits or dict(dtype=kind)),
    )
    after = state.read_value()
    tf.raw_ops.RngSkip(
        resource=state.handle, algorithm=tf.constant(1, tf.int64), delta=tf.constant(3, tf.int64)
    )
    return [found, after, state.read_value()]


@case
def functions(tf):
    raw = tf.raw_ops
    x = tf.constant(GRADIENT)
    vector, number = tf.TensorSpec([3]), tf.TensorSpec([], tf.int32)
    double = tf.function(lambda x: x * 2.0).get_concrete_function(vector)
    add = tf.function(lambda x: x + 1.0).get_concrete_function(vector)
    few = tf.function(lambda i, x: i < 3).get_concrete_function(number, vector)
    step = tf.function(lambda i, x: (i + 1, x * 2)).get_concrete_function(number, vector)
    kinds = [tf.float32]
    return [
        raw.PartitionedCall(args=[x], Tout=kinds, f=double),
        raw.StatelessIf(cond=False, input=[x], Tout=kinds, then_branch=double, else_branch=add),
        raw.Case(branch_index=0, input=[x], Tout=kinds, branches=[double, add]),
        raw.While(input=[0, x], cond=few, body=step),
    ]


@case
def inside_of_a_function(tf):
    v = tf.Variable([1.0, 2.0, 3.0])

    @tf.function
    def run(x):
        tf.raw_ops.AssignAddVariableOp(resource=v.handle, value=x)
        return tf.raw_ops.ReadVariableOp(resource=v.handle, dtype=tf.float32)

    return [run(tf.constant(GRADIENT)), v.read_value()]


@case
def checkpoints(tf):
    import tempfile
    from pathlib import Path

    raw = tf.raw_ops
    with tempfile.TemporaryDirectory() as folder:
        prefix = str(Path(folder) / "x")
        raw.SaveV2(
            prefix=prefix,
            tensor_names=["a", "b"],
            shape_and_slices=["", ""],
            tensors=[tf.constant(GRADIENT), tf.constant([1])],
        )
        return raw.RestoreV2(
            prefix=prefix,
            tensor_names=["b", "a"],
            shape_and_slices=["", ""],
            dtypes=[tf.int32, tf.float32],
        )


@case
def examples(tf):
    numbers = tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))
    message = tf.train.Example(features=tf.train.Features(feature={"a": numbers}))
    text = message.SerializeToString()
    raw = tf.raw_ops
    none = dict(sparse_keys=[], sparse_types=[])
    return [
        *raw.ParseExampleV2(
            serialized=[text], names=[], sparse_keys=["a"], dense_keys=[], ragged_keys=[],
            dense_defaults=[], num_sparse=1, sparse_types=[tf.int64], ragged_value_types=[],
            ragged_split_types=[], dense_shapes=[],
        )[:3],
        raw.ParseSingleExample(
            serialized=text, dense_defaults=[tf.constant([0, 0], tf.int64)], num_sparse=0,
            dense_keys=["a"], dense_shapes=[[2]], **none,
        ).dense_values,
    ]  # fmt: skip


@case
def arrays(tf):
    raw = tf.raw_ops
    handle, flow = raw.TensorArrayV3(size=3, dtype=tf.float32)
    flow = raw.TensorArrayScatterV3(
        handle=handle, indices=[0, 2], value=tf.constant(np.arange(2.0), tf.float32), flow_in=flow
    )
    flow = raw.TensorArrayWriteV3(handle=handle, index=1, value=9.0, flow_in=flow)
    return [
        raw.TensorArrayReadV3(handle=handle, index=1, flow_in=flow, dtype=tf.float32),
        raw.TensorArrayGatherV3(handle=handle, indices=[2, 0], flow_in=flow, dtype=tf.float32),
        raw.TensorArraySizeV3(handle=handle, flow_in=flow),
    ]
