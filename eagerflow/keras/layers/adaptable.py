"""Layers that low-rank adaptation can fine-tune."""

from __future__ import annotations

from typing import Any

from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.layers.arguments import FunctionLayer
from eagerflow.keras.typing import Config, InitializerLike
from eagerflow.util import lazy

# Imported when it is first used: few programs need it.
low_rank = lazy.Module("eagerflow.keras.engine.low_rank")


class AdaptableLayer(FunctionLayer):
    """The base of layers with one large weight, to which `enable_lora` adds a product of two small ones.

    Args:
        lora_rank: if set, `enable_lora` is called with it when the layer is built.
        lora_alpha: its second argument.
        **kwargs: the arguments of all layers.
    """

    # The attribute of the weight; None if a subclass has another kind of weight.
    _adapted_weight: str | None = "kernel"
    lora_enabled = False
    lora_rank: int | None = None
    lora_alpha: float | None = None

    def __init__(
        self, *, lora_rank: int | None = None, lora_alpha: float | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        if lora_rank is not None:
            self._adaptable()
            self.lora_rank, self.lora_alpha = lora_rank, lora_alpha

    def _adaptable(self) -> str:
        """The attribute of the weight.

        Raises:
            NotImplementedError: if the class has none.
        """
        if self._adapted_weight is None:
            raise NotImplementedError(f"{type(self).__name__} has no weight that lora can adapt.")
        return self._adapted_weight

    def build(self, input_shape: Any) -> None:
        Layer.build(self, input_shape)
        if self.lora_rank is not None and not self.lora_enabled:
            self.enable_lora(self.lora_rank, self.lora_alpha)

    def enable_lora(
        self,
        rank: int,
        lora_alpha: float | None = None,
        a_initializer: InitializerLike = "he_uniform",
        b_initializer: InitializerLike = "zeros",
    ) -> None:
        """Freezes the kernel, or the table of embeddings, and trains a product of two matrices beside it.

        The layer computes with `kernel + lora_alpha / rank * (a @ b)`. The new weights are
        `lora_kernel_a` `[..., rank]` and `lora_kernel_b` `[rank, last axis of the kernel]`; of
        embeddings, `lora_embeddings_a` and `lora_embeddings_b`. A bias is still trained. Quantized
        layers can be adapted, and adapted ones quantized. Compile the model afterwards.

        Files `.keras` and `.weights.h5` hold the sum in place of the kernel. Checkpoints, SavedModels,
        `.h5` and `.safetensors` hold all three.

        Args:
            rank: the number of columns of `a`.
            lora_alpha: the strength of the change; by default `rank`.
            a_initializer: for `a`.
            b_initializer: for `b`; zeros, so that the layer computes what it did.

        Raises:
            ValueError: if the layer is not built, is adapted already or has a constraint for the
                kernel, or if the rank is not a positive integer.
            NotImplementedError: for depthwise and separable convolutions.

        >>> layer = tf.keras.layers.Dense(64)
        >>> layer.build([None, 256])
        >>> layer.enable_lora(4)
        >>> [(weight.name, *weight.shape) for weight in layer.trainable_weights]
        [('bias:0', 64), ('lora_kernel_a:0', 256, 4), ('lora_kernel_b:0', 4, 64)]
        """
        name = self._adaptable()
        low_rank.enable(self, name, rank, lora_alpha, a_initializer, b_initializer)

    def _own_variables(self) -> list[Any]:
        """The layer's own weights; with lora, those of a layer without it."""
        own = super()._own_variables()
        return low_rank.without_matrices(self, own) if self.lora_enabled else own

    def save_own_variables(self, store: dict[str, Any]) -> None:
        """Puts the layer's weights into a store, by index; with lora, the sum in place of the kernel."""
        super().save_own_variables(store)
        if self.lora_enabled:
            merged = low_rank.merged(self)
            for k, variable in enumerate(self._own_variables()):
                store[str(k)] = merged.get(id(variable), store[str(k)])

    def load_own_variables(self, store: Any) -> None:
        """Loads the weights that `save_own_variables` stored; lora starts anew from them.

        Raises:
            ValueError: if there are more or fewer.
        """
        super().load_own_variables(store)
        if self.lora_enabled:
            low_rank.start_anew(self)

    def get_config(self) -> Config:
        """The arguments that make a layer like this one."""
        config = super().get_config()
        if self.lora_enabled:
            config |= {"lora_rank": self.lora_rank, "lora_alpha": self.lora_alpha}
        return config
