// Kernels of unary and binary operations: broadcasting, half precision and threads around the
// loops.
#include "kernels/cpu/elementwise.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "device/isa.h"
#include "kernels/cpu/bias.h"
#include "kernels/cpu/broadcast.h"
#include "kernels/cpu/element_blocks.h"
#include "kernels/cpu/fill.h"
#include "kernels/cpu/widen.h"
#include "ops/elementwise.h"
#include "ops/elementwise_infer.h"
#include "ops/op.h"
#include "tensor/error.h"

namespace ef::cpu {
namespace {

ElementLoops make_loops() {
  ElementLoops loops;
  add_integer_division_loops(loops);
  add_complex_loops(loops);
  add_special_loops(loops);
  const auto add_all = [&](auto... add) { (add(loops), ...); };
  switch (isa()) {
#if defined(__x86_64__)
    case Isa::kAvx2:
      add_all(avx2::add_arithmetic_loops, avx2::add_math_loops, avx2::add_activation_loops,
              avx2::add_compare_loops, avx2::add_cast_loops, avx2::add_tile_loops);
      break;
    case Isa::kAvx512:
      add_all(avx512::add_arithmetic_loops, avx512::add_math_loops, avx512::add_activation_loops,
              avx512::add_compare_loops, avx512::add_cast_loops, avx512::add_tile_loops);
      break;
#endif
    default:
      add_all(baseline::add_arithmetic_loops, baseline::add_math_loops,
              baseline::add_activation_loops, baseline::add_compare_loops, baseline::add_cast_loops,
              baseline::add_tile_loops);
  }
  add_narrow_cast_loops(loops);
  return loops;
}

// With fewer elements even the slowest loop is not worth a second thread.
constexpr int64_t kSmall = 1024;

// One thread processes these in about ten microseconds.
constexpr int64_t kGrainArithmetic = 65536;
constexpr int64_t kGrainMath = 32768;
constexpr int64_t kGrainPlain = 1024;
constexpr int64_t kGrainSlow = 128;

int64_t grain_of(Unary op, DType type) {
  if (is_complex(type)) return kGrainPlain;
  switch (op) {
    case Unary::kErfinv:
    case Unary::kLgamma:
    case Unary::kDigamma:
    case Unary::kBesselI0:
    case Unary::kBesselI0e:
    case Unary::kBesselI1:
    case Unary::kBesselI1e:
    case Unary::kBesselK0:
    case Unary::kBesselK0e:
    case Unary::kBesselK1:
    case Unary::kBesselK1e:
    case Unary::kBesselJ0:
    case Unary::kBesselJ1:
    case Unary::kBesselY0:
    case Unary::kBesselY1:
    case Unary::kDawson:
    case Unary::kExpint:
    case Unary::kFresnelCos:
    case Unary::kFresnelSin:
    case Unary::kSpence:
    case Unary::kNdtri: return kGrainPlain;
    case Unary::kNegative:
    case Unary::kAbs:
    case Unary::kSign:
    case Unary::kSquare:
    case Unary::kFloor:
    case Unary::kCeil:
    case Unary::kRound:
    case Unary::kIsNan:
    case Unary::kIsInf:
    case Unary::kIsFinite:
    case Unary::kRelu:
    case Unary::kRelu6:
    case Unary::kLeakyRelu:
    case Unary::kLogicalNot:
    case Unary::kInvert: return kGrainArithmetic;
    default: return kGrainMath;
  }
}

int64_t grain_of(Binary op, DType type) {
  if (is_complex(type)) return kGrainPlain;
  switch (op) {
    case Binary::kPolygamma:
    case Binary::kZeta:
    case Binary::kIgamma:
    case Binary::kIgammac:
    case Binary::kIgammaGradA:
    case Binary::kRandomGammaGrad: return kGrainSlow;
    case Binary::kTruncateDiv:
    case Binary::kFloorDiv:
    case Binary::kPow: return is_integer(type) ? kGrainPlain * 4 : kGrainMath;
    case Binary::kTruncateMod:
    case Binary::kFloorMod: return kGrainPlain * 2;
    case Binary::kAtan2:
    case Binary::kXdivy:
    case Binary::kXlogy:
    case Binary::kXlog1py:
    case Binary::kSoftplusGrad:
    case Binary::kGeluGrad:
    case Binary::kGeluTanhGrad: return kGrainMath;
    default: return kGrainArithmetic;
  }
}

constexpr int64_t kBlock = 512;

// Converts float16 and bfloat16 for a loop over floats. `narrow` is null if the result has another
// dtype.
struct Widening {
  CastLoop widen = nullptr;
  CastLoop narrow = nullptr;

