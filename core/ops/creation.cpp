// Tensors from sizes and scalars: inference and gradients.
#include "ops/creation.h"

#include <algorithm>
#include <limits>

#include "kernels/cpu/creation.h"
#include "ops/array.h"
#include "ops/attr_fields.h"
#include "ops/compose.h"
#include "ops/elementwise_infer.h"
#include "ops/input_checks.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "ops/reduction.h"
#include "ops/sizes.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

// Refuses dtypes to which no Python integer converts: stored types such as float8, except quantized
// types and int4.
DType checked_number_dtype(DType dtype, const char* op) {
  if (kStoredTypes.contains(dtype) && !(kQuantizedTypes | kInt4Types).contains(dtype)) {
    fail(Code::kTypeError, "Error while casting from dtype int64 to ", dtype,
         ": the cast is not supported [Op:", op, "]");
  }
  return dtype;
}

// A negative size is an error for values; for symbolic inputs it is an unknown size.
void check_shape(const InferContext& c, const Shape& shape) {
  if (c.symbolic()) {
    check_elements(shape, c.op().tf_name);
  } else {
    checked_num_elements(shape.dims(), c.op().tf_name);
  }
}

[[gnu::hot]] void constant_infer(InferContext& c) {
  const auto& [shape, dtype] = c.attrs<ConstantAttrs>();
  check_shape(c, shape);
  c.add_output(checked_number_dtype(dtype, c.op().tf_name), shape);
}

void refuse_strings(DType dtype, const char* op) {
  if (dtype == DType::kString) fail(Code::kTypeError, "There is no string one [Op:", op, "]");
}

void ones_infer(InferContext& c) {
  refuse_strings(c.attrs<ConstantAttrs>().dtype, c.op().tf_name);
  constant_infer(c);
}

DType like_dtype(const InferContext& c) { return c.attrs<LikeAttrs>().dtype.value_or(c.dtype(0)); }

void like_infer(InferContext& c) {
  c.add_output(checked_number_dtype(like_dtype(c), c.op().tf_name), c.shape(0));
}

void ones_like_infer(InferContext& c) {
  if (!c.attrs<LikeAttrs>().dtype && !kPlainTypes.contains(c.dtype(0))) {
    refuse_attr("T", c.dtype(0), kPlainTypes, c.op().tf_name);
  }
  refuse_strings(like_dtype(c), c.op().tf_name);
  like_infer(c);
}

void check_matrix(const Shape& shape, const char* op) {
  if (!may_have_rank_from(shape, 2)) {
    invalid_argument("input must be at least 2-dim, received shape: ", shape, " [Op:", op, "]");
  }
}

int64_t diagonal_length(int64_t rows, int64_t cols, int64_t k) {
  return std::max<int64_t>(
      0, std::min(rows + std::min<int64_t>(k, 0), cols - std::max<int64_t>(k, 0)));
}

// The dtypes of tf.range: every real type but uint8.
constexpr DTypeSet kRangeTypes{DType::kFloat16, DType::kBfloat16, DType::kFloat32, DType::kFloat64,
                               DType::kInt8,    DType::kInt16,    DType::kInt32,   DType::kInt64,
                               DType::kUint16,  DType::kUint32,   DType::kUint64};

// Each element is (1 - weight) * start + weight * stop.
void linspace_gradient(GradContext& g) {
  const Tensor dy = g.dy();
  const LinspaceAttrs& attrs = g.attrs<LinspaceAttrs>();
  const int axis = normalize_axis(attrs.axis, dy.rank(), "LinSpace");
  Shape column;
  for (int i = 0; i < dy.rank(); ++i) column.push_back(i == axis ? attrs.num : 1);
  const Tensor from = ef::zeros(dy.dtype(), Shape());
  const Tensor to = ef::ones(dy.dtype(), Shape());
  const Tensor weights =
      reshape_to(call(linspace, {from, to}, LinspaceAttrs{.num = attrs.num}), column);
  const int64_t axes[] = {axis};
  if (g.wants(0)) set_summed(g, 0, sum_over(dy * (1.0 - weights), axes, false));
  if (g.wants(1)) set_summed(g, 1, sum_over(dy * weights, axes, false));
}

}  // namespace

