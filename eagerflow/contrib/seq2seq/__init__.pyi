from eagerflow.contrib.seq2seq.attention import (
    AttentionMechanism as AttentionMechanism,
    BahdanauAttention as BahdanauAttention,
    hardmax as hardmax,
    LuongAttention as LuongAttention,
)
from eagerflow.contrib.seq2seq.attention_wrapper import (
    AttentionWrapper as AttentionWrapper,
    AttentionWrapperState as AttentionWrapperState,
)
from eagerflow.contrib.seq2seq.beam_search import (
    BeamSearchDecoder as BeamSearchDecoder,
    BeamSearchDecoderOutput as BeamSearchDecoderOutput,
    BeamSearchDecoderState as BeamSearchDecoderState,
    FinalBeamSearchDecoderOutput as FinalBeamSearchDecoderOutput,
    gather_tree as gather_tree,
    tile_batch as tile_batch,
)
from eagerflow.contrib.seq2seq.decoder import (
    BasicDecoder as BasicDecoder,
    BasicDecoderOutput as BasicDecoderOutput,
    Decoder as Decoder,
    dynamic_decode as dynamic_decode,
)
from eagerflow.contrib.seq2seq.helpers import (
    CustomHelper as CustomHelper,
    GreedyEmbeddingHelper as GreedyEmbeddingHelper,
    Helper as Helper,
    InferenceHelper as InferenceHelper,
    SampleEmbeddingHelper as SampleEmbeddingHelper,
    ScheduledEmbeddingTrainingHelper as ScheduledEmbeddingTrainingHelper,
    ScheduledOutputTrainingHelper as ScheduledOutputTrainingHelper,
    TrainingHelper as TrainingHelper,
)
from eagerflow.contrib.seq2seq.loss import sequence_loss as sequence_loss
