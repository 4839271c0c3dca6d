"""What programs of other years and packages need beside eagerflow's TensorFlow 2 API.

- `compat_v1` is `tf.compat.v1`, and `v1` has what it is made of.
- `keras` has the names of `tf.keras` that other versions of Keras have.
- `contrib` is `tf.contrib`, `tpu` is `tf.tpu`.
- `horovod` and `text` answer `import horovod` and `import tensorflow_text`.
- `internals` has those of TensorFlow's private modules that packages import.
- `dropin` is `python -m eagerflow` and `tf.install_as_tensorflow`: `import tensorflow` gives eagerflow.
- `keras_backend` lets Keras 3 run on eagerflow.

Programs reach them by public names (`eagerflow.compat.v1`, `eagerflow.contrib`); the package `eagerflow`
itself imports nothing from here, and works where this folder is missing.
"""