  static Widening of(const ElementLoops& loops, DType in, DType out) {
    const auto cast = [&](DType from, DType to) {
      return loops.cast[static_cast<int>(from)][static_cast<int>(to)];
    };
    return {cast(in, DType::kFloat32), out == in ? cast(DType::kFloat32, out) : nullptr};
  }
};

bool has_tiles(DType type) { return type == DType::kFloat32 || type == DType::kFloat64; }

// The loops that chains call. They also convert float16 and bfloat16, unless they are plain.
struct PlainUnaryCall {
  UnaryLoop loop;
  double parameter;

  void run(void* to, const void* const* inputs, uint32_t, int64_t count) const {
    loop(to, inputs[0], count, parameter);
  }
};

// The loop of an operation for these dtypes; empty if there is none.
template <class Call>
Call call_of(const auto& loops_by_type, DType in, DType out, double parameter) {
  Call call{loops_by_type[static_cast<int>(in)],
            parameter,
            {},
            static_cast<int64_t>(element_size(in)),
            static_cast<int64_t>(element_size(out))};
  if (call.loop || !is_floating(in)) return call;
  call.loop = loops_by_type[static_cast<int>(DType::kFloat32)];
  call.half = Widening::of(element_loops(), in, out);
  return call;
}

struct UnaryCall {
  UnaryLoop loop;
  double parameter;
  Widening half;
  int64_t in_bytes;
  int64_t out_bytes;

  static UnaryCall of(Unary op, DType in, DType out, double parameter) {
    return call_of<UnaryCall>(element_loops().unary[static_cast<int>(op)], in, out, parameter);
  }

  void operator()(void* to, const void* x, int64_t count) const {
    if (!half.widen) return loop(to, x, count, parameter);
    float wide[kBlock];
    for (int64_t i = 0; i < count; i += kBlock) {
      const int64_t size = std::min(kBlock, count - i);
      half.widen(wide, byte_at(x, i * in_bytes), size);
      if (half.narrow) {
        loop(wide, wide, size, parameter);
        half.narrow(byte_at(to, i * out_bytes), wide, size);
      } else {
        loop(byte_at(to, i * out_bytes), wide, size, parameter);
      }
    }
  }
  void run(void* to, const void* const* inputs, uint32_t, int64_t count) const {
    (*this)(to, inputs[0], count);
  }
};

// `single` has a bit for each operand that is a single element; at most one bit is set.
Form form_of(uint32_t single) {
  return single == 0 ? Form::kBoth : single == 1 ? Form::kScalarX : Form::kScalarY;
}

struct PlainBinaryCall {
  BinaryLoop loop;
  double parameter;

  void run(void* to, const void* const* inputs, uint32_t single, int64_t count) const {
    loop(to, inputs[0], inputs[1], count, form_of(single), parameter);
  }
};

struct BinaryCall {
  BinaryLoop loop;
  double parameter;
  Widening half;
  int64_t in_bytes;
  int64_t out_bytes;

  static BinaryCall of(Binary op, DType in, DType out, double parameter) {
    return call_of<BinaryCall>(element_loops().binary[static_cast<int>(op)], in, out, parameter);
  }

