// Batch and layer normalisation in as few passes over memory as possible; 16-bit floats are
// computed in float, block by block.
#include "kernels/cpu/normalization.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "device/parallel.h"
#include "eager/lazy.h"
#include "kernels/cpu/element_source.h"
#include "kernels/cpu/normalization_loops.h"
#include "kernels/cpu/widen.h"
#include "ops/normalization.h"

namespace ef::cpu {
namespace {

const NormalizationLoops& loops_of_all_types() { return best::normalization_loops(); }
template <class C>
const NormalizationLoopsOf<C>& typed_loops() {
  if constexpr (std::is_same_v<C, double>) {
    return loops_of_all_types().float64;
  } else {
    return loops_of_all_types().float32;
  }
}

// The dtype of the arithmetic for a dtype in memory.
template <class T>
using Arithmetic = std::conditional_t<std::is_same_v<T, double>, double, float>;

// A block of elements in the dtype of the arithmetic: in place, or converted.
template <class T>
class Reader {
 public:
  explicit Reader(int64_t largest) {
    if constexpr (!std::is_same_v<T, Arithmetic<T>>) wide_.resize(largest);
  }
  const Arithmetic<T>* at(const T* from, int64_t count) {
    if constexpr (std::is_same_v<T, Arithmetic<T>>) {
      return from;
    } else {
      convert_here(from, wide_.data(), count);
      return wide_.data();
    }
  }

 private:
  std::vector<Arithmetic<T>> wide_;
};

// The same for results.
template <class T>
class Writer {
 public:
  explicit Writer(int64_t largest) {
    if constexpr (!std::is_same_v<T, Arithmetic<T>>) wide_.resize(largest);
  }
  Arithmetic<T>* at(T* to) {
    if constexpr (std::is_same_v<T, Arithmetic<T>>) {
      return to;
    } else {
      return wide_.data();
    }
  }
  void finish(T* to, int64_t count) {
    if constexpr (!std::is_same_v<T, Arithmetic<T>>) {
      convert_here(wide_.data(), to, count);
    }
  }

 private:
  std::vector<Arithmetic<T>> wide_;
};

// A tensor as `outer` × channels × `inner` elements.
struct ChannelLayout {
  ChannelLayout(const Shape& shape, int axis) : channels(shape[axis]) {
    for (int i = 0; i < axis; ++i) outer *= shape[i];
    for (int i = axis + 1; i < shape.rank(); ++i) inner *= shape[i];
  }
  int64_t count() const { return outer * inner; }  // elements of a channel

  int64_t outer = 1;
  int64_t channels;
  int64_t inner = 1;
};

int axis_in(int64_t axis, const Tensor& x) {
  return static_cast<int>(axis < 0 ? axis + x.rank() : axis);
}

constexpr int64_t kNormalizationGrain = 16'384;  // elements for a thread
constexpr int64_t kNormalizationBlock = 4'096;   // elements of a block, which stays in the cache
constexpr int64_t kNarrow = 32;                  // with fewer channels, a row has several pixels
constexpr int64_t kWide = 64;                    // and about this many elements
constexpr int64_t kBlockRows = 16;               // at least

// Channels as the last axis, in rows of one pixel each, or of several pixels if there are few
// channels. A block is several of these rows; the remaining pixels are rows of one pixel.
class NormalizedRows {
 public:
  explicit NormalizedRows(const ChannelLayout& layout)
      : channels(layout.channels),
        pixels(layout.outer),
        group(channels < kNarrow ? std::max<int64_t>(1, kWide / std::max<int64_t>(channels, 1))
                                 : 1),
        width(channels * group),
        block(std::max(kBlockRows, kNormalizationBlock / std::max<int64_t>(width, 1)) * group) {}

  // How many threads share the pixels.
  int64_t parts() const {
    return std::clamp<int64_t>(pixels * channels / kNormalizationGrain, 1, max_threads());
  }

  // Calls body(first pixel, rows, elements in a row) for the blocks of part `k` of `parts`.
  template <class Body>
  void each(int64_t k, int64_t parts, const Body& body) const {
    const int64_t end = pixels * (k + 1) / parts;
    int64_t pixel = pixels * k / parts;
    while (pixel < end) {
      const int64_t count = std::min(block, end - pixel);
      const int64_t rows = count / group;
      if (rows > 0) body(pixel, rows, width);
      if (count > rows * group) body(pixel + rows * group, count - rows * group, channels);
      pixel += count;
    }
  }

