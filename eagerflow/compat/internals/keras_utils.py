"""tf.keras.__internal__.utils: what packages tell Keras of their classes."""


def register_symbolic_tensor_type(cls: type) -> None:
    """Does nothing: a value that defines `__tf_tensor__` is a tensor to every layer."""
