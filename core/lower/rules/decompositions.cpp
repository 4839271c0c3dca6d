// Orthogonal factors and eigenvectors: calls that XLA's compilers expand for every device.
#include <algorithm>

#include "lower/rule.h"
#include "ops/linear_systems.h"
#include "ops/op_facts.h"
#include "tensor/error.h"

namespace ef::lower {
namespace {

// As [batch, rows, columns].
Value flattened(Builder& b, const Value& x) {
  if (x.shape.num_elements() == 0) refuse("factors of matrices without elements");
  const int64_t rows = x.shape.back(1), columns = x.shape.back();
  return b.reshape(x, {x.shape.num_elements() / (rows * columns), rows, columns});
}

Values qr_factors(const Call& c) {
  Builder& b = c.b;
  const Value matrix = flattened(b, c.in[0]);
  const int64_t batch = matrix.shape[0], m = matrix.shape[1], n = matrix.shape[2];
  const int64_t least = std::min(m, n), rows = c.attrs<ops::QrAttrs>().full_matrices ? m : least;
  const TensorSpec specs[] = {matrix.spec(), {matrix.dtype, {batch, least}}};
  // Householder reflections below the diagonal, and their factors.
  const Values packed =
      b.op("stablehlo.custom_call", {&matrix, 1}, "call_target_name = \"Qr\"", specs);
  const Dims none(3, 0);
  const Value top = b.slice(packed[0], none, Dims{batch, rows, n});
  const Value upper =
      b.compare("LE", b.iota(DType::kInt32, top.shape, 1), b.iota(DType::kInt32, top.shape, 2));
  const Value r = b.select(upper, top, b.like(top, 0));
  Value reflections = b.slice(packed[0], none, Dims{batch, m, least}), factors = packed[1];
  if (rows > least) {
    const Value zero = b.full(matrix.dtype, {}, 0);
    reflections = b.pad(reflections, zero, none, Dims{0, 0, rows - least});
    factors = b.pad(factors, zero, Dims{0, 0}, Dims{0, rows - least});
  }
  const Value q =
      b.one("stablehlo.custom_call", {reflections, factors}, {matrix.dtype, {batch, m, rows}},
            "call_target_name = \"ProductOfElementaryHouseholderReflectors\"");
  return {b.reshape(q, c.out[0].shape), b.reshape(r, c.out[1].shape)};
}

// Jacobi's method, until elements off the diagonal are within a tolerance, or kSweeps times.
Values eigh_factors(const Call& c) {
  constexpr int kSweeps = 100;
  Builder& b = c.b;
  const Value matrix = flattened(b, c.in[0]);
  if (is_complex(matrix.dtype)) refuse("eigenvalues of complex matrices");
  const Shape &shape = matrix.shape, values{shape[0], shape[1]};
  const Value lower =
      b.compare("GE", b.iota(DType::kInt32, shape, 1), b.iota(DType::kInt32, shape, 2));
  const Value finite = b.one("stablehlo.is_finite", {matrix}, {DType::kBool, shape});
  b.refuse_if(
      b.reduce(Reduction::kOr, b.logical_and(lower, b.logical_not(finite)), axes_from(0, 3)),
      cat("Self-adjoint eigen decomposition was not successful. The input might not be "
          "valid. [Op:",
          tf_name(c.op), "]"));
  const char* const tolerance = matrix.dtype == DType::kFloat32 ? "1e-6" : "1e-14";
  const TensorSpec specs[] = {matrix.spec(), {matrix.dtype, values}};
  // Arguments: use the lower triangle, sort ascending, the limit of sweeps, the tolerance.
  const Values results = b.op(
      "stablehlo.custom_call", {&matrix, 1},
      cat("call_target_name = \"Eigh\", backend_config = \"1,1,", kSweeps, ",", tolerance, "\""),
      specs);
  const Shape& vectors = c.out[1].shape;
  return {b.reshape(results[1], c.out[0].shape), c.attrs<ops::EighAttrs>().compute_v
                                                     ? b.reshape(results[0], vectors)
                                                     : b.full(matrix.dtype, vectors, 0)};
}

constexpr std::pair<const char*, Rule> kDecompositionRules[] = {
    {"qr_factors", qr_factors},
    {"eigh_factors", eigh_factors},
};

}  // namespace

RuleList decomposition_rules() { return kDecompositionRules; }

}  // namespace ef::lower
