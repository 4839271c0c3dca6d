// Inner loops of exponentials, logarithms, trigonometric functions and their relatives.
#include <cstdint>
#include <type_traits>

#include "kernels/cpu/elementwise_loops.h"
#include "kernels/cpu/vector_math.h"

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

struct Pow {
  template <class V>
  static V of(V x, V y) {
    return vpow(x, y);
  }
};
struct Atan2 {
  template <class V>
  static V of(V y, V x) {
    return vatan2(y, x);
  }
};
// The x in front decides alone when it is zero.
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

template <class T, class Op>
void math_loop(void* out, const void* x, int64_t count, double) {
  map<T>(out, x, count, [](Vec<T> v) { return Op::template of<Vec<T>>(v); });
}

// The powers that programs write most.
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
  loops.at(Unary::kExp, type) = math_loop<T, Exp>;
  loops.at(Unary::kExpm1, type) = math_loop<T, Expm1>;
  loops.at(Unary::kLog, type) = math_loop<T, Log>;
  loops.at(Unary::kLog1p, type) = math_loop<T, Log1p>;
  loops.at(Unary::kSin, type) = math_loop<T, Sin>;
  loops.at(Unary::kCos, type) = math_loop<T, Cos>;
  loops.at(Unary::kTan, type) = math_loop<T, Tan>;
  loops.at(Unary::kAsin, type) = math_loop<T, Asin>;
  loops.at(Unary::kAcos, type) = math_loop<T, Acos>;
  loops.at(Unary::kAtan, type) = math_loop<T, Atan>;
  loops.at(Unary::kSinh, type) = math_loop<T, Sinh>;
  loops.at(Unary::kCosh, type) = math_loop<T, Cosh>;
  loops.at(Unary::kTanh, type) = math_loop<T, Tanh>;
  loops.at(Unary::kAsinh, type) = math_loop<T, Asinh>;
  loops.at(Unary::kAcosh, type) = math_loop<T, Acosh>;
  loops.at(Unary::kAtanh, type) = math_loop<T, Atanh>;
  loops.at(Unary::kSigmoid, type) = math_loop<T, Sigmoid>;
  loops.at(Unary::kErf, type) = math_loop<T, Erf>;
  loops.at(Unary::kErfc, type) = math_loop<T, Erfc>;
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
