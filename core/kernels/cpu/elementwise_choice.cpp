// Kernels of selection, clipping and conversions between element types.
#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "kernels/cpu/broadcast.h"
#include "kernels/cpu/element_blocks.h"
#include "kernels/cpu/elementwise.h"
#include "kernels/cpu/moves.h"
#include "kernels/cpu/widen.h"

namespace ef::cpu {
namespace {

constexpr int64_t kChoiceGrain = 65536;
constexpr int64_t kChoiceBlock = 1024;

template <class T>
void select_owning(const Tensor& condition, const Tensor& x, const Tensor& y, const Tensor& out) {
  const auto layout =
      broadcast_layout<3>(out.shape(), {&condition.shape(), &x.shape(), &y.shape()});
  const bool* chosen = condition.data<bool>();
  const auto* xs = x.data<T>();
  const auto* ys = y.data<T>();
  auto* to = out.mutable_data<T>();
  for_stretches(layout, 0, out.size(), [&](int64_t done, const int64_t* offset, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      to[done + i] = chosen[offset[0] + i * layout.inner_stride(0)]
                         ? xs[offset[1] + i * layout.inner_stride(1)]
                         : ys[offset[2] + i * layout.inner_stride(2)];
    }
  });
}

SelectLoop select_loop(DType type) {
  return element_loops().select[std::countr_zero(static_cast<uint64_t>(element_size(type)))];
}

CastLoop cast_loop(DType from, DType to) {
  return element_loops().cast[static_cast<int>(from)][static_cast<int>(to)];
}

// The next type in a chain of conversions.
DType next_type(DType from, DType to) {
  if (cast_loop(from, to)) return to;
  const auto part = [](DType type) {
    return type == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
  };
  if (is_complex(from)) return part(from);
  if (kInt4Types.contains(to)) return DType::kInt8;
  const bool half =
      from == DType::kFloat16 || from == DType::kBfloat16 || kFloat8Types.contains(from);
  if (!half && is_complex(to)) return part(to);
  return DType::kFloat32;
}

// At most three steps: bfloat16 → float32 → float64 → complex128.
void convert_block(DType from, const void* x, DType to, void* out, int64_t count) {
  const DType first = next_type(from, to);
  if (first == to) return cast_loop(from, to)(out, x, count);
  double block[kChoiceBlock], other[kChoiceBlock];
  for (int64_t i = 0; i < count; i += kChoiceBlock) {
    const int64_t size = std::min(kChoiceBlock, count - i);
    cast_loop(from, first)(block, byte_at(x, i * static_cast<int64_t>(element_size(from))), size);
    DType reached = first;
    double* now = block;
    for (DType next = next_type(reached, to); next != to; next = next_type(reached, to)) {
      double* free = now == block ? other : block;
      cast_loop(reached, next)(free, now, size);
      now = free;
      reached = next;
    }
    cast_loop(reached, to)(byte_at(out, i * static_cast<int64_t>(element_size(to))), now, size);
  }
}

void run_select(KernelContext& context) {
  const Tensor& condition = context.input(0);
  const Tensor& x = context.input(1);
  const Tensor& y = context.input(2);
  const Tensor& out = context.output(0);
  const int64_t count = out.size();
  if (count == 0) return;
  if (owns_memory(x.dtype())) {
    return on_owning_type(x.dtype(), [&]<class T>(T) { select_owning<T>(condition, x, y, out); });
  }

  const auto bytes = static_cast<int64_t>(element_size(x.dtype()));
  const SelectLoop loop = select_loop(x.dtype());
  const bool condition_full = condition.size() == count;
  const bool x_full = x.size() == count;
  const bool y_full = y.size() == count;
  const bool* chosen = condition.data<bool>();
  if (condition_full && (x_full || x.size() == 1) && (y_full || y.size() == 1)) {
    const int64_t x_step = x_full ? 1 : 0;
    const int64_t y_step = y_full ? 1 : 0;
    for_element_blocks(out.mutable_raw_data(), bytes, count, kChoiceGrain,
                       [&](void* to, int64_t begin, int64_t size) {
                         loop(to, chosen + begin, byte_at(x.raw_data(), begin * x_step * bytes),
                              byte_at(y.raw_data(), begin * y_step * bytes), size, x_step, y_step);
                       });
    return;
  }
  const BroadcastOperand conditions(out.shape(), condition, 1), xs(out.shape(), x, bytes),
      ys(out.shape(), y, bytes);
  for_element_blocks(out.mutable_raw_data(), bytes, count, kChoiceGrain,
                     [&](void* to, int64_t begin, int64_t total) {
                       alignas(64) char block[3][kChoiceBlock * 16];
                       for (int64_t i = 0; i < total; i += kChoiceBlock) {
                         const int64_t size = std::min(kChoiceBlock, total - i);
                         const int64_t start = begin + i;
                         const void* const c = conditions.part(start, size, block[0]);
                         loop(byte_at(to, i * bytes), static_cast<const bool*>(c),
                              xs.part(start, size, block[1]), ys.part(start, size, block[2]), size,
                              1, 1);
                       }
                     });
}

struct SelectCall {
  SelectLoop loop;
  int64_t bytes;

