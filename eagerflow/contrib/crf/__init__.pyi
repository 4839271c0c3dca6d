from eagerflow.contrib.crf.decoding import (
    crf_constrained_decode as crf_constrained_decode,
    crf_decode as crf_decode,
    viterbi_decode as viterbi_decode,
)
from eagerflow.contrib.crf.scores import (
    crf_binary_score as crf_binary_score,
    crf_filtered_inputs as crf_filtered_inputs,
    crf_log_likelihood as crf_log_likelihood,
    crf_log_norm as crf_log_norm,
    crf_multitag_sequence_score as crf_multitag_sequence_score,
    crf_sequence_score as crf_sequence_score,
    crf_unary_score as crf_unary_score,
    CrfForwardRnnCell as CrfForwardRnnCell,
)
