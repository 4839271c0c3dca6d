"""Control flow in graphs: while_loop, cond, case, TensorArray, scan, map_fn, foldl, dependencies."""

import numpy as np
import tensorflow as tf

n = tf.placeholder(tf.int32)
values = tf.placeholder(tf.float32)

i0 = tf.constant(0)
_, total = tf.while_loop(lambda i, s: tf.less(i, n), lambda i, s: [i + 1, s + i * i], [i0, 0])
_, matrix = tf.while_loop(
    lambda i, m: i < n,
    lambda i, m: (i + 1, tf.concat([m, m], axis=0)),
    loop_vars=[i0, tf.ones([2, 2])],
    shape_invariants=[i0.get_shape(), tf.TensorShape([None, 2])],
)
fibonacci = tf.scan(lambda a, _: (a[1], a[0] + a[1]), tf.range(10), initializer=(0, 1))[0]
squares = tf.map_fn(lambda v: v * v, values)
product = tf.foldl(lambda a, v: a * v, values)
reverse = tf.foldr(lambda a, v: a * 2 + v, values)


def fill(i, array):
    return i + 1, array.write(i, tf.to_float(i) * 1.5)


array = tf.TensorArray(tf.float32, size=0, dynamic_size=True, clear_after_read=False)
_, array = tf.while_loop(lambda i, _: i < n, fill, [0, array])
stacked, fifth = array.stack(), array.read(3)

big = tf.cond(
    tf.greater(tf.reduce_sum(values), 10.0),
    lambda: tf.constant("big"),
    lambda: tf.constant("small"),
)
kind = tf.case(
    [(tf.less(n, 3), lambda: tf.constant(1)), (tf.less(n, 6), lambda: tf.constant(2))],
    default=lambda: tf.constant(3),
    exclusive=False,
)
counter = tf.Variable(0, name="counter")
increment = tf.assign_add(counter, 1)
with tf.control_dependencies([increment]):
    after = tf.identity(counter.read_value())
maybe = tf.cond(n > 3, lambda: tf.assign_add(counter, 100), lambda: tf.identity(counter))

w = tf.Variable(2.0)
_, power = tf.while_loop(lambda i, p: i < n, lambda i, p: (i + 1, p * w), [0, tf.constant(1.0)])
slope = tf.gradients(power, w)[0]
through_cond = tf.gradients(tf.cond(n > 3, lambda: w * w, lambda: 3 * w), w)[0]
partitions = tf.dynamic_partition(values, tf.cast(values > 2, tf.int32), 2)
stitched = tf.dynamic_stitch([[0, 2], [1, 3]], [[10, 30], [20, 40]])

print(matrix.get_shape(), squares.get_shape(), total.dtype)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {n: 5, values: [1.0, 2.0, 3.0, 4.5]}
    print(sess.run([total, tf.shape(matrix), fibonacci], feed))
    print(sess.run([squares, product, reverse], feed))
    print(sess.run([stacked, fifth], feed))
    print(sess.run([big, kind], feed), sess.run([big, kind], {n: 9, values: [1.0]}))
    print(sess.run(after), sess.run(after), sess.run(maybe, {n: 4}), sess.run(maybe, {n: 1}))
    print(sess.run([power, slope, through_cond], feed), sess.run(through_cond, {n: 2}))
    print([p.tolist() for p in sess.run(partitions, feed)], sess.run(stitched))
    assert np.isclose(sess.run(slope, feed), 5 * 2.0**4)
