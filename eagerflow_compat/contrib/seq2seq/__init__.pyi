from eagerflow_compat.contrib.seq2seq.attention import (
    AttentionMechanism as AttentionMechanism,
)
from eagerflow_compat.contrib.seq2seq.attention import (
    BahdanauAttention as BahdanauAttention,
)
from eagerflow_compat.contrib.seq2seq.attention import (
    LuongAttention as LuongAttention,
)
from eagerflow_compat.contrib.seq2seq.attention import (
    hardmax as hardmax,
)
from eagerflow_compat.contrib.seq2seq.attention_wrapper import (
    AttentionWrapper as AttentionWrapper,
)
from eagerflow_compat.contrib.seq2seq.attention_wrapper import (
    AttentionWrapperState as AttentionWrapperState,
)
from eagerflow_compat.contrib.seq2seq.beam_search import (
    BeamSearchDecoder as BeamSearchDecoder,
)
from eagerflow_compat.contrib.seq2seq.beam_search import (
    BeamSearchDecoderOutput as BeamSearchDecoderOutput,
)
from eagerflow_compat.contrib.seq2seq.beam_search import (
    BeamSearchDecoderState as BeamSearchDecoderState,
)
from eagerflow_compat.contrib.seq2seq.beam_search import (
    FinalBeamSearchDecoderOutput as FinalBeamSearchDecoderOutput,
)
from eagerflow_compat.contrib.seq2seq.beam_search import (
    gather_tree as gather_tree,
)
from eagerflow_compat.contrib.seq2seq.beam_search import (
    tile_batch as tile_batch,
)
from eagerflow_compat.contrib.seq2seq.decoder import (
    BasicDecoder as BasicDecoder,
)
from eagerflow_compat.contrib.seq2seq.decoder import (
    BasicDecoderOutput as BasicDecoderOutput,
)
from eagerflow_compat.contrib.seq2seq.decoder import (
    Decoder as Decoder,
)
from eagerflow_compat.contrib.seq2seq.decoder import (
    dynamic_decode as dynamic_decode,
)
from eagerflow_compat.contrib.seq2seq.helpers import (
    CustomHelper as CustomHelper,
)
from eagerflow_compat.contrib.seq2seq.helpers import (
    GreedyEmbeddingHelper as GreedyEmbeddingHelper,
)
from eagerflow_compat.contrib.seq2seq.helpers import (
    Helper as Helper,
)
from eagerflow_compat.contrib.seq2seq.helpers import (
    InferenceHelper as InferenceHelper,
)
from eagerflow_compat.contrib.seq2seq.helpers import (
    SampleEmbeddingHelper as SampleEmbeddingHelper,
)
from eagerflow_compat.contrib.seq2seq.helpers import (
    ScheduledEmbeddingTrainingHelper as ScheduledEmbeddingTrainingHelper,
)
from eagerflow_compat.contrib.seq2seq.helpers import (
    ScheduledOutputTrainingHelper as ScheduledOutputTrainingHelper,
)
from eagerflow_compat.contrib.seq2seq.helpers import (
    TrainingHelper as TrainingHelper,
)
from eagerflow_compat.contrib.seq2seq.loss import sequence_loss as sequence_loss
from eagerflow_compat.contrib.seq2seq.monotonic import (
    BahdanauMonotonicAttention as BahdanauMonotonicAttention,
    LuongMonotonicAttention as LuongMonotonicAttention,
    monotonic_attention as monotonic_attention,
    safe_cumprod as safe_cumprod,
)
