"""Private names that public packages import: what they do, or how they refuse."""

import collections
import importlib
import os

import numpy as np
import pytest

import eagerflow
from eagerflow import dropin


@pytest.fixture(scope="module")
def tf():
    yield eagerflow.install_as_tensorflow("2.x")
    dropin.uninstall()


def private(path):
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(f"tensorflow.{module}"), name)


# Names whose things do not exist here, and a word of the reason.
REFUSED = {
    "python.data.experimental.ops.testing:sleep": "compiled",
    "python.data.ops.dataset_ops:BatchDataset": "compiled",
    "python.data.ops.dataset_ops:DatasetSource": "compiled",
    "python.data.ops.load_op:_LoadDataset": "compiled",
    "python.distribute.coordinator.cluster_coordinator:Closure": "servers",
    "python.distribute.input_lib:DistributedDatasetsFromFunction": "servers",
    "python.framework.load_library:load_op_library": "tf.py_function",
}


def test_private_names_of_strategies(tf):
    made = private("python.distribute.parameter_server_strategy_v2:ParameterServerStrategyV2")
    assert made is tf.distribute.ParameterServerStrategy


@pytest.mark.parametrize("path", REFUSED)
def test_what_does_not_exist_is_refused_when_it_is_used(tf, path):
    thing = private(path)
    assert not isinstance(thing, type) or not isinstance(tf.data.Dataset.range(2).batch(1), thing)
    with pytest.raises(NotImplementedError, match=REFUSED[path]):
        thing("x")
    with pytest.raises(NotImplementedError, match="phones"):
        tf.lite.TFLiteConverter.from_concrete_functions([])


@pytest.mark.parametrize("name", ["load_op_library", "load_library"])
def test_programs_do_without_libraries_of_kernels(tf, name):
    for load in (getattr(tf, name), private(f"python.framework.load_library:{name}")):
        for kind in (tf.errors.NotFoundError, RuntimeError, NotImplementedError):
            with pytest.raises(kind, match="tf.custom_gradient") as raised:
                load("no_such_library.so")
        assert raised.value.error_code == tf.errors.NOT_FOUND


def test_operations_of_a_module_are_passed_on(tf):
    bucketize = private("python.ops.math_ops:_bucketize")
    assert bucketize([1.0, 5.0], boundaries=[3.0]).numpy().tolist() == [0, 1]
    variable = tf.Variable([1.0, 2.0])
    private("python.ops.resource_variable_ops:resource_scatter_add")(variable.handle, [0], [2.0])
    assert variable.numpy().tolist() == [3, 2]
    with pytest.raises(AttributeError):
        private("python.ops.math_ops:_no_such_operation")


def test_files_by_their_first_names(tf, tmp_path):
    file_io = importlib.import_module("tensorflow.python.lib.io.file_io")
    path = tmp_path / "folder" / "a"
    file_io.recursive_create_dir(str(path.parent))
    file_io.write_string_to_file(path, "one")
    with pytest.raises(tf.errors.AlreadyExistsError):
        file_io.atomic_write_string_to_file(path, "two", overwrite=False)
    assert file_io.read_file_to_string(path) == "one" and os.listdir(path.parent) == ["a"]
    file_io.atomic_write_string_to_file(path, b"two")
    assert file_io.read_file_to_string(path, binary_mode=True) == b"two"
    assert file_io.file_exists(path) and not file_io.is_directory(path)


@pytest.mark.parametrize("debiased", [True, False])
def test_averages_move(tf, debiased):
    assign_moving_average = private("python.training.moving_averages:assign_moving_average")
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        variable = tf.compat.v1.get_variable("v", [], trainable=False, initializer=0.0)
        moved = assign_moving_average(variable, 4.0, 0.75, zero_debias=debiased)
        session.run(tf.compat.v1.global_variables_initializer())
        found = [float(session.run(moved)) for _ in range(3)]
        names = [v.op.name for v in tf.compat.v1.global_variables()]
    expected = [4.0, 4.0, 4.0] if debiased else [1.0, 1.75, 2.3125]
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert names == ["v", "v/biased", "v/local_step"] if debiased else ["v"]


