from eagerflow.tpu.experimental.embedding.configuration import (
    FeatureConfig as FeatureConfig,
    QuantizationConfig as QuantizationConfig,
    RowIdInitializer as RowIdInitializer,
    TableConfig as TableConfig,
)
from eagerflow.tpu.experimental.embedding.lookup import (
    TPUEmbeddingForServing as TPUEmbeddingForServing,
    serving_embedding_lookup as serving_embedding_lookup,
)
from eagerflow.tpu.experimental.embedding.optimizers import (
    FTRL as FTRL,
    SGD as SGD,
    Adagrad as Adagrad,
    AdagradMomentum as AdagradMomentum,
    Adam as Adam,
)
