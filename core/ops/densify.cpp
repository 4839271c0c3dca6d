// Padding of ragged rows, dense tensors from sparse ones, and counts of integers: inference and
// gradients.
#include "ops/densify.h"

#include "kernels/cpu/densify.h"
#include "ops/compose.h"
#include "ops/indexing.h"

namespace ef::ops {
namespace {

int64_t checked_rows(const Shape& splits) {
  if (splits.rank() != 1 || splits[0] < 1) {
    invalid_argument("row splits must be a vector of one number or more, got shape ", splits,
                     " [Op:RaggedTensorToTensor]");
  }
  return splits[0] - 1;
}

int64_t checked_size(int64_t size, const char* name) {
  if (size < 0) invalid_argument(name, " must not be negative: ", size);
  return size;
}

}  // namespace

const Op pad_rows{{
    .name = "pad_rows",
    .tf_name = "RaggedTensorToTensor",
    .inputs = {{"values", kAllTypes}, {"default_value", kAllTypes}, {"splits", {DType::kInt64}}},
    .attrs = attrs_of<PadRowsAttrs>(),
    .infer =
        [](InferContext& c) {
          const Shape& values = c.shape(0);
          const Shape& blank = c.shape(1);
          if (values.rank() < 1 || blank.rank() >= values.rank()) {
            invalid_argument("default_value.shape=", blank, " and flat_values.shape=", values,
                             " are incompatible [Op:RaggedTensorToTensor]");
          }
          for (int i = 0; i < blank.rank(); ++i) {
            if (blank.back(i) != values.back(i)) {
              invalid_argument("default_value.shape=", blank, " and flat_values.shape=", values,
                               " are incompatible [Op:RaggedTensorToTensor]");
            }
          }
          Shape shape{checked_rows(c.shape(2)),
                      checked_size(c.attrs<PadRowsAttrs>().width, "width")};
          for (int i = 1; i < values.rank(); ++i) shape.push_back(values[i]);
          checked_num_elements(shape.dims(), "RaggedTensorToTensor");
          c.add_output(c.dtype(0), shape);
        },
    .kernel = cpu::pad_rows,
    .gradient =
        [](GradContext& g) {
          const Tensor dy = g.dy();
          const Tensor rows =
              call(unpad_rows, {dy, g.input(2)}, UnpadRowsAttrs{.count = g.input_shape(0)[0]});
          if (g.wants(0)) g.set(0, rows);
          if (g.wants(1)) {
            const Tensor taken = call(pad_rows, {rows, zeros(dy.dtype(), {}), g.input(2)},
                                      PadRowsAttrs{.width = dy.dim(1)});
            g.set(1, sum_to_shape(dy - taken, g.input_shape(1)));
          }
        },
    .needs = {{.inputs = 4}, {.inputs = 4}, {}},
    .doc = "Rows of many lengths as rows of one, with something else behind the shorter ones.",
}};

const Op unpad_rows{{
    .name = "unpad_rows",
    .tf_name = "RaggedTensorFromTensor",
    .inputs = {{"padded", kNumericTypes}, {"splits", {DType::kInt64}}},
    .attrs = attrs_of<UnpadRowsAttrs>(),
    .infer =
        [](InferContext& c) {
          const Shape& padded = c.shape(0);
          if (padded.rank() < 2 || checked_rows(c.shape(1)) != padded[0]) {
            invalid_argument("rows of shape ", padded, " do not fit splits of shape ", c.shape(1),
                             " [Op:RaggedTensorFromTensor]");
          }
          Shape shape{checked_size(c.attrs<UnpadRowsAttrs>().count, "count")};
          for (int i = 2; i < padded.rank(); ++i) shape.push_back(padded[i]);
          checked_num_elements(shape.dims(), "RaggedTensorFromTensor");
          c.add_output(c.dtype(0), shape);
        },
    .kernel = cpu::unpad_rows,
    .gradient =
        [](GradContext& g) {
          g.set(0, call(pad_rows, {g.dy(), zeros(g.input_dtype(0), {}), g.input(1)},
                        PadRowsAttrs{.width = g.input_shape(0)[1]}));
        },
    .needs = {{.inputs = 2}, {}},
    .doc = "The rows of pad_rows one behind the other; zeros where they had been cut.",
}};

const Op sparse_to_dense{{
    .name = "sparse_to_dense",
    .tf_name = "SparseToDense",
    .inputs = {{"values", kAllTypes}, {"default_value", kAllTypes}, {"indices", {DType::kInt64}}},
    .attrs = attrs_of<SparseToDenseAttrs>(),
    .infer =
        [](InferContext& c) {
          const Ints& sizes = c.attrs<SparseToDenseAttrs>().shape;
          checked_num_elements(sizes, "SparseToDense");
          const Shape shape(sizes);
          const Shape& indices = c.shape(2);
          if (indices.rank() != 2 || indices[1] != shape.rank()) {
            invalid_argument("indices of shape ", indices, " do not fit a tensor of shape ", shape,
                             " [Op:SparseToDense]");
          }
          if (c.shape(0).rank() > 1 || (c.shape(0).rank() == 1 && c.shape(0)[0] != indices[0])) {
            invalid_argument("sparse_values has incorrect shape ", c.shape(0),
                             ", should be [] or [", indices[0], "] [Op:SparseToDense]");
          }
          if (c.shape(1).rank() != 0) {
            invalid_argument("default_value must be a scalar, got ", c.shape(1),
                             " [Op:SparseToDense]");
          }
          c.add_output(c.dtype(0), shape);
        },
    .kernel = cpu::sparse_to_dense,
    .gradient =
        [](GradContext& g) {
          const Tensor dy = g.dy();
          const Tensor picked = call(gather_nd, {dy, g.input(2)}, GatherNdAttrs{});
          if (g.wants(0)) g.set(0, sum_to_shape(picked, g.input_shape(0)));
          if (g.wants(1)) g.set(1, sum_to_shape(dy, {}) - sum_to_shape(picked, {}));
        },
    .needs = {{.inputs = 4}, {.inputs = 4}, {}},
    .doc = "A tensor with given values at given indices, and a default value elsewhere.",
}};

const Op count_integers{{
    .name = "count_integers",
    .tf_name = "DenseBincount",
    .inputs = {{"arr", kIndexTypes}},
    .attrs = attrs_of<CountIntegersAttrs>(),
    .infer =
        [](InferContext& c) {
          const CountIntegersAttrs& attrs = c.attrs<CountIntegersAttrs>();
          const int64_t rows = checked_size(attrs.rows, "rows");
          const int64_t length = checked_size(attrs.length, "length");
          const DType dtype = attrs.dtype;
          if (!kRealTypes.contains(dtype)) {
            invalid_argument("counts cannot be of dtype ", dtype, " [Op:DenseBincount]");
          }
          if (rows > 0 && c.shape(0).num_elements() % rows != 0) {
            invalid_argument(c.shape(0), " cannot be cut into ", rows, " rows [Op:DenseBincount]");
          }
          const Shape shape{rows, length};
          checked_num_elements(shape.dims(), "DenseBincount");
          c.add_output(dtype, shape);
        },
    .kernel = cpu::count_integers,
    .doc = "How often each integer below a length appears in each row.",
}};

}  // namespace ef::ops