  // An array with one value per channel, repeated for the pixels of a row.
  template <class C>
  std::vector<C> spread(const C* values) const {
    std::vector<C> result(width);
    for (int64_t i = 0; i < width; ++i) result[i] = values[i % channels];
    return result;
  }

  int64_t largest() const { return block * channels; }

  int64_t channels;
  int64_t pixels;
  int64_t group;
  int64_t width;
  int64_t block;
};

// The mean and squared deviations of a set of values, merged with other sets (Chan, Golub and
// LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample Variances", 1979).
struct Moments {
  double mean = 0;
  double squares = 0;
  double count = 0;

  void join(double other_mean, double other_squares, double other_count) {
    if (other_count == 0) return;
    const double total = count + other_count;
    const double distance = other_mean - mean;
    squares += other_squares + distance * distance * (count * other_count / total);
    mean += distance * (other_count / total);
    count = total;
  }
};

template <class T>
std::vector<Moments> channel_moments(const ChannelLayout& layout, const T* x) {
  using C = Arithmetic<T>;
  const auto& run = typed_loops<C>();
  std::vector<Moments> result(layout.channels);
  if (layout.inner == 1) {
    const NormalizedRows rows(layout);
    const int64_t parts = rows.parts();
    std::vector<Moments> partial(parts * rows.width);
    parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
      Reader<T> reader(rows.largest());
      std::vector<C> mean(rows.width);
      std::vector<C> squares(rows.width);
      for (int64_t k = begin; k < end; ++k) {
        Moments* const own = partial.data() + k * rows.width;
        rows.each(k, parts, [&](int64_t pixel, int64_t count, int64_t width) {
          const C* values = reader.at(x + pixel * rows.channels, count * width);
          run.column_moments(values, count, width, mean.data(), squares.data());
          for (int64_t i = 0; i < width; ++i) {
            own[i].join(mean[i], squares[i], static_cast<double>(count));
          }
        });
      }
    });
    for (int64_t i = 0; i < parts * rows.width; ++i) {
      const Moments& part = partial[i];
      result[i % rows.width % rows.channels].join(part.mean, part.squares, part.count);
    }
    return result;
  }
  const int64_t grain =
      std::max<int64_t>(1, kNormalizationGrain / std::max<int64_t>(layout.count(), 1));
  parallel_for(layout.channels, grain, [&](int64_t begin, int64_t end) {
    Reader<T> reader(layout.inner);
    for (int64_t c = begin; c < end; ++c) {
      for (int64_t o = 0; o < layout.outer; ++o) {
        const C* plane = reader.at(x + (o * layout.channels + c) * layout.inner, layout.inner);
        C mean = 0;
        C squares = 0;
        run.moments(plane, layout.inner, &mean, &squares);
        result[c].join(mean, squares, static_cast<double>(layout.inner));
      }
    }
  });
  return result;
}

// y = (x - mean) * factor + offset
template <class T, class C = Arithmetic<T>>
void scale_channels(const ChannelLayout& layout, T* y, const T* x, const C* mean, const C* factor,
                    const C* offset) {
  const auto& run = typed_loops<C>();
  if (layout.inner == 1) {
    const NormalizedRows rows(layout);
    const std::vector<C> means = rows.spread(mean);
    const std::vector<C> factors = rows.spread(factor);
    const std::vector<C> offsets = rows.spread(offset);
    const int64_t parts = rows.parts();
    parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
      Reader<T> reader(rows.largest());
      Writer<T> writer(rows.largest());
      for (int64_t k = begin; k < end; ++k) {
        rows.each(k, parts, [&](int64_t pixel, int64_t count, int64_t width) {
          const int64_t at = pixel * rows.channels;
          run.scale_columns(writer.at(y + at), reader.at(x + at, count * width), means.data(),
                            factors.data(), offsets.data(), count, width);
          writer.finish(y + at, count * width);
        });
      }
    });
    return;
  }
  const int64_t grain =
      std::max<int64_t>(1, kNormalizationGrain / std::max<int64_t>(layout.inner, 1));
  parallel_for(layout.outer * layout.channels, grain, [&](int64_t begin, int64_t end) {
    Reader<T> reader(layout.inner);
    Writer<T> writer(layout.inner);
    for (int64_t k = begin; k < end; ++k) {
      const int64_t c = k % layout.channels;
      const int64_t at = k * layout.inner;
      run.scale(writer.at(y + at), reader.at(x + at, layout.inner), mean[c], factor[c], offset[c],
                layout.inner);
      writer.finish(y + at, layout.inner);
    }
  });
}

