"""The methods of a step that subclasses of Keras's optimizers override, and the slots that they read."""

import numpy as np
import pytest

import eagerflow as tf

GRADIENT = [1.0, -2.0]


def stepped(optimizer, steps=2, gradient=GRADIENT):
    """The values of a variable after steps with one gradient, eagerly and in a function."""
    variable = tf.Variable([1.0, 2.0])
    for _ in range(steps):
        optimizer.apply_gradients([(tf.constant(gradient), variable)])
    return variable.numpy()


def halved(pairs):
    return [(gradient * 0.5, variable) for gradient, variable in pairs]


class Step(tf.keras.optimizers.SGD):
    def update_step(self, gradient, variable):
        super().update_step(gradient * 0.5, variable)


class InnerStep(tf.keras.optimizers.SGD):
    def _update_step(self, gradient, variable):
        super()._update_step(gradient * 0.5, variable)


class Internal(tf.keras.optimizers.SGD):
    def _internal_apply_gradients(self, grads_and_vars):
        return super()._internal_apply_gradients(halved(grads_and_vars))


class Distributed(tf.keras.optimizers.SGD):
    def _distributed_apply_gradients_fn(self, distribution, grads_and_vars, **kwargs):
        return super()._distributed_apply_gradients_fn(
            distribution, halved(grads_and_vars), **kwargs
        )


class Clipping(tf.keras.optimizers.SGD):
    def _clip_gradients(self, grads):
        return [gradient * 0.5 for gradient in super()._clip_gradients(grads)]


class Deduplicating(tf.keras.optimizers.SGD):
    def _deduplicate_sparse_grad(self, grads):
        return [gradient * 0.5 for gradient in super()._deduplicate_sparse_grad(grads)]


AROUND = [Step, InnerStep, Internal, Distributed, Clipping, Deduplicating]


@pytest.mark.parametrize("kind", AROUND)
class TestAround:
    def test_a_step_goes_through_the_method(self, kind):
        optimizer = kind(0.1)
        np.testing.assert_allclose(stepped(optimizer), [0.9, 2.2])
        assert optimizer.iterations.numpy() == 2

    def test_in_functions_too(self, kind):
        optimizer, variable = kind(0.1), tf.Variable([1.0, 2.0])

        @tf.function
        def step():
            optimizer.apply_gradients([(tf.constant(GRADIENT), variable)])

        step()
        step()
        np.testing.assert_allclose(variable.numpy(), [0.9, 2.2], rtol=1e-6)

    def test_in_fit_too(self, kind):
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, use_bias=False)])
        model.build([None, 2])
        model.set_weights([np.array([[1.0], [2.0]], np.float32)])
        model.compile(kind(0.1), lambda y, p: tf.reduce_sum(p))
        model.fit(np.array([GRADIENT], np.float32), np.zeros([1, 1]), verbose=0)
        np.testing.assert_allclose(model.get_weights()[0].ravel(), [0.95, 2.1], rtol=1e-6)


def test_the_rest_of_the_step_stays():
    """Clipping, decay, averages and constraints, for a class that overrides the rule."""

    class Own(tf.keras.optimizers.SGD):
        def update_step(self, gradient, variable):
            super().update_step(gradient, variable)

    options = {"clipnorm": 1.0, "weight_decay": 0.1, "use_ema": True, "ema_momentum": 0.5}
    results = []
    for kind in (Own, tf.keras.optimizers.SGD):
        variable = tf.Variable([1.0, 2.0], constraint=lambda x: tf.clip_by_value(x, 0.0, 1.9))
        optimizer = kind(0.1, **options)
        for _ in range(3):
            optimizer.apply_gradients([(tf.constant(GRADIENT), variable)])
        optimizer.finalize_variable_values([variable])
        results.append(variable.numpy())
    np.testing.assert_allclose(*results)


def test_own_weight_decay():
    class Own(tf.keras.optimizers.Adam):
        def _apply_weight_decay(self, variables):
            for variable in variables:
                variable.assign_sub(0.25 * variable)

    np.testing.assert_allclose(stepped(Own(0.1)), [0.3875, 1.3], rtol=1e-4)


def test_a_rule_may_use_the_slots_of_the_class():
    class Own(tf.keras.optimizers.Adam):
        def update_step(self, gradient, variable):
            index = self._index_dict[self._var_key(variable)]
            mean, square = self._momentums[index], self._velocities[index]
            mean.assign(0.5 * mean + gradient)
            square.assign_add(gradient**2)
            variable.assign_sub(self.learning_rate * mean / (tf.sqrt(square) + 1.0))

    np.testing.assert_allclose(stepped(Own(0.1)), [0.8878679, 2.1450279], rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "options", "lists"),
    [
        ("Adam", {"amsgrad": True}, "_momentums _velocities _velocity_hats"),
        ("AdamW", {}, "_momentums _velocities"),
        ("Adamax", {}, "_m _u"),
        ("Nadam", {}, "_momentums _velocities"),
        (
            "RMSprop",
            {"momentum": 0.9, "centered": True},
            "_momentums _velocities _average_gradients",
        ),
        ("Adagrad", {}, "_accumulators"),
        ("Adadelta", {}, "_accumulated_grads _accumulated_delta_vars"),
        ("Ftrl", {}, "_accumulators _linears"),
        ("SGD", {"momentum": 0.9}, "momentums"),
        ("Lion", {}, "momentums"),
        ("Adafactor", {}, "_r _c _v"),
    ],
)
def test_lists_of_slots_are_in_the_order_of_variables(name, options, lists):
    variables = [tf.Variable(tf.ones([2, size])) for size in (3, 2)]
    optimizer = getattr(tf.keras.optimizers, name)(0.1, **options)
    assert not any(hasattr(optimizer, attribute) for attribute in lists.split())
    optimizer.apply_gradients([(tf.ones_like(v), v) for v in variables])
    for attribute in lists.split():
        slots = getattr(optimizer, attribute)
        assert len(slots) == 2
        assert all(any(slot is other for other in optimizer.variables) for slot in slots)
        if attribute not in ("_r", "_c"):
            assert [slot.shape for slot in slots] == [v.shape for v in variables]