  void operator()(void* to, const void* x, const void* y, int64_t count, Form form) const {
    if (!half.widen) return loop(to, x, y, count, form, parameter);
    float wide_x[kBlock], wide_y[kBlock];
    if (form == Form::kScalarX) half.widen(wide_x, x, 1);
    if (form == Form::kScalarY) half.widen(wide_y, y, 1);
    for (int64_t i = 0; i < count; i += kBlock) {
      const int64_t size = std::min(kBlock, count - i);
      if (form != Form::kScalarX) half.widen(wide_x, byte_at(x, i * in_bytes), size);
      if (form != Form::kScalarY) half.widen(wide_y, byte_at(y, i * in_bytes), size);
      if (half.narrow) {
        float result[kBlock];
        loop(result, wide_x, wide_y, size, form, parameter);
        half.narrow(byte_at(to, i * out_bytes), result, size);
      } else {
        loop(byte_at(to, i * out_bytes), wide_x, wide_y, size, form, parameter);
      }
    }
  }
  void run(void* to, const void* const* inputs, uint32_t single, int64_t count) const {
    (*this)(to, inputs[0], inputs[1], count, form_of(single));
  }
};

// Runs x > y as y < x.
template <class Call>
struct SwappedCall {
  Call call;

  void run(void* to, const void* const* inputs, uint32_t single, int64_t count) const {
    const void* const swapped[] = {inputs[1], inputs[0]};
    call.run(to, swapped, (single >> 1 | single << 1) & 3, count);
  }
};

[[noreturn]] void no_loop(const KernelContext& context) {
  fail(Code::kUnimplemented, "Not implemented for ", context.input(0).dtype(),
       " [Op:", context.tf_name(), "]");
}

// Below this length of the innermost loop, blocks of expanded operands are faster than short calls.
constexpr int64_t kShortLoop = 64;
// The size of such a block.
constexpr int64_t kExpandedBytes = 8192;
// Rows of these lengths are computed in place. Longer ones are worth a call each.
constexpr int64_t kShortRow = 8;
constexpr int64_t kLongRow = 256;
// For so few rows, or elements, blocks take longer to prepare than they save.
constexpr int64_t kFew = 64;

void run_broadcast(const BinaryCall& call, BinaryRows rows, const Tensor& x, const Tensor& y,
                   const Tensor& out, int64_t grain) {
  const BroadcastLayout<2> layout = broadcast_layout<2>(out.shape(), {&x.shape(), &y.shape()});
  const void* xs = x.raw_data();
  const void* ys = y.raw_data();
  const int64_t bytes = call.in_bytes;
  const Form form = layout.inner_stride(0) == 0   ? Form::kScalarX
                    : layout.inner_stride(1) == 0 ? Form::kScalarY
                                                  : Form::kBoth;
  const auto by_stretches = [&](void* to, int64_t begin, int64_t total) {
    for_stretches(layout, begin, total, [&](int64_t done, const int64_t* offset, int64_t count) {
      call(byte_at(to, done * call.out_bytes), byte_at(xs, offset[0] * bytes),
           byte_at(ys, offset[1] * bytes), count, form);
    });
  };
  const int64_t cols = layout.inner();
  if (rows && layout.rank > 1 && (cols >= kShortRow || out.size() <= kFew * cols) &&
      cols < kLongRow) {
    BroadcastLayout<2> outer = layout;
    const int last = --outer.rank - 1;
    for_element_blocks(
        out.mutable_raw_data(), bytes, out.size(), grain,
        [&](void* to, int64_t begin, int64_t total) {
          const int64_t head = std::min((cols - begin % cols) % cols, total);
          const int64_t whole = (total - head) / cols;
          const int64_t rest = total - head - whole * cols;
          if (head > 0) by_stretches(to, begin, head);
          for_stretches(outer, (begin + head) / cols, whole,
                        [&](int64_t done, const int64_t* offset, int64_t count) {
                          rows(byte_at(to, (head + done * cols) * bytes),
                               byte_at(xs, offset[0] * bytes), byte_at(ys, offset[1] * bytes),
                               count, cols, outer.stride[0][last], outer.stride[1][last], form);
                        });
          if (rest > 0) {
            by_stretches(byte_at(to, (total - rest) * bytes), begin + total - rest, rest);
          }
        });
    return;
  }
  if (cols >= kShortLoop || out.size() <= kFew) {
    return for_element_blocks(out.mutable_raw_data(), call.out_bytes, out.size(), grain,
                              by_stretches);
  }
  const BroadcastOperand x_operand(out.shape(), x, bytes), y_operand(out.shape(), y, bytes);
  const int64_t block = kExpandedBytes / bytes;
  for_element_blocks(out.mutable_raw_data(), call.out_bytes, out.size(), grain,
                     [&](void* to, int64_t begin, int64_t total) {
                       alignas(64) char x_block[kExpandedBytes], y_block[kExpandedBytes];
                       for (int64_t i = 0; i < total; i += block) {
                         const int64_t size = std::min(block, total - i);
                         call(byte_at(to, i * call.out_bytes),
                              x_operand.part(begin + i, size, x_block),
                              y_operand.part(begin + i, size, y_block), size, Form::kBoth);
                       }
                     });
}

template <class Out, class F>
void on_strings(const KernelContext& context, const F& f) {
  const Tensor& x = context.input(0);
  const Tensor& y = context.input(1);
  const Tensor& out = context.output(0);
  if (out.size() == 0) return;
  const auto layout = broadcast_layout<2>(out.shape(), {&x.shape(), &y.shape()});
  const auto* xs = x.data<std::string>();
  const auto* ys = y.data<std::string>();
  auto* to = out.mutable_data<Out>();
  for_stretches(layout, 0, out.size(), [&](int64_t done, const int64_t* offset, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      to[done + i] =
          f(xs[offset[0] + i * layout.inner_stride(0)], ys[offset[1] + i * layout.inner_stride(1)]);
    }
  });
}

void run_strings(const KernelContext& context, Binary op) {
  using String = std::string;
  switch (op) {
    case Binary::kAdd:
      return on_strings<String>(context, [](const String& a, const String& b) { return a + b; });
    case Binary::kEqual:
      return on_strings<bool>(context, [](const String& a, const String& b) { return a == b; });
    case Binary::kNotEqual:
      return on_strings<bool>(context, [](const String& a, const String& b) { return a != b; });
    default: no_loop(context);
  }
}

template <class T>
bool any_zero(const Tensor& y) {
  const T* values = y.data<T>();
  return std::find(values, values + y.size(), T{0}) != values + y.size();
}
template <class T>
bool any_negative(const Tensor& y) {
  const T* values = y.data<T>();
  return std::any_of(values, values + y.size(), [](T value) { return value < 0; });
}

void check_divisor(const KernelContext& context) {
  const Tensor& y = context.input(1);
  if (!is_integer(y.dtype()) || context.output(0).size() == 0) return;
  bool found = false;
  switch (element_size(y.dtype())) {
    case 1: found = any_zero<uint8_t>(y); break;
    case 2: found = any_zero<uint16_t>(y); break;
    case 4: found = any_zero<uint32_t>(y); break;
    default: found = any_zero<uint64_t>(y);
  }
  if (found) invalid_argument("Integer division by zero [Op:", context.tf_name(), "]");
}

void check_exponent(const KernelContext& context) {
  const Tensor& y = context.input(1);
  if (context.output(0).size() == 0) return;
  bool found = false;
  switch (y.dtype()) {
    case DType::kInt8: found = any_negative<int8_t>(y); break;
    case DType::kInt16: found = any_negative<int16_t>(y); break;
    case DType::kInt32: found = any_negative<int32_t>(y); break;
    case DType::kInt64: found = any_negative<int64_t>(y); break;
    default: return;
  }
  if (found) {
    invalid_argument("Integers to negative integer powers are not allowed [Op:", context.tf_name(),
                     "]");
  }
}

void check_values(const KernelContext& context, Binary op) {
  switch (op) {
    case Binary::kTruncateDiv:
    case Binary::kTruncateMod:
    case Binary::kFloorDiv:
    case Binary::kFloorMod: return check_divisor(context);
    case Binary::kPow: return check_exponent(context);
    default: return;
  }
}

// For operations that allocate their own outputs.
void run_into_new(KernelContext& context, Unary op) {
  context.output(0) = Tensor::empty(context.spec(0).dtype, context.spec(0).shape);
  run_unary(context, op, 0);
}

}  // namespace

