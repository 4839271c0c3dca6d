"""Whole models: inference of ResNet-50, MobileNetV2 and a BERT-sized encoder, as each contender runs
a program that it knows, and training steps of the encoder's layer.

A network is written once, as calls of a `Maker`: each contender has one, which gives the
operations of that framework. All have the same weights and inputs.
"""

import functools

import numpy as np

import mobilenet as mobilenet_training
from training import training_case
from workload import Case, Target, Workload

EPSILON = 1e-3
IMAGES = (224, 224, 3)
WORDS, WIDTH, HEADS, INNER, LAYERS = 128, 768, 12, 3072, 12


class Maker:
    """Weights, in the order in which a network asks for them."""

    def __init__(self):
        self.generator = np.random.default_rng(0)

    def array(self, *shape, scale=1.0, about=0.0):
        """float32 [*shape]."""
        numbers = self.generator.normal(scale=scale, size=shape) + about
        return numbers.astype(np.float32)

    def moments(self, width):
        """Scale, offset, mean and variance of a normalisation."""
        return (
            self.array(width, scale=0.1, about=1.0),
            self.array(width, scale=0.1),
            self.array(width, scale=0.1),
            np.abs(self.array(width, scale=0.1)) + 1,
        )

    def block(self, x, size, inputs, outputs, stride=1, *, depthwise=False, active="relu"):
        """A convolution of `size`×`size` pixels, padded by half of that, then a normalisation."""
        fan_in = size * size * (1 if depthwise else inputs)
        shape = (size, size, inputs, 1) if depthwise else (size, size, inputs, outputs)
        filters = self.array(*shape, scale=(2 / fan_in) ** 0.5)
        x = self.normalize(self.convolve(x, filters, stride, depthwise), self.moments(outputs))
        return getattr(self, active)(x) if active else x

    def dense(self, x, inputs, outputs):
        """A product with a matrix, and a bias."""
        matrix = self.array(inputs, outputs, scale=inputs**-0.5)
        return self.add(self.product(x, matrix), self.constant(self.array(outputs, scale=0.1)))


def resnet(make, x):
    """Logits of 1000 classes for images [batch, 224, 224, 3]."""
    x = make.pool(make.block(x, 7, 3, 64, 2))
    channels = 64
    for k, (width, repeats) in enumerate([(64, 3), (128, 4), (256, 6), (512, 3)]):
        for i in range(repeats):
            stride = 2 if i == 0 and k > 0 else 1
            before = x
            if i == 0:
                before = make.block(x, 1, channels, 4 * width, stride, active=None)
            x = make.block(x, 1, channels, width, stride)
            x = make.block(x, 3, width, width)
            x = make.block(x, 1, width, 4 * width, active=None)
            x = make.relu(make.add(x, before))
            channels = 4 * width
    return make.dense(make.mean(x), channels, 1000)


def mobilenet(make, x):
    """The same by MobileNetV2."""
    x = make.block(x, 3, 3, 32, 2, active="relu6")
    channels = 32
    for wider, outputs, repeats, first in mobilenet_training.BLOCKS:
        for i in range(repeats):
            stride, inside, before = first if i == 0 else 1, wider * channels, x
            if wider > 1:
                x = make.block(x, 1, channels, inside, active="relu6")
            x = make.block(x, 3, inside, inside, stride, depthwise=True, active="relu6")
            x = make.block(x, 1, inside, outputs, active=None)
            if stride == 1 and channels == outputs:
                x = make.add(x, before)
            channels = outputs
    x = make.block(x, 1, channels, 1280, active="relu6")
    return make.dense(make.mean(x), 1280, 1000)


