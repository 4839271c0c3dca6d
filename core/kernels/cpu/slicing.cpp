// Kernels that cut out parts of tensors and pad them.
#include "ops/slicing.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/parallel.h"
#include "eager/lazy.h"
#include "kernels/cpu/array.h"
#include "kernels/cpu/element_source.h"
#include "kernels/cpu/fill.h"
#include "kernels/cpu/moves.h"
#include "ops/elementwise.h"
#include "tensor/error.h"

namespace ef::cpu {
namespace {

// The offset of the first selected element, and the stride along each axis, in elements.
struct Place {
  int64_t offset = 0;
  Shape steps;
};

Place place_of(const Shape& shape, const StridedSlice& slice) {
  Place place{0, strides_of(shape)};
  for (int i = 0; i < shape.rank(); ++i) {
    const StridedSlice::Axis& axis = slice.axes[static_cast<size_t>(i)];
    if (axis.count > 0) place.offset += axis.begin * place.steps[i];
    // A stride of an axis of size one is never used, and might overflow.
    place.steps[i] = axis.count > 1 ? axis.stride * place.steps[i] : 0;
  }
  return place;
}

// The copy of a slice's elements to a row of them, or `back` from there.
StridedMove move_of(const StridedSlice& slice, const Place& place, bool back = false) {
  StridedMove move;
  int64_t stride = slice.result.num_elements();
  for (int i = 0; i < place.steps.rank(); ++i) {
    const int64_t count = slice.axes[static_cast<size_t>(i)].count, step = place.steps[i];
    stride /= count;
    move.add(count, back ? step : stride, back ? stride : step);
  }
  return move;
}

// Whether the slice is one block of consecutive elements.
bool contiguous(const Shape& shape, const StridedSlice& slice) {
  bool whole = true;  // all axes further in are complete
  for (int i = shape.rank() - 1; i >= 0; --i) {
    const StridedSlice::Axis& axis = slice.axes[static_cast<size_t>(i)];
    if (axis.stride != 1 && axis.count > 1) return false;
    if (!whole && axis.count != 1) return false;
    whole &= axis.count == shape[i];
  }
  return true;
}

// The index in the source of an element of a mirrored axis.
int64_t mirrored(int64_t i, int64_t before, int64_t size, int64_t edge) {
  int64_t k = i - before;
  if (k < 0) k = -k - 1 + edge;
  if (k >= size) k = 2 * size - 1 - edge - k;
  return k;
}

// A slice whose elements a chain reads where they are, or copies block by block in the cache, so
// that differences of neighbours and the like cost one pass over the sliced tensor.
class SlicedElements : public ElementSource {
 public:
  // Axes as in a StridedMove, outermost first; `rows` elements of the innermost are consecutive.
  SlicedElements(const Tensor& input, const StridedSlice& slice, const Place& place)
      : input_(input),
        bytes_(static_cast<int64_t>(element_size(input.dtype()))),
        offset_(place.offset) {
    for (int i = 0; i < input.rank(); ++i) {
      const int64_t count = slice.axes[static_cast<size_t>(i)].count;
      if (count == 1) continue;
      if (!axes_.empty() && axes_.back().step == count * place.steps[i]) {
        axes_.back() = {axes_.back().count * count, place.steps[i]};
      } else {
        axes_.push_back({count, place.steps[i]});
      }
    }
  }

  int64_t row() const override {
    return axes_.empty() || axes_.back().step != 1 ? 0 : axes_.back().count;
  }

  const void* row_at(int64_t index) const override {
    int64_t at = offset_;
    if (axes_.size() > 1) {
      for (size_t k = axes_.size() - 2; k > 0; --k) {
        at += index % axes_[k].count * axes_[k].step;
        index /= axes_[k].count;
      }
      at += index * axes_[0].step;
    }
    return static_cast<const std::byte*>(input_.raw_data()) + at * bytes_;
  }

  void read(int64_t begin, int64_t count, void* to) const override {
    auto* out = static_cast<std::byte*>(to);
    const int64_t row = axes_.back().count;
    while (count > 0) {
      const int64_t column = begin % row, size = std::min(count, row - column);
      const auto* const from = static_cast<const std::byte*>(row_at(begin / row));
      std::memcpy(out, from + column * bytes_, static_cast<size_t>(size * bytes_));
      out += size * bytes_;
      begin += size;
      count -= size;
    }
  }

 private:
  struct Axis {
    int64_t count;
    int64_t step;
  };

