"""Concrete functions: calls, types, and queries of their graphs."""

import pytest

import eagerflow as tf
from eagerflow.functions.function import function

Spec = tf.TensorSpec


def add(x, y):
    return x + tf.cast(y, tf.float32)


@pytest.fixture
def concrete():
    return function(add, autograph=False).get_concrete_function(
        Spec([2], tf.float32), Spec([], tf.int32, name="yy")
    )


ONES, ONE = tf.ones([2]), tf.constant(1)


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        ((ONES, ONE), {}),
        ((ONES, 1), {}),
        (([1.0, 1.0], ONE), {}),
        ((ONES,), {"y": ONE}),
        ((), {"x": ONES, "y": ONE}),
        ((), {"x": ONES, "yy": ONE}),
        ((ONES,), {"yy": ONE}),
    ],
)
def test_arguments_go_by_the_parameters_or_the_names_of_specs(concrete, args, kwargs):
    assert concrete(*args, **kwargs).numpy().tolist() == [2.0, 2.0]


def test_eager_calls_with_other_shapes_run(concrete):
    assert concrete(tf.ones([3]), ONE).numpy().tolist() == [2.0, 2.0, 2.0]

    @function
    def outer():
        return concrete(tf.ones([3]), ONE)

    with pytest.raises(TypeError, match=r"Can not cast TensorSpec\(shape=\(3,\)"):
        outer()


def test_other_dtypes_are_refused_by_the_graph(concrete):
    message = r"cannot compute __inference_add_\d+ as input #1\(zero-based\) was expected to be a "
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=message + "int32 tensor but is a float"
    ):
        concrete(ONES, tf.constant(1.0))


@pytest.mark.parametrize(
    ("args", "kwargs", "first", "second"),
    [
        (
            (),
            {},
            "missing a required argument: 'x'",
            "add(x, yy) missing required arguments: x, yy.",
        ),
        (
            (ONES,),
            {},
            "missing a required argument: 'y'",
            "add(x, yy) missing required arguments: yy",
        ),
        (
            (ONES, ONE, 2),
            {},
            "too many positional",
            "add(x, yy) takes 2 positional arguments, got 3.",
        ),
        ((ONES, ONE), {"x": 1}, "multiple values for", "add(x, yy) got two values for 'x'."),
        (
            (ONES,),
            {"yy": ONE, "z": 1},
            "missing a",
            "add(x, yy) got unexpected keyword arguments: z.",
        ),
        (
            ("a", ONE),
            {},
            "Cannot convert 'a' to EagerTensor of dtype float",
            "add(x, yy): expected argument #0(zero-based) to be a Tensor; got str (a).",
        ),
    ],
)
def test_calls_that_do_not_fit_say_why(concrete, args, kwargs, first, second):
    with pytest.raises(TypeError) as error:
        concrete(*args, **kwargs)
    text = str(error.value)
    assert text.startswith("Binding inputs to tf.function failed due to `" + first)
    assert "\nFallback to flat signature also failed due to: " + second in text


def test_python_values_are_bound():
    concrete = function(add, autograph=False).get_concrete_function(Spec([2]), 3)
    assert str(concrete.function_type).startswith(
        "(x: TensorSpec(shape=(2,), dtype=tf.float32, name=None), y: Literal[3]) -> TensorSpec("
    )
    for args in ((ONES,), (ONES, 3)):
        assert concrete(*args).numpy().tolist() == [4.0, 4.0]
    with pytest.raises(TypeError, match=r"Can not cast 4 to Literal\[3\]"):
        concrete(ONES, 4)


def test_structures_are_arguments_as_a_whole_or_flat():
    @function(autograph=False)
    def f(d):
        return d["a"] + d["b"][0]

    concrete = f.get_concrete_function({"a": Spec([]), "b": [Spec([])]})
    one, two = tf.constant(1.0), tf.constant(2.0)
    assert float(concrete({"a": one, "b": [two]})) == 3.0
    assert float(concrete(one, two)) == 3.0
    assert float(concrete(d=one, d_1=two)) == 3.0
    assert concrete.structured_input_signature == (
        ({"a": Spec([], name="d_a"), "b": [Spec([], name="d_b_0")]},),
        {},
    )
    with pytest.raises(TypeError, match="has different keys with the TraceType Dict"):
        concrete({"a": one})