  void run(void* to, const void* const* inputs, uint32_t single, int64_t count) const {
    const auto* condition = static_cast<const bool*>(inputs[0]);
    if (!(single & 1)) {
      return loop(to, condition, inputs[1], inputs[2], count, single & 2 ? 0 : 1,
                  single & 4 ? 0 : 1);
    }
    const int chosen = *condition ? 1 : 2;
    const int64_t step = single >> chosen & 1 ? 0 : bytes;
    if (step) {
      std::memmove(to, inputs[chosen], static_cast<size_t>(count * bytes));
    } else {
      for (int64_t i = 0; i < count; ++i) {
        std::memcpy(byte_at(to, i * bytes), inputs[chosen], static_cast<size_t>(bytes));
      }
    }
  }
};

ElementLoop select_elements(const ElementCall& call) {
  if (owns_memory(call.output)) return {};
  const auto bytes = static_cast<int64_t>(element_size(call.output));
  ElementLoop loop = ElementLoop::of(SelectCall{select_loop(call.output), bytes}, kChoiceGrain);
  loop.repeats = loop.expands = 7;
  if (call.output == DType::kFloat32 || call.output == DType::kFloat64) {
    loop.tiles = element_loops().tiles_of(call.output).select;
    loop.tile_type = call.output;
  }
  return loop;
}

void run_clip(KernelContext& context) {
  if (run_wide(context, run_clip)) return;
  const Tensor& x = context.input(0);
  const Tensor& low = context.input(1);
  const Tensor& high = context.input(2);
  const Tensor& out = context.output(0);
  const int64_t count = out.size();
  if (count == 0) return;

  const ElementLoops& loops = element_loops();
  const auto bytes = static_cast<int64_t>(element_size(x.dtype()));
  const ClipLoop loop = loops.clip[static_cast<int>(x.dtype())];
  const bool low_full = low.size() == count;
  const bool high_full = high.size() == count;
  const bool low_fits = low_full || low.size() == 1;
  const bool high_fits = high_full || high.size() == 1;
  if (low_fits && high_fits) {
    const int64_t low_step = low_full ? 1 : 0;
    const int64_t high_step = high_full ? 1 : 0;
    for_element_blocks(out.mutable_raw_data(), bytes, count, kChoiceGrain,
                       [&](void* to, int64_t begin, int64_t size) {
                         loop(to, byte_at(x.raw_data(), begin * bytes),
                              byte_at(low.raw_data(), begin * low_step * bytes),
                              byte_at(high.raw_data(), begin * high_step * bytes), size, low_step,
                              high_step);
                       });
    return;
  }
  const BroadcastOperand lows(out.shape(), low, bytes), highs(out.shape(), high, bytes);
  for_element_blocks(out.mutable_raw_data(), bytes, count, kChoiceGrain,
                     [&](void* to, int64_t begin, int64_t total) {
                       alignas(64) double block[2][kChoiceBlock];
                       for (int64_t i = 0; i < total; i += kChoiceBlock) {
                         const int64_t size = std::min(kChoiceBlock, total - i);
                         const int64_t start = begin + i;
                         loop(byte_at(to, i * bytes), byte_at(x.raw_data(), start * bytes),
                              lows.part(start, size, block[0]), highs.part(start, size, block[1]),
                              size, 1, 1);
                       }
                     });
}

struct ClipCall {
  ClipLoop loop;
  CastLoop widen;  // for 16-bit floats; else null
  CastLoop narrow;

