"""contrib.autograph of 1.12: Python's control flow becomes that of graphs."""

import tensorflow as tf
from tensorflow.contrib import autograph


def square_if_positive(x):
    if x > 0:
        x = x * x
    else:
        x = 0.0
    return x


def count_evens(items):
    s = 0
    for c in items:
        if c % 2 > 0:
            continue
        s += c
    return s


def nearest_odd_multiple(x):
    assert x > 0, "x must be positive"
    if x % 2 == 0:
        x = x + 1
    while x % 3 != 0:
        x += 2
        if x > 100:
            break
    return x


@autograph.convert()
def fizzbuzz(n):
    msgs = []
    autograph.set_element_type(msgs, tf.string)
    for i in tf.range(1, n + 1):
        if i % 15 == 0:
            msgs.append("FizzBuzz")
        elif i % 3 == 0:
            msgs.append("Fizz")
        else:
            msgs.append(tf.as_string(i))
    return autograph.stack(msgs)


@autograph.convert(recursive=True)
def helper(n):
    return inner(n) + 1


def inner(n):
    total = tf.constant(0)
    for k in tf.range(n):
        if k == 7:
            break
        total += k
    return total


tf_square = autograph.to_graph(square_if_positive)
code = autograph.to_code(square_if_positive)
print("if_stmt" in code or "cond" in code, tf_square.__name__)
with tf.Graph().as_default(), tf.Session() as sess:
    values = [tf_square(tf.constant(v)) for v in (9.0, -9.0)]
    evens = autograph.to_graph(count_evens)(tf.constant([10, 12, 15, 20]))
    odd = autograph.to_graph(nearest_odd_multiple)
    n = tf.placeholder(tf.int32, [])
    print(sess.run(values), sess.run(evens), sess.run([odd(tf.constant(4)), odd(tf.constant(95))]))
    print(sess.run(fizzbuzz(n), {n: 6}).tolist(), sess.run(helper(n), {n: 20}))
print(count_evens([10, 12, 15, 20]), nearest_odd_multiple(4))
