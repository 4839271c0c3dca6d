// Cholesky factors: inference. Python makes them differentiable.
#include "kernels/cpu/cholesky.h"

#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

constexpr DTypeSet kFactorTypes{DType::kFloat32, DType::kFloat64};

void infer(InferContext& c) {
  const Shape shape = square_matrices(c.shape(0), "Cholesky");
  if (c.num_inputs() == 2 && !may_equal(c.shape(1), shape)) {
    invalid_argument("Factors of shape ", shape, " have no gradient of shape ", c.shape(1),
                     " [Op:CholeskyGrad]");
  }
  c.add_output(c.dtype(0), shape);
}

}  // namespace

const Op cholesky_factor{{
    .name = "cholesky_factor",
    .tf_name = "Cholesky",
    .inputs = {{"input", kFactorTypes}},
    .infer = infer,
    .kernel = cpu::cholesky_factor,
    .doc = "The lower triangular factors of matrices; NaN where there is none.",
}};

const Op cholesky_factor_grad{{
    .name = "cholesky_factor_grad",
    .tf_name = "CholeskyGrad",
    .inputs = {{"factor", kFactorTypes}, {"dy", kFactorTypes}},
    .infer = infer,
    .kernel = cpu::cholesky_factor_grad,
    .doc =
        "The symmetric gradients of factored matrices, from those of their factors, side by side: "
        "for many small ones.",
}};

}  // namespace ef::ops
