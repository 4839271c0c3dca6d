from eagerflow.summary import experimental as experimental
from eagerflow.summary.trace import (
    trace_export as trace_export,
    trace_off as trace_off,
    trace_on as trace_on,
)
from eagerflow.summary.values import (
    audio as audio,
    graph as graph,
    histogram as histogram,
    image as image,
    scalar as scalar,
    text as text,
    write as write,
)
from eagerflow.summary.writer import (
    create_file_writer as create_file_writer,
    create_noop_writer as create_noop_writer,
    flush as flush,
    record_if as record_if,
    should_record_summaries as should_record_summaries,
    SummaryWriter as SummaryWriter,
)
