"""A model is exported with signatures by a builder, and loaded into another graph.

Messages need protobuf: pip install 'eagerflow[messages]'
"""

import os
import tempfile

import numpy as np
import tensorflow as tf

folder = os.path.join(tempfile.mkdtemp(), "export", "1")
inputs = np.random.RandomState(0).rand(5, 4).astype(np.float32)
vocabulary = os.path.join(tempfile.mkdtemp(), "names.txt")
open(vocabulary, "w").write("low\nhigh\n")

with tf.Graph().as_default(), tf.Session() as sess:
    serialized = tf.placeholder(tf.string, [None], name="tf_example")
    parsed = tf.parse_example(serialized, {"x": tf.FixedLenFeature([4], tf.float32)})
    x = tf.identity(parsed["x"], name="x")
    w = tf.get_variable("w", [4, 2], initializer=tf.random_normal_initializer(seed=1))
    y = tf.nn.softmax(tf.matmul(x, w), name="y")
    values, indices = tf.nn.top_k(y, 1)
    table = tf.contrib.lookup.index_to_string_table_from_file(vocabulary)
    classes = table.lookup(tf.to_int64(indices))
    sess.run(tf.global_variables_initializer())
    sess.run(tf.tables_initializer())
    expected = sess.run(y, {x: inputs})
    builder = tf.saved_model.builder.SavedModelBuilder(folder)
    info = tf.saved_model.utils.build_tensor_info
    classify = tf.saved_model.signature_def_utils.build_signature_def(
        inputs={tf.saved_model.signature_constants.CLASSIFY_INPUTS: info(serialized)},
        outputs={
            tf.saved_model.signature_constants.CLASSIFY_OUTPUT_CLASSES: info(classes),
            tf.saved_model.signature_constants.CLASSIFY_OUTPUT_SCORES: info(values),
        },
        method_name=tf.saved_model.signature_constants.CLASSIFY_METHOD_NAME,
    )
    predict = tf.saved_model.signature_def_utils.predict_signature_def({"images": x}, {"scores": y})
    builder.add_meta_graph_and_variables(
        sess,
        [tf.saved_model.tag_constants.SERVING],
        signature_def_map={
            "predict_images": predict,
            tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: classify,
        },
        legacy_init_op=tf.group(tf.tables_initializer(), name="legacy_init_op"),
    )
    print(os.path.basename(builder.save()), sorted(os.listdir(folder)))

with tf.Graph().as_default(), tf.Session() as sess:
    meta = tf.saved_model.loader.load(sess, [tf.saved_model.tag_constants.SERVING], folder)
    signature = meta.signature_def["predict_images"]
    print(signature.method_name, signature.inputs["images"].name, signature.outputs["scores"].dtype)
    found = sess.run(signature.outputs["scores"].name, {signature.inputs["images"].name: inputs})
    print(np.allclose(found, expected))
    examples = []
    for row in inputs:
        example = tf.train.Example()
        example.features.feature["x"].float_list.value.extend(row)
        examples.append(example.SerializeToString())
    default = meta.signature_def[
        tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    ]
    fetches = {key: info.name for key, info in default.outputs.items()}
    answers = sess.run(fetches, {default.inputs["inputs"].name: examples})
    print(sorted(answers), answers["classes"].ravel().tolist(), answers["scores"].shape)
    assert answers["classes"].ravel().tolist() == [[b"low", b"high"][i] for i in expected.argmax(1)]
print(tf.saved_model.loader.maybe_saved_model_directory(folder))