def encoder_layer(make, x):
    """A layer of BERT's encoder for [batch, WORDS, WIDTH]."""
    query, key, value = (make.split_heads(make.dense(x, WIDTH, WIDTH)) for _ in range(3))
    scores = make.scale(make.product_of(query, key, transposed=True), (WIDTH // HEADS) ** -0.5)
    seen = make.join_heads(make.product_of(make.softmax(scores), value))
    x = make.layer_norm(make.add(x, make.dense(seen, WIDTH, WIDTH)), *make.moments(WIDTH)[:2])
    inner = make.dense(make.gelu(make.dense(x, WIDTH, INNER)), INNER, WIDTH)
    return make.layer_norm(make.add(x, inner), *make.moments(WIDTH)[:2])


def encoder(make, x):
    """All layers."""
    for _ in range(LAYERS):
        x = encoder_layer(make, x)
    return x


class Step:
    """A call of a network that is built, and its result in the last run."""

    def __init__(self, function=None, arguments=()):
        self.function, self.arguments, self.value = function, arguments, None


class Eager(Maker):
    """Lists the calls of a network once, and makes them in each run."""

    def __init__(self):
        super().__init__()
        self.variables, self.steps = [], []

    def call(self, function, *arguments):
        """One more step."""
        self.steps.append(Step(function, arguments))
        return self.steps[-1]

    def built(self, network):
        """The network as a function of its input."""
        first = Step()
        last = network(self, first)

        def run(x):
            first.value = x
            for step in self.steps:
                values = (a.value if isinstance(a, Step) else a for a in step.arguments)
                step.value = step.function(*values)
            return last.value

        return run


class WithTensorFlow(Eager):
    """eagerflow and TensorFlow."""

    def __init__(self, tf):
        super().__init__()
        self.tf = tf

    def constant(self, array):
        self.variables.append(self.tf.Variable(array))
        return self.variables[-1]

    def convolve(self, x, filters, stride, depthwise):
        tf, kernel, half = self.tf, self.constant(filters), filters.shape[0] // 2
        sides = [[0, 0], [half, half], [half, half], [0, 0]]
        if depthwise:
            padded = self.call(tf.pad, x, sides) if half else x
            strides = [1, stride, stride, 1]
            return self.call(tf.nn.depthwise_conv2d, padded, kernel, strides, "VALID")
        return self.call(tf.nn.conv2d, x, kernel, stride, sides)

    def normalize(self, x, moments):
        run = functools.partial(
            self.tf.compat.v1.nn.fused_batch_norm, epsilon=EPSILON, is_training=False
        )
        return self.call(lambda *a: run(*a)[0], x, *(self.constant(m) for m in moments))

    def relu(self, x):
        return self.call(self.tf.nn.relu, x)

    def relu6(self, x):
        return self.call(self.tf.nn.relu6, x)

    def gelu(self, x):
        return self.call(self.tf.nn.gelu, x)

    def softmax(self, x):
        return self.call(self.tf.nn.softmax, x)

    def add(self, x, y):
        return self.call(self.tf.add, x, y)

    def scale(self, x, factor):
        return self.call(self.tf.multiply, x, factor)

    def product(self, x, matrix):
        return self.call(self.tf.matmul, x, self.constant(matrix))

    def product_of(self, x, y, transposed=False):
        return self.call(lambda a, b: self.tf.matmul(a, b, transpose_b=transposed), x, y)

    def pool(self, x):
        sides = [[0, 0], [1, 1], [1, 1], [0, 0]]
        return self.call(self.tf.nn.max_pool2d, x, 3, 2, sides)

    def mean(self, x):
        return self.call(self.tf.reduce_mean, x, [1, 2])

    def split_heads(self, x):
        def split(x):
            parts = self.tf.reshape(x, [-1, WORDS, HEADS, WIDTH // HEADS])
            return self.tf.transpose(parts, [0, 2, 1, 3])

        return self.call(split, x)

    def join_heads(self, x):
        def join(x):
            return self.tf.reshape(self.tf.transpose(x, [0, 2, 1, 3]), [-1, WORDS, WIDTH])

        return self.call(join, x)

    def layer_norm(self, x, scale, offset):
        tf = self.tf

        def normalized(x, scale, offset):
            mean, variance = tf.nn.moments(x, -1, keepdims=True)
            return tf.nn.batch_normalization(x, mean, variance, offset, scale, EPSILON)

        return self.call(normalized, x, self.constant(scale), self.constant(offset))


class WithTorch(Eager):
    """PyTorch, images with their channels last in memory."""

    def __init__(self, torch):
        super().__init__()
        self.torch, self.F = torch, torch.nn.functional

    def constant(self, array):
        tensor = self.torch.from_numpy(array)
        if array.ndim == 4:
            tensor = tensor.contiguous(memory_format=self.torch.channels_last)
        self.variables.append(tensor)
        return tensor

    def convolve(self, x, filters, stride, depthwise):
        kernel = self.constant(filters.transpose((2, 3, 0, 1) if depthwise else (3, 2, 0, 1)))
        run = functools.partial(
            self.F.conv2d,
            stride=stride,
            padding=filters.shape[0] // 2,
            groups=filters.shape[2] if depthwise else 1,
        )
        return self.call(run, x, kernel)

    def normalize(self, x, moments):
        def run(x, scale, offset, mean, variance):
            return self.F.batch_norm(x, mean, variance, scale, offset, eps=EPSILON)

        return self.call(run, x, *(self.constant(m) for m in moments))

    def relu(self, x):
        return self.call(self.F.relu, x)

    def relu6(self, x):
        return self.call(self.F.relu6, x)

    def gelu(self, x):
        return self.call(self.F.gelu, x)

    def softmax(self, x):
        return self.call(lambda x: self.F.softmax(x, -1), x)

    def add(self, x, y):
        return self.call(self.torch.add, x, y)

    def scale(self, x, factor):
        return self.call(self.torch.mul, x, factor)

    def product(self, x, matrix):
        return self.call(self.torch.matmul, x, self.constant(matrix))

    def product_of(self, x, y, transposed=False):
        return self.call(lambda a, b: a @ (b.mT if transposed else b), x, y)

    def pool(self, x):
        return self.call(lambda x: self.F.max_pool2d(x, 3, 2, 1), x)

    def mean(self, x):
        return self.call(lambda x: x.mean((2, 3)), x)

    def split_heads(self, x):
        return self.call(lambda x: x.reshape(-1, WORDS, HEADS, WIDTH // HEADS).transpose(1, 2), x)

    def join_heads(self, x):
        return self.call(lambda x: x.transpose(1, 2).reshape(-1, WORDS, WIDTH), x)

    def layer_norm(self, x, scale, offset):
        def run(x, scale, offset):
            return self.F.layer_norm(x, (WIDTH,), scale, offset, EPSILON)

        return self.call(run, x, self.constant(scale), self.constant(offset))


class WithOnnx(Maker):
    """A graph for onnxruntime, which folds and fuses when it loads one."""

    def __init__(self, onnx):
        super().__init__()
        self.onnx, self.nodes, self.tensors = onnx, [], []

    def constant(self, array):
        name = f"constant{len(self.tensors)}"
        self.tensors.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def call(self, kind, *inputs, **attributes):
        output = f"value{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def convolve(self, x, filters, stride, depthwise):
        kernel = filters.transpose((2, 3, 0, 1) if depthwise else (3, 2, 0, 1))
        return self.call(
            "Conv",
            x,
            self.constant(np.ascontiguousarray(kernel)),
            strides=[stride, stride],
            pads=[filters.shape[0] // 2] * 4,
            group=filters.shape[2] if depthwise else 1,
        )

    def normalize(self, x, moments):
        vectors = [self.constant(m) for m in moments]
        return self.call("BatchNormalization", x, *vectors, epsilon=EPSILON)

    def relu(self, x):
        return self.call("Relu", x)

    def relu6(self, x):
        limits = [self.constant(np.float32(limit)) for limit in (0, 6)]
        return self.call("Clip", x, *limits)

    def gelu(self, x):
        return self.call("Gelu", x)

    def softmax(self, x):
        return self.call("Softmax", x)

    def add(self, x, y):
        return self.call("Add", x, y)

    def scale(self, x, factor):
        return self.call("Mul", x, self.constant(np.float32(factor)))

    def product(self, x, matrix):
        return self.call("MatMul", x, self.constant(matrix))

    def product_of(self, x, y, transposed=False):
        return self.call(
            "MatMul", x, self.call("Transpose", y, perm=[0, 1, 3, 2]) if transposed else y
        )

    def pool(self, x):
        return self.call("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)

    def mean(self, x):
        return self.call("Flatten", self.call("GlobalAveragePool", x))

    def split_heads(self, x):
        shape = self.constant(np.array([-1, WORDS, HEADS, WIDTH // HEADS]))
        return self.call("Transpose", self.call("Reshape", x, shape), perm=[0, 2, 1, 3])

    def join_heads(self, x):
        shape = self.constant(np.array([-1, WORDS, WIDTH]))
        return self.call("Reshape", self.call("Transpose", x, perm=[0, 2, 1, 3]), shape)

    def layer_norm(self, x, scale, offset):
        vectors = self.constant(scale), self.constant(offset)
        return self.call("LayerNormalization", x, *vectors, epsilon=EPSILON)


def inputs(network, batch):
    """float32 images, channels last, or sequences of vectors."""
    shape = (WORDS, WIDTH) if network in (encoder, encoder_layer) else IMAGES
    return np.random.default_rng(1).normal(size=(batch, *shape)).astype(np.float32)


def inference_case(run):
    """A Case of a function that returns an array."""

    def repeat(count):
        for _ in range(count):
            run()

    return Case(repeat, lambda: np.asarray(run()).ravel()[:: 1 << 8][:8])


def with_tensorflow(tf, network, batch):
    """A traced function."""
    traced = tf.function(WithTensorFlow(tf).built(network), autograph=False)
    x = tf.constant(inputs(network, batch))
    return inference_case(lambda: traced(x).numpy())


def with_torch(torch, network, batch):
    """Eager PyTorch without gradients."""
    x = torch.from_numpy(inputs(network, batch))
    if x.ndim == 4:
        x = x.permute(0, 3, 1, 2)  # the memory stays
    run_eagerly = WithTorch(torch).built(network)

    def run():
        with torch.inference_mode():
            return run_eagerly(x).numpy()

    return inference_case(run)


def with_onnxruntime(onnxruntime, network, batch):
    """A session on the graph."""
    import onnx

    x = inputs(network, batch)
    if x.ndim == 4:
        x = np.ascontiguousarray(x.transpose(0, 3, 1, 2))
    make = WithOnnx(onnx)
    output = network(make, "x")
    kind = onnx.TensorProto.FLOAT
    graph = onnx.helper.make_graph(
        make.nodes,
        "network",
        [onnx.helper.make_tensor_value_info("x", kind, x.shape)],
        [onnx.helper.make_tensor_value_info(output, kind, None)],
        make.tensors,
    )
    opset = [onnx.helper.make_opsetid("", 20)]
    model = onnx.helper.make_model(graph, opset_imports=opset, ir_version=9)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = onnxruntime.threads
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return inference_case(lambda: session.run(None, {"x": x})[0])


def step_with_tensorflow(tf, batch):
    """A step of SGD on a layer of the encoder."""
    make = WithTensorFlow(tf)
    run = make.built(encoder_layer)
    x = tf.constant(inputs(encoder, batch))
    optimizer = tf.optimizers.SGD(1e-3)

    @functools.partial(tf.function, autograph=False)
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(run(x)[:, 0]))
        gradients = tape.gradient(loss, make.variables)
        optimizer.apply_gradients(zip(gradients, make.variables, strict=True))
        return loss

    return training_case(step)


def step_with_torch(torch, batch):
    """The same in PyTorch."""
    x = torch.from_numpy(inputs(encoder, batch))
    make = WithTorch(torch)
    run = make.built(encoder_layer)
    for variable in make.variables:
        variable.requires_grad_()
    optimizer = torch.optim.SGD(make.variables, lr=1e-3)

    def step():
        optimizer.zero_grad()
        loss = run(x)[:, 0].square().mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return training_case(step)


NETWORKS = {"ResNet-50": resnet, "MobileNetV2": mobilenet, "BERT's encoder": encoder}


def inference(title, network, batch):
    """The workload of a network."""
    contenders = {
        "eagerflow": with_tensorflow,
        "tf.function": with_tensorflow,
        "torch": with_torch,
        "onnxruntime": with_onnxruntime,
    }
    return Workload(
        name=f"{network.__name__}-inference-{batch}",
        title=f"{title}, inference, batch {batch}",
        target=Target("onnxruntime", 1.05),
        also=(Target("tf.function", 1.0), Target("torch", 1.0)),
        contenders={
            name: functools.partial(make, network=network, batch=batch)
            for name, make in contenders.items()
        },
    )


WORKLOADS = [
    *(inference(title, network, batch) for title, network in NETWORKS.items() for batch in (1, 32)),
    Workload(
        name="encoder-step",
        title="a layer of BERT's encoder, step, batch 8; SGD",
        target=Target("tf.function", 0.5),
        also=(Target("torch", 1.0),),
        contenders={
            name: functools.partial(make, batch=8)
            for name, make in {
                "eagerflow": step_with_tensorflow,
                "tf.function": step_with_tensorflow,
                "torch": step_with_torch,
            }.items()
        },
    ),
]