def test_printed_signatures():
    @function(autograph=False)
    def f(a, b=2, *args, c=3, **rest):
        return {"o": a, "n": None, "l": [b]}

    concrete = f.get_concrete_function(Spec([2]), 5, 6, c=ONE, z=3.0)
    expected = """Input Parameters:
  a (POSITIONAL_ONLY): TensorSpec(shape=(2,), dtype=tf.float32, name=None)
  b (POSITIONAL_ONLY): Literal[5]
  args_0 (POSITIONAL_ONLY): Literal[6]
  c (KEYWORD_ONLY): TensorSpec(shape=(), dtype=tf.int32, name=None)
  z (KEYWORD_ONLY): Literal[3.0]
Output Type:
  Dict[['o', TensorSpec(shape=(2,), dtype=tf.float32, name=None)], ['n', Literal[None]], \
['l', List[TensorSpec(shape=(), dtype=tf.int32, name=None)]]]
Captures:
  None"""
    assert concrete.pretty_printed_signature() == expected
    assert str(concrete) == "ConcreteFunction " + expected
    assert repr(concrete).startswith("<ConcreteFunction (a: TensorSpec(shape=(2,)")
    assert f.pretty_printed_concrete_signatures() == expected
    assert concrete.pretty_printed_signature(verbose=False) == str(concrete.function_type)
    assert concrete.structured_input_signature == (
        (Spec([2], name="a"), 5, 6),
        {"c": Spec([], tf.int32, name="c"), "z": 3.0},
    )


def test_what_a_concrete_function_knows_of_itself():
    v = tf.Variable(2.0)
    constant = tf.Variable(1.0, trainable=False)

    @function(autograph=False)
    def f(x):
        return {"o": x * v + constant, "n": None, "l": [x, (x,)]}

    concrete = f.get_concrete_function(Spec([None]))
    assert [tensor.name for tensor in concrete.inputs][0] == "x:0" and len(concrete.inputs) == 3
    assert len(concrete.outputs) == 3
    assert [id(found) for found in concrete.variables] == [id(v), id(constant)]
    assert [id(found) for found in concrete.trainable_variables] == [id(v)]
    assert concrete.captured_inputs == [v.handle, constant.handle]
    assert concrete.structured_outputs["n"] is None
    assert concrete.output_shapes["l"][1][0].as_list() == [None]
    assert concrete.output_dtypes == {"o": tf.float32, "n": None, "l": [tf.float32, (tf.float32,)]}
    assert concrete.name.startswith(b"__inference_f_")
    assert concrete.graph.name == "f" and concrete.graph.building_function


def test_graphs_list_their_operations():
    @function(autograph=False)
    def f(x):
        return tf.square(x, name="sq") + 1.0

    graph = f.get_concrete_function(Spec([])).graph
    types = [operation.type for operation in graph.get_operations()]
    assert types == ["Placeholder", "Square", "Const", "AddV2", "Identity"]
    square = graph.get_operation_by_name("sq")
    assert repr(square) == "<tf.Operation 'sq' type=Square>"
    assert square is square.outputs[0].op and square.graph is graph
    assert [tensor.name for tensor in square.inputs] == ["x:0"]
    assert square.get_attr("T") == tf.float32
    assert graph.get_tensor_by_name("sq:0").name == "sq:0"
    assert square.traceback[-1].name == "f" and square.traceback[-1][2] == "f"
    with pytest.raises(KeyError, match="refers to an Operation not in the graph"):
        graph.get_operation_by_name("zz")
    with pytest.raises(KeyError, match="The operation, 'zz', does not exist in the graph"):
        graph.get_tensor_by_name("zz:0")
    with pytest.raises(ValueError, match="Tensor names must be of the form"):
        graph.get_tensor_by_name("zz")
    with pytest.raises(ValueError, match="has no attr named 'nope'"):
        square.get_attr("nope")


def test_graphs_are_messages():
    v = tf.Variable([1.0, 2.0])

    @function(autograph=False)
    def inner(x):
        return x + [1.0, 2.0]

    @function(autograph=False)
    def f(x):
        return inner(x) * v

    concrete = f.get_concrete_function(Spec([None]))
    message = concrete.graph.as_graph_def()
    nodes = {node.name: node for node in message.node}
    assert nodes["x"].op == "Placeholder"
    assert [size.size for size in nodes["x"].attr["shape"].shape.dim] == [-1]
    assert nodes["PartitionedCall"].input == ["x"]
    assert ["inner" in f.signature.name for f in message.library.function] == [True]
    constants = [n for n in message.library.function[0].node_def if n.op == "Const"]
    assert tf.make_ndarray(constants[0].attr["value"].tensor).tolist() == [1.0, 2.0]
    definition = concrete.function_def
    assert definition.signature.name == concrete.name.decode()
    assert [argument.name for argument in definition.signature.input_arg] == ["x", "resource"]


def test_results_are_tensors_in_the_function_s_structure():
    v = tf.Variable(1.0)

    @function(autograph=False)
    def f():
        return {"b": 1, "a": (2.0, None, v, "s", [True])}

    result = f()
    assert list(result) == ["b", "a"]
    assert isinstance(result["b"], tf.Tensor) and int(result["b"]) == 1
    number, none, variable, text, (flag,) = result["a"]
    assert float(number) == 2.0 and none is None and bool(flag)
    assert isinstance(variable, tf.Tensor) and text.numpy() == b"s"
    assert function(lambda: None)() is None
    assert function(lambda: [])() == []


