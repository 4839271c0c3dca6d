"""Small models that are served: a dense network, a convolutional one and an LSTM.

Loading and the first answer in a new process, and answers of batch 1. onnxruntime has the same networks
with the same weights, written by hand.
"""

import tempfile
from pathlib import Path

import numpy as np

from frameworks import MODULES
from workload import ITSELF, Case, Target, Workload

NAMES = {"mlp": "784-128-10", "cnn": "two convolutions, 28x28", "lstm": "an LSTM of 64, 20 steps"}
INPUTS = {"mlp": (784,), "cnn": (28, 28, 1), "lstm": (20, 32)}
UNITS = 64


def model(tf, name):
    """The network in a framework's Keras."""
    layers = tf.keras.layers
    body = {
        "mlp": lambda: [layers.Dense(128, activation="relu")],
        "cnn": lambda: [
            layers.Conv2D(32, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(64, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(128, activation="relu"),
        ],
        "lstm": lambda: [layers.LSTM(UNITS)],
    }[name]()
    made = tf.keras.Sequential([tf.keras.Input(INPUTS[name]), *body, layers.Dense(10)])
    made.set_weights(weights([weight.shape for weight in made.weights]))
    return made


def weights(shapes):
    """Arrays of these shapes, the same for all contenders."""
    generator = np.random.default_rng(0)
    return [generator.normal(scale=0.1, size=tuple(shape)).astype("f") for shape in shapes]


def batch(name):
    """An input of batch 1."""
    return np.random.default_rng(1).normal(size=(1, *INPUTS[name])).astype("f")


def save(tf, name, path):
    model(tf, name).export(path)


def save_onnx(name, path):
    """The network as nodes of ONNX."""
    import onnx
    from onnx import helper, numpy_helper

    nodes, tensors = [], []

    def add(kind, *inputs, outputs=1, **attributes):
        for k, value in enumerate(inputs):
            if not isinstance(value, str):
                tensors.append(
                    numpy_helper.from_array(np.ascontiguousarray(value), f"t{len(tensors)}")
                )
                inputs = (*inputs[:k], tensors[-1].name, *inputs[k + 1 :])
        names = [f"n{len(nodes)}_{k}" for k in range(outputs)]
        nodes.append(helper.make_node(kind, inputs, names, **attributes))
        return names[-1]

    def dense(x, kernel, bias, activation=None):
        found = add("Gemm", x, kernel, bias)
        return add(activation, found) if activation else found

    def pooled_convolution(x, kernel, bias):
        found = add("Conv", x, kernel.transpose(3, 2, 0, 1), bias)
        return add("MaxPool", add("Relu", found), kernel_shape=[2, 2], strides=[2, 2])

    if name == "mlp":
        a, b, c, d = weights([(784, 128), (128,), (128, 10), (10,)])
        y = dense(dense("x", a, b, "Relu"), c, d)
    elif name == "cnn":
        shapes = [
            (3, 3, 1, 32),
            (32,),
            (3, 3, 32, 64),
            (64,),
            (1600, 128),
            (128,),
            (128, 10),
            (10,),
        ]
        a, b, c, d, e, f, g, h = weights(shapes)
        x = pooled_convolution(add("Transpose", "x", perm=[0, 3, 1, 2]), a, b)
        x = add("Flatten", add("Transpose", pooled_convolution(x, c, d), perm=[0, 2, 3, 1]))
        y = dense(dense(x, e, f, "Relu"), g, h)
    else:
        u = UNITS
        a, b, c, d, e = weights([(32, 4 * u), (u, 4 * u), (4 * u,), (u, 10), (10,)])
        order = np.r_[
            0:u, 3 * u : 4 * u, u : 2 * u, 2 * u : 3 * u
        ]  # ONNX has the output gate second
        biases = np.concatenate([c[order], np.zeros(4 * u, "f")])
        x = add("Transpose", "x", perm=[1, 0, 2])
        x = add(
            "LSTM", x, a.T[order][None], b.T[order][None], biases[None], outputs=2, hidden_size=u
        )
        y = dense(add("Squeeze", x, np.array([0], np.int64)), d, e)
    shape = ["batch", *INPUTS[name]]
    graph = helper.make_graph(
        nodes, name,
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(y, onnx.TensorProto.FLOAT, None)],
        tensors,
    )  # fmt: skip
    opset = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=8), path)


# From the call of `load` to the first answer, in a process that has imported the framework.
LOAD = f"""
import subprocess, sys, tempfile, time
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parent)!r})
import small_served
with tempfile.TemporaryDirectory() as folder:
    path = str(Path(folder) / "model")
    make = '''
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import small_served
{{make}}
'''
    subprocess.run([sys.executable, "-c", make, path], check=True, capture_output=True)
    x = small_served.batch("{{name}}")
    import {{module}}
    start = time.perf_counter()
    {{answer}}
    print(time.perf_counter() - start)
"""
ANSWER = """function = {module}.saved_model.load(path).signatures["serving_default"]
    [value.numpy() for value in function({module}.constant(x)).values()]"""
ONNX_ANSWER = """session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    session.run(None, {"x": x})"""


def programs(name):
    """What each contender does in a new process."""
    found = {
        contender: LOAD.format(
            make=f"import {module}\nsmall_served.save({module}, {name!r}, sys.argv[1])",
            answer=ANSWER.format(module=module), module=module, name=name,
        )
        for contender, module in ((one, MODULES[one]) for one in ("eagerflow", "tensorflow"))
    }  # fmt: skip
    found["onnxruntime"] = LOAD.format(
        make=f"small_served.save_onnx({name!r}, sys.argv[1])",
        answer=ONNX_ANSWER, module="onnxruntime", name=name,
    )  # fmt: skip
    return found


def answers(name):
    """Calls with one example; each gives an array."""
    x = batch(name)

    def case(answer):
        def run(count):
            for _ in range(count):
                answer()

        return Case(run, lambda: answer()[0].tolist())

    def loaded(tf):
        with tempfile.TemporaryDirectory() as folder:
            save(tf, name, folder)
            served = tf.saved_model.load(folder)
        function, given = served.signatures["serving_default"], tf.constant(x)

        def answer():
            (value,) = function(given).values()
            assert served is not None
            return value.numpy()

        return case(answer)

    def session(onnxruntime):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = onnxruntime.threads
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "model")
            save_onnx(name, path)
            made = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        return case(lambda: made.run(None, {"x": x})[0])

    return {"eagerflow": loaded, "tensorflow": loaded, "onnxruntime": session}


WORKLOADS = [
    *(
        Workload(
            name=f"load-{name}",
            title=f"loading a SavedModel ({title}) and its first answer",
            target=Target(ITSELF, 0.05),
            contenders=programs(name),
            measure="process",
            also=(Target("tensorflow", 0.3),),
        )
        for name, title in NAMES.items()
    ),
    *(
        Workload(
            name=f"serve-{name}",
            title=f"answers of a loaded model ({title}), batch 1",
            target=Target("onnxruntime", 1.0),
            contenders=answers(name),
        )
        for name, title in NAMES.items()
    ),
]
