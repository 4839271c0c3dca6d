// Tensors from sizes and a few numbers: inference and gradients.
#include "ops/creation.h"

#include <algorithm>

#include "kernels/cpu/creation.h"
#include "ops/array.h"
#include "ops/compose.h"

namespace ef::ops {
namespace {

DType dtype_or(const Attrs& attrs, int k, DType otherwise) {
  return attrs.is_none(k) ? otherwise : attrs.dtype(k);
}

// A number that is written in a program becomes a float8 only if it is a float, and no integer
// becomes one of the other narrow types.
DType number_dtype(const Attrs& attrs, int k, DType otherwise, const char* op) {
  const DType dtype = dtype_or(attrs, k, otherwise);
  if (kStoredTypes.contains(dtype) && !(kQuantizedTypes | kInt4Types).contains(dtype)) {
    fail(Code::kTypeError, "Error while casting from dtype int64 to ", dtype,
         ": the cast is not supported [Op:", op, "]");
  }
  return dtype;
}

void sized_infer(InferContext& c) {
  checked_num_elements(c.attrs().list(0), c.op().tf_name);
  c.add_output(number_dtype(c.attrs(), 1, DType::kFloat32, c.op().tf_name),
               Shape(c.attrs().list(0)));
}

void refuse_strings(DType dtype, const char* op) {
  if (dtype == DType::kString) fail(Code::kTypeError, "There is no string one [Op:", op, "]");
}

void ones_infer(InferContext& c) {
  refuse_strings(dtype_or(c.attrs(), 1, DType::kFloat32), c.op().tf_name);
  sized_infer(c);
}

void like_infer(InferContext& c) {
  c.add_output(number_dtype(c.attrs(), 0, c.dtype(0), c.op().tf_name), c.shape(0));
}

void ones_like_infer(InferContext& c) {
  refuse_strings(dtype_or(c.attrs(), 0, c.dtype(0)), c.op().tf_name);
  like_infer(c);
}

void check_matrix(const Shape& shape, const char* op) {
  if (shape.rank() < 2) {
    invalid_argument("input must be at least 2-dim, received shape: ", shape, " [Op:", op, "]");
  }
}

int64_t diagonal_length(int64_t rows, int64_t cols, int64_t k) {
  return std::max<int64_t>(
      0, std::min(rows + std::min<int64_t>(k, 0), cols - std::max<int64_t>(k, 0)));
}

// What tf.range counts in: every real type but the shortest unsigned one.
constexpr DTypeSet kRangeTypes{DType::kFloat16, DType::kBfloat16, DType::kFloat32, DType::kFloat64,
                               DType::kInt8,    DType::kInt16,    DType::kInt32,   DType::kInt64,
                               DType::kUint16,  DType::kUint32,   DType::kUint64};

// Each number is (1 - weight) * start + weight * stop.
void linspace_gradient(GradContext& g) {
  const Tensor dy = g.dy();
  const int64_t num = g.attrs().integer(0);
  const int axis = normalize_axis(g.attrs().integer(1), dy.rank(), "LinSpace");
  Shape column;
  for (int i = 0; i < dy.rank(); ++i) column.push_back(i == axis ? num : 1);
  const Tensor from = ef::zeros(dy.dtype(), Shape());
  const Tensor to = ef::ones(dy.dtype(), Shape());
  const Tensor weights =
      reshape_to(call(linspace, {from, to}, Attrs().integer(num).integer(int64_t{0})), column);
  const int64_t axes[] = {axis};
  if (g.wants(0)) g.set(0, sum_over(dy * (1.0 - weights), axes, false));
  if (g.wants(1)) g.set(1, sum_over(dy * weights, axes, false));
}

AttrSpec filled_dtype(const char* fallback) {
  return {.name = "dtype", .kind = AttrKind::kDType, .fallback = fallback, .dtypes = kAnyTypes};
}
std::vector<AttrSpec> like_attrs() { return {filled_dtype("None")}; }
std::vector<AttrSpec> sized_attrs() {
  return {{"shape", AttrKind::kShape}, filled_dtype("'float32'")};
}

}  // namespace

const Op fill{{
    .name = "fill",
    .tf_name = "Fill",
    .inputs = {{"value", kAllTypes | kQuantizedTypes | kInt4Types}},
    .attrs = {{"dims", AttrKind::kInts}},
    .tensor_attrs = {{"dims", "index_type"}},
    .infer =
        [](InferContext& c) {
          if (c.shape(0).rank() != 0) {
            invalid_argument("value must be a scalar, got shape ", c.shape(0), " [Op:Fill]");
          }
          checked_num_elements(c.attrs().list(0), "Fill");
          c.add_output(c.dtype(0), Shape(c.attrs().list(0)));
        },
    .kernel = cpu::fill,
    .gradient =
        [](GradContext& g) {
          InlineVector<int64_t, kInlineRank> axes;
          for (int i = 0; i < g.output_shape(0).rank(); ++i) axes.push_back(i);
          g.set(0, sum_over(g.dy(), axes, false));
        },
    .doc = "A tensor of equal elements.",
}};

const Op zeros{{
    .name = "zeros",
    .tf_name = "Zeros",
    .inputs = {},
    .attrs = sized_attrs(),
    .infer = sized_infer,
    .kernel = cpu::zeros,
    .doc = "A tensor of zeros.",
}};

const Op ones{{
    .name = "ones",
    .tf_name = "Ones",
    .inputs = {},
    .attrs = sized_attrs(),
    .infer = ones_infer,
    .kernel = cpu::ones,
    .doc = "A tensor of ones.",
}};

const Op zeros_like{{
    .name = "zeros_like",
    .tf_name = "ZerosLike",
    .inputs = {{"input", kAllTypes}},
    .attrs = like_attrs(),
    .infer = like_infer,
    .kernel = cpu::zeros,
    .doc = R"(Zeros of the input's shape, and its dtype unless another is given.

>>> tf.zeros_like([1, 2]).numpy()
array([0, 0], dtype=int32)
)",
}};

