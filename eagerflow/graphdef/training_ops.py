"""TensorFlow's operations by which optimizers update variables.

A rule computes the new values of an operation's variables. Its variants for references, for resources and
for sparse gradients share it.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import eagerflow as tf
from eagerflow import _core
from eagerflow.graphdef.state_ops import Handler

HANDLERS: dict[str, Handler] = {}

Rule = Callable[[Any, dict[str, Any]], dict[str, Any]]


def _rule(*names: str) -> Callable[[Rule], Rule]:
    """Registers the rule of `ApplyNAME`, `ResourceApplyNAME`, `SparseApplyNAME`, ..."""

    def register(rule: Rule) -> Rule:
        for name in names:
            for kind in ("Apply", "SparseApply", "ResourceApply", "ResourceSparseApply"):
                HANDLERS[f"{kind}{name}"] = _handler(rule)
        return rule

    return register


def _handler(rule: Rule) -> Handler:
    def handler(builder: object, node: Any, inputs: dict, attrs: dict) -> list[Any]:
        variables: dict[str, Any] = {
            name: value for name, value in inputs.items() if isinstance(value, _core.Variable)
        }
        rows = inputs.get("indices")
        values = dict(inputs)
        for name, variable in variables.items():
            value = variable.read_value()
            values[name] = value if rows is None else tf.gather(value, rows)
        if "alpha" in values and "lr" not in values:
            values["lr"] = values["alpha"]
        if "delta" in values:
            values["grad"] = values["delta"]
        changes: list[Any] = []
        for name, value in rule(SimpleNamespace(**values), attrs).items():
            # A session that runs the last of them runs them all.
            with tf.control_dependencies(changes[-1:]):
                if rows is None:
                    changes.append(variables[name].assign(value, read_value=False))
                else:
                    changes.append(variables[name].scatter_update(tf.IndexedSlices(value, rows)))
        if node.op.startswith("Resource"):
            return []
        with tf.control_dependencies(changes[-1:]):
            return [inputs["var"].read_value()]

    return handler


@_rule("GradientDescent")
def _gradient_descent(x: Any, attrs: dict) -> dict:
    return {"var": x.var - x.lr * x.grad}


@_rule("ProximalGradientDescent")
def _proximal_gradient_descent(x: Any, attrs: dict) -> dict:
    return {"var": _shrunk(x.var - x.lr * x.grad, x.lr, x)}


def _shrunk(value: _core.Tensor, rate: _core.Tensor, x: Any) -> Any:
    """A value that is drawn to zero by both regularizations."""
    least = tf.abs(value) - rate * x.l1
    return (
        tf.sign(value)
        / (1.0 + rate * x.l2)
        * tf.where(x.l1 > 0, tf.maximum(least, 0.0), tf.abs(value))
    )


@_rule("Momentum")
def _momentum(x: Any, attrs: dict) -> dict:
    accum = x.accum * x.momentum + x.grad
    step = x.grad + accum * x.momentum if attrs["use_nesterov"] else accum
    return {"accum": accum, "var": x.var - x.lr * step}


@_rule("KerasMomentum")
def _keras_momentum(x: Any, attrs: dict) -> dict:
    accum = x.accum * x.momentum - x.lr * x.grad
    step = accum * x.momentum - x.lr * x.grad if attrs["use_nesterov"] else accum
    return {"accum": accum, "var": x.var + step}


@_rule("Adagrad")
def _adagrad(x: Any, attrs: dict) -> dict:
    accum = x.accum + tf.square(x.grad) if attrs["update_slots"] else x.accum
    return {"accum": accum, "var": x.var - x.lr * x.grad * tf.math.rsqrt(accum)}


@_rule("AdagradV2")
def _adagrad_2(x: Any, attrs: dict) -> dict:
    accum = x.accum + tf.square(x.grad) if attrs["update_slots"] else x.accum
    return {"accum": accum, "var": x.var - x.lr * x.grad / (tf.sqrt(accum) + x.epsilon)}


@_rule("AdagradDA")
def _adagrad_da(x: Any, attrs: dict) -> dict:
    total = x.gradient_accumulator + x.grad
    squares = x.gradient_squared_accumulator + tf.square(x.grad)
    steps = tf.cast(x.global_step, x.grad.dtype)
    size = tf.sign(total) * tf.maximum(tf.abs(total) - x.l1 * steps, 0.0)
    used = tf.where(x.l1 > 0, size, total)
    new = -x.lr * used / (x.l2 * steps * x.lr + tf.sqrt(squares))
    return {"gradient_accumulator": total, "gradient_squared_accumulator": squares, "var": new}


@_rule("ProximalAdagrad")
def _proximal_adagrad(x: Any, attrs: dict) -> dict:
    accum = x.accum + tf.square(x.grad)
    rate = x.lr * tf.math.rsqrt(accum)
    return {"accum": accum, "var": _shrunk(x.var - rate * x.grad, rate, x)}


@_rule("Adadelta")
def _adadelta(x: Any, attrs: dict) -> dict:
    accum = x.accum * x.rho + tf.square(x.grad) * (1.0 - x.rho)
    step = tf.sqrt(x.accum_update + x.epsilon) * tf.math.rsqrt(accum + x.epsilon) * x.grad
    update = x.accum_update * x.rho + tf.square(step) * (1.0 - x.rho)
    return {"accum": accum, "accum_update": update, "var": x.var - x.lr * step}


@_rule("Adam")
def _adam(x: Any, attrs: dict) -> dict:
    rate = x.lr * tf.sqrt(1.0 - x.beta2_power) / (1.0 - x.beta1_power)
    m = x.m + (x.grad - x.m) * (1.0 - x.beta1)
    v = x.v + (tf.square(x.grad) - x.v) * (1.0 - x.beta2)
    step = m * x.beta1 + (1.0 - x.beta1) * x.grad if attrs["use_nesterov"] else m
    return {"m": m, "v": v, "var": x.var - rate * step / (tf.sqrt(v) + x.epsilon)}


@_rule("AdamWithAmsgrad")
def _amsgrad(x: Any, attrs: dict) -> dict:
    rate = x.lr * tf.sqrt(1.0 - x.beta2_power) / (1.0 - x.beta1_power)
    m = x.m + (x.grad - x.m) * (1.0 - x.beta1)
    v = x.v + (tf.square(x.grad) - x.v) * (1.0 - x.beta2)
    largest = tf.maximum(x.vhat, v)
    step = rate * m / (tf.sqrt(largest) + x.epsilon)
    return {"m": m, "v": v, "vhat": largest, "var": x.var - step}


@_rule("AdaMax")
def _adamax(x: Any, attrs: dict) -> dict:
    m = x.m + (x.grad - x.m) * (1.0 - x.beta1)
    v = tf.maximum(x.beta2 * x.v, tf.abs(x.grad))
    return {"m": m, "v": v, "var": x.var - x.lr / (1.0 - x.beta1_power) * m / (v + x.epsilon)}


@_rule("RMSProp")
def _rmsprop(x: Any, attrs: dict) -> dict:
    ms = x.ms + (tf.square(x.grad) - x.ms) * (1.0 - x.rho)
    mom = x.mom * x.momentum + x.lr * x.grad * tf.math.rsqrt(ms + x.epsilon)
    return {"ms": ms, "mom": mom, "var": x.var - mom}


@_rule("CenteredRMSProp")
def _centered_rmsprop(x: Any, attrs: dict) -> dict:
    ms = x.ms + (tf.square(x.grad) - x.ms) * (1.0 - x.rho)
    mg = x.mg + (x.grad - x.mg) * (1.0 - x.rho)
    mom = x.mom * x.momentum + x.lr * x.grad * tf.math.rsqrt(ms - tf.square(mg) + x.epsilon)
    return {"ms": ms, "mg": mg, "mom": mom, "var": x.var - mom}


@_rule("Ftrl", "FtrlV2")
def _ftrl(x: Any, attrs: dict) -> dict:
    grad = x.grad
    if hasattr(x, "l2_shrinkage"):
        grad = grad + 2.0 * x.l2_shrinkage * x.var
    accum = x.accum + tf.square(x.grad)
    power, old = accum**-x.lr_power, x.accum**-x.lr_power
    if attrs["multiply_linear_by_lr"]:
        linear = x.linear + grad * x.lr - (power - old) * x.var
        quadratic, l1 = power + 2.0 * x.l2 * x.lr, x.l1 * x.lr
    else:
        linear = x.linear + grad - (power - old) / x.lr * x.var
        quadratic, l1 = power / x.lr + 2.0 * x.l2, x.l1
    var = (tf.clip_by_value(linear, -l1, l1) - linear) / quadratic
    return {"accum": accum, "linear": linear, "var": var}


@_rule("AddSign")
def _add_sign(x: Any, attrs: dict) -> dict:
    m = x.m * x.beta + x.grad * (1.0 - x.beta)
    signs = tf.sign(x.grad) * tf.sign(m)
    return {"m": m, "var": x.var - x.lr * (x.alpha + x.sign_decay * signs) * x.grad}


@_rule("PowerSign")
def _power_sign(x: Any, attrs: dict) -> dict:
    m = x.m * x.beta + x.grad * (1.0 - x.beta)
    signs = tf.sign(x.grad) * tf.sign(m)
    return {"m": m, "var": x.var - x.lr * tf.exp(x.logbase * x.sign_decay * signs) * x.grad}
