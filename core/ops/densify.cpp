// Padding of ragged rows, dense tensors from sparse ones, and counts of integers: inference and
// gradients.
#include "ops/densify.h"

#include "kernels/cpu/densify.h"
#include "ops/attr_fields.h"
#include "ops/compose.h"
#include "ops/indexing.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

int64_t checked_size(int64_t size, const char* name) {
  if (size == kUnknownInt) return kUnknownSize;
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
          const bool ranked = values.ranked() && blank.ranked();
          if (!may_have_rank_from(values, 1) || (ranked && blank.rank() >= values.rank())) {
            invalid_argument("default_value.shape=", blank, " and flat_values.shape=", values,
                             " are incompatible [Op:RaggedTensorToTensor]");
          }
          for (int i = 0; ranked && i < blank.rank(); ++i) {
            if (!compatible(blank.back(i), values.back(i))) {
              invalid_argument("default_value.shape=", blank, " and flat_values.shape=", values,
                               " are incompatible [Op:RaggedTensorToTensor]");
            }
          }
          const char* const op = "RaggedTensorToTensor";
          const Shape sizes{rows_of_splits(c.shape(2), op),
                            checked_size(c.attrs<PadRowsAttrs>().width, "width")};
          const Shape shape = joined(sizes, without_first(values, 1));
          check_elements(shape, op);
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
            const Tensor taken = call(pad_rows, {rows, ef::zeros(dy.dtype(), {}), g.input(2)},
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
          const char* const op = "RaggedTensorFromTensor";
          if (!may_have_rank_from(padded, 2) ||
              !compatible(rows_of_splits(c.shape(1), op), size_of(padded, 0))) {
            invalid_argument("rows of shape ", padded, " do not fit splits of shape ", c.shape(1),
                             " [Op:RaggedTensorFromTensor]");
          }
          const Shape rows{checked_size(c.attrs<UnpadRowsAttrs>().count, "count")};
          const Shape shape = joined(rows, without_first(padded, 2));
          check_elements(shape, op);
          c.add_output(c.dtype(0), shape);
        },
    .kernel = cpu::unpad_rows,
    .gradient =
        [](GradContext& g) {
          g.set(0, call(pad_rows, {g.dy(), ef::zeros(g.input_dtype(0), {}), g.input(1)},
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
          const Shape shape = shape_of_sizes(c.attrs<SparseToDenseAttrs>().shape, "SparseToDense");
          const Shape& indices = c.shape(2);
          if (!may_have_rank(indices, 2) ||
              (shape.ranked() && !compatible(size_of(indices, 1), shape.rank()))) {
            invalid_argument("indices of shape ", indices, " do not fit a tensor of shape ", shape,
                             " [Op:SparseToDense]");
          }
          const int64_t count = size_of(indices, 0);
          if (c.shape(0).rank() > 1 ||
              (c.shape(0).rank() == 1 && !compatible(c.shape(0)[0], count))) {
            invalid_argument("sparse_values has incorrect shape ", c.shape(0), ", should be [] or ",
                             Shape{count}, " [Op:SparseToDense]");
          }
          if (!may_have_rank(c.shape(1), 0)) {
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
          const int64_t count = known_elements(c.shape(0));
          if (rows > 0 && count >= 0 && count % rows != 0) {
            invalid_argument(c.shape(0), " cannot be cut into ", rows, " rows [Op:DenseBincount]");
          }
          const Shape shape{rows, length};
          check_elements(shape, "DenseBincount");
          c.add_output(dtype, shape);
        },
    .kernel = cpu::count_integers,
    .doc = "How often each integer below a length appears in each row.",
}};

}  // namespace ef::ops