const Op ones_like{{
    .name = "ones_like",
    .tf_name = "OnesLike",
    .inputs = {{"input", kPlainTypes}},
    .attrs = like_attrs(),
    .infer = ones_like_infer,
    .kernel = cpu::ones,
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
            if (c.shape(i).rank() > 1 || c.shape(i).num_elements() != 1) {
              invalid_argument(c.op().inputs[static_cast<size_t>(i)].name,
                               " must be a scalar, not shape ", c.shape(i), " [Op:Range]");
            }
          }
          c.add_output(c.dtype(0), {0});  // the kernel knows the size
        },
    .kernel = cpu::range,
    .makes_outputs = true,
    .doc = "Numbers from start up to limit (excluded), delta apart.",
}};

const Op linspace{{
    .name = "linspace",
    .tf_name = "LinSpace",
    .inputs = {{"start", kInexactTypes}, {"stop", kInexactTypes}},
    .attrs = {{"num", AttrKind::kInt}, {"axis", AttrKind::kInt, "0"}},
    .tensor_attrs = {{"num", "Tidx"}},
    .infer =
        [](InferContext& c) {
          if (c.shape(0) != c.shape(1)) {
            invalid_argument("start and stop must have one shape, got ", c.shape(0), " and ",
                             c.shape(1), " [Op:LinSpace]");
          }
          const int64_t num = c.attrs().integer(0);
          if (num < 0) invalid_argument("Requires num >= 0: ", num, " [Op:LinSpace]");
          Shape shape = c.shape(0);
          shape.insert(normalize_axis(c.attrs().integer(1), shape.rank() + 1, "LinSpace"), num);
          checked_num_elements(shape.dims(), "LinSpace");
          c.add_output(c.dtype(0), shape);
        },
    .kernel = cpu::linspace,
    .gradient = linspace_gradient,
    .needs = {{}, {}},
    .doc = "Evenly spaced numbers from start to stop, both included, along a new axis.",
}};

const Op eye{{
    .name = "eye",
    .tf_name = "Eye",
    .inputs = {},
    .attrs = {{"num_rows", AttrKind::kInt},
              {"num_columns", AttrKind::kInt, "None"},
              {"batch_shape", AttrKind::kShape, "None"},
              {"dtype", AttrKind::kDType, "'float32'"}},
    .infer =
        [](InferContext& c) {
          refuse_strings(c.attrs().dtype(3), "Eye");
          Shape shape(c.attrs().list(2));
          const int64_t rows = c.attrs().integer(0);
          shape.push_back(rows);
          shape.push_back(c.attrs().is_none(1) ? rows : c.attrs().integer(1));
          checked_num_elements(shape.dims(), "Eye");
          c.add_output(c.attrs().dtype(3), shape);
        },
    .kernel = cpu::eye,
    .doc = "Identity matrices.",
}};

