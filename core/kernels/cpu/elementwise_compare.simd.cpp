// Inner loops of comparisons, logic, bits and selection.
#include <cstdint>
#include <cstring>

#include "kernels/cpu/vector_loops.h"
#include "kernels/cpu/vector_tiles.h"

namespace ef::cpu::EF_ISA {
namespace {

using enum DType;

struct Equal {
  template <class T>
  static bool of(T x, T y) {
    return x == y;
  }
};
struct NotEqual {
  template <class T>
  static bool of(T x, T y) {
    return x != y;
  }
};
struct Less {
  template <class T>
  static bool of(T x, T y) {
    return x < y;
  }
};
struct LessEqual {
  template <class T>
  static bool of(T x, T y) {
    return x <= y;
  }
};
struct And {
  template <class T>
  static T of(T x, T y) {
    return x & y;
  }
};
struct Or {
  template <class T>
  static T of(T x, T y) {
    return x | y;
  }
};
struct Xor {
  template <class T>
  static T of(T x, T y) {
    return x ^ y;
  }
};
struct Invert {
  template <class T>
  static T of(T x) {
    return static_cast<T>(~x);
  }
};
struct Not {
  static uint8_t of(uint8_t x) { return x ^ 1; }
};

// Shift counts are clamped to [0, bits - 1].
template <class T>
int shift_count(T y) {
  constexpr int kMost = static_cast<int>(sizeof(T)) * 8 - 1;
  return y < 0 ? 0 : y > static_cast<T>(kMost) ? kMost : static_cast<int>(y);
}
struct LeftShift {
  template <class T>
  static T of(T x, T y) {
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(x) << shift_count(y));
  }
};
struct RightShift {
  template <class T>
  static T of(T x, T y) {
    return static_cast<T>(x >> shift_count(y));
  }
};

// Classifies a float by its bits, which optimisations of float arithmetic cannot affect.
template <class Bits>
Bits magnitude(Bits x) {
  return static_cast<Bits>(x & static_cast<Bits>(static_cast<Bits>(~Bits{0}) >> 1));
}
template <class Bits, Bits kInfinity>
struct IsNan {
  static bool of(Bits x) { return magnitude(x) > kInfinity; }
};
template <class Bits, Bits kInfinity>
struct IsInf {
  static bool of(Bits x) { return magnitude(x) == kInfinity; }
};
template <class Bits, Bits kInfinity>
struct IsFinite {
  static bool of(Bits x) { return magnitude(x) < kInfinity; }
};

template <class T>
void add_equality(ElementLoops& loops, std::initializer_list<DType> types) {
  set(loops, Binary::kEqual, commutative_loop<T, bool, Equal>, types);
  set(loops, Binary::kNotEqual, commutative_loop<T, bool, NotEqual>, types);
}

template <class T>
void add_order(ElementLoops& loops, DType type) {
  loops.at(Binary::kLess, type) = binary_loop<T, bool, Less>;
  loops.at(Binary::kLessEqual, type) = binary_loop<T, bool, LessEqual>;
}

template <class T>
void add_floating(ElementLoops& loops, DType type) {
  add_equality<T>(loops, {type});
  add_order<T>(loops, type);
  set_comparison_tiles<T, Equal>(loops, Binary::kEqual);
  set_comparison_tiles<T, NotEqual>(loops, Binary::kNotEqual);
  set_comparison_tiles<T, Less>(loops, Binary::kLess);
  set_comparison_tiles<T, LessEqual>(loops, Binary::kLessEqual);
}

template <class T>
void add_bits(ElementLoops& loops, DType a, DType b) {
  set(loops, Binary::kBitwiseAnd, commutative_loop<T, T, And>, {a, b});
  set(loops, Binary::kBitwiseOr, commutative_loop<T, T, Or>, {a, b});
  set(loops, Binary::kBitwiseXor, commutative_loop<T, T, Xor>, {a, b});
  set(loops, Unary::kInvert, unary_loop<T, T, Invert>, {a, b});
}

template <class T>
void add_integer(ElementLoops& loops, DType type) {
  add_order<T>(loops, type);
  loops.at(Binary::kLeftShift, type) = binary_loop<T, T, LeftShift>;
  loops.at(Binary::kRightShift, type) = binary_loop<T, T, RightShift>;
}

template <class Bits, Bits kInfinity>
void add_classes(ElementLoops& loops, DType type) {
  loops.at(Unary::kIsNan, type) = unary_loop<Bits, bool, IsNan<Bits, kInfinity>>;
  loops.at(Unary::kIsInf, type) = unary_loop<Bits, bool, IsInf<Bits, kInfinity>>;
  loops.at(Unary::kIsFinite, type) = unary_loop<Bits, bool, IsFinite<Bits, kInfinity>>;
}

struct Pair64 {
  uint64_t low, high;
};

template <class T>
void select_loop(void* out, const bool* condition, const void* x, const void* y, int64_t count,
                 int64_t x_step, int64_t y_step) {
  auto* to = static_cast<T*>(out);
  const auto* xs = static_cast<const T*>(x);
  const auto* ys = static_cast<const T*>(y);
  const auto* chosen = reinterpret_cast<const uint8_t*>(condition);
  if (x_step != 0 && y_step != 0) {
#pragma omp simd
    for (int64_t i = 0; i < count; ++i) {
      const T a = xs[i], b = ys[i];
      to[i] = chosen[i] ? a : b;
    }
  } else if (x_step != 0) {
    const T b = *ys;
#pragma omp simd
    for (int64_t i = 0; i < count; ++i) {
      const T a = xs[i];
      to[i] = chosen[i] ? a : b;
    }
  } else if (y_step != 0) {
    const T a = *xs;
#pragma omp simd
    for (int64_t i = 0; i < count; ++i) {
      const T b = ys[i];
      to[i] = chosen[i] ? a : b;
    }
  } else {
    const T a = *xs, b = *ys;
#pragma omp simd
    for (int64_t i = 0; i < count; ++i) to[i] = chosen[i] ? a : b;
  }
}

}  // namespace