const ElementLoops& element_loops() {
  static const ElementLoops loops = make_loops();
  return loops;
}

void run_unary(KernelContext& context, Unary op, double parameter) {
  const Tensor& x = context.input(0);
  const Tensor& out = context.output(0);
  const ElementLoops& loops = element_loops();
  const int64_t count = x.size();
  const UnaryLoop loop = loops.unary[static_cast<int>(op)][static_cast<int>(x.dtype())];
  if (loop && count <= kSmall) return loop(out.mutable_raw_data(), x.raw_data(), count, parameter);

  const UnaryCall call = UnaryCall::of(op, x.dtype(), out.dtype(), parameter);
  if (!call.loop) no_loop(context);
  const void* xs = x.raw_data();
  for_element_blocks(out.mutable_raw_data(), call.out_bytes, count, grain_of(op, x.dtype()),
                     [&](void* to, int64_t begin, int64_t size) {
                       call(to, byte_at(xs, begin * call.in_bytes), size);
                     });
}

ElementLoop unary_elements(const ElementCall& call, Unary op, double parameter) {
  const DType type = call.inputs[0];
  const UnaryCall any = UnaryCall::of(op, type, call.output, parameter);
  if (!any.loop) return {};
  if (any.half.widen) return ElementLoop::of(any, grain_of(op, type));
  ElementLoop loop = ElementLoop::of(PlainUnaryCall{any.loop, parameter}, grain_of(op, type));
  if (has_tiles(type) && call.output == type) {
    loop.tiles = element_loops().tiles_of(type).unary[static_cast<int>(op)];
    loop.tile_type = type;
  }
  return loop;
}