const Op matrix_band_part{{
    .name = "matrix_band_part",
    .tf_name = "MatrixBandPart",
    .inputs = {{.name = "input", .dtypes = kPlainTypes, .no_kernel = kStoredTypes}},
    .attrs = {{"num_lower", AttrKind::kInt}, {"num_upper", AttrKind::kInt}},
    .tensor_attrs = {{"num_lower", "Tindex"}, {"num_upper", "Tindex"}},
    .infer =
        [](InferContext& c) {
          check_matrix(c.shape(0), "MatrixBandPart");
          const int64_t rows = c.shape(0).back(1);
          const int64_t cols = c.shape(0).back(0);
          if (c.attrs().integer(0) > rows) {
            invalid_argument("num_lower must be negative or less or equal to number of rows (",
                             rows, ") got: ", c.attrs().integer(0), " [Op:MatrixBandPart]");
          }
          if (c.attrs().integer(1) > cols) {
            invalid_argument("num_upper must be negative or less or equal to number of columns (",
                             cols, ") got: ", c.attrs().integer(1), " [Op:MatrixBandPart]");
          }
          c.add_output(c.dtype(0), c.shape(0));
        },
    .kernel = cpu::matrix_band_part,
    .gradient = [](GradContext& g) { g.set(0, call(matrix_band_part, {g.dy()}, g.attrs())); },
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
    .attrs = {{"k", AttrKind::kInt, "0"},
              {"num_rows", AttrKind::kInt, "-1"},
              {"num_cols", AttrKind::kInt, "-1"}},
    .tensor_attrs = {{"k", "int32"}, {"num_rows", "int32"}, {"num_cols", "int32"}},
    .infer =
        [](InferContext& c) {
          Shape shape = c.shape(0);
          if (shape.rank() < 1) {
            invalid_argument("diagonal must be at least 1-dim [Op:MatrixDiagV3]");
          }
          const int64_t length = shape.back();
          const int64_t k = c.attrs().integer(0);
          const int64_t least_rows = length + std::max<int64_t>(-k, 0);
          const int64_t least_cols = length + std::max<int64_t>(k, 0);
          int64_t rows = c.attrs().integer(1);
          int64_t cols = c.attrs().integer(2);
          // Matrices are square if neither size is given.
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
          checked_num_elements(shape.dims(), "MatrixDiagV3");
          c.add_output(c.dtype(0), shape);
        },
    .kernel = cpu::diag,
    .gradient =
        [](GradContext& g) {
          g.set(0, call(diag_part, {g.dy()}, Attrs().integer(g.attrs().integer(0))));
        },
    .doc = "Matrices with given diagonals, and zeros elsewhere.",
}};

const Op diag_part{{
    .name = "diag_part",
    .tf_name = "MatrixDiagPartV3",
    .inputs = {{.name = "input", .dtypes = kPlainTypes, .no_kernel = kStoredTypes}},
    .attrs = {{"k", AttrKind::kInt, "0"}},
    .tensor_attrs = {{"k", "int32"}},
    .infer =
        [](InferContext& c) {
          check_matrix(c.shape(0), "MatrixDiagPartV3");
          Shape shape = c.shape(0);
          const int64_t k = c.attrs().integer(0);
          const int64_t rows = shape.back(1);
          const int64_t cols = shape.back(0);
          if (k != 0 && (k <= -rows || k >= cols)) {
            invalid_argument("diag_index = ", k, " is out of bounds for matrices of ", rows,
                             " rows and ", cols, " columns [Op:MatrixDiagPartV3]");
          }
          shape.erase(shape.rank() - 1);
          shape[shape.rank() - 1] = diagonal_length(rows, cols, k);
          c.add_output(c.dtype(0), shape);
        },
    .kernel = cpu::diag_part,
    .gradient =
        [](GradContext& g) {
          const Shape& shape = g.input_shape(0);
          g.set(0, call(diag, {g.dy()},
                        Attrs()
                            .integer(g.attrs().integer(0))
                            .integer(shape.back(1))
                            .integer(shape.back(0))));
        },
    .doc = "The diagonals of matrices.",
}};

}  // namespace ef::ops