const Op fill{{
    .name = "fill",
    .tf_name = "Fill",
    .inputs = {{"value", kMovedTypes | kQuantizedTypes | kInt4Types}},
    .attrs = attrs_of<FillAttrs>(),
    .tensor_attrs = {{"dims", "index_type"}},
    .infer =
        [](InferContext& c) {
          if (!may_have_rank(c.shape(0), 0)) {
            invalid_argument("value must be a scalar, got shape ", c.shape(0), " [Op:Fill]");
          }
          c.add_output(c.dtype(0), shape_of_sizes(c.attrs<FillAttrs>().dims, "Fill"));
        },
    .kernel = cpu::fill,
    .gradient = [](GradContext& g) { g.set(0, call(reduce_sum, {g.dy()}, ReduceAttrs{})); },
    .may_be_unknown = Unknown::kRanks,
    .doc = "A tensor of equal elements.",
}};

const Op zeros{{
    .name = "zeros",
    .tf_name = "Zeros",
    .inputs = {},
    .attrs = attrs_of<ConstantAttrs>(),
    .infer = constant_infer,
    .kernel = cpu::zeros,
    .doc = "A tensor of zeros.",
}};

const Op ones{{
    .name = "ones",
    .tf_name = "Ones",
    .inputs = {},
    .attrs = attrs_of<ConstantAttrs>(),
    .infer = ones_infer,
    .kernel = cpu::ones,
    .doc = "A tensor of ones.",
}};

const Op zeros_like{{
    .name = "zeros_like",
    .tf_name = "ZerosLike",
    .inputs = {{"input", kAllTypes}},
    .attrs = attrs_of<LikeAttrs>(),
    .infer = like_infer,
    .kernel = cpu::zeros,
    .elementwise = true,
    .doc = R"(Zeros of the input's shape, and its dtype unless another is given.

>>> tf.zeros_like([1, 2]).numpy()
array([0, 0], dtype=int32)
)",
}};

const Op ones_like{{
    .name = "ones_like",
    .tf_name = "OnesLike",
    .inputs = {{"input", kAnyTypes}},
    .attrs = attrs_of<LikeAttrs>(),
    .infer = ones_like_infer,
    .kernel = cpu::ones,
    .elementwise = true,
    .doc = R"(Ones of the input's shape, and its dtype unless another is given.

>>> tf.ones_like([1, 2]).numpy()
array([1, 1], dtype=int32)
)",
}};

const Op range{{
    .name = "range",
    .tf_name = "Range",
    .inputs = {{"start", kRangeTypes}, {"limit", kRangeTypes}, {"delta", kRangeTypes}},
    .infer =
        [](InferContext& c) {
          for (int i = 0; i < 3; ++i) {
            // In eager calls, vectors of one element are accepted as scalars.
            const bool scalar =
                may_have_rank(c.shape(i), 0) || (!c.symbolic() && c.shape(i) == Shape{1});
            if (!scalar) {
              invalid_argument(c.op().inputs[static_cast<size_t>(i)].name,
                               " must be a scalar, not shape ", c.shape(i), " [Op:Range]");
            }
          }
          c.add_output(c.dtype(0), {c.symbolic() ? kUnknownSize : 0});  // the kernel sets the size
        },
    .kernel = cpu::range,
    .makes_outputs = true,
    .doc = "Numbers from start up to limit (excluded), delta apart.",
}};

const Op linspace{{
    .name = "linspace",
    .tf_name = "LinSpace",
    .inputs = {{"start", kInexactTypes}, {"stop", kInexactTypes}},
    .attrs = attrs_of<LinspaceAttrs>(),
    .tensor_attrs = {{"num", "Tidx"}},
    .infer =
        [](InferContext& c) {
          const auto [num, axis] = c.attrs<LinspaceAttrs>();
          if (size_or_unknown(num) < 0 && num != kUnknownInt) {
            invalid_argument("Requires num >= 0: ", num, " [Op:LinSpace]");
          }
          Shape shape = broadcast_shape(c);
          const int at = known_axis(axis, shape, "LinSpace", 1);
          if (shape.ranked() && at >= 0) {
            shape.insert(at, size_or_unknown(num));
          } else if (shape.ranked()) {
            shape = Shape::of_rank(shape.rank() + 1);
          }
          check_elements(shape, "LinSpace");
          c.add_output(c.dtype(0), shape);
        },
    .kernel = cpu::linspace,
    .gradient = linspace_gradient,
    .needs = {{}, {}},
    .doc = "Evenly spaced numbers from start to stop, which broadcast, along a new axis.",
}};