def test_a_list_of_its_own_replaces_the_class_s():
    class Own(tf.keras.optimizers.Adam):
        def build(self, var_list):
            super().build(var_list)
            self._momentums = ["own"]

    optimizer = Own()
    optimizer.build([tf.Variable(1.0)])
    assert optimizer._momentums == ["own"]


def test_arguments_of_its_own():
    class Own(tf.keras.optimizers.SGD):
        def _process_kwargs(self, kwargs):
            kwargs.pop("odd", None)
            super()._process_kwargs(kwargs)

    np.testing.assert_allclose(stepped(Own(0.1, odd=3)), [0.8, 2.4])
    with pytest.raises(TypeError, match="even"):
        Own(0.1, even=2)


@pytest.mark.parametrize("module", [tf.keras.optimizers, tf.keras.optimizers.legacy])
@pytest.mark.parametrize("name", ["SGD", "Adam"])
def test_an_attribute_that_counts_steps_is_the_subclass_s(module, name):
    base = getattr(module, name)

    class Own(base):
        def __init__(self, rate):
            super().__init__(rate)
            self.gradient_accumulation_steps = 2

    np.testing.assert_array_equal(stepped(Own(0.1)), stepped(base(0.1)))
    assert "gradient_accumulation_steps" not in Own(0.1).get_config()


@pytest.mark.parametrize("attribute", ["weight_decay", "use_ema", "ema_overwrite_frequency"])
def test_legacy_optimizers_have_neither_decay_nor_averages(attribute):
    class Own(tf.keras.optimizers.legacy.SGD):
        def __init__(self, rate):
            super().__init__(rate)
            setattr(self, attribute, 1)

    optimizer = Own(0.1)
    np.testing.assert_allclose(stepped(optimizer), [0.8, 2.4])
    assert len(optimizer.variables()) == 1


class Unaggregated(tf.keras.optimizers.legacy.SGD):
    def _transform_unaggregated_gradients(self, grads_and_vars):
        return halved(grads_and_vars)


class LegacyDistributed(tf.keras.optimizers.legacy.SGD):
    def _distributed_apply(self, distribution, grads_and_vars, apply_state, name):
        assert all("lr_t" in state for state in apply_state.values())
        return super()._distributed_apply(distribution, halved(grads_and_vars), apply_state, name)


class Loss(tf.keras.optimizers.legacy.SGD):
    def _transform_loss(self, loss):
        return loss * 0.5


class Gradients(tf.keras.optimizers.legacy.SGD):
    def _get_gradients(self, tape, loss, var_list, grad_loss=None):
        return halved(super()._get_gradients(tape, loss, var_list, grad_loss))


@pytest.mark.parametrize("kind", [Unaggregated, LegacyDistributed, Loss, Gradients])
def test_hooks_of_legacy_optimizers(kind):
    optimizer, variable = kind(0.1), tf.Variable([1.0, 2.0])
    optimizer.minimize(lambda: tf.reduce_sum(variable * variable), [variable])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(variable * variable)
    optimizer.minimize(loss, [variable], tape=tape)
    np.testing.assert_allclose(variable.numpy(), [0.81, 1.62], rtol=1e-6)
    assert [weight.name for weight in optimizer._weights] == ["SGD/iter:0"]


def test_rows_that_repeat():
    class Own(tf.keras.optimizers.legacy.Adam):
        def _resource_apply_sparse_duplicate_indices(self, grad, handle, indices, **kwargs):
            seen.append(indices.numpy().tolist())
            return super()._resource_apply_sparse_duplicate_indices(grad, handle, indices, **kwargs)

    seen = []
    values = []
    for kind in (Own, tf.keras.optimizers.legacy.Adam):
        variable = tf.Variable([1.0, 2.0])
        kind(0.1).minimize(lambda v=variable: tf.reduce_sum(tf.gather(v, [0, 0, 1])), [variable])
        values.append(variable.numpy())
    np.testing.assert_array_equal(*values)
    assert seen == [[0, 0, 1]]


def test_hyperparameters_of_its_own():
    class Own(tf.keras.optimizers.legacy.SGD):
        made = 0

        def _create_hypers(self):
            super()._create_hypers()
            self.made += 1

    optimizer = Own(0.1)
    stepped(optimizer)
    assert optimizer.made == 1
