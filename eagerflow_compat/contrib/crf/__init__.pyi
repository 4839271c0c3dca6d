from eagerflow_compat.contrib.crf.decoding import (
    crf_constrained_decode as crf_constrained_decode,
)
from eagerflow_compat.contrib.crf.decoding import (
    crf_decode as crf_decode,
)
from eagerflow_compat.contrib.crf.decoding import (
    viterbi_decode as viterbi_decode,
)
from eagerflow_compat.contrib.crf.scores import (
    CrfForwardRnnCell as CrfForwardRnnCell,
)
from eagerflow_compat.contrib.crf.scores import (
    crf_binary_score as crf_binary_score,
)
from eagerflow_compat.contrib.crf.scores import (
    crf_filtered_inputs as crf_filtered_inputs,
)
from eagerflow_compat.contrib.crf.scores import (
    crf_log_likelihood as crf_log_likelihood,
)
from eagerflow_compat.contrib.crf.scores import (
    crf_log_norm as crf_log_norm,
)
from eagerflow_compat.contrib.crf.scores import (
    crf_multitag_sequence_score as crf_multitag_sequence_score,
)
from eagerflow_compat.contrib.crf.scores import (
    crf_sequence_score as crf_sequence_score,
)
from eagerflow_compat.contrib.crf.scores import (
    crf_unary_score as crf_unary_score,
)
