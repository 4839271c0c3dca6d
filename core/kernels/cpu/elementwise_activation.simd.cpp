// Inner loops of activation functions, and of gradients computed in one step.
#include <cstdint>

#include "kernels/cpu/vector_loops.h"
#include "kernels/cpu/vector_math.h"
#include "kernels/cpu/vector_tiles.h"

namespace ef::cpu::EF_ISA {

EF_VECTOR_FUNCTION(erfc)

namespace {

// Klambauer et al., "Self-Normalizing Neural Networks" (2017).
constexpr double kSeluScale = 1.0507009873554804934193349852946;
constexpr double kSeluScaleAlpha = 1.7580993408473768599402175208123;

// e^x - 1 for x <= 0.
EF_INLINE F32 expm1_negative(F32 x) { return expm1_bounded(x); }
// Here x/2 keeps digits that e^x - 1 would lose: e^x - 1 = 2 tanh(x/2) / (1 - tanh(x/2)).
EF_INLINE F64 expm1_negative(F64 x) {
  const F64 t = vtanh(x * 0.5);
  return 2 * t / (1 - t);
}

template <class V, class T>
EF_INLINE V at_most_zero(V x, T) {
  return x > 0 ? V{} : x;
}

struct Elu {
  template <class T, class V = Vec<T>>
  static V of(V x, T) {
    const V below = expm1_negative(at_most_zero(x, T{}));
    // Where e^x - 1 rounds to x, x itself keeps the sign of zero.
    return x < 0 ? below : x;
  }
};
struct Selu {
  template <class T, class V = Vec<T>>
  static V of(V x, T) {
    const V below = expm1_negative(at_most_zero(x, T{})) * static_cast<T>(kSeluScaleAlpha);
    return x < 0 ? below : x * static_cast<T>(kSeluScale);
  }
};
// log(1 + e^x) = max(x, 0) + log(1 + e^-|x|), which never overflows.
struct Softplus {
  template <class T, class V = Vec<T>>
  static V of(V x, T) {
    const V above = x < 0 ? V{} : x;
    return above + vlog1p_of_share(vexp(-vabs(x)));
  }
};
struct Softsign {
  template <class T, class V = Vec<T>>
  static V of(V x, T) {
    return x / (1 + vabs(x));
  }
};
// Hendrycks and Gimpel, "Gaussian Error Linear Units" (2016): x times the normal distribution.
// Two constants are floats even for doubles, as in TensorFlow, whose values we match.
constexpr double kGeluInverseWidth = 0.70710678118654752440f;  // sqrt(1 / 2)
constexpr double kGeluRate = 0.79788456080286535588;           // sqrt(2 / pi)
constexpr double kGeluCubic = 0.044715f;
constexpr double kRootPi = 1.77245385090551602730;
struct Gelu {
  template <class T, class V = Vec<T>>
  static V of(V x, T) {
    return x * static_cast<T>(0.5) * verfc(x * static_cast<T>(-kGeluInverseWidth));
  }
};
struct GeluTanh {
  template <class T, class V = Vec<T>>
  static V of(V x, T) {
    const V inner = (x + x * x * x * static_cast<T>(kGeluCubic)) * static_cast<T>(kGeluRate);
    return x * static_cast<T>(0.5) * (1 + vtanh(inner));
  }
};

// Gradients as functions of (dy, x).
struct SoftplusGrad {
  template <class T, class V = Vec<T>>
  static V of(V dy, V x, T) {
    return dy * vsigmoid(x);
  }
};
struct SoftsignGrad {
  template <class T, class V = Vec<T>>
  static V of(V dy, V x, T) {
    const V d = 1 + vabs(x);
    return dy / (d * d);
  }
};
struct GeluGrad {
  template <class T, class V = Vec<T>>
  static V of(V dy, V x, T) {
    const V z = x * static_cast<T>(kGeluInverseWidth);
    const V below = verfc(-z) * static_cast<T>(0.5);
    const V density = vexp(-z * z) * static_cast<T>(kGeluInverseWidth / kRootPi);
    return dy * (below + x * density);
  }
};
struct GeluTanhGrad {
  template <class T, class V = Vec<T>>
  static V of(V dy, V x, T) {
    const V square = x * x;
    const V inner = x * (1 + square * static_cast<T>(kGeluCubic)) * static_cast<T>(kGeluRate);
    const V t = vtanh(inner);
    const V slope = (1 + square * static_cast<T>(3 * kGeluCubic)) * static_cast<T>(kGeluRate);
    return dy * static_cast<T>(0.5) * ((1 + t) + x * (1 - t * t) * slope);
  }
};

template <class T, class Op>
void activation_loop(void* out, const void* x, int64_t count, double) {
  map<T>(out, x, count, [](Vec<T> v) { return Op::template of<T>(v, T{}); });
}

template <class T, class Op>
void activation_tile(const TileStep* step, int64_t begin, EF_TILE(Vec<T>)) {
  tile_map<T>(step, begin, [](Vec<T> v) { return Op::template of<T>(v, T{}); }, EF_TILE_VALUES);
}

template <class T, class Op>
void set_activation(ElementLoops& loops, Unary op) {
  loops.at(op, kDTypeOf<T>) = activation_loop<T, Op>;
  loops.tiles_of(kDTypeOf<T>).unary[static_cast<int>(op)].first =
      tile_code<T>(activation_tile<T, Op>);
}

template <class T, class Op>
void activation_grad_loop(void* out, const void* dy, const void* x, int64_t count, Form, double) {
  map2<T>(out, dy, x, count, [](Vec<T> a, Vec<T> b) { return Op::template of<T>(a, b, T{}); });
}

template <class T>
struct Relu {
  template <class V>
  static V of(V x) {
    return x <= 0 ? V{} : x;
  }
};
template <class T>
struct Relu6 {
  template <class V>
  static V of(V x) {
    const V six = V{} + T{6};
    const V below = x >= 6 ? six : x;
    return x <= 0 ? V{} : below;
  }
};
// Multiplies by the factor instead of selecting, so that a NaN in dy is not hidden.
template <class T>
struct ReluGrad {
  template <class V>
  static V of(V dy, V x) {
    const V one = V{} + T{1};
    return dy * (x > 0 ? one : V{});
  }
};
template <class T>
struct Relu6Grad {
  static T of(T dy, T x) { return dy * ((x > 0) & (x < 6) ? T{1} : T{0}); }
};
template <class T>
struct EluGrad {
  static T of(T dy, T y) { return y < 0 ? dy * (y + 1) : dy; }
};
template <class T>
struct SeluGrad {
  static T of(T dy, T y) {
    return dy * (y < 0 ? y + static_cast<T>(kSeluScaleAlpha) : static_cast<T>(kSeluScale));
  }
};
// Gradients as functions of (y, dy).
template <class T>
struct TanhGrad {
  static T of(T y, T dy) { return dy * (1 - y * y); }
};
template <class T>
struct SigmoidGrad {
  static T of(T y, T dy) { return dy * y * (1 - y); }
};
// A zero gradient stays zero even where the slope at 0 is infinite.
template <class T>
struct SqrtGrad {
  static T of(T y, T dy) { return dy == 0 ? T{0} : dy * T(0.5) / y; }
};
template <class T>
struct RsqrtGrad {
  static T of(T y, T dy) { return dy == 0 ? T{0} : (dy * T(-0.5) * y) * (y * y); }
};
template <class T>
struct ReciprocalGrad {
  static T of(T y, T dy) { return dy == 0 ? T{0} : -dy * (y * y); }
};

template <class T>
void leaky_relu_loop(void* out, const void* x, int64_t count, double alpha) {
  auto* to = static_cast<T*>(out);
  const auto* from = static_cast<const T*>(x);
  const T slope = static_cast<float>(alpha);  // a float in TensorFlow too
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) to[i] = from[i] > 0 ? from[i] : from[i] * slope;
}

template <class T>
void leaky_relu_grad_loop(void* out, const void* dy, const void* x, int64_t count, Form,
                          double alpha) {
  auto* to = static_cast<T*>(out);
  const auto* dys = static_cast<const T*>(dy);
  const auto* xs = static_cast<const T*>(x);
  const T slope = static_cast<float>(alpha);  // a float in TensorFlow too
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) to[i] = xs[i] > 0 ? dys[i] : dys[i] * slope;
}

