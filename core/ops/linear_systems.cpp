// Linear systems, factors, inverses and determinants: inference.
#include "ops/linear_systems.h"

#include "kernels/cpu/cofactors.h"
#include "kernels/cpu/linear_systems.h"
#include "kernels/cpu/schur.h"
#include "ops/attr_fields.h"
#include "ops/host_kernel.h"
#include "ops/matrix_gradients.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

constexpr DTypeSet kSystemTypes = DTypeSet{DType::kFloat32, DType::kFloat64} | kComplexTypes;

Shape square_result(const InferContext& c) { return square_matrices(c.shape(0), c.op().tf_name); }

[[noreturn]] void refuse_rhs(const InferContext& c) {
  invalid_argument("Input matrix and rhs are incompatible: ", c.shape(0), " and ", c.shape(1),
                   " [Op:", c.op().tf_name, "]");
}

// The rows and columns of the solutions of systems that fit.
Shape solution_sizes(const Shape& a, const Shape& b) {
  return {merged(size_from_end(a), size_from_end(b, 1)), size_from_end(b)};
}

void infer_triangle_solve(InferContext& c) {
  const char* const name = c.op().tf_name;
  for (int i = 0; i < 2; ++i) {
    if (may_have_rank_from(c.shape(i), 2)) continue;
    invalid_argument("In[", i, "] ndims must be >= 2: ", c.shape(i).rank(), " [Op:", name, "]");
  }
  const Shape a = square_result(c);
  const Shape& b = c.shape(1);
  const int64_t n = size_from_end(a), rows = size_from_end(b, 1);
  if (!compatible(n, rows)) {
    invalid_argument("In[0] mismatch In[1] shape: ", n, " vs. ", rows, ": ", a, " ", b,
                     " [Op:", name, "]");
  }
  Shape batch;
  if (!broadcast_shapes(without_last(a, 2), without_last(b, 2), &batch)) {
    invalid_argument("In[0] and In[1] must have compatible batch dimensions: ", a, " vs. ", b,
                     " [Op:", name, "]");
  }
  c.add_output(c.dtype(0), joined(batch, solution_sizes(a, b)));
}

void infer_lu_solve(InferContext& c) {
  const Shape& b = c.shape(1);
  if (c.shape(0).ranked() && b.ranked() && c.shape(0).rank() != b.rank()) {
    invalid_argument("All input tensors must have the same rank, got shapes ", c.shape(0), " and ",
                     b, " [Op:", c.op().tf_name, "]");
  }
  const Shape a = square_result(c);
  if (!may_have_rank_from(b, 2) || !compatible(size_from_end(a), size_from_end(b, 1))) {
    refuse_rhs(c);
  }
  const Shape batch = without_last(a, 2), other = without_last(b, 2);
  if (!may_equal(batch, other)) refuse_rhs(c);
  c.add_output(c.dtype(0), joined(merged(batch, other), solution_sizes(a, b)));
}

}  // namespace

const Op triangle_solve{{
    .name = "triangle_solve",
    .tf_name = "MatrixTriangularSolve",
    .inputs = {{"matrix", kSystemTypes}, {"rhs", kSystemTypes}},
    .attrs = attrs_of<TriangleSolveAttrs>(),
    .infer = infer_triangle_solve,
    .kernel = run_or_host_kernel<cpu::triangle_solve>,
    .gradient = triangle_solve_gradient,
    .needs = {{.inputs = 1, .outputs = 1}, {.inputs = 1}},
    .may_be_unknown = Unknown::kRanks,
    .doc = "The solutions of triangular systems; batch axes broadcast.",
}};

const Op lu_solve{{
    .name = "lu_solve",
    .tf_name = "MatrixSolve",
    .inputs = {{"matrix", kSystemTypes}, {"rhs", kSystemTypes}},
    .attrs = attrs_of<LuAttrs>(),
    .infer = infer_lu_solve,
    .kernel = run_or_host_kernel<cpu::lu_solve>,
    .gradient = lu_solve_gradient,
    .needs = {{.inputs = 1, .outputs = 1}, {.inputs = 1}},
    .sizes = {},
    .may_be_unknown = Unknown::kRanks,
    .doc = "The solutions of linear systems; an error where a matrix is singular.",
}};