def test_ragged_values_are_converted(tf):
    conversion = importlib.import_module("tensorflow.python.ops.ragged.ragged_conversion_ops")
    rows = conversion.from_tensor([[1, 0], [2, 3]], padding=0)
    assert rows.to_list() == [[1], [2, 3]] and conversion.from_tensor(rows) is rows
    assert conversion.to_tensor(rows, default_value=9).numpy().tolist() == [[1, 9], [2, 3]]
    ragged_tensor = importlib.import_module("tensorflow.python.ops.ragged.ragged_tensor")
    assert ragged_tensor.is_ragged(rows) and not ragged_tensor.is_ragged([1])
    convert = ragged_tensor.convert_to_tensor_or_ragged_tensor
    assert convert(rows) is rows and convert([1]).shape == [1]
    with pytest.raises(ValueError, match="requested dtype"):
        convert(rows, tf.float32)


def test_axes_and_shapes(tf):
    positive = private("python.ops.array_ops:get_positive_axis")
    assert [positive(axis, 3) for axis in (-3, -1, 2)] == [0, 2, 2] and positive(4, None) == 4
    for axis, rank, error in ((3, 3, ValueError), (-1, None, ValueError), (1.0, 3, TypeError)):
        with pytest.raises(error):
            positive(axis, rank)
    convert = private("python.framework.constant_op:_tensor_shape_tensor_conversion_function")
    assert convert(tf.TensorShape([2, 3])).numpy().tolist() == [2, 3]
    with pytest.raises(ValueError, match="partially known"):
        convert(tf.TensorShape([None]))


def test_tables_of_words_in_a_file(tf, tmp_path):
    path = tmp_path / "words"
    path.write_text("a\nb\n")
    tables = importlib.import_module("tensorflow.python.ops.lookup_ops")
    ids = tf.lookup.StaticHashTable(tables.TextFileIdTableInitializer(str(path)), -1)
    words = tf.lookup.StaticHashTable(tables.TextFileStringTableInitializer(str(path)), "?")
    assert ids.lookup(tf.constant(["b", "z"])).numpy().tolist() == [1, -1]
    assert words.lookup(tf.constant([0, 7], tf.int64)).numpy().tolist() == [b"a", b"?"]


def test_specs_that_version_1_describes(tf):
    convert = private("python.data.util.structure:convert_legacy_structure")
    dataset = tf.data.Dataset.from_tensors({"a": [1, 2], "b": (0.5, "x")})
    v1 = tf.compat.v1.data
    parts = v1.get_output_types, v1.get_output_shapes, v1.get_output_classes
    assert convert(*(part(dataset) for part in parts)) == dataset.element_spec
    sparse = convert(tf.float32, tf.TensorShape([3]), tf.SparseTensor)
    assert sparse == tf.SparseTensorSpec([3], tf.float32)
    with pytest.raises(TypeError, match="output class"):
        convert(tf.float32, tf.TensorShape([]), int)


def test_resources_of_a_graph(tf):
    resources = importlib.import_module("tensorflow.python.ops.resources")
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        variable = tf.compat.v1.Variable(3.0)
        resources.register_resource(variable.handle, variable.initializer, tf.constant(True))
        assert len(resources.shared_resources()) == 1 and not resources.local_resources()
        session.run(resources.initialize_resources(resources.shared_resources()))
        assert session.run(variable) == 3


