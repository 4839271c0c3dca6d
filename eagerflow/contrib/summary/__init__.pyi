from eagerflow.summary.writer import SummaryWriter as SummaryWriter
from eagerflow.v1.step_summary import (
    all_summary_ops as all_summary_ops,
    always_record_summaries as always_record_summaries,
    audio as audio,
    create_file_writer as create_file_writer,
    flush as flush,
    generic as generic,
    graph as graph,
    histogram as histogram,
    image as image,
    initialize as initialize,
    never_record_summaries as never_record_summaries,
    record_summaries_every_n_global_steps as record_summaries_every_n_global_steps,
    scalar as scalar,
    should_record_summaries as should_record_summaries,
    summary_writer_initializer_op as summary_writer_initializer_op,
)

create_summary_file_writer = create_file_writer
