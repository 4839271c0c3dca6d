"""A trained graph is written, its variables become constants, and another graph imports it."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import graph_util

folder = tempfile.mkdtemp()
rng = np.random.RandomState(0)
inputs = rng.randn(50, 4).astype(np.float32)

with tf.Graph().as_default() as graph:
    x = tf.placeholder(tf.float32, [None, 4], name="input")
    w = tf.Variable(tf.random_normal([4, 3], seed=1), name="w")
    b = tf.Variable(tf.zeros([3]), name="b")
    hidden = tf.nn.relu(tf.nn.xw_plus_b(x, w, b), name="hidden")
    output = tf.nn.softmax(hidden, name="output")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(tf.assign(b, [0.1, 0.2, 0.3]))
        expected = sess.run(output, {x: inputs})
        tf.train.write_graph(graph.as_graph_def(), folder, "graph.pbtxt", as_text=True)
        tf.train.Saver().save(sess, os.path.join(folder, "model"))
        constant = graph_util.convert_variables_to_constants(sess, graph.as_graph_def(), ["output"])
with tf.gfile.GFile(os.path.join(folder, "frozen.pb"), "wb") as out:
    out.write(constant.SerializeToString())
print(
    sorted(
        {
            node.op
            for node in constant.node
            if node.op in ("Const", "MatMul", "Relu", "Softmax", "Placeholder")
        }
    )
)
print(
    "VariableV2" in {node.op for node in constant.node},
    "node {" in open(os.path.join(folder, "graph.pbtxt")).read(),
)

with tf.Graph().as_default() as graph:
    definition = tf.GraphDef()
    with tf.gfile.FastGFile(os.path.join(folder, "frozen.pb"), "rb") as source:
        definition.ParseFromString(source.read())
    found, middle = tf.import_graph_def(
        definition, return_elements=["output:0", "hidden:0"], name="net"
    )
    print(found.name, middle.get_shape(), graph.get_tensor_by_name("net/input:0").dtype)
    with tf.Session() as sess:
        print(np.allclose(sess.run("net/output:0", {"net/input:0": inputs}), expected))
        replaced = tf.placeholder(tf.float32, [None, 4])
        (again,) = tf.import_graph_def(
            definition, input_map={"input:0": replaced * 2.0}, return_elements=["output:0"]
        )
        print(sess.run(again, {replaced: inputs / 2.0}).sum(0).round(4), expected.sum(0).round(4))
    names = [op.name for op in graph.get_operations()]
    print(len(names) == len(set(names)), names[0])
    print(tf.import_graph_def(definition, name="more"))

with tf.Graph().as_default(), tf.Session() as sess:
    saver = tf.train.import_meta_graph(os.path.join(folder, "model.meta"))
    saver.restore(sess, tf.train.latest_checkpoint(folder))
    assert np.allclose(sess.run("output:0", {"input:0": inputs}), expected)
    part = graph_util.extract_sub_graph(sess.graph.as_graph_def(), ["hidden"])
    print("output" in [n.name for n in part.node], "hidden" in [n.name for n in part.node])