def test_names_of_keras_itself(tf, tmp_path):
    h5py = pytest.importorskip("h5py")
    unique = importlib.import_module("tf_keras.src.backend").unique_object_name
    counts = collections.defaultdict(int)
    assert [unique("a", counts) for _ in range(2)] == ["a_1", "a_2"]
    assert unique("a", counts, avoid_names={"a_3"}) == "a_4"
    assert [unique("b", counts, zero_based=True) for _ in range(2)] == ["b", "b_1"]
    legacy = importlib.import_module("keras.src.legacy.saving.legacy_h5_format")
    model = tf.keras.Sequential([tf.keras.layers.Dense(2)])
    model.build([None, 3])
    with h5py.File(tmp_path / "weights.h5", "w") as file:
        legacy.save_weights_to_hdf5_group(file, model)
        assert [name.decode() for name in file.attrs["layer_names"]] == ["dense"]
    inputs = tf.keras.Input([3])
    functional = importlib.import_module("keras.src.models.functional").Functional
    assert isinstance(tf.keras.Model(inputs, model(inputs)), functional)
    to_numpy = importlib.import_module("keras.src.backend").convert_to_numpy
    assert to_numpy(tf.constant([1, 2])).tolist() == [1, 2]


def test_graphs_and_devices_of_tools(tf, tmp_path):
    cluster = private("python.grappler.cluster:Cluster")
    (device,) = cluster().ListDevices()
    assert device.properties.type == "CPU"
    assert cluster(devices=[device]).ListDevices() == [device]
    module = tf.Module()
    module.f = tf.function(lambda x: x + 1.0, input_signature=[tf.TensorSpec([], tf.float32)])
    tf.saved_model.save(module, str(tmp_path))
    utils = importlib.import_module("tensorflow.python.tools.saved_model_utils")
    assert utils.get_saved_model_tag_sets(str(tmp_path)) == [["serve"]]
    assert len(utils.get_meta_graph_def(str(tmp_path), "serve").graph_def.node)
    with pytest.raises(RuntimeError, match="tags"):
        utils.get_meta_graph_def(str(tmp_path), "train")
    version = importlib.import_module("tensorflow.core.protobuf.saver_pb2").SaverDef
    assert (version.LEGACY, version.V1, version.V2) == (0, 1, 2)


def test_scopes_and_graphs_of_private_operations(tf):
    ops = importlib.import_module("tensorflow.python.framework.ops")
    with ops.name_scope(None, "default", [1]) as scope:
        assert scope is None
    with tf.Graph().as_default() as graph:
        with ops.name_scope(None, "default", [1]) as scope:
            first = tf.constant(1)
        assert scope == "default/" and first.op.name == "default/Const"
        assert ops._get_graph_from_inputs([3, first]) is graph
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="not from"):
            ops._get_graph_from_inputs([tf.constant(1), first])
        with pytest.raises(ValueError, match="passed-in graph"):
            ops._get_graph_from_inputs([tf.constant(1)], graph)
    all_util = importlib.import_module("tensorflow.python.util.all_util")
    module = importlib.import_module("types").ModuleType("listed", "Names.\n\n@@one\n@@absent\n")
    module.one, module.two, module._three, module.four = 1, 2, 3, 4
    importlib.import_module("sys").modules["listed"] = module
    assert all_util.make_all("listed") == ["one"]
    all_util.remove_undocumented("listed", ["four"])
    assert {name for name in dir(module) if name[0] != "_"} == {"one", "four"}
    assert module._three == 3


@pytest.mark.parametrize("module", ["keras.utils", "tensorflow.python.keras.utils"])
def test_kernels_of_pairs_of_vectors(tf, module):
    """Values of TensorFlow 2.21."""
    kernels = importlib.import_module(f"{module}.kernelized_utils")
    x, y = np.array([[1.0, 2.0], [0.5, -1.0]]), np.array([[3.0, 1.0], [0.0, 0.0], [1.0, 1.0]])
    gaps = x[:, None] - y[None]
    products = kernels.inner_product(x, y)
    assert products.dtype == tf.float64 and products.numpy() == pytest.approx(x @ y.T)
    assert kernels.inner_product(x[0], y).shape == (1, 3)
    gaussian = kernels.exact_gaussian_kernel(x, y, 2.0).numpy()
    assert gaussian == pytest.approx(np.exp(-(gaps**2).sum(2) / 8.0))
    laplacian = kernels.exact_laplacian_kernel(x, y, 2.0).numpy()
    assert laplacian == pytest.approx(np.exp(-np.abs(gaps).sum(2) / 2.0))
    for wrong in (1.0, np.zeros([2, 2, 2]), np.zeros([2, 3])):
        with pytest.raises(ValueError):
            kernels.inner_product(x, wrong)