const Op eye{{
    .name = "eye",
    .tf_name = "Eye",
    .inputs = {},
    .attrs = attrs_of<EyeAttrs>(),
    .infer =
        [](InferContext& c) {
          const EyeAttrs& attrs = c.attrs<EyeAttrs>();
          refuse_strings(attrs.dtype, "Eye");
          Shape shape = attrs.batch_shape.value_or(Shape());
          if (shape.ranked()) {
            shape.push_back(size_or_unknown(attrs.num_rows));
            shape.push_back(size_or_unknown(attrs.num_columns.value_or(attrs.num_rows)));
          }
          check_shape(c, shape);
          c.add_output(attrs.dtype, shape);
        },
    .kernel = cpu::eye,
    .doc = "Identity matrices.",
}};

const Op matrix_band_part{{
    .name = "matrix_band_part",
    .tf_name = "MatrixBandPart",
    .inputs = {{.name = "input", .dtypes = kPlainTypes, .no_kernel = kStoredTypes}},
    .attrs = attrs_of<MatrixBandPartAttrs>(),
    .tensor_attrs = {{"num_lower", "Tindex"}, {"num_upper", "Tindex"}},
    .infer =
        [](InferContext& c) {
          check_matrix(c.shape(0), "MatrixBandPart");
          if (!c.shape(0).ranked()) [[unlikely]] {
            c.add_output(c.dtype(0), c.shape(0));
            return;
          }
          const int64_t rows = c.shape(0).back(1);
          const int64_t cols = c.shape(0).back(0);
          const auto [num_lower, num_upper] = c.attrs<MatrixBandPartAttrs>();
          if (num_lower > rows && rows >= 0) {
            invalid_argument("num_lower must be negative or less or equal to number of rows (",
                             rows, ") got: ", num_lower, " [Op:MatrixBandPart]");
          }
          if (num_upper > cols && cols >= 0) {
            invalid_argument("num_upper must be negative or less or equal to number of columns (",
                             cols, ") got: ", num_upper, " [Op:MatrixBandPart]");
          }
          c.add_output(c.dtype(0), c.shape(0));
        },
    .kernel = cpu::matrix_band_part,
    .gradient = [](GradContext& g) { g.set(0, call(matrix_band_part, {g.dy()}, g.attrs())); },
    .may_be_unknown = Unknown::kRanks,
    .doc = R"(Matrices with zeros outside a central band.

Keeps `num_lower` diagonals below the main one and `num_upper` above; -1 keeps all.

>>> tf.linalg.band_part([[1, 2], [3, 4]], 0, -1).numpy().tolist()
[[1, 2], [0, 4]]
)",
}};

