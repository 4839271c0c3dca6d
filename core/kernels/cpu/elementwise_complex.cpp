// Inner loops on complex numbers.
#include <algorithm>
#include <cmath>
#include <complex>
#include <type_traits>

#include "kernels/cpu/complex_functions.h"
#include "kernels/cpu/plain_loops.h"

namespace ef::cpu {
namespace {

template <class T>
C<T> sign(C<T> x) {
  const T magnitude = std::abs(x);
  return magnitude == 0 ? C<T>(0) : x / magnitude;
}

// e^x - 1 without cancellation for a small real part: expm1(a) cos(b) - 2 sin(b/2)^2 + i e^a
// sin(b).
template <class T>
C<T> expm1(C<T> x) {
  const T half = std::sin(x.imag() / 2);
  const T real = std::expm1(x.real()) * std::cos(x.imag()) - 2 * half * half;
  return {real, std::exp(x.real()) * std::sin(x.imag())};
}

// |1 + x|^2 - 1 = a (a + 2) + b^2, which does not cancel for small x.
template <class T>
C<T> log1p(C<T> x) {
  const T a = x.real(), b = x.imag();
  const C<T> shifted(1 + a, b);
  if (std::abs(a) + std::abs(b) > T(0.5)) return logarithm(shifted);
  return {std::log1p(a * (a + 2) + b * b) / 2, std::arg(shifted)};
}

template <class T>
C<T> sigmoid(C<T> x) {
  return quotient(C<T>(1), T(1) + exponential(-x));
}

template <class T>
C<T> divide_no_nan(C<T> x, C<T> y) {
  return y == C<T>(0) ? C<T>(0) : quotient(x, y);
}
template <class T>
C<T> multiply_no_nan(C<T> x, C<T> y) {
  return y == C<T>(0) ? C<T>(0) : x * y;
}
template <class T>
C<T> squared_difference(C<T> x, C<T> y) {
  const C<T> d = x - y;
  return d * std::conj(d);
}
template <class T>
C<T> xdivy(C<T> x, C<T> y) {
  return x == C<T>(0) ? C<T>(0) : quotient(x, y);
}
template <class T>
C<T> xlogy(C<T> x, C<T> y) {
  return x == C<T>(0) ? C<T>(0) : x * logarithm(y);
}
template <class T>
C<T> xlog1py(C<T> x, C<T> y) {
  return x == C<T>(0) ? C<T>(0) : x * log1p(y);
}

// A zero gradient stays zero, whatever the slope.
template <class T>
C<T> sqrt_grad(C<T> y, C<T> dy) {
  return dy == C<T>(0) ? C<T>(0) : quotient(dy * T(0.5), std::conj(y));
}
template <class T>
C<T> rsqrt_grad(C<T> y, C<T> dy) {
  const C<T> z = std::conj(y);
  return dy == C<T>(0) ? C<T>(0) : dy * T(-0.5) * z * z * z;
}
template <class T>
C<T> reciprocal_grad(C<T> y, C<T> dy) {
  const C<T> z = std::conj(y);
  return dy == C<T>(0) ? C<T>(0) : -dy * z * z;
}

// Numbers of which the parts are computed by loops on real numbers.
constexpr int64_t kComplexBlock = 256;

template <Unary op, class T>
void apply(T* out, const T* x, int64_t count) {
  constexpr DType type = std::is_same_v<T, float> ? DType::kFloat32 : DType::kFloat64;
  element_loops().unary[static_cast<int>(op)][static_cast<int>(type)](out, x, count, 0);
}

void angles_of(float* out, const C<float>* x, int64_t count) {
  float real[kComplexBlock], imag[kComplexBlock];
  for (int64_t i = 0; i < count; ++i) {
    real[i] = x[i].real();
    imag[i] = x[i].imag();
  }
  constexpr auto atan2 = static_cast<int>(Binary::kAtan2);
  element_loops().binary[atan2][static_cast<int>(DType::kFloat32)](out, imag, real, count,
                                                                   Form::kBoth, 0);
}

void logarithms_of(C<float>* out, const C<float>* x, int64_t count) {
  float angles[kComplexBlock];
  angles_of(angles, x, count);
  double squares[kComplexBlock], sizes[kComplexBlock];
  for (int64_t i = 0; i < count; ++i) squares[i] = squared_length(x[i]);
  apply<Unary::kLog>(sizes, squares, count);
  for (int64_t i = 0; i < count; ++i) {
    if (is_near_one(squares[i])) sizes[i] = 2 * log_of_length(x[i]);
    out[i] = rounded_or(sizes[i] / 2, angles[i], [&] { return std::log(x[i]); });
  }
}

void exponentials_of(C<float>* out, const C<float>* x, int64_t count) {
  double real[kComplexBlock], sizes[kComplexBlock];
  float imag[kComplexBlock], cosines[kComplexBlock], sines[kComplexBlock];
  for (int64_t i = 0; i < count; ++i) {
    real[i] = x[i].real();
    imag[i] = x[i].imag();
  }
  apply<Unary::kExp>(sizes, real, count);
  apply<Unary::kCos>(cosines, imag, count);
  apply<Unary::kSin>(sines, imag, count);
  for (int64_t i = 0; i < count; ++i) {
    out[i] = rounded_or(sizes[i] * cosines[i], sizes[i] * sines[i], [&] { return std::exp(x[i]); });
  }
}

template <class Out, auto function>
void in_blocks(void* out, const void* x, int64_t count, double) {
  for (int64_t i = 0; i < count; i += kComplexBlock) {
    function(static_cast<Out*>(out) + i, static_cast<const C<float>*>(x) + i,
             std::min(kComplexBlock, count - i));
  }
}

template <class T>
void add_complex(ElementLoops& loops, DType type, DType real_type) {
  using X = C<T>;
  const auto same = [&](Unary op, UnaryLoop loop) { loops.at(op, type) = loop; };
  const auto pair = [&](Binary op, BinaryLoop loop) { loops.at(op, type) = loop; };
  same(Unary::kNegative, plain_unary<X, X, [](X x) { return -x; }>);
  same(Unary::kAbs, plain_unary<X, T, [](X x) { return std::abs(x); }>);
  same(Unary::kSign, plain_unary<X, X, sign<T>>);
  same(Unary::kSquare, plain_unary<X, X, [](X x) { return x * x; }>);
  same(Unary::kSqrt, plain_unary<X, X, root<T>>);
  same(Unary::kRsqrt, plain_unary<X, X, [](X x) { return quotient(X(1), root(x)); }>);
  same(Unary::kReciprocal, plain_unary<X, X, [](X x) { return quotient(X(1), x); }>);
  same(Unary::kExp, plain_unary<X, X, exponential<T>>);
  same(Unary::kExpm1, plain_unary<X, X, expm1<T>>);
  same(Unary::kLog, plain_unary<X, X, logarithm<T>>);
  same(Unary::kLog1p, plain_unary<X, X, log1p<T>>);
  same(Unary::kSin, plain_unary<X, X, [](X x) { return std::sin(x); }>);
  same(Unary::kCos, plain_unary<X, X, [](X x) { return std::cos(x); }>);
  same(Unary::kTan, plain_unary<X, X, [](X x) { return std::tan(x); }>);
  same(Unary::kAsin, plain_unary<X, X, [](X x) { return std::asin(x); }>);
  same(Unary::kAcos, plain_unary<X, X, [](X x) { return std::acos(x); }>);
  same(Unary::kAtan, plain_unary<X, X, [](X x) { return std::atan(x); }>);
  same(Unary::kSinh, plain_unary<X, X, [](X x) { return std::sinh(x); }>);
  same(Unary::kCosh, plain_unary<X, X, [](X x) { return std::cosh(x); }>);
  same(Unary::kTanh, plain_unary<X, X, [](X x) { return std::tanh(x); }>);
  same(Unary::kAsinh, plain_unary<X, X, [](X x) { return std::asinh(x); }>);
  same(Unary::kAcosh, plain_unary<X, X, [](X x) { return std::acosh(x); }>);
  same(Unary::kAtanh, plain_unary<X, X, [](X x) { return std::atanh(x); }>);
  same(Unary::kSigmoid, plain_unary<X, X, sigmoid<T>>);
  same(Unary::kReal, plain_unary<X, T, [](X x) { return x.real(); }>);
  same(Unary::kImag, plain_unary<X, T, [](X x) { return x.imag(); }>);
  same(Unary::kConj, plain_unary<X, X, [](X x) { return std::conj(x); }>);
  same(Unary::kAngle, plain_unary<X, T, [](X x) { return std::arg(x); }>);

  pair(Binary::kAdd, plain_binary<X, X, [](X x, X y) { return x + y; }>);
  pair(Binary::kSubtract, plain_binary<X, X, [](X x, X y) { return x - y; }>);
  pair(Binary::kMultiply, plain_binary<X, X, [](X x, X y) { return x * y; }>);
  pair(Binary::kRealDivide, plain_binary<X, X, quotient<T>>);
  pair(Binary::kPow, plain_binary<X, X, power<T>>);
  pair(Binary::kDivideNoNan, plain_binary<X, X, divide_no_nan<T>>);
  pair(Binary::kMultiplyNoNan, plain_binary<X, X, multiply_no_nan<T>>);
  pair(Binary::kSquaredDifference, plain_binary<X, X, squared_difference<T>>);
  pair(Binary::kXdivy, plain_binary<X, X, xdivy<T>>);
  pair(Binary::kXlogy, plain_binary<X, X, xlogy<T>>);
  pair(Binary::kXlog1py, plain_binary<X, X, xlog1py<T>>);
  pair(Binary::kEqual, plain_binary<X, bool, [](X x, X y) { return x == y; }>);
  pair(Binary::kNotEqual, plain_binary<X, bool, [](X x, X y) { return x != y; }>);
  // Gradients as functions of (y, dy). The callers conjugate y for the first two.
  pair(Binary::kTanhGrad, plain_binary<X, X, [](X y, X dy) { return dy * (T(1) - y * y); }>);
  pair(Binary::kSigmoidGrad, plain_binary<X, X, [](X y, X dy) { return dy * y * (T(1) - y); }>);
  pair(Binary::kSqrtGrad, plain_binary<X, X, sqrt_grad<T>>);
  pair(Binary::kRsqrtGrad, plain_binary<X, X, rsqrt_grad<T>>);
  pair(Binary::kReciprocalGrad, plain_binary<X, X, reciprocal_grad<T>>);
  loops.at(Binary::kComplex, real_type) = plain_binary<T, X, [](T a, T b) { return X(a, b); }>;
}

}  // namespace

void add_complex_loops(ElementLoops& loops) {
  add_complex<float>(loops, DType::kComplex64, DType::kFloat32);
  add_complex<double>(loops, DType::kComplex128, DType::kFloat64);
  loops.at(Unary::kAngle, DType::kComplex64) = in_blocks<float, angles_of>;
  loops.at(Unary::kLog, DType::kComplex64) = in_blocks<C<float>, logarithms_of>;
  loops.at(Unary::kExp, DType::kComplex64) = in_blocks<C<float>, exponentials_of>;
}

}  // namespace ef::cpu