const Op lu_factors{{
    .name = "lu_factors",
    .tf_name = "Lu",
    .inputs = {{"input", kSystemTypes}},
    .infer =
        [](InferContext& c) {
          const Shape a = square_result(c);
          c.add_output(c.dtype(0), a);
          c.add_output(DType::kInt32, without_last(a, 1));
        },
    .outputs = 2,
    .kernel = run_or_host_kernel<cpu::lu_factors>,
    .gradient = lu_factors_gradient,
    .needs = {{.outputs = 3}},
    .may_be_unknown = Unknown::kSizes,
    .doc = "L and U in one matrix, and the order of the rows; an error where a matrix is singular.",
}};

const Op qr_factors{{
    .name = "qr_factors",
    .tf_name = "Qr",
    .inputs = {{"input", kSystemTypes}},
    .attrs = attrs_of<QrAttrs>(),
    .infer =
        [](InferContext& c) {
          const Shape& a = c.shape(0);
          if (!may_have_rank_from(a, 2)) {
            invalid_argument("Input tensor 0 must have rank >= 2, got ", a.rank(), " [Op:Qr]");
          }
          const int64_t m = size_from_end(a, 1), n = size_from_end(a);
          const int64_t least = m < 0 || n < 0 ? kUnknownSize : std::min(m, n);
          const int64_t rows = c.attrs<QrAttrs>().full_matrices ? m : least;
          const Shape batch = without_last(a, 2);
          c.add_output(c.dtype(0), joined(batch, {m, rows}));
          c.add_output(c.dtype(0), joined(batch, {rows, n}));
        },
    .outputs = 2,
    .kernel = host_kernel,
    .gradient = qr_factors_gradient,
    .needs = {{.inputs = 1, .outputs = 3}},
    .makes_outputs = true,
    .doc = "Orthonormal columns, and an upper triangle.",
}};

const Op eigh_factors{{
    .name = "eigh_factors",
    .tf_name = "SelfAdjointEigV2",
    .inputs = {{"input", kSystemTypes}},
    .attrs = attrs_of<EighAttrs>(),
    .infer =
        [](InferContext& c) {
          const Shape a = square_result(c);
          c.add_output(c.dtype(0), without_last(a, 1));
          c.add_output(c.dtype(0), c.attrs<EighAttrs>().compute_v ? a : Shape{0});
        },
    .outputs = 2,
    .kernel = host_kernel,
    .gradient = eigh_factors_gradient,
    .needs = {{.inputs = 1, .outputs = 3}},
    .may_be_unknown = Unknown::kSizes,
    .makes_outputs = true,
    .doc = "The eigenvalues of Hermitian matrices, ascending, and their vectors as columns.",
}};

const Op tridiagonal_solve{{
    .name = "tridiagonal_solve",
    .tf_name = "TridiagonalSolve",
    .inputs = {{"diagonals", kSystemTypes}, {"rhs", kSystemTypes}},
    .infer =
        [](InferContext& c) {
          const Shape& bands = c.shape(0);
          const Shape& b = c.shape(1);
          const bool fits = may_have_rank_from(bands, 2) && may_have_rank_from(b, 2) &&
                            compatible(size_from_end(bands, 1), 3) &&
                            compatible(size_from_end(b, 1), size_from_end(bands)) &&
                            may_equal(without_last(b, 2), without_last(bands, 2));
          if (!fits) {
            invalid_argument("Diagonals and rhs are incompatible: ", bands, " and ", b,
                             " [Op:", c.op().tf_name, "]");
          }
          c.add_output(c.dtype(1), b);
        },
    .kernel = cpu::tridiagonal_solve,
    .gradient = tridiagonal_solve_gradient,
    .needs = {{.inputs = 1, .outputs = 1}, {.inputs = 1}},
    .may_be_unknown = Unknown::kSizes,
    .doc = "The solutions of systems with the diagonals above, on and below the main one.",
}};