const Op diag{{
    .name = "diag",
    .tf_name = "MatrixDiagV3",
    .inputs = {{.name = "diagonal", .dtypes = kPlainTypes, .no_kernel = kStoredTypes}},
    .attrs = attrs_of<DiagAttrs>(),
    .tensor_attrs = {{"k", "int32"}, {"num_rows", "int32"}, {"num_cols", "int32"}},
    .infer =
        [](InferContext& c) {
          Shape shape = c.shape(0);
          if (!shape.ranked()) [[unlikely]] {
            c.add_output(c.dtype(0), shape);
            return;
          }
          if (shape.rank() < 1) {
            invalid_argument("diagonal must be at least 1-dim [Op:MatrixDiagV3]");
          }
          const int64_t length = shape.back();
          auto [k, rows, cols] = c.attrs<DiagAttrs>();
          if (length < 0 || k == kUnknownInt || rows == kUnknownInt || cols == kUnknownInt)
              [[unlikely]] {
            shape[shape.rank() - 1] = std::max(rows, kUnknownSize);
            shape.push_back(std::max(cols, kUnknownSize));
            c.add_output(c.dtype(0), shape);
            return;
          }
          constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
          if (k > kLargest - length || k < length - kLargest) {
            invalid_argument("A matrix has no diagonal ", k, " [Op:MatrixDiagV3]");
          }
          const int64_t least_rows = length + std::max<int64_t>(-k, 0);
          const int64_t least_cols = length + std::max<int64_t>(k, 0);
          // Matrices are square if neither size is set.
          if (rows < 0 && cols < 0) {
            rows = cols = std::max(least_rows, least_cols);
          } else {
            rows = rows < 0 ? least_rows : rows;
            cols = cols < 0 ? least_cols : cols;
          }
          if (diagonal_length(rows, cols, k) != length) {
            invalid_argument("A diagonal of ", length, " elements does not fit matrices of ", rows,
                             " rows and ", cols, " columns [Op:MatrixDiagV3]");
          }
          shape[shape.rank() - 1] = rows;
          shape.push_back(cols);
          check_elements(shape, "MatrixDiagV3");
          c.add_output(c.dtype(0), shape);
        },
    .kernel = cpu::diag,
    .gradient =
        [](GradContext& g) {
          const Shape& shape = g.input_shape(0);
          if (shape.ranked() && shape.back() == 0) {
            // Matrices of an empty diagonal have no diagonal to read: it lies outside of them.
            const Tensor dy = g.dy();
            Ints begin, size;
            for (int axis = 0; axis <= shape.rank(); ++axis) {
              begin.push_back(0);
              size.push_back(axis == shape.rank() ? 0 : -1);
            }
            const Tensor none = call(slice, {dy}, SliceAttrs{.begin = begin, .size = size});
            return g.set(0, call(reduce_sum, {none}, ReduceAttrs{.axis = Ints{-2}}));
          }
          g.set(0, call(diag_part, {g.dy()}, DiagPartAttrs{.k = g.attrs<DiagAttrs>().k}));
        },
    .may_be_unknown = Unknown::kRanks,
    .doc = "Matrices with given diagonals, and zeros elsewhere.",
}};

const Op diag_part{{
    .name = "diag_part",
    .tf_name = "MatrixDiagPartV3",
    .inputs = {{.name = "input", .dtypes = kPlainTypes, .no_kernel = kStoredTypes}},
    .attrs = attrs_of<DiagPartAttrs>(),
    .tensor_attrs = {{"k", "int32"}},
    .infer =
        [](InferContext& c) {
          check_matrix(c.shape(0), "MatrixDiagPartV3");
          Shape shape = c.shape(0);
          if (!shape.ranked()) [[unlikely]] {
            c.add_output(c.dtype(0), shape);
            return;
          }
          const int64_t k = c.attrs<DiagPartAttrs>().k;
          const int64_t rows = shape.back(1);
          const int64_t cols = shape.back(0);
          const bool known = rows >= 0 && cols >= 0 && k != kUnknownInt;
          if (known && k != 0 && (k <= -rows || k >= cols)) {
            invalid_argument("diag_index = ", k, " is out of bounds for matrices of ", rows,
                             " rows and ", cols, " columns [Op:MatrixDiagPartV3]");
          }
          shape.erase(shape.rank() - 1);
          shape[shape.rank() - 1] = known ? diagonal_length(rows, cols, k) : kUnknownSize;
          c.add_output(c.dtype(0), shape);
        },
    .kernel = cpu::diag_part,
    .gradient =
        [](GradContext& g) {
          const std::span<const int64_t> sizes = g.input_shape(0).dims();
          g.set(0, call(diag, {g.dy()},
                        DiagAttrs{.k = g.attrs<DiagPartAttrs>().k,
                                  .num_rows = element_of(sizes, -2),
                                  .num_cols = element_of(sizes, -1)}));
        },
    .may_be_unknown = Unknown::kRanks,
    .doc = "The diagonals of matrices.",
}};

}  // namespace ef::ops
