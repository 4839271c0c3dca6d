// Rows partitioned among tensors, and stitched together again: inference and gradients.
#include "ops/partition.h"

#include "kernels/cpu/partition.h"
#include "ops/array.h"
#include "ops/attr_fields.h"
#include "ops/compose.h"
#include "ops/indexing.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "ops/sizes.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

void check_partitions(InferContext& c) {
  const int64_t count = c.attrs<PartitionAttrs>().num_partitions;
  if (count < 1) {
    invalid_argument("num_partitions of ", count, " must be at least 1 [Op:DynamicPartition]");
  }
  check_output_count(count);
}

}  // namespace

const Op dynamic_partition{{
    .name = "dynamic_partition",
    .tf_name = "DynamicPartition",
    .inputs = {{"data", kAllTypes}, {"partitions", {DType::kInt32}}},
    .attrs = attrs_of<PartitionAttrs>(),
    .infer =
        [](InferContext& c) {
          check_partitions(c);
          const Shape& data = c.shape(0);
          const Shape& which = c.shape(1);
          if (!may_start_with(data, which)) {
            invalid_argument("data.shape must start with partitions.shape, got data.shape = ", data,
                             ", partitions.shape = ", which, " [Op:DynamicPartition]");
          }
          const Shape rows{c.symbolic() ? kUnknownSize : which.num_elements()};
          const Shape shape =
              joined(rows, which.ranked() ? without_first(data, which.rank()) : Shape::unranked());
          add_outputs(c, c.attrs<PartitionAttrs>().num_partitions, shape);
        },
    .kernel = cpu::dynamic_partition,
    .gradient =
        [](GradContext& g) {
          const int count = g.num_outputs();
          TensorList parts;
          for (int k = 0; k < count; ++k) parts.push_back(g.dy(k));
          const Tensor rows = count == 1 ? parts[0] : call(concat, parts, ConcatAttrs{.axis = 0});
          const Tensor order =
              call(partition_order, {g.input(1)}, PartitionAttrs{.num_partitions = count});
          const Shape& shape = g.input_shape(0);
          Shape flat{sizes_of(order)[0]};
          for (int i = g.input(1).rank(); i < shape.rank(); ++i) flat.push_back(shape[i]);
          g.set(0, reshape_to(call(gather, {reshape_to(rows, flat), order}, GatherAttrs{}), shape));
        },
    .needs = {{.inputs = 2}, {}},
    .may_be_unknown = Unknown::kSizes,
    .makes_outputs = true,
    .sizes_from_values = true,
    .returns_list = true,
    .doc = "Distributes the rows of a tensor over several ones.",
}};

const Op partition_order{{
    .name = "partition_order",
    .tf_name = "PartitionOrder",
    .inputs = {{"partitions", {DType::kInt32}}},
    .attrs = attrs_of<PartitionAttrs>(),
    .infer =
        [](InferContext& c) {
          check_partitions(c);
          c.add_output(DType::kInt64, {known_elements(c.shape(0))});
        },
    .kernel = cpu::partition_order,
    .doc = "Where each row is when the partitions stand one behind the other.",
}};

const Op stitch_rows{{
    .name = "stitch_rows",
    .tf_name = "StitchRows",
    .inputs = {{"indices", {DType::kInt32}}, {"rows", kAllTypes}},
    .infer =
        [](InferContext& c) {
          if (!may_have_rank(c.shape(0), 1) || !may_have_rank_from(c.shape(1), 1) ||
              !may_start_with(c.shape(1), c.shape(0))) {
            invalid_argument("indices of shape ", c.shape(0), " do not fit rows of shape ",
                             c.shape(1), " [Op:DynamicStitch]");
          }
          Shape shape = c.shape(1);
          if (c.symbolic() && shape.ranked()) shape[0] = kUnknownSize;
          c.add_output(c.dtype(1), shape);
        },
    .kernel = cpu::stitch_rows,
    .gradient =
        [](GradContext& g) {
          const Tensor& indices = g.input(0);
          const Tensor rows = call(gather, {g.dy(), indices}, GatherAttrs{});
          const Tensor columns = reshape_to(indices, {-1, 1});
          g.set(1, only_last(rows, columns, {g.output_shape(0)[0]}));
        },
    .needs = {{}, {.inputs = 1}},
    .may_be_unknown = Unknown::kSizes,
    .makes_outputs = true,
    .sizes_from_values = true,
    .doc = "Writes rows to given indices: the last of equal indices wins, and other rows are zero.",
}};

