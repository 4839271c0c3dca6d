"""Order in programs' graphs, by the functions of both versions."""

import pytest

import eagerflow as tf

v1 = tf.compat.v1


@pytest.fixture(params=[tf, v1], ids=["version 2", "version 1"])
def names(request):
    """The namespace whose functions are called."""
    return request.param


@pytest.fixture
def counter():
    """A variable of the graph that is being built."""
    with v1.Graph().as_default():
        yield v1.get_variable("counter", initializer=0)


def after(fetch, counter):
    """The counter's value after a fetch."""
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        session.run(fetch)
        return session.run(counter)


def test_control_dependencies_run_before(names, counter):
    one = tf.constant(1.0)
    with names.control_dependencies([counter.assign_add(5)]):
        same, more = tf.identity(one), one + 1
    assert after(same, counter) == 5
    assert after(more, counter) == 5
    assert after(one, counter) == 0


def test_a_group_runs_its_members(names, counter):
    operation = names.group(counter.assign_add(2), counter.assign_add(3), name="both")
    assert operation.name == "both"
    assert operation.type == "NoOp"
    assert after(operation, counter) == 5


def test_tuples_wait_for_all(names, counter):
    first, second = names.tuple(
        [tf.constant(1), tf.constant(2)], control_inputs=[counter.assign_add(4)]
    )
    assert after(first, counter) == 4
    assert after(second, counter) == 4


def test_no_op_is_an_operation(names, counter):
    assert names.no_op("nothing").type == "NoOp"
    assert after(names.no_op(), counter) == 0


def test_assertions_are_operations_that_others_wait_for(names):
    with v1.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [])
        positive = names.debugging.assert_positive(x)
        known = names.debugging.assert_rank(x, 0)
        with tf.control_dependencies([positive, known]):
            same = tf.identity(x)
        finite = names.debugging.check_numerics(x, "x")
        assert session.run([same, finite], {x: 2.0}) == [2.0, 2.0]
        with pytest.raises(tf.errors.InvalidArgumentError, match="x > 0"):
            session.run(same, {x: -1.0})
        with pytest.raises(tf.errors.InvalidArgumentError, match="NaN"):
            session.run(finite, {x: float("nan")})


def _loop(before, x):
    def body(i):
        with tf.control_dependencies([before]):
            return [i + 1]

    return tf.while_loop(lambda i: i < 1, body, [x])[0]


def _waiting(before, x):
    with tf.control_dependencies([before]):
        return tf.identity(x)


def _cond(before, x):
    return tf.cond(x < 1, lambda: _waiting(before, x), lambda: x)


def _switch_case(before, x):
    return tf.switch_case(x, [lambda: _waiting(before, x), lambda: x])


def _nested(before, x):
    return tf.cond(x < 1, lambda: _loop(before, x), lambda: x)


@pytest.mark.parametrize("build", [_loop, _cond, _switch_case, _nested])
@pytest.mark.parametrize("kind", ["tensor", "operation"])
def test_what_is_inside_of_branches_and_loops_follows_operations_outside(build, kind):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        v = tf.compat.v1.get_variable("v", [], initializer=tf.compat.v1.zeros_initializer())
        session.run(v.initializer)
        add = v.assign_add(1.0)
        result = build(add if kind == "tensor" else add.op, tf.constant(0))
        session.run(result)
        assert session.run(v) == 1.0
        result.op.run()
        assert session.run(v) == 2.0


def _of_one(variable):
    return tf.group(variable.assign(1.0))


def _of_a_list(variable):
    return [tf.group(variable.assign(1.0)), tf.constant(5.0)]


@pytest.mark.parametrize("branch", [_of_one, _of_a_list])
@pytest.mark.parametrize("choice", ["version 1", "version 2", "by index", "of cases"])
@pytest.mark.parametrize("first", [True, False])
def test_operations_of_branches_give_what_chose(branch, choice, first):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        variable = tf.Variable(0.0)
        chosen = tf.compat.v1.placeholder_with_default(first, [])

        def one():
            return branch(variable)

        def other():
            return [tf.no_op(), tf.constant(5.0)] if branch is _of_a_list else tf.no_op()

        if choice == "version 1":
            result = tf.compat.v1.cond(chosen, one, other)
        elif choice == "version 2":
            result = tf.cond(chosen, one, other)
        elif choice == "by index":
            result = tf.switch_case(tf.where(chosen, 0, 1), [one, other])
        else:
            result = tf.case([(chosen, one)], default=other)
        session.run(tf.compat.v1.global_variables_initializer())
        found = session.run(result)
        what_chose = int(not first) if choice == "by index" else first
        assert found == ([what_chose, 5.0] if branch is _of_a_list else what_chose)
        assert session.run(variable) == float(first)


@pytest.mark.parametrize("nested", [False, True])
def test_an_operation_from_around_a_branch_that_returns_it_runs_whichever_is_chosen(nested):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        outer = tf.compat.v1.get_variable("outer", initializer=0.0)
        inner = tf.compat.v1.get_variable("inner", initializer=0.0)
        chosen = tf.compat.v1.placeholder(tf.bool, [])
        around = tf.compat.v1.assign_add(outer, 1.0).op

        def warm():
            return tf.group(tf.cond(chosen, lambda: around, tf.no_op)) if nested else around

        run = tf.cond(chosen, warm, lambda: tf.group(tf.compat.v1.assign_add(inner, 1.0)))
        session.run(tf.compat.v1.global_variables_initializer())
        for value in (True, False, False):
            session.run(run, {chosen: value})
        assert session.run([outer, inner]) == [3.0, 2.0]