const Op schur{{
    .name = "schur",
    .tf_name = "Schur",
    .inputs = {{"input", {DType::kComplex128}}},
    .infer =
        [](InferContext& c) {
          for (int i = 0; i < 2; ++i) c.add_output(c.dtype(0), square_result(c));
        },
    .outputs = 2,
    .kernel = cpu::schur,
    .doc = "T and Q^H of A = Q T Q^H, T being upper triangular; NaN where there is none.",
}};

const Op triangle_root{{
    .name = "triangle_root",
    .tf_name = "MatrixSquareRoot",
    .inputs = {{"input", {DType::kComplex128}}},
    .infer = [](InferContext& c) { c.add_output(c.dtype(0), square_result(c)); },
    .kernel = cpu::triangle_root,
    .doc = "The principal square roots of upper triangular matrices.",
}};

const Op lu_inverse{{
    .name = "lu_inverse",
    .tf_name = "MatrixInverse",
    .inputs = {{"input", kSystemTypes}},
    .attrs = attrs_of<LuAttrs>(),
    .infer = [](InferContext& c) { c.add_output(c.dtype(0), square_result(c)); },
    .kernel = run_or_host_kernel<cpu::lu_inverse>,
    .gradient = lu_inverse_gradient,
    .needs = {{.outputs = 1}},
    .sizes = {},
    .may_be_unknown = Unknown::kRanks,
    .doc = "The inverses of matrices or their transposes; an error where one is singular.",
}};

const Op lu_determinant{{
    .name = "lu_determinant",
    .tf_name = "MatrixDeterminant",
    .inputs = {{"input", kSystemTypes}},
    .infer = [](InferContext& c) { c.add_output(c.dtype(0), without_last(square_result(c), 2)); },
    .kernel = run_or_host_kernel<cpu::lu_determinant>,
    .gradient = lu_determinant_gradient,
    .needs = {{.inputs = 1}},
    .sizes = {},
    .may_be_unknown = Unknown::kRanks,
    .doc = "Determinants.",
}};

const Op lu_log_determinant{{
    .name = "lu_log_determinant",
    .tf_name = "LogMatrixDeterminant",
    .inputs = {{"input", kSystemTypes}},
    .infer =
        [](InferContext& c) {
          const Shape batch = without_last(square_result(c), 2);
          for (int i = 0; i < 2; ++i) c.add_output(c.dtype(0), batch);
        },
    .outputs = 2,
    .kernel = run_or_host_kernel<cpu::lu_log_determinant>,
    .gradient = lu_log_determinant_gradient,
    .needs = {{.inputs = 1}},
    .sizes = {},
    .may_be_unknown = Unknown::kRanks,
    .doc = "The signs of determinants, and the logarithms of their absolute values.",
}};

const Op cofactors{{
    .name = "cofactors",
    .tf_name = "MatrixDeterminantGrad",
    .inputs = {{"input", kSystemTypes}},
    .infer = [](InferContext& c) { c.add_output(c.dtype(0), square_result(c)); },
    .kernel = cpu::cofactors,
    .gradient = cofactors_gradient,
    .needs = {{.inputs = 1}},
    .sizes = {},
    .may_be_unknown = Unknown::kRanks,
    .doc = "The conjugates of the derivatives of determinants, also of singular matrices.",
}};

const Op cofactors_grad{{
    .name = "cofactors_grad",
    .tf_name = "MatrixDeterminantGradGrad",
    .inputs = {{"input", kSystemTypes}, {"dy", kSystemTypes}},
    .infer =
        [](InferContext& c) {
          const Shape shape = square_result(c);
          if (!may_equal(c.shape(1), shape)) {
            invalid_argument("Matrices of shape ", shape, " have no gradient of shape ", c.shape(1),
                             " [Op:", c.op().tf_name, "]");
          }
          c.add_output(c.dtype(0), shape);
        },
    .kernel = cpu::cofactors_grad,
    .gradient = cofactors_grad_gradient,
    .needs = {{.inputs = 3}, {.inputs = 1}},
    .doc = "The gradients of matrices, from those of their cofactors.",
}};

}  // namespace ef::ops