// The deferred result of a batch normalisation, as factors and offsets per channel. A chain that
// reads its elements, such as an activation, computes them in the cache, without memory for the
// result.
template <class T>
class ScaledChannels : public ElementSource {
 public:
  ScaledChannels(const ChannelLayout& layout, Tensor x, const T* mean, const T* factor,
                 const T* offset)
      : layout_(layout),
        x_(std::move(x)),
        mean_(repeated(mean)),
        factor_(repeated(factor)),
        offset_(repeated(offset)) {}

  void read(int64_t begin, int64_t count, void* to) const override {
    T* const y = static_cast<T*>(to);
    if (layout_.inner == 1) return read_rows(begin, count, y);
    for (int64_t done = 0; done < count;) {
      const int64_t at = begin + done;
      const int64_t plane = at / layout_.inner;
      const int64_t c = plane % layout_.channels;
      const int64_t size = std::min(count - done, (plane + 1) * layout_.inner - at);
      typed_loops<T>().scale(y + done, x_.data<T>() + at, mean_[c], factor_[c], offset_[c], size);
      done += size;
    }
  }

  const Tensor* kept() const override { return &x_; }

  bool write(const Tensor& value) const override {
    scale_channels(layout_, value.mutable_data<T>(), x_.data<T>(), mean_.data(), factor_.data(),
                   offset_.data());
    return true;
  }

 private:
  // The number of elements computed at once, whichever channel they begin with.
  static constexpr int64_t kTogether = 256;

  void read_rows(int64_t begin, int64_t count, T* y) const {
    const T* const x = x_.data<T>() + begin;
    const auto scale = [&](int64_t from, int64_t channel, int64_t rows, int64_t n) {
      typed_loops<T>().scale_columns(y + from, x + from, mean_.data() + channel,
                                     factor_.data() + channel, offset_.data() + channel, rows, n);
    };
    const int64_t channel = begin % layout_.channels;
    if (count <= kTogether) return scale(0, channel, 1, count);
    // As many whole rows as possible, of one pixel or of several.
    const int64_t width = layout_.channels * std::max<int64_t>(1, kTogether / layout_.channels);
    const int64_t head = channel == 0 ? 0 : std::min(count, layout_.channels - channel);
    if (head > 0) scale(0, channel, 1, head);
    const int64_t rows = (count - head) / width;
    scale(head, 0, rows, width);
    const int64_t done = head + rows * width;
    scale(done, 0, 1, count - done);
  }

  std::vector<T> repeated(const T* values) const {
    const int64_t size = layout_.channels + (layout_.inner == 1 ? kTogether : 0);
    std::vector<T> result(values, values + layout_.channels);
    result.resize(size);
    for (int64_t i = layout_.channels; i < size; ++i) result[i] = result[i - layout_.channels];
    return result;
  }

  const ChannelLayout layout_;
  const Tensor x_;
  const std::vector<T> mean_, factor_, offset_;  // per channel, repeated
};

// From this size on, computing elements in the cache is worth the bookkeeping.
constexpr int64_t kLaterElements = 262'144;

// Sets the first output to (x - mean) * factor + offset; deferred if it is large.
template <class T, class C = Arithmetic<T>>
void give_scaled(KernelContext& context, const ChannelLayout& layout, const C* mean,
                 const C* factor, const C* offset) {
  const Tensor& x = context.input(0);
  const TensorSpec& spec = context.spec(0);
  if constexpr (std::is_same_v<T, C>) {
    // In a graph an activation can overwrite a computed result, and deferred rows of few channels
    // are read slowly.
    const bool pays = !context.owns_inputs() || layout.channels >= kNarrow || layout.inner > 1;
    if (x.size() >= kLaterElements && pays && fuses()) {
      constexpr double kNanoseconds = 0.5;
      context.output(0) =
          make_generated(std::make_shared<ScaledChannels<T>>(layout, x, mean, factor, offset), spec,
                         kNanoseconds, x.bytes());
      if (context.output(0)) return;
    }
  }
  context.output(0) = Tensor::empty(spec.dtype, spec.shape);
  scale_channels(layout, context.output(0).mutable_data<T>(), x.data<T>(), mean, factor, offset);
}