[[gnu::hot]] void run_binary(KernelContext& context, Binary op, double parameter, bool swapped) {
  const Tensor& x = context.input(swapped ? 1 : 0);
  const Tensor& y = context.input(swapped ? 0 : 1);
  const Tensor& out = context.output(0);
  if (op >= Binary::kTruncateDiv && op <= Binary::kPow) check_values(context, op);
  const int64_t count = out.size();
  const BinaryLoop loop = element_loops().binary[static_cast<int>(op)][static_cast<int>(x.dtype())];

  // An operand as large as the output has the same layout.
  const bool x_full = x.size() == count;
  const bool y_full = y.size() == count;
  const bool aligned = (x_full || x.size() == 1) && (y_full || y.size() == 1);
  const Form form = !x_full ? Form::kScalarX : !y_full ? Form::kScalarY : Form::kBoth;
  if (aligned && loop && count <= kSmall) {
    return loop(out.mutable_raw_data(), x.raw_data(), y.raw_data(), count, form, parameter);
  }
  if (count == 0) return;
  if (x.dtype() == DType::kString) return run_strings(context, op);

  const BinaryCall call = BinaryCall::of(op, x.dtype(), out.dtype(), parameter);
  if (!call.loop) no_loop(context);
  const int64_t grain = grain_of(op, x.dtype());
  if (!aligned) {
    const bool has_rows = has_tiles(x.dtype()) && out.dtype() == x.dtype();
    const BinaryRows rows =
        !has_rows ? nullptr : element_loops().tiles_of(x.dtype()).rows[static_cast<int>(op)];
    return run_broadcast(call, rows, x, y, out, grain);
  }

  const void* xs = x.raw_data();
  const void* ys = y.raw_data();
  const int64_t x_bytes = x_full ? call.in_bytes : 0;
  const int64_t y_bytes = y_full ? call.in_bytes : 0;
  for_element_blocks(out.mutable_raw_data(), call.out_bytes, count, grain,
                     [&](void* to, int64_t begin, int64_t size) {
                       call(to, byte_at(xs, begin * x_bytes), byte_at(ys, begin * y_bytes), size,
                            form);
                     });
}