void add_compare_loops(ElementLoops& loops) {
  add_equality<uint8_t>(loops, {kInt8, kUint8, kBool, kQint8, kQuint8});
  add_equality<uint16_t>(loops, {kInt16, kUint16, kQint16, kQuint16});
  add_equality<uint32_t>(loops, {kInt32, kUint32, kQint32});
  add_equality<uint64_t>(loops, {kInt64, kUint64});
  add_floating<float>(loops, kFloat32);
  add_floating<double>(loops, kFloat64);
  add_integer<int8_t>(loops, kInt8);
  add_integer<int16_t>(loops, kInt16);
  add_integer<int32_t>(loops, kInt32);
  add_integer<int64_t>(loops, kInt64);
  add_integer<uint8_t>(loops, kUint8);
  add_integer<uint16_t>(loops, kUint16);
  add_integer<uint32_t>(loops, kUint32);
  add_integer<uint64_t>(loops, kUint64);
  add_bits<uint8_t>(loops, kInt8, kUint8);
  add_bits<uint16_t>(loops, kInt16, kUint16);
  add_bits<uint32_t>(loops, kInt32, kUint32);
  add_bits<uint64_t>(loops, kInt64, kUint64);
  add_classes<uint16_t, 0x7c00>(loops, kFloat16);
  add_classes<uint16_t, 0x7f80>(loops, kBfloat16);
  add_classes<uint32_t, 0x7f800000>(loops, kFloat32);
  add_classes<uint64_t, 0x7ff0000000000000>(loops, kFloat64);
  loops.at(Binary::kLogicalAnd, kBool) = commutative_loop<uint8_t, uint8_t, And>;
  loops.at(Binary::kLogicalOr, kBool) = commutative_loop<uint8_t, uint8_t, Or>;
  loops.at(Binary::kLogicalXor, kBool) = commutative_loop<uint8_t, uint8_t, Xor>;
  loops.at(Unary::kLogicalNot, kBool) = unary_loop<uint8_t, uint8_t, Not>;
  loops.select[0] = select_loop<uint8_t>;
  loops.select[1] = select_loop<uint16_t>;
  loops.select[2] = select_loop<uint32_t>;
  loops.select[3] = select_loop<uint64_t>;
  loops.select[4] = select_loop<Pair64>;
}

}  // namespace ef::cpu::EF_ISA