  const Tensor input_;
  const int64_t bytes_;
  const int64_t offset_;
  std::vector<Axis> axes_;
};

// A tensor whose elements are copied from `input` later; empty if they have to be copied now.
Tensor elements_later(std::shared_ptr<const ElementSource> source, const Tensor& input,
                      const Shape& shape) {
  constexpr double kNanoseconds = 0.1;  // for an element
  const TensorSpec spec{input.dtype(), shape};
  if (shape.num_elements() < kLazyElements || owns_memory(input.dtype())) return {};
  return make_generated(std::move(source), spec, kNanoseconds, input.bytes());
}

// The same for a slice with rows that are long enough.
Tensor slice_later(const Tensor& input, const StridedSlice& slice, const Place& place) {
  constexpr int64_t kShortRow = 32;
  if (slice.result.num_elements() < kLazyElements) return {};
  auto source = std::make_shared<const SlicedElements>(input, slice, place);
  if (source->row() < kShortRow) return {};
  return elements_later(std::move(source), input, slice.result);
}

// Elements that move along an axis, copied like those of a slice.
class RolledElements : public ElementSource {
 public:
  RolledElements(const Tensor& input, int64_t shift, int axis)
      : input_(input), bytes_(static_cast<int64_t>(element_size(input.dtype()))) {
    const int64_t size = input.dim(axis), inner = inner_size(input.shape(), axis + 1);
    // Without overflow, and not below 0.
    const int64_t steps = (size - shift % size) % size;
    first_ = steps * inner;
    whole_ = size * inner;
  }

  void read(int64_t begin, int64_t count, void* to) const override {
    const auto* const from = static_cast<const std::byte*>(input_.raw_data());
    auto* out = static_cast<std::byte*>(to);
    for_runs(begin, count, [&](int64_t at, int64_t size) {
      std::memcpy(out, from + at * bytes_, static_cast<size_t>(size * bytes_));
      out += size * bytes_;
    });
  }

  // Calls run(at, size) for each run of consecutive elements of the input.
  template <class Run>
  void for_runs(int64_t begin, int64_t count, const Run& run) const {
    while (count > 0) {
      const int64_t start = begin / whole_ * whole_, place = begin - start;
      const int64_t before_end =
          whole_ - first_;  // what comes before the elements that wrap around
      const bool wraps = place >= before_end;
      const int64_t at = wraps ? place - before_end : place + first_;
      const int64_t size = std::min(count, (wraps ? whole_ : before_end) - place);
      run(start + at, size);
      begin += size;
      count -= size;
    }
  }

 private:
  const Tensor input_;
  const int64_t bytes_;
  int64_t first_;
  int64_t whole_;
};

// How a mirror-padded tensor is read: in rows along the last axis, each with its mirrored parts.
struct Mirror {
  Mirror(const Shape& padded, const Shape& source, std::span<const int64_t> paddings, int64_t edge)
      : padded(padded),
        source(source),
        strides(strides_of(source)),
        paddings(paddings),
        edge(edge) {
    const int last = padded.rank() - 1;
    width = padded[last];
    size = source[last];
    before = paddings[static_cast<size_t>(2 * last)];
    rows = width ? padded.num_elements() / width : 0;
  }
  // The first element of the source row for row `r` of the result.
  int64_t source_row(int64_t r) const {
    int64_t from = 0;
    for (int i = padded.rank() - 2; i >= 0; --i) {
      from += strides[i] *
              mirrored(r % padded[i], paddings[static_cast<size_t>(2 * i)], source[i], edge);
      r /= padded[i];
    }
    return from;
  }

