// Matrix products: inference and gradients.
#include "ops/matmul.h"

#include <algorithm>

#include "kernels/cpu/int8_products.h"
#include "kernels/cpu/matmul.h"
#include "ops/attr_fields.h"
#include "ops/compose.h"
#include "ops/input_checks.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

constexpr DTypeSet kMatmulTypes =
    kInexactTypes | kUnsignedIntTypes | DTypeSet{DType::kInt32, DType::kInt64};
// Only some products of these dtypes exist.
constexpr DTypeSet kNarrowTypes{DType::kInt8, DType::kInt16};

void check_flags(bool transpose, bool adjoint, const char* side) {
  if (!transpose || !adjoint) return;
  fail(Code::kValueError, "Only one of `transpose_", side, "` and `adjoint_", side,
       "` can be True. Received `transpose_", side, "`=True, `adjoint_", side, "`=True.");
}

// Whether TensorFlow has a product of this dtype with another output dtype.
bool gives(DType type, DType output) {
  return (type == DType::kInt8 || type == DType::kUint8) && output == DType::kInt32;
}

[[gnu::hot]] void infer_matmul(InferContext& c) {
  const MatmulAttrs& attrs = c.attrs<MatmulAttrs>();
  check_flags(attrs.transpose_a, attrs.adjoint_a, "a");
  check_flags(attrs.transpose_b, attrs.adjoint_b, "b");
  const Shape& a = c.shape(0);
  const Shape& b = c.shape(1);
  const bool batched = a.rank() > 2 || b.rank() > 2;
  const bool ranked = a.ranked() && b.ranked();
  const char* name = batched ? "BatchMatMulV2" : "MatMul";
  DType type = c.dtype(0);
  if (attrs.output_type && *attrs.output_type != type) {
    if (!gives(type, *attrs.output_type)) {
      fail(Code::kNotFound, "Could not find device for node: products of ", type, " as ",
           *attrs.output_type, " are not implemented; cast the operands [Op:BatchMatMulV3]");
    }
    type = *attrs.output_type;
  } else if (type == DType::kInt8 || (type == DType::kInt16 && !batched)) {
    refuse_attr("T", type, kMatmulTypes, name);
  } else if (kUnsignedIntTypes.contains(type)) {
    fail(Code::kNotFound, "matrix products of ", type, " are not implemented [Op:", name, "]");
  }
  if (batched) {
    for (int i = 0; i < 2; ++i) {
      if (!may_have_rank_from(c.shape(i), 2)) {
        invalid_argument("In[", i, "] ndims must be >= 2: ", c.shape(i).rank(), " [Op:", name, "]");
      }
    }
  } else if (a.rank() != b.rank() && ranked) {
    invalid_argument("In[0] and In[1] has different ndims: ", a, " vs. ", b, " [Op:", name, "]");
  } else if (a.rank() != 2 && ranked) {
    invalid_argument("In[0] and In[1] ndims must be == 2: ", a.rank(), " [Op:", name, "]");
  }
  if (!ranked) [[unlikely]] {
    for (int i = 0; i < 2; ++i) {
      if (may_have_rank_from(c.shape(i), 2)) continue;
      invalid_argument("In[", i, "] ndims must be >= 2: ", c.shape(i).rank(), " [Op:", name, "]");
    }
    c.add_output(type, Shape::unranked());
    return;
  }
  const int64_t m = a.back(attrs.swaps_a() ? 0 : 1);
  const int64_t n = b.back(attrs.swaps_b() ? 1 : 0);
  Shape out;
  if (batched) {
    Shape a_batch = a;
    Shape b_batch = b;
    for (int i = 0; i < 2; ++i) {
      a_batch.erase(a_batch.rank() - 1);
      b_batch.erase(b_batch.rank() - 1);
    }
    if (!broadcast_shapes(a_batch, b_batch, &out)) {
      invalid_argument("In[0] and In[1] must have compatible batch dimensions: ", a, " vs. ", b,
                       " [Op:", name, "]");
    }
  }
  if (!compatible(a.back(attrs.swaps_a() ? 1 : 0), b.back(attrs.swaps_b() ? 0 : 1))) {
    invalid_argument("Matrix size-incompatible: In[0]: ", a, ", In[1]: ", b, " [Op:", name, "]");
  }
  out.push_back(m);
  out.push_back(n);
  check_elements(out, name);
  c.add_output(type, out);
}

Tensor product(const Tensor& a, const Tensor& b, bool adjoint_a, bool adjoint_b) {
  // For real matrices the adjoint is the transpose.
  return call(matmul, {a, b}, MatmulAttrs{.adjoint_a = adjoint_a, .adjoint_b = adjoint_b});
}