template <class T>
void add_relu(ElementLoops& loops, DType type) {
  loops.at(Unary::kRelu, type) = unary_loop<T, T, Relu<T>>;
  loops.at(Unary::kRelu6, type) = unary_loop<T, T, Relu6<T>>;
}

template <class T, template <class> class Op>
void set_grad(ElementLoops& loops, Binary op) {
  loops.at(op, kDTypeOf<T>) = binary_loop<T, T, Op<T>>;
  set_tiles<T, Op<T>>(loops, op);
}

template <class T>
void add_floating(ElementLoops& loops, DType type) {
  add_relu<T>(loops, type);
  set_tiles<T, Relu<T>>(loops, Unary::kRelu);
  set_tiles<T, Relu6<T>>(loops, Unary::kRelu6);
  loops.at(Unary::kLeakyRelu, type) = leaky_relu_loop<T>;
  set_activation<T, Elu>(loops, Unary::kElu);
  set_activation<T, Selu>(loops, Unary::kSelu);
  set_activation<T, Softplus>(loops, Unary::kSoftplus);
  set_activation<T, Softsign>(loops, Unary::kSoftsign);
  set_activation<T, Gelu>(loops, Unary::kGelu);
  set_activation<T, GeluTanh>(loops, Unary::kGeluTanh);
  loops.at(Binary::kSoftplusGrad, type) = activation_grad_loop<T, SoftplusGrad>;
  loops.at(Binary::kSoftsignGrad, type) = activation_grad_loop<T, SoftsignGrad>;
  loops.at(Binary::kGeluGrad, type) = activation_grad_loop<T, GeluGrad>;
  loops.at(Binary::kGeluTanhGrad, type) = activation_grad_loop<T, GeluTanhGrad>;
  loops.at(Binary::kLeakyReluGrad, type) = leaky_relu_grad_loop<T>;
  set_grad<T, ReluGrad>(loops, Binary::kReluGrad);
  set_grad<T, Relu6Grad>(loops, Binary::kRelu6Grad);
  set_grad<T, EluGrad>(loops, Binary::kEluGrad);
  set_grad<T, SeluGrad>(loops, Binary::kSeluGrad);
  set_grad<T, TanhGrad>(loops, Binary::kTanhGrad);
  set_grad<T, SigmoidGrad>(loops, Binary::kSigmoidGrad);
  set_grad<T, SqrtGrad>(loops, Binary::kSqrtGrad);
  set_grad<T, RsqrtGrad>(loops, Binary::kRsqrtGrad);
  set_grad<T, ReciprocalGrad>(loops, Binary::kReciprocalGrad);
}

}  // namespace

void add_activation_loops(ElementLoops& loops) {
  add_floating<float>(loops, DType::kFloat32);
  add_floating<double>(loops, DType::kFloat64);
  add_relu<int8_t>(loops, DType::kInt8);
  add_relu<int16_t>(loops, DType::kInt16);
  add_relu<int32_t>(loops, DType::kInt32);
  add_relu<int64_t>(loops, DType::kInt64);
  add_relu<uint8_t>(loops, DType::kUint8);
  add_relu<uint16_t>(loops, DType::kUint16);
  add_relu<uint32_t>(loops, DType::kUint32);
  add_relu<uint64_t>(loops, DType::kUint64);
}

}  // namespace ef::cpu::EF_ISA