const Op reverse_sequence{{
    .name = "reverse_sequence",
    .tf_name = "ReverseSequence",
    .inputs = {{"input", kAllTypes}, {"seq_lengths", kIndexTypes, "Tlen"}},
    .attrs = attrs_of<ReverseSequenceAttrs>(),
    .infer =
        [](InferContext& c) {
          Shape shape = c.shape(0);
          const auto [axis, batch] = c.attrs<ReverseSequenceAttrs>();
          if (!may_have_rank(c.shape(1), 1)) {
            invalid_argument("seq_lengths must be 1-dim, not ", c.shape(1).rank(),
                             " [Op:ReverseSequence]");
          }
          for (int64_t k : {axis, batch}) {
            if (k < 0 || (k >= shape.rank() && shape.ranked())) {
              invalid_argument("Axis ", k, " must be >= 0 and < the rank of the input, ",
                               shape.rank(), " [Op:ReverseSequence]");
            }
          }
          if (batch == axis) {
            invalid_argument("batch_axis == seq_axis == ", axis, " [Op:ReverseSequence]");
          }
          if (shape.ranked() && c.shape(1).ranked()) [[likely]] {
            int64_t& sequences = shape[static_cast<int>(batch)];
            if (!compatible(c.shape(1)[0], sequences)) {
              invalid_argument("Length of seq_lengths != input.dims(", batch, "), (", c.shape(1)[0],
                               " vs. ", sequences, ") [Op:ReverseSequence]");
            }
            sequences = merged(sequences, c.shape(1)[0]);
          }
          c.add_output(c.dtype(0), shape);
        },
    .kernel = cpu::reverse_sequence,
    .gradient =
        [](GradContext& g) { g.set(0, call(reverse_sequence, {g.dy(), g.input(1)}, g.attrs())); },
    .needs = {{.inputs = 2}, {}},
    .may_be_unknown = Unknown::kRanks,
    .checks_values = true,
    .doc = "The first elements of each sequence of a batch in the opposite order.",
}};

const Op invert_permutation{{
    .name = "invert_permutation",
    .tf_name = "InvertPermutation",
    .inputs = {{"x", kIndexTypes}},
    .infer =
        [](InferContext& c) {
          if (!may_have_rank(c.shape(0), 1)) {
            invalid_argument("invert_permutation expects a 1D vector. [Op:InvertPermutation]");
          }
          c.add_output(c.dtype(0), merged(c.shape(0), Shape::of_rank(1)));
        },
    .kernel = cpu::invert_permutation,
    .doc = "The permutation that undoes another one.",
}};

const Op in_top_k{{
    .name = "in_top_k",
    .tf_name = "InTopKV2",
    .inputs = {{"predictions", {DType::kFloat32}}, {"targets", kIndexTypes, "T"}},
    .attrs = attrs_of<InTopKAttrs>(),
    .infer =
        [](InferContext& c) {
          if (!may_have_rank(c.shape(0), 2)) {
            invalid_argument("predictions must be 2-dimensional [Op:InTopKV2]");
          }
          if (!may_have_rank(c.shape(1), 1)) {
            invalid_argument("targets must be 1-dimensional [Op:InTopKV2]");
          }
          const int64_t rows = c.shape(0).ranked() ? c.shape(0)[0] : kUnknownSize;
          const int64_t targets = c.shape(1).ranked() ? c.shape(1)[0] : kUnknownSize;
          if (!compatible(rows, targets)) {
            invalid_argument("First dimension of predictions ", rows,
                             " must match length of targets ", targets, " [Op:InTopKV2]");
          }
          c.add_output(DType::kBool, {merged(rows, targets)});
        },
    .kernel = cpu::in_top_k,
    .doc = "Whether fewer than k predictions of a row are larger than that of its target.",
}};

const Op gather_or_default{{
    .name = "gather_or_default",
    .tf_name = "GatherOrDefault",
    .inputs = {{"params", kAllTypes}, {"indices", {DType::kInt64}}, {"default_value", kAllTypes}},
    .infer =
        [](InferContext& c) {
          const Shape& params = c.shape(0);
          if (!may_have_rank_from(params, 1)) {
            invalid_argument("params must have rows [Op:LookupTableFind]");
          }
          const Shape row = without_first(params, 1);
          const Shape shape = joined(c.shape(1), row);
          if (!compatible(c.shape(2), row) && !compatible(c.shape(2), shape)) {
            invalid_argument("Expected shape ", row, " or ", shape, " for default value, got ",
                             c.shape(2), " [Op:LookupTableFind]");
          }
          check_elements(shape, "LookupTableFind");
          c.add_output(c.dtype(0), shape);
        },
    .kernel = cpu::gather_or_default,
    .doc = "Rows at given indices; negative ones give a default row, shared or for each index.",
}};

}  // namespace ef::ops
