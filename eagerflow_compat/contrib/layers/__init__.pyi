from eagerflow.keras.regularizers import L1
from eagerflow_compat.contrib.layers.feature_columns import (
    bucketized_column as bucketized_column,
)
from eagerflow_compat.contrib.layers.feature_columns import (
    create_feature_spec_for_parsing as create_feature_spec_for_parsing,
)
from eagerflow_compat.contrib.layers.feature_columns import (
    crossed_column as crossed_column,
)
from eagerflow_compat.contrib.layers.feature_columns import (
    embedding_column as embedding_column,
)
from eagerflow_compat.contrib.layers.feature_columns import (
    input_from_feature_columns as input_from_feature_columns,
)
from eagerflow_compat.contrib.layers.feature_columns import (
    one_hot_column as one_hot_column,
)
from eagerflow_compat.contrib.layers.feature_columns import (
    real_valued_column as real_valued_column,
)
from eagerflow_compat.contrib.layers.feature_columns import (
    sparse_column_with_hash_bucket as sparse_column_with_hash_bucket,
)
from eagerflow_compat.contrib.layers.feature_columns import (
    sparse_column_with_integerized_feature as sparse_column_with_integerized_feature,
)
from eagerflow_compat.contrib.layers.feature_columns import (
    sparse_column_with_keys as sparse_column_with_keys,
)
from eagerflow_compat.contrib.layers.feature_columns import (
    sparse_column_with_vocabulary_file as sparse_column_with_vocabulary_file,
)
from eagerflow_compat.contrib.layers.feature_columns import (
    weighted_sparse_column as weighted_sparse_column,
)
from eagerflow_compat.contrib.layers.feature_columns import (
    weighted_sum_from_feature_columns as weighted_sum_from_feature_columns,
)
from eagerflow_compat.contrib.layers.functions import (
    avg_pool2d as avg_pool2d,
)
from eagerflow_compat.contrib.layers.functions import (
    batch_norm as batch_norm,
)
from eagerflow_compat.contrib.layers.functions import (
    conv2d as conv2d,
)
from eagerflow_compat.contrib.layers.functions import (
    convolution2d as convolution2d,
)
from eagerflow_compat.contrib.layers.functions import (
    dropout as dropout,
)
from eagerflow_compat.contrib.layers.functions import (
    embed_sequence as embed_sequence,
)
from eagerflow_compat.contrib.layers.functions import (
    fully_connected as fully_connected,
)
from eagerflow_compat.contrib.layers.functions import (
    layer_norm as layer_norm,
)
from eagerflow_compat.contrib.layers.functions import (
    linear as linear,
)
from eagerflow_compat.contrib.layers.functions import (
    max_pool2d as max_pool2d,
)
from eagerflow_compat.contrib.layers.functions import (
    one_hot_encoding as one_hot_encoding,
)
from eagerflow_compat.contrib.layers.functions import (
    relu as relu,
)
from eagerflow_compat.contrib.layers.functions import (
    softmax as softmax,
)
from eagerflow_compat.contrib.layers.functions import (
    stack as stack,
)
from eagerflow_compat.contrib.layers.regularizers import l2_regularizer as l2_regularizer
from eagerflow_compat.v1.nn import safe_embedding_lookup_sparse as safe_embedding_lookup_sparse
from eagerflow_compat.v1.initializers import (
    variance_scaling_initializer as variance_scaling_initializer,
)
from eagerflow_compat.v1.initializers import (
    xavier_initializer as xavier_initializer,
)
from eagerflow_compat.v1.layers import flatten as flatten

l1_regularizer = L1
xavier_initializer_conv2d = xavier_initializer
