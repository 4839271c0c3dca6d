"""simple_save, variables by name, part restores, and checkpoints between programs."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.python import pywrap_tensorflow

folder = tempfile.mkdtemp()
with tf.Graph().as_default(), tf.Session() as sess:
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    with tf.variable_scope("old"):
        w = tf.get_variable("w", initializer=tf.constant([[1.0], [2.0]]))
        b = tf.get_variable("b", initializer=[0.5])
    step = tf.train.get_or_create_global_step()
    y = tf.add(tf.matmul(x, w), b, name="y")
    sess.run(tf.global_variables_initializer())
    tf.saved_model.simple_save(
        sess, os.path.join(folder, "model"), inputs={"x": x}, outputs={"y": y}
    )
    saver = tf.train.Saver({"w": w, "bias": b}, max_to_keep=2, save_relative_paths=True)
    for n in range(4):
        sess.run(tf.assign_add(step, 1))
        saver.save(sess, os.path.join(folder, "part"), global_step=step, write_meta_graph=False)
    print(sorted(os.path.basename(p) for p in saver.last_checkpoints))
    print(sess.run(tf.report_uninitialized_variables()).tolist(), tf.train.global_step(sess, step))

with tf.Graph().as_default(), tf.Session() as sess:
    meta = tf.saved_model.load(sess, ["serve"], os.path.join(folder, "model"))
    print(sorted(meta.signature_def), sess.run("y:0", {"x:0": [[1.0, 1.0]]}))

latest = tf.train.latest_checkpoint(folder)
print(os.path.basename(latest), tf.train.list_variables(latest), tf.train.checkpoint_exists(latest))
with tf.Graph().as_default():
    with tf.variable_scope("new"):
        w = tf.get_variable("w", [2, 1])
        b = tf.get_variable("b", [1])
        extra = tf.get_variable("extra", [2], initializer=tf.ones_initializer())
    tf.train.init_from_checkpoint(latest, {"w": w, "bias": "new/b"})
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print([v.tolist() for v in sess.run([w, b, extra])])
reader = pywrap_tensorflow.NewCheckpointReader(latest)
print(reader.has_tensor("w"), reader.get_variable_to_dtype_map()["bias"], reader.get_tensor("bias"))
print(tf.train.load_variable(folder, "w").ravel())

with tf.Graph().as_default() as graph, tf.Session() as sess:
    v = tf.Variable(
        np.arange(3.0),
        name="v",
        trainable=False,
        collections=["own", tf.GraphKeys.GLOBAL_VARIABLES],
    )
    doubled = tf.identity(v * 2.0, name="doubled")
    tf.add_to_collection("outputs", doubled)
    try:
        sess.run(doubled)
    except tf.errors.FailedPreconditionError as error:
        print(type(error).__name__, "uninitialized" in str(error).lower())
    sess.run(v.initializer)
    v.load([5.0, 6.0, 7.0], sess)
    tf.train.Saver(write_version=tf.train.SaverDef.V2).save(
        sess, os.path.join(folder, "all"), latest_filename="mine"
    )
    text = tf.train.export_meta_graph(os.path.join(folder, "all.pbtxt"), as_text=True)
    print(len(text.graph_def.node) > 3, sorted(text.collection_def)[-2:])
with tf.Graph().as_default() as graph, tf.Session() as sess:
    tf.train.import_meta_graph(os.path.join(folder, "all.meta"), import_scope="in").restore(
        sess, os.path.join(folder, "all")
    )
    print(
        sess.run(tf.get_collection("outputs")[0]).tolist(),
        [v.name for v in tf.get_collection("own")],
    )