  void run(void* to, const void* const* inputs, uint32_t single, int64_t count) const {
    const int64_t low_step = single & 2 ? 0 : 1;
    const int64_t high_step = single & 4 ? 0 : 1;
    if (!widen) return loop(to, inputs[0], inputs[1], inputs[2], count, low_step, high_step);
    float wide[3][kChoiceBlock];
    const int64_t steps[] = {1, low_step, high_step};
    for (int64_t i = 0; i < count; i += kChoiceBlock) {
      const int64_t size = std::min(kChoiceBlock, count - i);
      for (int k = 0; k < 3; ++k) {
        widen(wide[k], byte_at(inputs[k], i * steps[k] * 2), steps[k] ? size : 1);
      }
      loop(wide[0], wide[0], wide[1], wide[2], size, low_step, high_step);
      narrow(byte_at(to, i * 2), wide[0], size);
    }
  }
};

ElementLoop clip_elements(const ElementCall& call) {
  const DType type = call.output;
  const bool wide = is_short_float(type);
  const DType computed = wide ? DType::kFloat32 : type;
  ElementLoop loop = ElementLoop::of(ClipCall{element_loops().clip[static_cast<int>(computed)],
                                              wide ? cast_loop(type, computed) : nullptr,
                                              wide ? cast_loop(computed, type) : nullptr},
                                     kChoiceGrain);
  loop.repeats = loop.expands = 6;
  return loop;
}

}  // namespace

void convert_elements(DType from, const void* x, DType to, void* out, int64_t count) {
  from = plain_dtype(from);
  to = plain_dtype(to);
  const auto in_bytes = static_cast<int64_t>(element_size(from));
  for_element_blocks(out, static_cast<int64_t>(element_size(to)), count, kChoiceGrain,
                     [&](void* target, int64_t begin, int64_t size) {
                       convert_block(from, byte_at(x, begin * in_bytes), to, target, size);
                     });
}

namespace {

void run_forward(KernelContext& context) { context.output(0) = context.input(0).alias(); }
ElementLoop forward_elements(const ElementCall&) { return ElementLoop::forwarding(); }

void run_cast(KernelContext& context) {
  const Tensor& x = context.input(0);
  const TensorSpec& spec = context.spec(0);
  if (x.dtype() == spec.dtype) return run_forward(context);
  Tensor result = Tensor::empty(spec.dtype, spec.shape);
  convert_elements(x.dtype(), x.raw_data(), spec.dtype, result.mutable_raw_data(), x.size());
  context.output(0) = std::move(result);
}

struct PlainCastCall {
  CastLoop loop;

  void run(void* to, const void* const* inputs, uint32_t, int64_t count) const {
    loop(to, inputs[0], count);
  }
};

struct CastCall {
  DType from;
  DType to;

  void run(void* out, const void* const* inputs, uint32_t, int64_t count) const {
    convert_block(from, inputs[0], to, out, count);
  }
};

ElementLoop cast_elements(const ElementCall& call) {
  if (call.inputs[0] == call.output) return ElementLoop::forwarding();
  const DType from = plain_dtype(call.inputs[0]);
  const DType to = plain_dtype(call.output);
  if (const CastLoop loop = cast_loop(from, to)) {
    return ElementLoop::of(PlainCastCall{loop}, kChoiceGrain);
  }
  return ElementLoop::of(CastCall{from, to}, kChoiceGrain);
}

}  // namespace

constinit const Kernel select{run_select, select_elements};
constinit const Kernel clip_by_value{run_clip, clip_elements};
constinit const Kernel cast{run_cast, cast_elements};
constinit const Kernel forward{run_forward, forward_elements};

}  // namespace ef::cpu
