"""tf.compat.v1.keras.initializers: version 1's, under their older names too."""

from eagerflow_compat.v1.mirror import mirror

_LEGACY = {
    "Constant": "constant",
    "GlorotNormal": "glorot_normal",
    "GlorotUniform": "glorot_uniform",
    "Identity": "identity",
    "Ones": "ones",
    "Orthogonal": "orthogonal",
    "VarianceScaling": "VarianceScaling",
    "Zeros": "zeros",
}
_RANDOM = {
    "RandomNormal": ("normal", "random_normal"),
    "RandomUniform": ("uniform", "random_uniform"),
    "TruncatedNormal": ("truncated_normal",),
}
_FUNCTIONS = ("he_normal", "he_uniform", "lecun_normal", "lecun_uniform")

__getattr__, __dir__ = mirror(
    __name__,
    "eagerflow.keras.initializers",
    renamed={
        name: f"keras.legacy_initializers.{kind}"
        for kind, other in _LEGACY.items()
        for name in (other, *([] if kind.startswith("Glorot") else [kind]))
    }
    | {
        name: f"v1.initializers.{kind}"
        for kind, others in _RANDOM.items()
        for name in (kind, *others)
    }
    | {name: f"v1.initializers.{name}" for name in _FUNCTIONS},
)