// Per channel, the sums of dy and of dy * (x - mean).
template <class T, class C = Arithmetic<T>>
void channel_dots(const ChannelLayout& layout, const T* dy, const T* x, const C* mean, C* sum,
                  C* dot) {
  const auto& run = typed_loops<C>();
  if (layout.inner == 1) {
    const NormalizedRows rows(layout);
    const std::vector<C> means = rows.spread(mean);
    const int64_t parts = rows.parts();
    std::vector<double> totals(2 * parts * rows.width);
    parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
      Reader<T> slopes(rows.largest());
      Reader<T> values(rows.largest());
      std::vector<C> sums(2 * rows.width);
      for (int64_t k = begin; k < end; ++k) {
        double* const own = totals.data() + 2 * k * rows.width;
        rows.each(k, parts, [&](int64_t pixel, int64_t count, int64_t width) {
          const int64_t at = pixel * rows.channels;
          std::fill(sums.begin(), sums.end(), C(0));
          run.column_dots(slopes.at(dy + at, count * width), values.at(x + at, count * width),
                          means.data(), sums.data(), sums.data() + rows.width, count, width);
          for (int64_t i = 0; i < 2 * rows.width; ++i) own[i] += sums[i];
        });
      }
    });
    for (int64_t c = 0; c < rows.channels; ++c) {
      double both[2] = {};
      for (int64_t k = 0; k < 2 * parts; ++k) {
        for (int64_t i = c; i < rows.width; i += rows.channels) {
          both[k % 2] += totals[k * rows.width + i];
        }
      }
      sum[c] = static_cast<C>(both[0]);
      dot[c] = static_cast<C>(both[1]);
    }
    return;
  }
  const int64_t grain =
      std::max<int64_t>(1, kNormalizationGrain / std::max<int64_t>(layout.count(), 1));
  parallel_for(layout.channels, grain, [&](int64_t begin, int64_t end) {
    Reader<T> slopes(layout.inner);
    Reader<T> values(layout.inner);
    for (int64_t c = begin; c < end; ++c) {
      double total = 0;
      double product = 0;
      for (int64_t o = 0; o < layout.outer; ++o) {
        const int64_t at = (o * layout.channels + c) * layout.inner;
        C one = 0;
        C two = 0;
        run.dots(slopes.at(dy + at, layout.inner), values.at(x + at, layout.inner), mean[c], &one,
                 &two, layout.inner);
        total += one;
        product += two;
      }
      sum[c] = static_cast<C>(total);
      dot[c] = static_cast<C>(product);
    }
  });
}

// dx = a * dy + b * (x - mean) + c
template <class T, class C = Arithmetic<T>>
void mix_channels(const ChannelLayout& layout, T* dx, const T* dy, const T* x, const C* mean,
                  const C* a, const C* b, const C* c) {
  const auto& run = typed_loops<C>();
  if (layout.inner == 1) {
    const NormalizedRows rows(layout);
    const std::vector<C> means = rows.spread(mean);
    const std::vector<C> as = rows.spread(a);
    const std::vector<C> bs = rows.spread(b);
    const std::vector<C> cs = rows.spread(c);
    const int64_t parts = rows.parts();
    parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
      Reader<T> slopes(rows.largest());
      Reader<T> values(rows.largest());
      Writer<T> writer(rows.largest());
      for (int64_t k = begin; k < end; ++k) {
        rows.each(k, parts, [&](int64_t pixel, int64_t count, int64_t width) {
          const int64_t at = pixel * rows.channels;
          run.mix_columns(writer.at(dx + at), slopes.at(dy + at, count * width),
                          values.at(x + at, count * width), means.data(), as.data(), bs.data(),
                          cs.data(), count, width);
          writer.finish(dx + at, count * width);
        });
      }
    });
    return;
  }
  const int64_t grain =
      std::max<int64_t>(1, kNormalizationGrain / std::max<int64_t>(layout.inner, 1));
  parallel_for(layout.outer * layout.channels, grain, [&](int64_t begin, int64_t end) {
    Reader<T> slopes(layout.inner);
    Reader<T> values(layout.inner);
    Writer<T> writer(layout.inner);
    for (int64_t k = begin; k < end; ++k) {
      const int64_t i = k % layout.channels;
      const int64_t at = k * layout.inner;
      run.mix(writer.at(dx + at), slopes.at(dy + at, layout.inner), values.at(x + at, layout.inner),
              mean[i], a[i], b[i], c[i], layout.inner);
      writer.finish(dx + at, layout.inner);
    }
  });
}

