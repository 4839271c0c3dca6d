// Linear systems, factors, inverses and determinants: inference. Python makes them differentiable.
#include "ops/linear_systems.h"

#include "kernels/cpu/linear_systems.h"
#include "kernels/cpu/schur.h"

namespace ef::ops {
namespace {

constexpr DTypeSet kTypes{DType::kFloat32, DType::kFloat64};
constexpr DTypeSet kBandTypes = kTypes | kComplexTypes;

// The batch shape of matrices.
Shape batch_of(const Shape& shape) {
  return Shape(shape.dims().first(static_cast<size_t>(shape.rank() - 2)));
}

const Shape& square(const InferContext& c) {
  const Shape& shape = c.shape(0);
  if (shape.rank() < 2 || shape.back() != shape.back(1)) {
    invalid_argument("Input must be square matrices, got shape ", shape, " [Op:", c.op().tf_name,
                     "]");
  }
  return shape;
}

void infer_solution(InferContext& c) {
  const Shape& a = square(c);
  const Shape& b = c.shape(1);
  Shape out;
  if (b.rank() < 2 || b.back(1) != a.back() || !broadcast_shapes(batch_of(a), batch_of(b), &out)) {
    invalid_argument("Input matrix and rhs are incompatible: ", a, " and ", b,
                     " [Op:", c.op().tf_name, "]");
  }
  out.push_back(b.back(1));
  out.push_back(b.back());
  c.add_output(c.dtype(0), out);
}

}  // namespace

const Op triangle_solve{{
    .name = "triangle_solve",
    .tf_name = "MatrixTriangularSolve",
    .inputs = {{"matrix", kTypes}, {"rhs", kTypes}},
    .attrs = attrs_of<TriangleSolveAttrs>(),
    .infer = infer_solution,
    .kernel = cpu::triangle_solve,
    .doc = "The solutions of triangular systems; batch axes broadcast.",
}};

const Op lu_solve{{
    .name = "lu_solve",
    .tf_name = "MatrixSolve",
    .inputs = {{"matrix", kTypes}, {"rhs", kTypes}},
    .attrs = attrs_of<LuAttrs>(),
    .infer =
        [](InferContext& c) {
          if (c.shape(0).rank() < 2 || c.shape(1).rank() < 2 ||
              batch_of(c.shape(0)) != batch_of(c.shape(1))) {
            invalid_argument("Input matrix and rhs are incompatible: ", c.shape(0), " and ",
                             c.shape(1), " [Op:", c.op().tf_name, "]");
          }
          infer_solution(c);
        },
    .kernel = cpu::lu_solve,
    .doc = "The solutions of linear systems; an error where a matrix is singular.",
}};

const Op lu_factors{{
    .name = "lu_factors",
    .tf_name = "Lu",
    .inputs = {{"input", kTypes}},
    .infer =
        [](InferContext& c) {
          c.add_output(c.dtype(0), square(c));
          Shape rows = batch_of(c.shape(0));
          rows.push_back(c.shape(0).back());
          c.add_output(DType::kInt32, rows);
        },
    .outputs = 2,
    .kernel = cpu::lu_factors,
    .doc = "L and U in one matrix, and the order of the rows; an error where a matrix is singular.",
}};

const Op tridiagonal_solve{{
    .name = "tridiagonal_solve",
    .tf_name = "TridiagonalSolve",
    .inputs = {{"diagonals", kBandTypes}, {"rhs", kBandTypes}},
    .infer =
        [](InferContext& c) {
          const Shape& bands = c.shape(0);
          const Shape& b = c.shape(1);
          if (bands.rank() < 2 || bands.back(1) != 3 || b.rank() != bands.rank() ||
              b.back(1) != bands.back() || batch_of(b) != batch_of(bands)) {
            invalid_argument("Diagonals and rhs are incompatible: ", bands, " and ", b,
                             " [Op:", c.op().tf_name, "]");
          }
          c.add_output(c.dtype(1), b);
        },
    .kernel = cpu::tridiagonal_solve,
    .doc = "The solutions of systems with the diagonals above, on and below the main one.",
}};

const Op schur{{
    .name = "schur",
    .tf_name = "Schur",
    .inputs = {{"input", {DType::kComplex128}}},
    .infer =
        [](InferContext& c) {
          for (int i = 0; i < 2; ++i) c.add_output(c.dtype(0), square(c));
        },
    .outputs = 2,
    .kernel = cpu::schur,
    .doc = "T and Q^H of A = Q T Q^H, T being upper triangular; NaN where there is none.",
}};

const Op triangle_root{{
    .name = "triangle_root",
    .tf_name = "MatrixSquareRoot",
    .inputs = {{"input", {DType::kComplex128}}},
    .infer = [](InferContext& c) { c.add_output(c.dtype(0), square(c)); },
    .kernel = cpu::triangle_root,
    .doc = "The principal square roots of upper triangular matrices.",
}};

const Op lu_inverse{{
    .name = "lu_inverse",
    .tf_name = "MatrixInverse",
    .inputs = {{"input", kTypes}},
    .attrs = attrs_of<LuAttrs>(),
    .infer = [](InferContext& c) { c.add_output(c.dtype(0), square(c)); },
    .kernel = cpu::lu_inverse,
    .doc = "The inverses of matrices or their transposes; an error where one is singular.",
}};

const Op lu_determinant{{
    .name = "lu_determinant",
    .tf_name = "MatrixDeterminant",
    .inputs = {{"input", kTypes}},
    .infer =
        [](InferContext& c) {
          const Shape batch = batch_of(square(c));
          for (int i = 0; i < 3; ++i) c.add_output(c.dtype(0), batch);
        },
    .outputs = 3,
    .kernel = cpu::lu_determinant,
    .doc = "Determinants, their signs, and the logarithms of their absolute values.",
}};

}  // namespace ef::ops
