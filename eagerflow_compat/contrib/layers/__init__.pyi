from eagerflow.keras.regularizers import L1
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
from eagerflow_compat.v1.initializers import (
    variance_scaling_initializer as variance_scaling_initializer,
)
from eagerflow_compat.v1.initializers import (
    xavier_initializer as xavier_initializer,
)
from eagerflow_compat.v1.layers import flatten as flatten

l1_regularizer = L1
xavier_initializer_conv2d = xavier_initializer