  const Shape& padded;
  const Shape& source;
  Shape strides;
  std::span<const int64_t> paddings;
  int64_t edge;
  int64_t width;
  int64_t size;
  int64_t before;
  int64_t rows;
};

template <class T>
void add_mirrored(const Tensor& dy, const Tensor& dx, std::span<const int64_t> paddings,
                  int64_t edge) {
  const Mirror mirror(dy.shape(), dx.shape(), paddings, edge);
  for (int64_t r = 0; r < mirror.rows; ++r) {
    const T* const from = dy.data<T>() + r * mirror.width;
    T* const to = dx.mutable_data<T>() + mirror.source_row(r);
    const auto add = [=, &mirror](int64_t i) {
      T& sum = to[mirrored(i, mirror.before, mirror.size, edge)];
      sum = static_cast<T>(sum + from[i]);
    };
    const int64_t after = mirror.before + mirror.size;
    for (int64_t i = 0; i < mirror.before; ++i) add(i);
    for (int64_t i = 0; i < mirror.size; ++i) {
      to[i] = static_cast<T>(to[i] + from[mirror.before + i]);
    }
    for (int64_t i = after; i < mirror.width; ++i) add(i);
  }
}

void pad_mirrored(const Tensor& input, const Tensor& output, std::span<const int64_t> paddings,
                  int64_t edge) {
  if (output.size() == 0) return;
  const Mirror mirror(output.shape(), input.shape(), paddings, edge);
  const auto element = static_cast<int64_t>(element_size(output.dtype()));
  const auto rows = [&](int64_t begin, int64_t end, const auto& copy) {
    for (int64_t r = begin; r < end; ++r) {
      const int64_t from = mirror.source_row(r);
      const int64_t to = r * mirror.width;
      const auto single = [&](int64_t i) {
        copy(to + i, from + mirrored(i, mirror.before, mirror.size, edge), 1);
      };
      for (int64_t i = 0; i < mirror.before; ++i) single(i);
      copy(to + mirror.before, from, mirror.size);
      for (int64_t i = mirror.before + mirror.size; i < mirror.width; ++i) single(i);
    }
  };
  if (output.dtype() == DType::kString) {
    return rows(0, mirror.rows, [&](int64_t to, int64_t from, int64_t count) {
      std::copy_n(input.data<std::string>() + from, count, output.mutable_data<std::string>() + to);
    });
  }
  const int64_t grain = 131'072 / (mirror.width * element + 64) + 1;
  parallel_for(mirror.rows, grain, [&](int64_t begin, int64_t end) {
    rows(begin, end, [&](int64_t to, int64_t from, int64_t count) {
      std::memcpy(element_at(output, to), element_at(input, from),
                  static_cast<size_t>(count * element));
    });
  });
}

}  // namespace

void slice(KernelContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& output = context.output(0);
  if (output.size() == 0) return;
  const Ints& begin = context.attrs<ops::SliceAttrs>().begin;
  const Shape in = strides_of(input.shape());
  const Shape out = strides_of(output.shape());
  int64_t offset = 0;
  StridedMove move;
  for (int i = 0; i < input.rank(); ++i) {
    offset += begin[static_cast<size_t>(i)] * in[i];
    move.add(output.dim(i), out[i], in[i]);
  }
  move.run(output.dtype(), output.mutable_raw_data(), element_at(input, offset));
}

void strided_slice(KernelContext& context) {
  const Tensor& input = context.input(0);
  const StridedSlice slice = resolve_slice(input.shape(), context.attrs<ops::StridedSliceAttrs>());
  const Place place = place_of(input.shape(), slice);
  Tensor& output = context.output(0);
  if (contiguous(input.shape(), slice)) {
    output = input.view_at(slice.result.num_elements() ? place.offset : 0, slice.result);
    return;
  }
  output = slice_later(input, slice, place);
  if (output) return;
  output = Tensor::empty(input.dtype(), slice.result);
  if (output.size() == 0) return;
  const auto* const from = element_at(input, place.offset);
  move_of(slice, place).run(input.dtype(), output.mutable_raw_data(), from);
}

void roll(KernelContext& context) {
  const Tensor& input = context.input(0);
  const auto& [shift, axis] = context.attrs<ops::RollAttrs>();
  Tensor& output = context.output(0);
  if (input.size() == 0) {
    output = Tensor::empty(input.dtype(), input.shape());
    return;
  }
  auto source = std::make_shared<const RolledElements>(input, shift, axis_of(axis, input.rank()));
  output = elements_later(source, input, input.shape());
  if (output) return;
  output = Tensor::empty(input.dtype(), input.shape());
  int64_t to = 0;
  source->for_runs(0, input.size(), [&](int64_t at, int64_t size) {
    copy_elements(input.dtype(), element_at(output, to), element_at(input, at), size);
    to += size;
  });
}

void strided_slice_update(KernelContext& context) {
  const Tensor &input = context.input(0), &output = context.output(0);
  const StridedSlice slice = resolve_slice(input.shape(), context.attrs<ops::StridedSliceAttrs>());
  Tensor value = context.input(1);
  require_room(value.shape(), slice.result);
  if (value.shape() != slice.result) {
    const Tensor wide = Tensor::empty(value.dtype(), slice.result);
    const Shape own = strides_of(value.shape());
    const int added = wide.rank() - value.rank();
    StridedMove repeat;
    int64_t stride = wide.size();
    for (int i = 0; i < wide.rank(); ++i) {
      stride /= std::max<int64_t>(wide.dim(i), 1);
      const bool repeats = i < added || value.dim(i - added) == 1;
      repeat.add(wide.dim(i), stride, repeats ? 0 : own[i - added]);
    }
    repeat.run(wide.dtype(), wide.mutable_raw_data(), value.raw_data());
    value = wide;
  }
  if (output.raw_data() != input.raw_data())
    copy_elements(input.dtype(), output.mutable_raw_data(), input.raw_data(), input.size());
  if (slice.result.num_elements() == 0) return;
  const Place place = place_of(input.shape(), slice);
  auto* const to = element_at(output, place.offset);
  move_of(slice, place, true).run(input.dtype(), to, value.raw_data());
}

void strided_slice_grad(KernelContext& context) {
  const Tensor& dy = context.input(0);
  const Tensor& output = context.output(0);
  const StridedSlice slice =
      resolve_slice(output.shape(), context.attrs<ops::StridedSliceGradAttrs>().slice);
  const Place place = place_of(output.shape(), slice);
  fill_constant(output, 0);
  if (dy.size() == 0) return;
  auto* const to = element_at(output, place.offset);
  move_of(slice, place, true).run(dy.dtype(), to, dy.raw_data());
}

void add_to_slice(const Tensor& whole, const Tensor& values, const ops::StridedSliceAttrs& attrs) {
  if (values.size() == 0) return;
  const StridedSlice slice = resolve_slice(whole.shape(), attrs);
  const Place place = place_of(whole.shape(), slice);
  // The slice is copied, added to, and copied back: three passes over the slice, none over `whole`.
  const Tensor part = Tensor::empty(whole.dtype(), slice.result);
  auto* const in_whole = element_at(whole, place.offset);
  move_of(slice, place).run(whole.dtype(), part.mutable_raw_data(), in_whole);
  SpecList specs;
  specs.push_back({part.dtype(), part.shape()});
  TensorList outputs{part};
  const Tensor inputs[] = {part, values};
  KernelContext context(ops::add, inputs, {}, specs, outputs);
  context.run();
  move_of(slice, place, true).run(whole.dtype(), in_whole, part.raw_data());
}

void pad(KernelContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& output = context.output(0);
  const auto& [paddings, mode, value] = context.attrs<ops::PadAttrs>();
  if (mode != ops::PadMode::kConstant) {
    if (input.rank() == 0)
      return copy_elements(input.dtype(), element_at(output, 0), element_at(input, 0), 1);
    return pad_mirrored(input, output, paddings, mode == ops::PadMode::kReflect ? 1 : 0);
  }
  fill_constant(output, value);
  if (input.size() == 0) return;
  const Shape in = strides_of(input.shape());
  const Shape out = strides_of(output.shape());
  int64_t offset = 0;
  StridedMove move;
  for (int i = 0; i < input.rank(); ++i) {
    offset += paddings[static_cast<size_t>(2 * i)] * out[i];
    move.add(input.dim(i), out[i], in[i]);
  }
  move.run(input.dtype(), element_at(output, offset), input.raw_data());
}

void mirror_pad_grad(KernelContext& context) {
  const Tensor& dy = context.input(0);
  const Tensor& dx = context.output(0);
  const auto& [paddings, mode] = context.attrs<ops::MirrorPadGradAttrs>();
  const int64_t edge = mode == ops::PadMode::kReflect ? 1 : 0;
  if (dy.rank() == 0) return copy_elements(dy.dtype(), element_at(dx, 0), element_at(dy, 0), 1);
  fill_constant(dx, 0);
  switch (dy.dtype()) {
    case DType::kFloat32: return add_mirrored<float>(dy, dx, paddings, edge);
    case DType::kFloat64: return add_mirrored<double>(dy, dx, paddings, edge);
    case DType::kFloat16: return add_mirrored<Half>(dy, dx, paddings, edge);
    case DType::kBfloat16: return add_mirrored<Bfloat16>(dy, dx, paddings, edge);
    case DType::kComplex64: return add_mirrored<Complex64>(dy, dx, paddings, edge);
    case DType::kComplex128: return add_mirrored<Complex128>(dy, dx, paddings, edge);
    case DType::kInt32: return add_mirrored<int32_t>(dy, dx, paddings, edge);
    case DType::kInt64: return add_mirrored<int64_t>(dy, dx, paddings, edge);
    default: invalid_argument("No gradient of padding for ", dy.dtype(), " [Op:MirrorPadGrad]");
  }
}

}  // namespace ef::cpu
