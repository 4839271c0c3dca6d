// Inner loops of the special functions. All but lgamma are computed in double precision.
#include "kernels/cpu/plain_loops.h"
#include "kernels/cpu/special_functions.h"
#include "platform/math.h"

namespace ef::cpu {
namespace {

template <class T>
struct Special {
  template <double (*function)(double)>
  static T one(T x) {
    return static_cast<T>(function(x));
  }
  template <double (*function)(double, double)>
  static T two(T x, T y) {
    return static_cast<T>(function(x, y));
  }
  template <double (*function)(double)>
  static constexpr UnaryLoop unary = plain_unary<T, T, one<function>>;
  template <double (*function)(double, double)>
  static constexpr BinaryLoop binary = plain_binary<T, T, two<function>>;
};

template <class T>
void add_special(ElementLoops& loops, DType type) {
  using Loop = Special<T>;
  loops.at(Unary::kLgamma, type) = plain_unary<T, T, [](T x) { return platform::log_gamma(x); }>;
  loops.at(Unary::kDigamma, type) = Loop::template unary<digamma>;
  loops.at(Unary::kBesselI0, type) = Loop::template unary<bessel_i0>;
  loops.at(Unary::kBesselI0e, type) = Loop::template unary<bessel_i0e>;
  loops.at(Unary::kBesselI1, type) = Loop::template unary<bessel_i1>;
  loops.at(Unary::kBesselI1e, type) = Loop::template unary<bessel_i1e>;
  loops.at(Unary::kBesselK0, type) = Loop::template unary<bessel_k0>;
  loops.at(Unary::kBesselK0e, type) = Loop::template unary<bessel_k0e>;
  loops.at(Unary::kBesselK1, type) = Loop::template unary<bessel_k1>;
  loops.at(Unary::kBesselK1e, type) = Loop::template unary<bessel_k1e>;
  loops.at(Unary::kBesselJ0, type) = Loop::template unary<bessel_j0>;
  loops.at(Unary::kBesselJ1, type) = Loop::template unary<bessel_j1>;
  loops.at(Unary::kBesselY0, type) = Loop::template unary<bessel_y0>;
  loops.at(Unary::kBesselY1, type) = Loop::template unary<bessel_y1>;
  loops.at(Unary::kDawson, type) = Loop::template unary<dawson>;
  loops.at(Unary::kExpint, type) = Loop::template unary<exponential_integral>;
  loops.at(Unary::kFresnelCos, type) = Loop::template unary<fresnel_cos>;
  loops.at(Unary::kFresnelSin, type) = Loop::template unary<fresnel_sin>;
  loops.at(Unary::kSpence, type) = Loop::template unary<spence>;
  loops.at(Unary::kNdtri, type) = Loop::template unary<normal_quantile>;
  loops.at(Binary::kPolygamma, type) = Loop::template binary<polygamma>;
  loops.at(Binary::kZeta, type) = Loop::template binary<zeta>;
  loops.at(Binary::kIgamma, type) = Loop::template binary<gamma_p>;
  loops.at(Binary::kIgammac, type) = Loop::template binary<gamma_q>;
  loops.at(Binary::kIgammaGradA, type) = Loop::template binary<gamma_p_by_a>;
  loops.at(Binary::kRandomGammaGrad, type) = Loop::template binary<gamma_sample_by_a>;
}

}  // namespace

void add_special_loops(ElementLoops& loops) {
  add_special<float>(loops, DType::kFloat32);
  add_special<double>(loops, DType::kFloat64);
}

}  // namespace ef::cpu