ElementLoop binary_elements(const ElementCall& call, Binary op, double parameter, bool swapped) {
  const DType type = call.inputs[0];
  // These raise errors for some integer values, which chains do not check.
  if (op >= Binary::kTruncateDiv && op <= Binary::kPow && is_integer(type)) return {};
  const BinaryCall any = BinaryCall::of(op, type, call.output, parameter);
  if (!any.loop) return {};
  const auto of = [&](const auto& plain) {
    return swapped ? ElementLoop::of(SwappedCall<std::decay_t<decltype(plain)>>{plain},
                                     grain_of(op, type))
                   : ElementLoop::of(plain, grain_of(op, type));
  };
  ElementLoop loop = any.half.widen ? of(any) : of(PlainBinaryCall{any.loop, parameter});
  if (has_tiles(type) && (call.output == type || call.output == DType::kBool)) {
    loop.tiles = element_loops().tiles_of(type).binary[static_cast<int>(op)];
    if (swapped) {
      std::swap(loop.tiles.first, loop.tiles.second);
      std::swap(loop.tiles.first_single, loop.tiles.second_single);
    }
    loop.tile_type = type;
  }
  if (call.op.infer != ops::same_shape_infer) {
    loop.repeats = 3;
    // A power with a scalar exponent uses another algorithm: the scalar must not be expanded.
    loop.expands = op == Binary::kPow ? 1 : 3;
  }
  return loop;
}

namespace {

void run_leaky_relu(KernelContext& context) {
  run_unary(context, Unary::kLeakyRelu, context.attrs<ops::LeakyReluAttrs>().alpha);
}
ElementLoop leaky_relu_elements(const ElementCall& call) {
  return unary_elements(call, Unary::kLeakyRelu, call.attrs.as<ops::LeakyReluAttrs>().alpha);
}

void run_leaky_relu_grad(KernelContext& context) {
  run_binary(context, Binary::kLeakyReluGrad, context.attrs<ops::LeakyReluAttrs>().alpha);
}
ElementLoop leaky_relu_grad_elements(const ElementCall& call) {
  return binary_elements(call, Binary::kLeakyReluGrad, call.attrs.as<ops::LeakyReluAttrs>().alpha);
}

Unary gelu_of(AttrsRef attrs) {
  return attrs.as<ops::GeluAttrs>().approximate ? Unary::kGeluTanh : Unary::kGelu;
}
Binary gelu_grad_of(AttrsRef attrs) {
  return attrs.as<ops::GeluAttrs>().approximate ? Binary::kGeluTanhGrad : Binary::kGeluGrad;
}

// Sums of `count` elements of all inputs; 16-bit floats accumulate in float.
struct SumCall {
  BinaryLoop add;
  Widening half;
  int64_t bytes;
  int64_t num_inputs;

  static SumCall of(DType type, int64_t num_inputs) {
    const ElementLoops& loops = element_loops();
    const bool narrow = is_short_float(type);
    const DType computed = narrow ? DType::kFloat32 : type;
    return {loops.binary[static_cast<int>(Binary::kAdd)][static_cast<int>(computed)],
            narrow ? Widening::of(loops, type, type) : Widening{},
            static_cast<int64_t>(element_size(type)), num_inputs};
  }

