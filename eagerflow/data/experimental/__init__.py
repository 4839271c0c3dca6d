"""tf.data.experimental: further sources and transformations, and older spellings."""

from eagerflow.data.arguments import AUTOTUNE
from eagerflow.data.arguments import INFINITE as INFINITE_CARDINALITY
from eagerflow.data.arguments import UNKNOWN as UNKNOWN_CARDINALITY
from eagerflow.data.csv_files import CsvDataset
from eagerflow.data.experimental.examples import (
    make_batched_features_dataset,
    parse_example_dataset,
)
from eagerflow.data.experimental.functions import (
    SHARD_HINT,
    Counter,
    assert_cardinality,
    at,
    bucket_by_sequence_length,
    cardinality,
    choose_from_datasets,
    copy_to_device,
    dense_to_ragged_batch,
    dense_to_sparse_batch,
    enable_debug_mode,
    enumerate_dataset,
    from_list,
    from_variant,
    get_single_element,
    get_structure,
    group_by_reducer,
    group_by_window,
    ignore_errors,
    load,
    make_saveable_from_iterator,
    map_and_batch,
    pad_to_cardinality,
    parallel_interleave,
    prefetch_to_device,
    rejection_resample,
    sample_from_datasets,
    save,
    scan,
    shuffle_and_repeat,
    snapshot,
    take_while,
    to_variant,
    unbatch,
    unique,
)
from eagerflow.data.experimental.lookup_sources import (
    DatasetInitializer,
    index_table_from_dataset,
    table_from_dataset,
)
from eagerflow.data.experimental.reducing import Reducer
from eagerflow.data.experimental.sql import SqlDataset
from eagerflow.data.experimental.tables import make_csv_dataset
from eagerflow.data.experimental.writing import TFRecordWriter
from eagerflow.data.iterator import Optional, get_next_as_optional
from eagerflow.data.options import (
    AutoShardPolicy,
    AutotuneAlgorithm,
    AutotuneOptions,
    DistributeOptions,
    ExternalStatePolicy,
    OptimizationOptions,
    ServiceOptions,
    ThreadingOptions,
)
from eagerflow.data.random_source import RandomDataset