def test_devices_are_configured_again_after_a_new_start(tf):
    (cpu,) = tf.config.list_physical_devices("CPU")
    whole = [tf.config.LogicalDeviceConfiguration()]
    tf.constant(1)
    with pytest.raises(RuntimeError, match="after being initialized"):
        tf.config.set_logical_device_configuration(cpu, whole)
    private("python.framework.ops:enable_eager_execution_internal")()
    tf.config.set_logical_device_configuration(cpu, whole)
    assert len(tf.config.list_logical_devices("CPU")) == 1


def test_keras_knows_symbolic_values(tf):
    is_symbolic = importlib.import_module("keras.src.utils.tf_utils").is_symbolic_tensor
    assert private("python.keras.utils.tf_utils:is_symbolic_tensor") is is_symbolic
    ragged, variable = tf.ragged.constant([[1], [2, 3]]), tf.Variable(1.0)
    found = []

    @tf.function
    def traced(x):
        found.extend(is_symbolic(value) for value in (x, tf.constant(1), ragged, variable))
        return x

    traced(ragged)
    assert found == [True, True, False, True]
    assert not any(map(is_symbolic, (ragged, variable, tf.constant(1), "text")))


@pytest.mark.parametrize("module", ["keras.engine", "tensorflow.python.keras.engine"])
def test_batches_of_custom_training_steps(tf, module):
    adapter = importlib.import_module(f"{module}.data_adapter")
    x, (y, weight) = adapter.expand_1d((tf.zeros([3, 2]), (tf.ones([3]), None)))
    assert x.shape == [3, 2] and y.shape == [3, 1] and weight is None
    assert adapter.expand_1d(np.zeros(3)).shape == (3,)
    assert adapter.unpack_x_y_sample_weight((x, y)) == (x, y, None)


def test_losses_are_cast_to_the_widest_of_them(tf):
    cast = private("python.keras.utils.losses_utils:cast_losses_to_common_dtype")
    answers = {
        ("float16", "float32"): ["float32"] * 2,
        ("float16", "bfloat16"): ["float16"] * 2,
        ("int32", "float32"): ["float32"] * 2,
        ("int32", "int64"): ["int32", "int64"],
        ("complex64", "float64"): ["complex64", "float64"],
        (): [],
    }
    for names, expected in answers.items():
        losses = [tf.cast(tf.constant(1), name) for name in names]
        assert [loss.dtype.name for loss in cast(losses)] == expected


def test_models_with_a_compile_of_their_own(tf):
    metrics = private("python.keras.engine.compile_utils:MetricsContainer")

    class Own(tf.keras.Model):
        def compile(self, rate):
            self._reset_compile_cache()
            self.rate, self._is_compiled = rate, True
            self.compiled_metrics = metrics(None)

    model = Own()
    with pytest.raises(RuntimeError, match="You must compile your model"):
        model._assert_compile_was_called()
    model.train_function = print
    model.compile(0.1)
    model._assert_compile_was_called()
    assert model.train_function is None and model.compiled_metrics.metrics == []


