from eagerflow_compat.tpu.experimental.embedding.configuration import (
    FeatureConfig as FeatureConfig,
)
from eagerflow_compat.tpu.experimental.embedding.configuration import (
    QuantizationConfig as QuantizationConfig,
)
from eagerflow_compat.tpu.experimental.embedding.configuration import (
    RowIdInitializer as RowIdInitializer,
)
from eagerflow_compat.tpu.experimental.embedding.configuration import (
    TableConfig as TableConfig,
)
from eagerflow_compat.tpu.experimental.embedding.lookup import (
    TPUEmbeddingForServing as TPUEmbeddingForServing,
)
from eagerflow_compat.tpu.experimental.embedding.lookup import (
    serving_embedding_lookup as serving_embedding_lookup,
)
from eagerflow_compat.tpu.experimental.embedding.optimizers import (
    FTRL as FTRL,
)
from eagerflow_compat.tpu.experimental.embedding.optimizers import (
    SGD as SGD,
)
from eagerflow_compat.tpu.experimental.embedding.optimizers import (
    Adagrad as Adagrad,
)
from eagerflow_compat.tpu.experimental.embedding.optimizers import (
    AdagradMomentum as AdagradMomentum,
)
from eagerflow_compat.tpu.experimental.embedding.optimizers import (
    Adam as Adam,
)