  void run(void* to, const void* const* inputs, uint32_t, int64_t count) const {
    constexpr int64_t kPart = 2048;  // stays in the first-level cache
    float wide_sum[kPart];
    float wide_next[kPart];
    for (int64_t i = 0; i < count; i += kPart) {
      const int64_t size = std::min(kPart, count - i);
      const auto part = [&](int64_t k) { return byte_at(inputs[k], i * bytes); };
      char* const out = byte_at(to, i * bytes);
      if (num_inputs == 1) {
        std::memmove(out, part(0), static_cast<size_t>(size * bytes));
        continue;
      }
      void* const sum = half.widen ? static_cast<void*>(wide_sum) : out;
      const void* first = part(0);
      if (half.widen) {
        half.widen(wide_sum, first, size);
        first = wide_sum;
      }
      for (int64_t k = 1; k < num_inputs; ++k) {
        const void* next = part(k);
        if (half.widen) {
          half.widen(wide_next, next, size);
          next = wide_next;
        }
        add(sum, k == 1 ? first : sum, next, size, Form::kBoth, 0);
      }
      if (half.narrow) half.narrow(out, wide_sum, size);
    }
  }
};

void run_add_n(KernelContext& context) {
  const Tensor& out = context.output(0);
  const SumCall call = SumCall::of(out.dtype(), context.num_inputs());
  for_element_blocks(out.mutable_raw_data(), call.bytes, out.size(), 32'768,
                     [&](void* to, int64_t begin, int64_t count) {
                       InlineVector<const void*, 8> parts;
                       for (const Tensor& input : context.inputs()) {
                         parts.push_back(byte_at(input.raw_data(), begin * call.bytes));
                       }
                       call.run(to, parts.data(), 0, count);
                     });
}

ElementLoop add_n_elements(const ElementCall& call) {
  const DType type = call.inputs[0];
  ElementLoop loop =
      ElementLoop::of(SumCall::of(type, static_cast<int64_t>(call.inputs.size())), 32'768);
  loop.overwrites = false;  // later inputs are read after the first write
  return loop;
}

void run_round(KernelContext& context) {
  if (!is_floating(context.input(0).dtype())) return forward(context);
  run_into_new(context, Unary::kRound);
}
ElementLoop round_elements(const ElementCall& call) {
  return is_floating(call.inputs[0]) ? unary_elements(call, Unary::kRound)
                                     : ElementLoop::forwarding();
}

template <Unary op>
void run_complex(KernelContext& context) {
  if (!is_complex(context.input(0).dtype())) return forward(context);
  run_into_new(context, op);
}
template <Unary op>
ElementLoop complex_elements(const ElementCall& call) {
  return is_complex(call.inputs[0]) ? unary_elements(call, op) : ElementLoop::forwarding();
}

}  // namespace

constinit const Kernel add_n{run_add_n, add_n_elements};
constinit const Kernel leaky_relu{run_leaky_relu, leaky_relu_elements};
constinit const Kernel leaky_relu_grad{run_leaky_relu_grad, leaky_relu_grad_elements};
constinit const Kernel gelu{
    [](KernelContext& context) { run_unary(context, gelu_of(context.attrs()), 0); },
    [](const ElementCall& call) { return unary_elements(call, gelu_of(call.attrs)); },
};
constinit const Kernel gelu_grad{
    [](KernelContext& context) { run_binary(context, gelu_grad_of(context.attrs()), 0); },
    [](const ElementCall& call) { return binary_elements(call, gelu_grad_of(call.attrs)); },
};
constinit const Kernel round{run_round, round_elements};
constinit const Kernel real{run_complex<Unary::kReal>, complex_elements<Unary::kReal>};
constinit const Kernel conj{run_complex<Unary::kConj>, complex_elements<Unary::kConj>};

void imag(KernelContext& context) {
  if (is_complex(context.input(0).dtype())) return run_into_new(context, Unary::kImag);
  context.output(0) = Tensor::empty(context.spec(0).dtype, context.spec(0).shape);
  fill_constant(context.output(0), 0);
}

}  // namespace ef::cpu