@pytest.mark.parametrize("kind", ["Dense", "Model", "Mean"])
def test_layers_know_the_dtype_of_their_weights_by_a_private_name(tf, kind):
    make = {
        "Dense": lambda dtype: tf.keras.layers.Dense(1, dtype=dtype),
        "Model": lambda dtype: tf.keras.Model(dtype=dtype),
        "Mean": lambda dtype: tf.keras.metrics.Mean(dtype=dtype),
    }[kind]
    assert [make(dtype)._dtype for dtype in (None, "float16")] == ["float32", "float16"]
    layer = make("float16")
    layer._dtype = "float64"
    assert layer.dtype == layer._dtype == "float64"


def test_traces_are_counted_by_a_private_name(tf):
    double = tf.function(lambda x: 2 * x)
    double(1), double(2)
    assert double._get_tracing_count() == double.experimental_get_tracing_count() == 2


def test_keras_training_utils_read_models_and_slice_data(tf):
    utils = importlib.import_module("tensorflow.python.keras.engine.training_utils")
    dense = tf.keras.layers.Dense
    model = tf.keras.Sequential([dense(3, batch_input_shape=(5, 4))])
    assert utils.get_input_shape_and_dtype(model) == ((5, 4), "float32")
    assert utils.get_static_batch_size(model) == 5
    assert utils.get_input_shape_and_dtype(dense(2)) == (None, None)
    with pytest.raises(ValueError, match="empty Model"):
        utils.get_input_shape_and_dtype(tf.keras.Sequential())
    assert utils.list_to_tuple([1, 2]) == (1, 2)
    array = np.arange(6)
    for rows in ([1, 2], [1, 4]):
        contiguous = rows == [1, 2]
        for one in utils.slice_arrays([array, tf.constant(array)], rows, contiguous):
            np.testing.assert_array_equal(one, rows)


def test_weights_are_trainable_as_when_the_model_was_compiled(tf):
    utils = importlib.import_module("tensorflow.python.keras.engine.training_utils")
    inner = tf.keras.layers.Dense(1)
    model = tf.keras.Sequential([inner, tf.keras.layers.Dense(1)])
    model.build((None, 2))
    with utils.RespectCompiledTrainableState(model):  # was not compiled
        assert len(model.trainable_weights) == 4
    model.compile("sgd", "mse")
    inner.trainable = False
    with utils.RespectCompiledTrainableState(model):
        assert len(model.trainable_weights) == 4
    assert len(model.trainable_weights) == 2


@pytest.mark.parametrize(
    "module",
    ["tensorflow.python.keras.layers.core", "tf_keras.src.layers", "keras.layers.core.tf_op_layer"],
)
def test_layers_of_operations_are_where_keras_has_them(tf, module):
    found = importlib.import_module(module)
    x = tf.keras.Input((3,))
    assert isinstance(tf.keras.Model(x, tf.exp(x)).layers[-1], found.TFOpLambda)
    assert isinstance(tf.keras.Model(x, x[:, 0]).layers[-1], found.SlicingOpLambda)
    assert x.experimental_ref() == x.ref()


def test_the_graph_that_keras_builds_in(tf):
    backend = importlib.import_module("keras.src.backend")
    with tf.Graph().as_default() as graph:
        first = tf.constant(1)
    assert backend._current_graph([first]) is graph

    @tf.function
    def following(x):
        assert backend._current_graph([None]) is tf.compat.v1.get_default_graph()
        with backend._current_graph([x]).as_default():
            return x + 1

    assert following(tf.constant(1)).numpy() == 2


@pytest.mark.parametrize(
    ("path", "imported"),
    [
        ("python.ops.math_ops:constant_op", "python.framework.constant_op"),
        ("python.ops.nn_ops:dispatch", "python.util.dispatch"),
        ("python.keras.layers.recurrent:array_ops", "python.ops.array_ops"),
        ("python.training.adam:optimizer", "python.training.optimizer"),
        ("python.framework.ops:context", "python.eager.context"),
        ("python.data.ops.dataset_ops:iterator_ops", "python.data.ops.iterator_ops"),
        ("python.ops.rnn_cell_impl:vs", "python.ops.variable_scope"),
    ],
)
def test_private_modules_pass_on_the_modules_they_import(tf, path, imported):
    assert private(path) is importlib.import_module(f"tensorflow.{imported}")