@pytest.mark.parametrize("value", [object(), len, {1}, slice(1), tf.float32, Spec([])])
def test_results_that_are_no_tensors_are_refused(value):
    name = type(value).__name__
    with pytest.raises(
        TypeError, match=f"found return value of type {name}, which is not a Tensor"
    ):
        function(lambda: value, autograph=False)()


def test_composite_values_pass():
    @function(autograph=False)
    def f(ragged, sparse, slices):
        return ragged.with_values(ragged.values * 2), sparse, slices

    ragged, sparse, slices = f(
        tf.ragged.constant([[1, 2], [3]]),
        tf.sparse.from_dense([0, 5]),
        tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]), tf.constant([3, 2])),
    )
    assert ragged.to_list() == [[2, 4], [6]]
    assert tf.sparse.to_dense(sparse).numpy().tolist() == [0, 5]
    assert slices.dense_shape.numpy().tolist() == [3, 2]


def test_parts_of_graphs_are_functions():
    @function(autograph=False)
    def f(x, y):
        return tf.add(x * 2.0, 0.0, name="twice"), y + 1.0

    concrete = f.get_concrete_function(Spec([]), Spec([]))
    first = concrete.prune("x:0", concrete.outputs[0])
    assert float(first(tf.constant(3.0))) == 6.0
    both = concrete.prune(concrete.inputs, {"a": "twice:0", "b": concrete.outputs[1]})
    assert float(both(tf.constant(1.0), tf.constant(2.0))["b"]) == 3.0
    with pytest.raises(Exception, match="depends transitively on placeholder .*'y'"):
        concrete.prune("x:0", concrete.outputs[1])


def test_version_1_code_is_wrapped():
    def body(x):
        v = tf.compat.v1.get_variable(
            "v", shape=[], initializer=tf.compat.v1.ones_initializer(), use_resource=True
        )
        return {"scaled": v * x}

    wrapped = tf.compat.v1.wrap_function(body, [Spec([], tf.float32)])
    assert float(wrapped(tf.constant(2.0))["scaled"]) == 2.0
    part = wrapped.prune(wrapped.inputs, wrapped.outputs[0])
    assert float(part(tf.constant(3.0))) == 3.0


def test_leaked_tensors_are_refused():
    leaked = []

    @function(autograph=False)
    def f(x):
        leaked.append(x * 2)
        return x

    f(tf.constant(1.0))
    with pytest.raises(TypeError, match="is out of scope and cannot be used here"):
        leaked[0] + 1
    with pytest.raises(TypeError, match="is out of scope and cannot be used here"):
        function(lambda x: x + leaked[0], autograph=False)(tf.constant(1.0))


def test_errors_about_leaked_tensors_say_where_they_are_from():
    leaked = []

    @function(autograph=False)
    def f(x):
        leaked.append(tf.square(x, name="sq"))
        return x

    f(tf.constant([1.0]))
    with pytest.raises(TypeError) as error:
        leaked[0] + 1
    text = str(error.value)
    assert text.startswith("<tf.Tensor 'sq:0' shape=(1,) dtype=float32> is out of scope")
    assert "was defined here:\n    File " in text
    assert text.endswith(", in f") and "test_concrete_function.py" in text


def test_tensors_of_inner_graphs_are_inaccessible_outside():
    @function(autograph=False)
    def f(x):
        inside = []
        tf.cond(x > 0, lambda: inside.append(x * 2) or x, lambda: x)
        return inside[0] + 1

    with pytest.raises(tf.errors.InaccessibleTensorError, match="'cond/[mM]ul:0'"):
        f(tf.constant(1))
    assert issubclass(tf.errors.InaccessibleTensorError, ValueError)


def test_variables_are_placeholders_of_its_message():
    w, b = tf.Variable([[2.0]], name="w"), tf.Variable([1.0], name="w")
    scale = tf.constant([3.0])

    @function(autograph=False)
    def f(w_):
        return (w_ @ w + b) * scale

    concrete = f.get_concrete_function(Spec([None, 1], name="w"))
    count = len(concrete.inputs) - len(concrete.captured_inputs)
    assert count == 1
    inside, outside = concrete.inputs[count:], concrete.captured_inputs
    assert [x.dtype for x in inside] == [x.dtype for x in outside]
    assert [x.dtype for x in inside] == [tf.resource, tf.resource, tf.float32]
    nodes = {node.name: node for node in concrete.graph.as_graph_def().node}
    assert len({x.op.name for x in concrete.inputs}) == 4
    for x in inside[:2]:
        node = nodes[x.op.name]
        assert (x.name, x.op.type) == (f"{node.name}:0", node.op) == (x.name, "Placeholder")
        assert x.op.node_def == node and x.op.get_attr("dtype") == tf.resource
        assert x.op.outputs == [x] and x.graph is concrete.graph and x.shape == []
        assert repr(x) == f"<tf.Tensor {x.name!r} shape=() dtype=resource>"
    with pytest.raises(ValueError, match="no attr named 'value'"):
        inside[0].op.get_attr("value")
    assert [x.ref() for x in inside[:2]] == [w.handle.ref(), b.handle.ref()]
