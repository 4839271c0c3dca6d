"""Expressions of structured tensors."""

from __future__ import annotations

from typing import Any

from oracle import registry


def names(tf: Any) -> dict[str, Any]:
    """What the expressions are about."""
    structured = tf.experimental.StructuredTensor
    make = structured.from_pyval
    return {
        "tf": tf,
        "S": structured,
        "P": tf.experimental.RowPartition,
        "D": tf.experimental.DynamicRaggedShape,
        "a": make({"a": 1, "b": [1, 2, 3], "c": [[1], [2, 3]], "d": {"x": "q"}}),
        "v": make([{"a": 1, "b": [1, 2]}, {"a": 2, "b": []}, {"a": 3, "b": [3]}]),
        "n": make([{"id": 1, "items": [{"x": 1.0}, {"x": 2.0}]}, {"id": 2, "items": [{"x": 3.0}]}]),
        "m": make([[{"a": 1}], [{"a": 2}, {"a": 3}]]),
        "t": make([{"parts": [{"w": [1, 2]}, {"w": [3]}]}, {"parts": [{"w": [7]}]}]),
        "rt": tf.ragged.constant([[1, 2], [], [3]]),
    }


def in_order(value: Any) -> Any:
    """The same with dictionaries sorted by their keys."""
    if isinstance(value, dict):
        return {key: in_order(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [in_order(item) for item in value]
    return value


def run(tf: Any, expression: str) -> str:
    """What an expression shows."""
    value = eval(expression, names(tf))
    return repr(in_order(value))


EXPRESSIONS = r"""
a
v
n
m
a.shape
v.shape
n.shape
m.shape
a.rank
v.rank
m.rank
v.row_partitions
m.row_partitions
m.nrows()
v.nrows()
a.nrows()
a.field_value('b')
v.field_value('b')
n.field_value('items')
n.field_value(('items','x'))
n.field_value('q')
n.field_value(('items','q'))
m.field_value('a')
a.field_value('d')
a.to_pyval()
v.to_pyval()
n.to_pyval()
m.to_pyval()
v[0]
v[0].to_pyval()
v[1:]
v[1:].to_pyval()
v['b']
v[0,'b']
v[:, 'a']
n[:, 'items', :, 'x']
n[0,'items']
m[0]
m[0,0]
m[:,:1]
a['a']
a['d']
a['d','x']
v['q']
v[5]
a[0]
m[1:2].to_pyval()
n[:, 'items'].to_pyval()
n['items']
v[...]
v[tf.constant(1)]
S.from_fields({'a':[1,2],'b':rt[:2]}, shape=[2])
S.from_fields({'a':[1,2]}, shape=[None])
S.from_fields({'a':[1,2]}, shape=[3])
S.from_fields({'a':[[1],[2]]}, shape=[2,1])
S.from_fields({}, shape=[2], nrows=2)
S.from_fields({})
S.from_fields({'a':3})
S.from_fields({'a':[1,2],'b':[1]}, shape=[None])
S.from_fields({'a':rt}, shape=[3,None])
S.from_fields({'a':rt,'b':rt*2}, shape=[None,None]).to_pyval()
S.from_fields({'a':rt}, shape=[3,None]).row_partitions
S.from_fields({1:3})
S.from_fields({'a':v}, shape=[3])
S.from_fields({'a':[1]}, shape=None)
S.from_fields_and_rank({'a':[1,2,3]},1)
S.from_fields_and_rank({'a':rt},2)
S.from_fields_and_rank({},1)
S.from_fields_and_rank({'a':rt},3)
S.from_shape(tf.shape(rt))
S.from_shape(D([],[2]))
v.with_updates({'c':[7,8,9]})
v.with_updates({'c':[7,8,9]}).to_pyval()
v.with_updates({'a':None}).to_pyval()
v.with_updates({'a':lambda x: x*2}).to_pyval()
n.with_updates({('items','x'):lambda x:x*10}).to_pyval()
n.with_updates({('items','y'):tf.ragged.constant([[1,2],[3]])}).to_pyval()
v.with_updates({'z':None})
v.with_updates({'c':[7,8]})
v.with_updates({})
n.promote(('items','x'),'all')
n.promote(('items','x'),'all').to_pyval()
n.promote(('items',),'all')
m.merge_dims(0,1).to_pyval()
m.merge_dims(0,1).shape
n.merge_dims(0,1)
v.partition_outer_dimension(P.from_row_lengths([2,1])).to_pyval()
v.partition_outer_dimension(P.from_row_lengths([2,1]))
v.partition_outer_dimension(P.from_row_lengths([2,2]))
a.partition_outer_dimension(P.from_row_lengths([1]))
v.with_shape_dtype(tf.int32).row_partitions
m.with_shape_dtype(tf.int32).row_partitions[0].dtype
S.from_pyval([])
S.from_pyval([{},{}])
S.from_pyval([{'a':1},{'b':2}])
S.from_pyval([{'a':1},{'a':'x'}])
S.from_pyval([{'a':1},3])
S.from_pyval(3)
S.from_pyval([1,2])
S.from_pyval({'a':[]})
S.from_pyval({'a':None})
S.from_pyval({'a':[{'b':1},{'b':2}]})
S.from_pyval([[],[{'a':1}]])
S.from_pyval({'a':[[{'b':[1]}]]}).to_pyval()
S.from_pyval({1:2})
m._type_spec
tf.nest.flatten(v,expand_composites=True)
tf.nest.map_structure(lambda x:x,v,expand_composites=True).to_pyval()
tf.function(lambda q:q)(v).to_pyval()
list(tf.data.Dataset.from_tensor_slices(v))
[e.to_pyval() for e in tf.data.Dataset.from_tensor_slices(v)]
[e.to_pyval() for e in tf.data.Dataset.from_tensor_slices(n).batch(2)]
tf.concat([v,v],0)
tf.concat([v,v],0).to_pyval()
tf.shape(v)
tf.size(v)
tf.rank(v)
tf.expand_dims(v,0).to_pyval()
tf.gather(v,[2,0]).to_pyval()
tf.zeros_like(v)
tf.ones_like(v)
tf.random.shuffle(v).shape
len(v)
bool(v)
tf.is_tensor(v)
list(v)
tf.size(m)
tf.shape(m)
tf.concat([m,m],0).to_pyval()
tf.concat([m,m],1).to_pyval()
tf.gather(n,[1]).to_pyval()
tf.zeros_like(m)
tf.expand_dims(v,1).to_pyval()
S()
v.shape.rank
tf.map_fn(lambda q: q.field_value('a')*2, v, fn_output_signature=tf.int32)
sorted(v.field_names())
t.promote(('parts','w'),'all').to_pyval()
t.field_value(('parts','w'))
t[:, 'parts', :, 'w']
t[0].to_pyval()
t.partition_outer_dimension(P.from_row_lengths([1,1])).to_pyval()
v == S.from_pyval(v.to_pyval())
S.from_shape(tf.shape(rt)).to_pyval()
S.from_pyval([{},{}]).to_pyval()
[e.to_pyval() for e in tf.data.Dataset.from_tensor_slices(t).batch(2)]
[e.to_pyval() for e in tf.data.Dataset.from_tensor_slices(m)]
S.from_fields({'a':[[1,2],[3,4]]},shape=[2,2]).row_partitions
S.from_fields({'a':[[1,2],[3,4]]},shape=[2,2]).to_pyval()
S.from_fields({'a':[[1,2],[3,4]]},shape=[2,2])[1,0].to_pyval()
m.merge_dims(-2,-1)
tf.identity(v)
"""

registry.expressions("structured_tensors", EXPRESSIONS, run)