@pytest.mark.parametrize(
    "name",
    ["conv2d_backprop_input", "conv3d_backprop_input_v2", "max_pool3d_grad", "dilation2d"],
)
def test_names_of_operations_whose_names_have_digits(tf, name):
    assert callable(private(f"python.ops.gen_nn_ops:{name}"))


def test_base_classes_of_layers_by_the_names_of_all_versions(tf):
    layers = tf.keras.layers
    conv = private("python.keras.layers.convolutional:Conv")
    assert isinstance(layers.Conv1D(1, 1), conv) and not isinstance(layers.Dense(1), conv)
    merge = private("keras.layers:Add").__mro__[1]
    for path, layer in {
        "convolutional.base_conv.BaseConv": layers.Conv2D(1, 1),
        "convolutional.base_depthwise_conv.BaseDepthwiseConv": layers.DepthwiseConv2D(1),
        "convolutional.base_separable_conv.BaseSeparableConv": layers.SeparableConv2D(1, 1),
        "merging.base_merge.Merge": layers.Add(),
        "pooling.base_pooling.BasePooling": layers.MaxPooling2D(),
        "pooling.base_global_pooling.BaseGlobalPooling": layers.GlobalMaxPooling1D(),
    }.items():
        module, _, name = path.rpartition(".")
        base = getattr(importlib.import_module(f"keras.src.layers.{module}"), name)
        assert isinstance(layer, base) and not isinstance(layers.Dense(1), base)
    assert isinstance(layers.Concatenate(), merge)


def test_optimizers_of_the_generation_before_by_their_module(tf):
    base = private("python.keras.optimizer_v2.optimizer_v2:OptimizerV2")
    assert issubclass(tf.keras.optimizers.legacy.Adam, base)
    assert private("python.keras.backend_config:epsilon")() == tf.keras.backend.epsilon()


def test_what_initializers_count(tf):
    for module in ("python.ops.init_ops", "python.ops.init_ops_v2"):
        assert private(f"{module}:_compute_fans")((3, 3, 4, 8)) == (36, 72)
        assert private(f"{module}:_compute_fans")(()) == (1, 1)


def test_cells_are_checked(tf):
    check = private("python.ops.rnn_cell_impl:assert_like_rnncell")
    check("cell", tf.keras.layers.LSTMCell(2))
    with pytest.raises(TypeError, match="'state_size' property is missing"):
        check("cell", tf.keras.layers.Dense(2))
    size = private("python.ops.rnn:_best_effort_input_batch_size")
    assert size([tf.zeros([5, 2, 3])]) == 2
    with pytest.raises(ValueError, match="rank >= 2"):
        size([tf.zeros([5])])
    assert private("python.ops.rnn_cell_impl:_WEIGHTS_VARIABLE_NAME") == "kernel"
    assert private("python.ops.rnn_cell_impl:_BIAS_VARIABLE_NAME") == "bias"


def test_methods_of_shapes_are_given_tuples(tf):
    convert = private("python.keras.utils.tf_utils:shape_type_conversion")
    seen = []

    @convert
    def compute_output_shape(self, input_shape):
        seen.append(input_shape)
        return input_shape

    shape = tf.TensorShape([None, 3])
    assert compute_output_shape(None, shape).as_list() == [None, 3]
    assert compute_output_shape(None, [shape, {"a": shape}])[1]["a"].as_list() == [None, 3]
    assert seen == [(None, 3), [(None, 3), {"a": (None, 3)}]]


def test_the_format_of_layers_is_by_default_that_of_keras(tf):
    normalize = private("python.keras.utils.conv_utils:normalize_data_format")
    assert normalize(None) == "channels_last" and normalize("Channels_First") == "channels_first"