// Calls function(T()) with the type of a floating dtype.
template <class Function>
void for_float_type(DType dtype, const Function& function) {
  switch (dtype) {
    case DType::kFloat32: return function(float{});
    case DType::kFloat64: return function(double{});
    case DType::kFloat16: return function(Half{});
    case DType::kBfloat16: return function(Bfloat16{});
    default: return;
  }
}

}  // namespace

void batch_norm(KernelContext& context) {
  for (int k = 1; k < 4; ++k) {
    context.output(k) = Tensor::empty(context.spec(k).dtype, context.spec(k).shape);
  }
  const Tensor& x = context.input(0);
  const double epsilon = context.attrs<ops::BatchNormAttrs>().epsilon;
  const ChannelLayout layout(x.shape(), axis_in(context.attrs<ops::BatchNormAttrs>().axis, x));
  for_float_type(x.dtype(), [&]<class T>(T) {
    using C = Arithmetic<T>;
    C* const mean = context.output(1).mutable_data<C>();
    C* const variance = context.output(2).mutable_data<C>();
    C* const inverse = context.output(3).mutable_data<C>();
    const std::vector<Moments> moments = channel_moments(layout, x.data<T>());
    std::vector<C> factor(layout.channels);
    for (int64_t c = 0; c < layout.channels; ++c) {
      const Moments& m = moments[c];
      const double spread = m.squares / m.count;  // NaN without elements
      mean[c] = m.count == 0 ? std::numeric_limits<C>::quiet_NaN() : static_cast<C>(m.mean);
      variance[c] = static_cast<C>(spread);
      inverse[c] = static_cast<C>(1 / std::sqrt(spread + epsilon));
      factor[c] = inverse[c] * context.input(1).data<C>()[c];
    }
    give_scaled<T>(context, layout, mean, factor.data(), context.input(2).data<C>());
  });
}

void batch_norm_inference(KernelContext& context) {
  const Tensor& x = context.input(0);
  const double epsilon = context.attrs<ops::BatchNormAttrs>().epsilon;
  const ChannelLayout layout(x.shape(), axis_in(context.attrs<ops::BatchNormAttrs>().axis, x));
  for_float_type(x.dtype(), [&]<class T>(T) {
    using C = Arithmetic<T>;
    const C* const variance = context.input(4).data<C>();
    std::vector<C> factor(layout.channels);
    for (int64_t c = 0; c < layout.channels; ++c) {
      const C spread = variance[c] + static_cast<C>(epsilon);
      factor[c] = context.input(1).data<C>()[c] / std::sqrt(spread);
    }
    give_scaled<T>(context, layout, context.input(3).data<C>(), factor.data(),
                   context.input(2).data<C>());
  });
}

