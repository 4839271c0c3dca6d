// Inner loops of exponentials, logarithms, trigonometric functions and their relatives.
#include <cstdint>
#include <type_traits>

#include "kernels/cpu/elementwise_loops.h"
#include "kernels/cpu/vector_math.h"
#include "kernels/cpu/vector_tiles.h"

namespace ef::cpu::EF_ISA {

EF_VECTOR_FUNCTION(expm1)
EF_VECTOR_FUNCTION(sin)
EF_VECTOR_FUNCTION(cos)
EF_VECTOR_FUNCTION(tan)
EF_VECTOR_FUNCTION(asin)
EF_VECTOR_FUNCTION(acos)
EF_VECTOR_FUNCTION(atan)
EF_VECTOR_FUNCTION(sinh)
EF_VECTOR_FUNCTION(cosh)
EF_VECTOR_FUNCTION(asinh)
EF_VECTOR_FUNCTION(acosh)
EF_VECTOR_FUNCTION(atanh)
EF_VECTOR_FUNCTION(erf)
EF_VECTOR_FUNCTION(erfc)
EF_VECTOR_FUNCTION2(pow)
EF_VECTOR_FUNCTION2(atan2)

namespace {

#define EF_UNARY_MATH(Name, function) \
  struct Name {                       \
    template <class V>                \
    static V of(V x) {                \
      return function(x);             \
    }                                 \
  }
EF_UNARY_MATH(Exp, vexp);
EF_UNARY_MATH(Expm1, vexpm1);
EF_UNARY_MATH(Log, vlog);
EF_UNARY_MATH(Log1p, vlog1p);
EF_UNARY_MATH(Sin, vsin);
EF_UNARY_MATH(Cos, vcos);
EF_UNARY_MATH(Tan, vtan);
EF_UNARY_MATH(Asin, vasin);
EF_UNARY_MATH(Acos, vacos);
EF_UNARY_MATH(Atan, vatan);
EF_UNARY_MATH(Sinh, vsinh);
EF_UNARY_MATH(Cosh, vcosh);
EF_UNARY_MATH(Tanh, vtanh);
EF_UNARY_MATH(Asinh, vasinh);
EF_UNARY_MATH(Acosh, vacosh);
EF_UNARY_MATH(Atanh, vatanh);
EF_UNARY_MATH(Sigmoid, vsigmoid);
EF_UNARY_MATH(Erf, verf);
EF_UNARY_MATH(Erfc, verfc);
#undef EF_UNARY_MATH

// Vector functions handle negative bases one by one, so this uses absolute values. The result is
// negative for odd exponents, and NaN for exponents that are not integers.
struct Pow {
  template <class V>
  static V of(V x, V y) {
    using T = std::remove_cvref_t<decltype(x[0])>;
    constexpr T kWhole = std::is_same_v<T, float> ? T(0x1p23) : T(0x1p52);  // integers from here on
    const auto negative = (x < 0) & (vabs(x) < static_cast<T>(__builtin_inf()));
    const V power = vpow(negative ? vabs(x) : x, y);
    const V size = vabs(y);
    const V half = size * T(0.5);
    const auto whole = (size >= kWhole) | ((size + kWhole) - kWhole == size);
    const auto odd = (size < 2 * kWhole) & ((half + kWhole) - kWhole != half);
    const V turned = odd ? -power : power;
    return negative ? (whole ? turned : V{} + static_cast<T>(__builtin_nan(""))) : power;
  }
};
struct Atan2 {
  template <class V>
  static V of(V y, V x) {
    return vatan2(y, x);
  }
};
// The result is zero where x is zero, whatever y is.
struct Xdivy {
  template <class V>
  static V of(V x, V y) {
    return x == 0 ? V{} : x / y;
  }
};
struct Xlogy {
  template <class V>
  static V of(V x, V y) {
    return x == 0 ? V{} : x * vlog(y);
  }
};
struct Xlog1py {
  template <class V>
  static V of(V x, V y) {
    return x == 0 ? V{} : x * vlog1p(y);
  }
};

template <class V, int kCount>
V polynomial(V x, const double (&coefficients)[kCount]) {
  using T = std::remove_reference_t<decltype(x[0])>;
  V sum = V{} + static_cast<T>(coefficients[0]);
  for (int k = 1; k < kCount; ++k) sum = sum * x + static_cast<T>(coefficients[k]);
  return sum;
}

// Wichura, "The percentage points of the normal distribution" (1988), algorithm AS 241: rational
// functions of the argument in the middle, and of the root of a logarithm in the tails.
struct Erfinv {
  template <class V>
  static V of(V x) {
    using T = std::remove_reference_t<decltype(x[0])>;
    constexpr double kMiddle[] = {2.5090809287301226727e+3, 3.3430575583588128105e+4,
                                  6.7265770927008700853e+4, 4.5921953931549871457e+4,
                                  1.3731693765509461125e+4, 1.9715909503065514427e+3,
                                  1.3314166789178437745e+2, 3.3871328727963666080e0};
    constexpr double kUnderMiddle[] = {5.2264952788528545610e+3, 2.8729085735721942674e+4,
                                       3.9307895800092710610e+4, 2.1213794301586595867e+4,
                                       5.3941960214247511077e+3, 6.8718700749205790830e+2,
                                       4.2313330701600911252e+1, 1};
    constexpr double kEnd[] = {7.74545014278341407640e-4, 2.27238449892691845833e-2,
                               2.41780725177450611770e-1, 1.27045825245236838258e0,
                               3.64784832476320460504e0,  5.76949722146069140550e0,
                               4.63033784615654529590e0,  1.42343711074968357734e0};
    constexpr double kUnderEnd[] = {1.05075007164441684324e-9, 5.47593808499534494600e-4,
                                    1.51986665636164571966e-2, 1.48103976427480074590e-1,
                                    6.89767334985100004550e-1, 1.67638483018380384940e0,
                                    2.05319162663775882187e0,  1};
    constexpr double kFarEnd[] = {2.01033439929228813265e-7, 2.71155556874348757815e-5,
                                  1.24266094738807843860e-3, 2.65321895265761230930e-2,
                                  2.96560571828504891230e-1, 1.78482653991729133580e0,
                                  5.46378491116411436990e0,  6.65790464350110377720e0};
    constexpr double kUnderFarEnd[] = {2.04426310338993978564e-15, 1.42151175831644588870e-7,
                                       1.84631831751005468180e-5,  7.86869131145613259100e-4,
                                       1.48753612908506148525e-2,  1.36929880922735805310e-1,
                                       5.99832206555887937690e-1,  1};
    constexpr T kHalfRoot = static_cast<T>(0.70710678118654752440);
    const V q = x * T(0.5);
    const V r = T(0.180625) - q * q;
    const V middle = q * polynomial(r, kMiddle) / polynomial(r, kUnderMiddle);
    V root = T(0.5) - vabs(q);
    root = -vlog(root);
    for (int i = 0; i < kLanes<T>; ++i) root[i] = __builtin_sqrt(root[i]);
    const V near = root - T(1.6);
    V end = polynomial(near, kEnd) / polynomial(near, kUnderEnd);
    if constexpr (std::is_same_v<T, double>) {  // floats do not come that close to 1
      const V far = root - T(5);
      end = root <= T(5) ? end : polynomial(far, kFarEnd) / polynomial(far, kUnderFarEnd);
    }
    constexpr T kInfinity = static_cast<T>(__builtin_inf());
    end = vabs(x) == 1 ? V{} + kInfinity : end;
    const V value = vabs(q) <= T(0.425) ? middle : with_sign(end, x);
    return kHalfRoot * (vabs(x) <= 1 ? value : V{} + static_cast<T>(__builtin_nan("")));
  }
};

template <class T, class Op>
void math_loop(void* out, const void* x, int64_t count, double) {
  map<T>(out, x, count, [](Vec<T> v) { return Op::template of<Vec<T>>(v); });
}

template <class T, class Op>
void math_tile(const TileStep* step, int64_t begin, EF_TILE(Vec<T>)) {
  tile_map<T>(step, begin, [](Vec<T> v) { return Op::template of<Vec<T>>(v); }, EF_TILE_VALUES);
}

template <class T, class Op>
void set_math(ElementLoops& loops, Unary op) {
  loops.at(op, kDTypeOf<T>) = math_loop<T, Op>;
  loops.tiles_of(kDTypeOf<T>).unary[static_cast<int>(op)].first = tile_code<T>(math_tile<T, Op>);
}

// The most common powers.
template <class T>
void small_power(void* out, const void* x, int64_t count, int exponent) {
  using V = Vec<T>;
  if (exponent == 1) return map<T>(out, x, count, [](V v) { return v; });
  if (exponent == 2) return map<T>(out, x, count, [](V v) { return v * v; });
  map<T>(out, x, count, [](V v) { return v * v * v; });
}

template <class T, class Op>
void math_loop2(void* out, const void* x, const void* y, int64_t count, Form form, double) {
  using V = Vec<T>;
  if (form == Form::kBoth) {
    map2<T>(out, x, y, count, [](V a, V b) { return Op::template of<V>(a, b); });
  } else if (form == Form::kScalarY) {
    const T scalar = *static_cast<const T*>(y);
    if (std::is_same_v<Op, Pow> && (scalar == 1 || scalar == 2 || scalar == 3)) {
      return small_power<T>(out, x, count, static_cast<int>(scalar));
    }
    const V b = V{} + scalar;
    map<T>(out, x, count, [b](V a) { return Op::template of<V>(a, b); });
  } else {
    const V a = V{} + *static_cast<const T*>(x);
    map<T>(out, y, count, [a](V b) { return Op::template of<V>(a, b); });
  }
}

template <class T>
void add_math(ElementLoops& loops, DType type) {
  set_math<T, Exp>(loops, Unary::kExp);
  set_math<T, Expm1>(loops, Unary::kExpm1);
  set_math<T, Log>(loops, Unary::kLog);
  set_math<T, Log1p>(loops, Unary::kLog1p);
  set_math<T, Sin>(loops, Unary::kSin);
  set_math<T, Cos>(loops, Unary::kCos);
  set_math<T, Tan>(loops, Unary::kTan);
  set_math<T, Asin>(loops, Unary::kAsin);
  set_math<T, Acos>(loops, Unary::kAcos);
  set_math<T, Atan>(loops, Unary::kAtan);
  set_math<T, Sinh>(loops, Unary::kSinh);
  set_math<T, Cosh>(loops, Unary::kCosh);
  set_math<T, Tanh>(loops, Unary::kTanh);
  set_math<T, Asinh>(loops, Unary::kAsinh);
  set_math<T, Acosh>(loops, Unary::kAcosh);
  set_math<T, Atanh>(loops, Unary::kAtanh);
  set_math<T, Sigmoid>(loops, Unary::kSigmoid);
  set_math<T, Erf>(loops, Unary::kErf);
  set_math<T, Erfc>(loops, Unary::kErfc);
  set_math<T, Erfinv>(loops, Unary::kErfinv);
  loops.at(Binary::kPow, type) = math_loop2<T, Pow>;
  loops.at(Binary::kAtan2, type) = math_loop2<T, Atan2>;
  loops.at(Binary::kXdivy, type) = math_loop2<T, Xdivy>;
  loops.at(Binary::kXlogy, type) = math_loop2<T, Xlogy>;
  loops.at(Binary::kXlog1py, type) = math_loop2<T, Xlog1py>;
}

}  // namespace

void add_math_loops(ElementLoops& loops) {
  add_math<float>(loops, DType::kFloat32);
  add_math<double>(loops, DType::kFloat64);
}

}  // namespace ef::cpu::EF_ISA