// Products of left and rightᵀ, [..., m, n] and [..., k, n], summed over the leading axes that
// `shape` lacks; with `turned`, of leftᵀ and right, [..., n, m] and [..., n, k]. Computed as one
// product of longer rows: [s, ..., m, n] becomes [..., m, s * n]. Empty if it is not such a sum, or
// if the products need less memory than the copies.
Tensor sum_of_products(const Tensor& left, const Tensor& right, bool turned, const Shape& shape) {
  const int rank = left.rank();
  const int summed = rank - shape.rank();
  if (summed <= 0 || right.rank() != rank || !left.shape().fully_known() ||
      !right.shape().fully_known()) {
    return {};
  }
  for (int axis = 0; axis < rank - 2; ++axis) {
    if (left.dim(axis) != right.dim(axis)) return {};
    if (axis >= summed && left.dim(axis) != shape[axis - summed]) return {};
  }
  const int kept = turned ? rank - 1 : rank - 2;
  const int inner = turned ? rank - 2 : rank - 1;
  const int64_t m = left.dim(kept);
  const int64_t k = right.dim(kept);
  if (left.dim(inner) * (m + k) > m * k) return {};
  const auto with_long_rows = [&](const Tensor& x) {
    Ints order;
    Shape rows;
    int64_t length = x.dim(inner);
    for (int axis = summed; axis < rank - 2; ++axis) {
      order.push_back(axis);
      rows.push_back(x.dim(axis));
    }
    order.push_back(kept);
    for (int axis = 0; axis < summed; ++axis) {
      order.push_back(axis);
      length *= x.dim(axis);
    }
    order.push_back(inner);
    rows.push_back(x.dim(kept));
    rows.push_back(length);
    return reshape_to(permute(x, order), rows);
  };
  return call(matmul, {with_long_rows(left), with_long_rows(right)},
              MatmulAttrs{.transpose_b = true});
}

// With A and B as multiplied: dA = dC Bᴴ and dB = Aᴴ dC. For a transposed operand, the gradient is
// the transpose.
void matmul_gradient(GradContext& g) {
  const MatmulAttrs& attrs = g.attrs<MatmulAttrs>();
  const Tensor dy = g.dy();
  const bool complex = is_complex(g.input_dtype(0));
  const bool plain_a = attrs.transpose_a && complex;
  const bool plain_b = attrs.transpose_b && complex;
  const bool turn_a = attrs.swaps_a();
  const bool turn_b = attrs.swaps_b();
  const bool plain = !turn_a && !turn_b && !complex;
  const auto finish = [&](int i, Tensor gradient, bool conjugated) {
    // A transpose that does not conjugate is written as the conjugate of an adjoint.
    if (conjugated) gradient = conjugate(gradient);
    const bool matrices = dy.rank() == 2;  // these are not broadcast
    g.set(i, matrices ? gradient : sum_to_shape(gradient, g.input_shape(i)));
  };
  if (g.wants(0)) {
    const Tensor& b = g.input(1);
    if (Tensor sum; plain && (sum = sum_of_products(dy, b, false, g.input_shape(0)))) {
      g.set(0, std::move(sum));
    } else if (!turn_a) {
      finish(0, product(dy, plain_b ? conjugate(b) : b, false, !turn_b), false);
    } else {
      // dA = (dC Bᴴ)ᴴ = B dCᴴ for an adjoint, its conjugate for a transpose.
      finish(0, product(plain_b ? conjugate(b) : b, dy, turn_b, true), plain_a);
    }
  }
  if (g.wants(1)) {
    const Tensor& a = g.input(0);
    const bool known = a.shape().fully_known() && dy.shape().fully_known();
    if (known && !turn_b && !turn_a && a.rank() > 2 && g.input_shape(1).rank() == 2) {
      // One matrix for the entire batch: its gradient is one product of the stacked rows.
      const Tensor rows =
          reshape_to(a, {a.size() / std::max<int64_t>(a.shape().back(), 1), a.shape().back()});
      const Tensor dy_rows =
          reshape_to(dy, {dy.size() / std::max<int64_t>(dy.shape().back(), 1), dy.shape().back()});
      if (rows.dim(0) == dy_rows.dim(0)) {
        g.set_product(1, rows, dy_rows);
        return;
      }
    }
    if (Tensor sum; plain && (sum = sum_of_products(a, dy, true, g.input_shape(1)))) {
      g.set(1, std::move(sum));
    } else if (!turn_a && !plain_b && dy.rank() == 2) {
      turn_b ? g.set_product(1, dy, a) : g.set_product(1, a, dy);
    } else if (!turn_b) {
      finish(1, product(plain_a ? conjugate(a) : a, dy, !turn_a, false), false);
    } else {
      finish(1, product(dy, plain_a ? conjugate(a) : a, true, turn_a), plain_b);
    }
  }
}