void batch_norm_grad(KernelContext& context) {
  for (int k = 1; k < 3; ++k) {
    context.output(k) = Tensor::empty(context.spec(k).dtype, context.spec(k).shape);
  }
  const Tensor& dy = context.input(0);
  const Tensor& x = context.input(1);
  const ChannelLayout layout(x.shape(), axis_in(context.attrs<ops::BatchNormGradAttrs>().axis, x));
  for_float_type(x.dtype(), [&]<class T>(T) {
    using C = Arithmetic<T>;
    const C* const scale = context.input(2).data<C>();
    const C* const mean = context.input(3).data<C>();
    const C* const inverse = context.input(4).data<C>();
    C* const dscale = context.output(1).mutable_data<C>();
    C* const doffset = context.output(2).mutable_data<C>();
    std::vector<C> dot(layout.channels);
    channel_dots(layout, dy.data<T>(), x.data<T>(), mean, doffset, dot.data());
    std::vector<C> a(layout.channels);
    std::vector<C> b(layout.channels);
    std::vector<C> c(layout.channels);
    const C share = C(1) / static_cast<C>(std::max<int64_t>(layout.count(), 1));
    for (int64_t i = 0; i < layout.channels; ++i) {
      dscale[i] = dot[i] * inverse[i];
      a[i] = scale[i] * inverse[i];
      b[i] = -a[i] * inverse[i] * dscale[i] * share;
      c[i] = -a[i] * doffset[i] * share;
    }
    const bool in_place = context.owns_inputs() && dy.exclusively_owned();
    Tensor& dx = context.output(0);
    dx = in_place ? dy : Tensor::empty(dy.dtype(), dy.shape());
    mix_channels(layout, dx.mutable_data<T>(), dy.data<T>(), x.data<T>(), mean, a.data(), b.data(),
                 c.data());
    if (in_place) dx.impl()->reset_id();  // tapes know the old value
  });
}

void layer_norm(KernelContext& context) {
  const Tensor& x = context.input(0);
  const int64_t n = context.input(1).size();
  const int64_t rows = context.output(1).size();
  for_float_type(x.dtype(), [&]<class T>(T) {
    using C = Arithmetic<T>;
    const auto& run = typed_loops<C>();
    const C epsilon = static_cast<C>(context.attrs<ops::LayerNormAttrs>().epsilon);
    C* const mean = context.output(1).mutable_data<C>();
    C* const inverse = context.output(2).mutable_data<C>();
    T* const y = context.output(0).mutable_data<T>();
    const int64_t grain = std::max<int64_t>(1, kNormalizationGrain / std::max<int64_t>(n, 1));
    parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
      Reader<T> reader(n);
      Writer<T> writer(n);
      for (int64_t r = begin; r < end; ++r) {
        const C* const row = reader.at(x.data<T>() + r * n, n);
        C squares = 0;
        run.moments(row, n, mean + r, &squares);
        inverse[r] = C(1) / std::sqrt(squares / static_cast<C>(n) + epsilon);
        run.normalize_row(writer.at(y + r * n), row, mean[r], inverse[r],
                          context.input(1).data<C>(), context.input(2).data<C>(), n);
        writer.finish(y + r * n, n);
      }
    });
  });
}

void layer_norm_grad(KernelContext& context) {
  const Tensor& dy = context.input(0);
  const Tensor& x = context.input(1);
  const int64_t n = context.input(2).size();
  const int64_t rows = context.input(3).size();
  for_float_type(x.dtype(), [&]<class T>(T) {
    using C = Arithmetic<T>;
    const auto& run = typed_loops<C>();
    T* const dx = context.output(0).mutable_data<T>();
    const int64_t parts = std::clamp<int64_t>(rows * n / kNormalizationGrain, 1, max_threads());
    std::vector<C> sums(2 * parts * n);
    parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
      Reader<T> slopes(n);
      Reader<T> values(n);
      Writer<T> writer(n);
      for (int64_t k = begin; k < end; ++k) {
        C* const own = sums.data() + 2 * k * n;
        for (int64_t r = rows * k / parts; r < rows * (k + 1) / parts; ++r) {
          run.normalize_row_grad(writer.at(dx + r * n), slopes.at(dy.data<T>() + r * n, n),
                                 values.at(x.data<T>() + r * n, n), context.input(3).data<C>()[r],
                                 context.input(4).data<C>()[r], context.input(2).data<C>(), own,
                                 own + n, n);
          writer.finish(dx + r * n, n);
        }
      }
    });
    for (int which = 0; which < 2; ++which) {
      C* const out = context.output(1 + which).mutable_data<C>();
      std::copy_n(sums.data() + which * n, n, out);
      for (int64_t k = 1; k < parts; ++k) {
        for (int64_t i = 0; i < n; ++i) out[i] += sums[(2 * k + which) * n + i];
      }
    }
  });
}

}  // namespace ef::cpu
