"""Expressions of extension types."""

import functools
import typing
from collections.abc import Mapping
from typing import Any

from oracle import registry
from oracle.values import told


def names(tf: Any) -> dict[str, Any]:
    """Types, values of them, and what expressions call."""
    experimental = tf.experimental

    class Masked(experimental.ExtensionType):
        values: tf.Tensor
        mask: tf.Tensor

        def __validate__(self):
            self.values.shape.assert_is_compatible_with(self.mask.shape)

    class Plain(experimental.ExtensionType):
        a: tf.Tensor
        n: int = 3
        s: str = "x"
        f: float = 1.5
        b: bool = False
        d: tf.DType = tf.float32
        shape: tf.TensorShape = tf.TensorShape([None])

    class Generic(experimental.ExtensionType):
        t: tuple[tf.Tensor, ...]
        u: tuple[int, tf.Tensor] = (1, 2.0)
        m: Mapping[str, tf.Tensor] = {}
        o: typing.Optional[tf.Tensor] = None  # noqa: UP045
        e: typing.Union[int, tf.Tensor, None] = 4  # noqa: UP007

    class Outer(experimental.ExtensionType):
        inner: Masked
        k: int = 1

    class Derived(Masked):
        c: int = 2

    class Doubled(experimental.ExtensionType):
        a: tf.Tensor

        def __init__(self, z):
            self.a = tf.constant(z) * 2

    class Ragged(experimental.BatchableExtensionType):
        r: tf.RaggedTensor
        q: tf.Tensor

    class Pair(experimental.BatchableExtensionType):
        x: tf.Tensor
        y: tf.Tensor
        k: int = 3

    class Shaped(experimental.ExtensionType):
        values: tf.Tensor

        class Spec:
            def __init__(self, shape, dtype=tf.float32):
                self.values = tf.TensorSpec(shape, dtype)

            @property
            def shape(self):
                return self.values.shape

    def declare(annotation: Any, *default: Any) -> type:
        members = {"__annotations__": {"a": annotation}}
        if default:
            members["a"] = default[0]
        return type("X", (experimental.ExtensionType,), members)

    def plain(structure: Any) -> Any:
        """Tensors as lists, and their dtypes."""
        leaves = tf.nest.flatten(structure, expand_composites=True)
        return [(v.dtype.name, v.numpy().tolist()) for v in leaves]

    def gradient(function: Any, *fields: str) -> Any:
        value = Pair([1.0, 2.0], [3.0, 4.0])
        with tf.GradientTape() as tape:
            tape.watch(value)
            y = function(value)
        return tape.gradient(y, [getattr(value, field) for field in fields] or value)

    known = dict(locals())
    m = Masked([1, 2, 3], [True, False, True])
    v = Pair([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
    slices = tf.data.Dataset.from_tensor_slices
    return known | {
        "m": m,
        "v": v,
        "p": Plain(1.0),
        "g": Generic([1, 2.0], m={"b": 1, "a": 3}, e=tf.constant(3)),
        "o": Outer(m),
        "rv": Ragged(tf.ragged.constant([[1], [2, 3]]), [1, 2]),
        "ds": slices(v),
        "slices": slices,
        "scalar": tf.TensorSpec([], tf.float32),
        "row": tf.TensorSpec([None], tf.int32),
        "flags": tf.TensorSpec([None], tf.bool),
        "typing": typing,
    }


_names = functools.cache(names)


def run(tf: Any, expression: str) -> str:
    """What an expression shows."""
    return told(lambda: repr(eval(expression, dict(_names(tf)))))


EXPRESSIONS = r"""
m
m._type_spec
tf.nest.flatten(m, expand_composites=True)
len(tf.nest.flatten(m))
plain(tf.nest.map_structure(tf.identity, m, expand_composites=True))
tf.nest.pack_sequence_as(m, [tf.constant([1]), tf.constant([True])], expand_composites=True)
setattr(m, 'values', 3)
setattr(m, 'foo', 3)
delattr(m, 'values')
m == Masked([1, 2, 3], [True, False, True])
m == Masked([1, 2, 3], [True, True, True])
m == Masked([1, 2], [True, True])
m == 3
m != Masked([1, 2, 3], [True, False, True])
hash(m)
Masked([1, 2, 3], [True, False])
Masked([1, 2, 3])
Masked([1, 2], 1, 2)
Masked(values=[1], mask=[True], q=1)
Masked.Spec
Masked.Spec(row, flags)
Masked.Spec()
Masked.Spec(row, 3)
Masked.Spec(row, flags).is_compatible_with(m)
Masked.Spec(row, flags).is_compatible_with(m._type_spec)
Masked.Spec(row, row).is_compatible_with(m)
Masked.Spec(row, flags) == m._type_spec
m._type_spec.is_subtype_of(Masked.Spec(row, flags))
Masked.Spec(row, flags).is_subtype_of(m._type_spec)
m._type_spec.most_specific_compatible_type(Masked([1], [True])._type_spec)
setattr(m._type_spec, 'values', 1)
hash(m._type_spec) == hash(Masked([7, 8, 9], [True] * 3)._type_spec)
tf.type_spec_from_value(m)
m._type_spec.value_type
p
p._type_spec
Plain(1, n='q')
Plain(1, n=tf.constant(1))
Plain(1, f=1)
Plain(1, b=1)
Plain(1, s=b'd')
Plain(1, d='int32')
Plain(1, shape=[2, 3])
Plain(1, shape='a')
p == Plain(1.0)
p == Plain(1.0, n=4)
tf.experimental.extension_type.as_dict(p)
tf.nest.flatten(p, expand_composites=True)
g
g._type_spec
tf.nest.flatten(g, expand_composites=True)
g.m['a']
sorted(g.m)
len(g.m)
'q' in g.m
Generic((1, 2), (5, 6), {'a': 1, 'b': [2]}, 3.0, tf.constant(3))
Generic((1, 2), (5, 6, 7))
Generic((1, 2), m={1: 2})
Generic((1, 2), m=3)
Generic((1, 2), e='a')
Generic((1, 2), e=2.5)
Generic(3)
Generic(())
declare(list)
declare(typing.Any)
declare(tuple)
declare(list[int])
declare(typing.Callable)
declare(typing.Literal['x'])
declare(tf.Variable)
declare(tf.TypeSpec)
declare(typing.Tuple)
declare(typing.Tuple[int])([2])
declare(int, 'w')
declare(int, 4)()
declare(tf.Tensor, None)()
declare(tf.RaggedTensor)([[1]])
declare(tf.experimental.ExtensionType)(m)
declare(typing.Union[tf.Tensor, tf.RaggedTensor])(tf.ragged.constant([[1]]))
declare(typing.Union[tf.Tensor, tf.RaggedTensor])([[1]])
declare(typing.Union[int, str])(2.5)
declare('tf.Tensor')(3)
declare(tf.SparseTensor)(tf.sparse.from_dense([1]))._type_spec
tf.experimental.ExtensionType()
tf.convert_to_tensor(m)
m + 1
tf.add(m, 1)
tf.identity(m)
tf.shape(m)
tf.is_tensor(m)
o
o._type_spec
tf.nest.flatten(o, expand_composites=True)
Outer(3)
Derived([1], [True])
Derived([1], [True], 5)._type_spec
Derived([1], [True, False])
Doubled(2.0)
Doubled(2.0)._type_spec
Shaped([1.0, 2.0])._type_spec
Shaped.Spec([None])
Shaped.Spec([None]).shape
Shaped.Spec([None]).is_compatible_with(Shaped([1.0]))
[e for e in ds]
ds.element_spec
[e for e in ds.batch(2)]
ds.batch(2).element_spec
ds.batch(2, drop_remainder=True).element_spec
[e for e in ds.batch(2).unbatch()]
[e for e in ds.map(lambda q: Pair(q.x * 2, q.y))]
[e.x for e in ds.shuffle(1).repeat(2).skip(2).take(2)]
ds.reduce(0.0, lambda s, e: s + e.x)
[e for e in ds.filter(lambda e: e.x > 1.5)]
[e for e in tf.data.Dataset.zip((ds, tf.data.Dataset.range(2)))]
[e for e in slices({'a': v, 'b': [1, 2, 3]}).batch(3)]
[e for e in slices(rv)]
[e for e in slices(rv).batch(2)]
slices(rv).element_spec
list(tf.data.Dataset.from_tensors(m))
list(tf.data.Dataset.from_generator(lambda: iter([v]), output_signature=v._type_spec))
tf.data.Dataset.from_tensors(v).get_single_element()
tf.experimental.Optional.from_value(v).get_value()
list(tf.data.Dataset.from_tensors(v).as_numpy_iterator())
tf.map_fn(lambda q: q.x + q.y, v, fn_output_signature=tf.float32)
tf.map_fn(lambda q: Pair(q.x, q.y * 2), v)
tf.map_fn(lambda q: Pair(q.x, q.y * 2), v, fn_output_signature=Pair.Spec(scalar, scalar, 3))
tf.map_fn(lambda z: tf.reduce_sum(z.r) + z.q, rv, fn_output_signature=tf.int32)
tf.function(lambda q: (Pair(q.x + 1, q.y), q.x))(v)
tf.function(lambda q: q.x, input_signature=[Pair.Spec(scalar, scalar, 3)])(Pair(1.0, 2.0))
tf.cond(tf.constant(True), lambda: v, lambda: v)
tf.while_loop(lambda i, q: i < 2, lambda i, q: (i + 1, Pair(q.x + 1, q.y)), [tf.constant(0), v])
gradient(lambda q: tf.reduce_sum(q.x * q.x * q.y), 'x', 'y')
gradient(lambda q: q.x * 2, 'x')
gradient(lambda q: tf.reduce_sum(q.x))
v._type_spec._batch(2)
v._type_spec._batch(None)
v._type_spec._unbatch()
Pair(tf.Variable([1.0]), tf.Variable([2.0]))
len(v)
bool(v)
tf.stack([v, v])
__import__('copy').deepcopy(m)
__import__('inspect').signature(Masked.Spec).parameters.keys()
"""

registry.expressions("extension_types", EXPRESSIONS, run)
