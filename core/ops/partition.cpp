// Rows partitioned among tensors, and stitched together again: inference and gradients.
#include "ops/partition.h"

#include "kernels/cpu/partition.h"
#include "ops/array.h"
#include "ops/compose.h"
#include "ops/indexing.h"

namespace ef::ops {
namespace {

void check_partitions(InferContext& c) {
  const int64_t count = c.attrs<PartitionAttrs>().num_partitions;
  if (count < 1) {
    invalid_argument("num_partitions of ", count, " must be at least 1 [Op:DynamicPartition]");
  }
  if (count >= int64_t{1} << 31) {
    fail(Code::kValueError, "Number of outputs is too big: ", count);
  }
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
          bool prefix = which.rank() <= data.rank();
          for (int i = 0; prefix && i < which.rank(); ++i) prefix = which[i] == data[i];
          if (!prefix) {
            invalid_argument("data.shape must start with partitions.shape, got data.shape = ", data,
                             ", partitions.shape = ", which, " [Op:DynamicPartition]");
          }
          Shape shape{which.num_elements()};
          for (int i = which.rank(); i < data.rank(); ++i) shape.push_back(data[i]);
          const int64_t count = c.attrs<PartitionAttrs>().num_partitions;
          for (int64_t k = 0; k < count; ++k) c.add_output(c.dtype(0), shape);
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
          Shape flat{order.size()};
          for (int i = g.input(1).rank(); i < shape.rank(); ++i) flat.push_back(shape[i]);
          g.set(0, reshape_to(call(gather, {reshape_to(rows, flat), order}, GatherAttrs{}), shape));
        },
    .needs = {{.inputs = 2}, {}},
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
          c.add_output(DType::kInt64, {c.shape(0).num_elements()});
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
          if (c.shape(0).rank() != 1 || c.shape(1).rank() < 1 || c.shape(0)[0] != c.shape(1)[0]) {
            invalid_argument("indices of shape ", c.shape(0), " do not fit rows of shape ",
                             c.shape(1), " [Op:DynamicStitch]");
          }
          c.add_output(c.dtype(1), c.shape(1));
        },
    .kernel = cpu::stitch_rows,
    .gradient = [](GradContext& g) { g.set(1, call(gather, {g.dy(), g.input(0)}, GatherAttrs{})); },
    .needs = {{}, {.inputs = 1}},
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
          const Shape& shape = c.shape(0);
          const auto [axis, batch] = c.attrs<ReverseSequenceAttrs>();
          if (c.shape(1).rank() != 1) {
            invalid_argument("seq_lengths must be 1-dim, not ", c.shape(1).rank(),
                             " [Op:ReverseSequence]");
          }
          for (int64_t k : {axis, batch}) {
            if (k < 0 || k >= shape.rank()) {
              invalid_argument("Axis ", k, " must be >= 0 and < the rank of the input, ",
                               shape.rank(), " [Op:ReverseSequence]");
            }
          }
          if (batch == axis) {
            invalid_argument("batch_axis == seq_axis == ", axis, " [Op:ReverseSequence]");
          }
          if (c.shape(1)[0] != shape[static_cast<int>(batch)]) {
            invalid_argument("Length of seq_lengths != input.dims(", batch, "), (", c.shape(1)[0],
                             " vs. ", shape[static_cast<int>(batch)], ") [Op:ReverseSequence]");
          }
          c.add_output(c.dtype(0), shape);
        },
    .kernel = cpu::reverse_sequence,
    .gradient =
        [](GradContext& g) { g.set(0, call(reverse_sequence, {g.dy(), g.input(1)}, g.attrs())); },
    .needs = {{.inputs = 2}, {}},
    .doc = "The first elements of each sequence of a batch in the opposite order.",
}};

const Op invert_permutation{{
    .name = "invert_permutation",
    .tf_name = "InvertPermutation",
    .inputs = {{"x", kIndexTypes}},
    .infer =
        [](InferContext& c) {
          if (c.shape(0).rank() != 1) {
            invalid_argument("invert_permutation expects a 1D vector. [Op:InvertPermutation]");
          }
          c.add_output(c.dtype(0), c.shape(0));
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
          if (c.shape(0).rank() != 2) {
            invalid_argument("predictions must be 2-dimensional [Op:InTopKV2]");
          }
          if (c.shape(1).rank() != 1) {
            invalid_argument("targets must be 1-dimensional [Op:InTopKV2]");
          }
          if (c.shape(0)[0] != c.shape(1)[0]) {
            invalid_argument("First dimension of predictions ", c.shape(0)[0],
                             " must match length of targets ", c.shape(1)[0], " [Op:InTopKV2]");
          }
          c.add_output(DType::kBool, c.shape(1));
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
          if (params.rank() < 1) invalid_argument("params must have rows [Op:LookupTableFind]");
          Shape row;
          for (int i = 1; i < params.rank(); ++i) row.push_back(params[i]);
          Shape shape = c.shape(1);
          for (int64_t size : row.dims()) shape.push_back(size);
          if (c.shape(2) != row && c.shape(2) != shape) {
            invalid_argument("Expected shape ", row, " or ", shape, " for default value, got ",
                             c.shape(2), " [Op:LookupTableFind]");
          }
          checked_num_elements(shape.dims(), "LookupTableFind");
          c.add_output(c.dtype(0), shape);
        },
    .kernel = cpu::gather_or_default,
    .doc = "Rows at given indices; negative ones give a default row, shared or for each index.",
}};

}  // namespace ef::ops
