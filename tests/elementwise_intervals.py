"""Intervals inside of the domains of elementwise functions, away from kinks.

TensorFlow's values and gradients are recorded there, and gradients compared with differences.
"""

# The public name, and the interval.
UNARY = {
    "abs": (-2, 2),
    "negative": (-2, 2),
    "sign": (-2, 2),
    "square": (-2, 2),
    "sqrt": (0.1, 4),
    "math.rsqrt": (0.1, 4),
    "exp": (-2, 2),
    "math.expm1": (-2, 2),
    "math.log": (0.1, 4),
    "math.log1p": (-0.8, 3),
    "sin": (-3, 3),
    "cos": (-3, 3),
    "tan": (-1.4, 1.4),
    "asin": (-0.95, 0.95),
    "acos": (-0.95, 0.95),
    "atan": (-3, 3),
    "sinh": (-2, 2),
    "cosh": (-2, 2),
    "tanh": (-2, 2),
    "sigmoid": (-4, 4),
    "math.softplus": (-4, 4),
    "nn.relu": (-2, 2),
    "nn.relu6": (-3, 9),
    "nn.leaky_relu": (-2, 2),
    "nn.elu": (-2, 2),
    "nn.selu": (-2, 2),
    "nn.gelu": (-3, 3),
    "math.erf": (-2, 2),
    "floor": (-3, 3),
    "math.ceil": (-3, 3),
    "round": (-3, 3),
    "math.is_nan": (-2, 2),
    "math.is_inf": (-2, 2),
    "math.is_finite": (-2, 2),
}

PREDICATES = ("math.is_nan", "math.is_inf", "math.is_finite")
DIFFERENTIABLE = [name for name in UNARY if name not in PREDICATES]
SMOOTH = [name for name in DIFFERENTIABLE if name not in ("floor", "math.ceil", "round", "sign")]