double matmul_cost(std::span<const Tensor> inputs, const SpecList& outputs, AttrsRef attrs) {
  const bool swapped = attrs.as<MatmulAttrs>().swaps_a();
  const double inner = static_cast<double>(inputs[0].shape().back(swapped ? 1 : 0));
  return static_cast<double>(outputs[0].shape.num_elements()) * inner / 50;
}

void infer_int8_matmul(InferContext& c) {
  const char* const name = c.op().tf_name;
  const Shape& x = c.shape(0);
  if (!may_have_rank_from(x, 1)) {
    invalid_argument("x must have a rank of 1 or more: ", x, " [Op:", name, "]");
  }
  if (!may_have_rank(c.shape(1), 2)) {
    invalid_argument("kernel must be a matrix: ", c.shape(1), " [Op:", name, "]");
  }
  const Shape kernel = ranked_as(c.shape(1), 2);
  if (!may_have_rank(c.shape(2), 1) || !compatible(ranked_as(c.shape(2), 1)[0], kernel[1])) {
    invalid_argument("scale must have a number for each column of kernel ", kernel, ": ",
                     c.shape(2), " [Op:", name, "]");
  }
  if (!x.ranked()) return c.add_output(DType::kFloat32, Shape::unranked());
  if (!compatible(x.back(), kernel[0])) {
    invalid_argument("Matrix size-incompatible: x: ", x, ", kernel: ", kernel, " [Op:", name, "]");
  }
  Shape out = x;
  out.erase(out.rank() - 1);
  out.push_back(kernel[1]);
  check_elements(out, name);
  c.add_output(DType::kFloat32, out);
}

// The same as for a product of floats.
void int8_matmul_gradient(GradContext& g) {
  if (!g.wants(0)) return;
  const Tensor kernel = cast_to(g.input(1), DType::kFloat32) * g.input(2);
  const Tensor dy = g.dy();
  const int64_t cols = kernel.dim(1);
  const Tensor rows = reshape_to(dy, {dy.size() / std::max<int64_t>(cols, 1), cols});
  g.set(0, reshape_to(product(rows, kernel, false, true), g.input_shape(0)));
}

double int8_matmul_cost(std::span<const Tensor> inputs, const SpecList& outputs, AttrsRef) {
  return static_cast<double>(outputs[0].shape.num_elements()) *
         static_cast<double>(inputs[1].shape()[0]) / 100;
}

}  // namespace

const Op matmul{{
    .name = "matmul",
    .tf_name = "MatMul",
    .inputs = {{.name = "a", .dtypes = kMatmulTypes | kNarrowTypes, .converts = Converts::kAlone},
               {.name = "b", .dtypes = kMatmulTypes | kNarrowTypes, .converts = Converts::kAlone}},
    .attrs = attrs_of<MatmulAttrs>(),
    .infer = infer_matmul,
    .kernel = cpu::matmul,
    .gradient = matmul_gradient,
    .needs = {{.inputs = 2}, {.inputs = 1}},
    .only_sums = true,
    .may_be_unknown = Unknown::kRanks,
    .promotion = Promotion::kOperands,
    .deferrable = true,
    .cost = matmul_cost,
    .doc = R"(Multiplies the matrices in the last two axes of `a` and `b`.

`a` is [..., m, k] and `b` is [..., k, n], each of rank 2 or more and of the same dtype (floating,
complex, int32 or int64); the axes before the last two broadcast. `transpose_a` and `transpose_b`
swap the last two axes of an operand first, `adjoint_a` and `adjoint_b` conjugate it as well.
`output_type` is the dtype of the product: that of the operands, or int32 for int8 and uint8.
`a_is_sparse`, `b_is_sparse`, `grad_a` and `grad_b` are hints, and ignored.
Returns [..., m, n]. Raises InvalidArgumentError for sizes that do not fit, ValueError when both
flags of an operand are set, NotFoundError for another `output_type`.

>>> tf.matmul([[1, 2], [3, 4]], [[5], [6]]).numpy().tolist()
[[17], [39]]
)",
}};

Tensor adjoint_product(const Tensor& a, const Tensor& b) { return product(a, b, true, false); }

const Op int8_matmul{{
    .name = "int8_matmul",
    .tf_name = "Int8MatMul",
    .inputs = {{"x", DTypeSet{DType::kFloat32}},
               {"kernel", DTypeSet{DType::kInt8}},
               {"scale", DTypeSet{DType::kFloat32}}},
    .infer = infer_int8_matmul,
    .kernel = cpu::int8_matmul,
    .gradient = int8_matmul_gradient,
    .needs = {{.inputs = 6}},
    .cost = int8_matmul_cost,
    .doc = R"(Multiplies rows of floats by a matrix of bytes.

`x` is [..., k]; each of its rows is rounded to whole multiples of a 127th of its greatest absolute
value. `kernel` is [k, n], and its columns are multiplied by `scale`, [n]. Returns [..., n]. Raises
InvalidArgumentError for sizes that do not fit.
)",
}};

}  // namespace ef::ops
