// Reductions: the axes are merged to [outer, reduced, inner], with inner = 1 where rows are summed
// and inner > 1 where columns are.
#include "kernels/cpu/reduction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "device/parallel.h"
#include "device/scratch.h"
#include "eager/lazy.h"
#include "kernels/cpu/elementwise.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/moves.h"
#include "kernels/cpu/reduction_loops.h"
#include "kernels/cpu/row_loops.h"
#include "kernels/cpu/typed.h"
#include "kernels/cpu/widen.h"
#include "ops/reduction.h"

namespace ef::cpu {
namespace {

template <class T>
constexpr bool kVector = std::is_same_v<T, float> || std::is_same_v<T, double>;

struct WideSum;

// The arithmetic dtype of a reduction R for an element type S: float for 16-bit floats, and a wide
// integer for sums of integers that must not wrap.
template <class R, class S>
using Accumulator =
    std::conditional_t<std::is_same_v<S, Half> || std::is_same_v<S, Bfloat16>, float,
                       std::conditional_t<!std::is_same_v<R, WideSum>, S,
                                          std::conditional_t<sizeof(S) < 8, int64_t, Int128>>>;

// Blocks of elements, converted to the arithmetic type.
constexpr int64_t kConverted = 2048;
template <class T>
using ConvertedBlock = std::array<T, kConverted>;

// Returns up to kConverted elements in the arithmetic type.
template <class S, class T>
const T* computed(const S* x, int64_t n, ConvertedBlock<T>& block) {
  if constexpr (std::is_same_v<S, T>) {
    return x;
  } else {
    if constexpr (std::is_same_v<T, float>) {
      convert_here(x, block.data(), n);
    } else {
      std::copy_n(x, n, block.data());
    }
    return block.data();
  }
}

template <class T>
const ReductionLoopsOf<T>& reduction_loops_of() {
  return best::reduction_loops();
}

template <class T>
bool is_nan(T value) {
  if constexpr (std::is_floating_point_v<T>) return std::isnan(value);
  return false;
}

struct Sum {
  // The largest prime factor of the lengths of rows that are reduced several at a time.
  static constexpr int64_t kLargestFactor = 7;
  template <class T>
  static T start() {
    return T(0);
  }
  template <class T>
  static T join(T a, T b) {
    return static_cast<T>(wrapping(a) + wrapping(b));
  }
  template <class T>
  static T row(const T* x, int64_t n) {
    if constexpr (kVector<T>) {
      // Blocks bound the error of long sums; their totals are added in double.
      double total = 0;
      for (int64_t i = 0; i < n; i += 2048) {
        total += row_loops_of<T>().sum(x + i, std::min<int64_t>(2048, n - i));
      }
      return static_cast<T>(total);
    } else {
      return reduction_loops_of<T>().sum(x, n);
    }
  }
  template <class T>
  static void into(T* out, const T* x, int64_t n) {
    reduction_loops_of<T>().add_into(out, x, n);
  }
  template <class T>
  static void four_into(T* out, const T* x, int64_t stride, int64_t n) {
    row_loops_of<T>().add_four_into(out, x, stride, n);
  }
  template <class T>
  static void rows(T* out, const T* x, int64_t count, int64_t n) {
    reduction_loops_of<T>().sum_rows(out, x, count, n);
  }
};

// Sums of integers that do not wrap.
struct WideSum : Sum {};

struct ProductRule {
  static constexpr int64_t kLargestFactor = 7;
  template <class T>
  static T start() {
    return T(1);
  }
  template <class T>
  static T join(T a, T b) {
    return static_cast<T>(wrapping(a) * wrapping(b));
  }
  template <class T>
  static T row(const T* x, int64_t n) {
    return reduction_loops_of<T>().product(x, n);
  }
  template <class T>
  static void into(T* out, const T* x, int64_t n) {
    reduction_loops_of<T>().multiply_into(out, x, n);
  }
  template <class T>
  static void four_into(T* out, const T* x, int64_t stride, int64_t n) {
    reduction_loops_of<T>().multiply_four_into(out, x, stride, n);
  }
  template <class T>
  static void rows(T* out, const T* x, int64_t count, int64_t n) {
    reduction_loops_of<T>().product_rows(out, x, count, n);
  }
};

struct Max {
  // Extremes of five elements do not vectorise.
  static constexpr int64_t kLargestFactor = 3;
  template <class T>
  static T start() {
    if constexpr (std::is_floating_point_v<T>) return -std::numeric_limits<T>::infinity();
    return std::numeric_limits<T>::lowest();
  }
  template <class T>
  static T join(T a, T b) {
    return is_nan(a) || a > b ? a : b;
  }
  template <class T>
  static T row(const T* x, int64_t n) {
    if constexpr (kVector<T>) return row_loops_of<T>().max(x, n);
    return reduction_loops_of<T>().max(x, n);
  }
  template <class T>
  static void into(T* out, const T* x, int64_t n) {
    if constexpr (kVector<T>) return row_loops_of<T>().max_into(out, x, n);
    reduction_loops_of<T>().max_into(out, x, n);
  }
  template <class T>
  static void four_into(T* out, const T* x, int64_t stride, int64_t n) {
    reduction_loops_of<T>().max_four_into(out, x, stride, n);
  }
  template <class T>
  static void rows(T* out, const T* x, int64_t count, int64_t n) {
    reduction_loops_of<T>().max_rows(out, x, count, n);
  }
};

struct Min {
  static constexpr int64_t kLargestFactor = 3;
  template <class T>
  static T start() {
    if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<T>::infinity();
    return std::numeric_limits<T>::max();
  }
  template <class T>
  static T join(T a, T b) {
    return is_nan(a) || a < b ? a : b;
  }
  template <class T>
  static T row(const T* x, int64_t n) {
    if constexpr (kVector<T>) return row_loops_of<T>().min(x, n);
    return reduction_loops_of<T>().min(x, n);
  }
  template <class T>
  static void into(T* out, const T* x, int64_t n) {
    if constexpr (kVector<T>) return row_loops_of<T>().min_into(out, x, n);
    reduction_loops_of<T>().min_into(out, x, n);
  }
  template <class T>
  static void four_into(T* out, const T* x, int64_t stride, int64_t n) {
    reduction_loops_of<T>().min_four_into(out, x, stride, n);
  }
  template <class T>
  static void rows(T* out, const T* x, int64_t count, int64_t n) {
    reduction_loops_of<T>().min_rows(out, x, count, n);
  }
};

// For booleans, read as bytes that are 0 or 1.
struct All : Min {
  template <class T>
  static T start() {
    return 1;
  }
};
struct Any : Max {};

// The reduction of partial results.
template <class R>
using OfParts = std::conditional_t<std::is_same_v<R, WideSum>, Sum, R>;

// out = out op x
template <class R, class S, class T>
void reduce_into(T* out, const S* x, int64_t n, ConvertedBlock<T>& block) {
  if constexpr (std::is_same_v<R, WideSum> && sizeof(S) < sizeof(T) && kLooped<T>) {
    reduction_loops_of<S>().add_into_wide(out, x, n);
  } else if constexpr (kLooped<T>) {
    R::into(out, computed(x, n, block), n);
  } else {
    for (int64_t i = 0; i < n; ++i) out[i] = R::join(out[i], static_cast<T>(x[i]));
  }
}

template <class R, class S>
Accumulator<R, S> reduce_row(const S* x, int64_t n) {
  using T = Accumulator<R, S>;
  T total = R::template start<T>();
  if constexpr (!kLooped<T>) {
    for (int64_t i = 0; i < n; ++i) total = R::join(total, static_cast<T>(x[i]));
    return total;
  } else if constexpr (std::is_same_v<R, WideSum>) {
    return reduction_loops_of<S>().wide_sum(x, n);
  } else if constexpr (!std::is_same_v<S, T>) {
    ConvertedBlock<T> block;
    for (int64_t i = 0; i < n; i += kConverted) {
      const int64_t size = std::min(kConverted, n - i);
      total = R::join(total, R::row(computed(x + i, size, block), size));
    }
    return total;
  } else {
    return n > 0 ? R::row(x, n) : total;
  }
}

// Sums of columns for which the sums of one row fit into registers, or almost.
constexpr int64_t kColumnsOfSums = 512;

// out[c] = the sum over r of x[r * width + c], for all columns.
template <class T>
void sum_columns(const T* x, T* out, int64_t count, int64_t width) {
  const T one = 1;
  vector_kernels<T>().combine_rows(count, width, x, width, &one, 0, out);
}

// out[c] = reduction over r of x[r * width + c], for columns [begin, end).
template <class R, class S>
void reduce_columns(const S* x, Accumulator<R, S>* out, int64_t count, int64_t width, int64_t begin,
                    int64_t end) {
  using T = Accumulator<R, S>;
  constexpr int64_t kColumns = kConverted;
  constexpr int64_t kRows = 256;  // rows per partial result, against rounding
  std::array<T, kColumns> part;
  std::array<T, kColumns> total;
  ConvertedBlock<T> block;
  for (int64_t c = begin; c < end; c += kColumns) {
    const int64_t size = std::min(kColumns, end - c);
    std::fill_n(total.data(), size, R::template start<T>());
    for (int64_t r = 0; r < count; r += kRows) {
      std::fill_n(part.data(), size, R::template start<T>());
      const int64_t last = std::min(r + kRows, count);
      int64_t k = r;
      if constexpr (kVector<S>) {
        for (; k + 4 <= last; k += 4) R::four_into(part.data(), x + k * width + c, width, size);
      }
      for (; k < last; ++k) {
        reduce_into<R>(part.data(), x + k * width + c, size, block);
      }
      for (int64_t i = 0; i < size; ++i) total[i] = R::join(total[i], part[i]);
    }
    std::copy_n(total.data(), size, out + c);
  }
}

// All columns. Several short rows are first reduced as one long row.
template <class R, class S>
void reduce_all_columns(const S* x, Accumulator<R, S>* out, int64_t count, int64_t width) {
  using T = Accumulator<R, S>;
  constexpr int64_t kWide = 256;
  const int64_t together = kWide / width;
  if constexpr (std::is_same_v<R, Sum> && kVector<S>) {
    // As many rows as a partial result has.
    if (count <= 256 && width <= kColumnsOfSums) return sum_columns(x, out, count, width);
  }
  if (together < 4 || count < 2 * together) {
    return reduce_columns<R>(x, out, count, width, 0, width);
  }
  std::array<T, 2 * kWide> parts;
  const int64_t whole = count / together;
  reduce_columns<R>(x, parts.data(), whole, together * width, 0, together * width);
  // The remaining rows follow the results.
  int64_t rows = together;
  ConvertedBlock<T> block;
  for (int64_t k = whole * together; k < count; ++k, ++rows) {
    std::copy_n(computed(x + k * width, width, block), width, parts.data() + rows * width);
  }
  reduce_columns<OfParts<R>>(static_cast<const T*>(parts.data()), out, rows, width, 0, width);
}

struct ReducedLayout {
  int64_t outer = 1;
  int64_t count = 1;
  int64_t inner = 1;
};

constexpr int64_t kReductionGrain = 65'536;

// The number of parts of a long row.
constexpr int kRowParts = 64;

// Rows of the layout.
template <class R, class S>
void reduce_some_rows(const S* x, Accumulator<R, S>* out, int64_t rows,
                      const ReducedLayout& layout) {
  using T = Accumulator<R, S>;
  const int64_t n = layout.count;
  if constexpr (std::is_same_v<S, T> && kLooped<T>) {
    if (is_short_row(n, R::kLargestFactor) && layout.outer > 1) return R::rows(out, x, rows, n);
  }
  for (int64_t r = 0; r < rows; ++r) out[r] = reduce_row<R>(x + r * n, n);
}

template <class R, class S>
void reduce_rows(const S* x, Accumulator<R, S>* out, const ReducedLayout& layout) {
  using T = Accumulator<R, S>;
  if (layout.outer == 1 && layout.count >= 2 * kReductionGrain) {
    // One long row: a partial result for each thread.
    std::array<T, kRowParts> parts;
    parallel_for(kRowParts, 1, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        const int64_t from = layout.count * p / kRowParts;
        parts[p] = reduce_row<R>(x + from, layout.count * (p + 1) / kRowParts - from);
      }
    });
    T total = parts[0];
    for (int p = 1; p < kRowParts; ++p) total = R::join(total, parts[p]);
    out[0] = total;
    return;
  }
  parallel_for(layout.outer,
               std::max<int64_t>(1, kReductionGrain / std::max<int64_t>(layout.count, 1)),
               [&](int64_t begin, int64_t end) {
                 reduce_some_rows<R>(x + begin * layout.count, out + begin, end - begin, layout);
               });
}

// Deferred elements are read in parts of this size, each part once.
constexpr int64_t kRead = 2048;
// At least so many columns and elements are read in parts: smaller tensors stay in the caches.
constexpr int64_t kReadColumns = 1024;
constexpr int64_t kReadElements = int64_t{1} << 20;

// Reduces the elements [begin, begin + n), with the same bits as reduce_row.
template <class R, class S>
Accumulator<R, S> reduce_read_row(Chain::Reader::Part& elements, int64_t begin, int64_t n) {
  using T = Accumulator<R, S>;
  alignas(64) S part[kRead];
  using Total = std::conditional_t<kVector<S> && std::is_same_v<R, Sum>, double, T>;
  auto total = static_cast<Total>(R::template start<T>());
  for (int64_t i = 0; i < n; i += kRead) {
    const int64_t size = std::min(kRead, n - i);
    elements.read(begin + i, size, part);
    total = R::join(total, static_cast<Total>(reduce_row<R>(static_cast<const S*>(part), size)));
  }
  return static_cast<T>(total);
}

template <class R, class S>
void reduce_read_rows(const Chain::Reader& elements, Accumulator<R, S>* out,
                      const ReducedLayout& layout) {
  using T = Accumulator<R, S>;
  const int64_t n = layout.count;
  if (layout.outer == 1 && n >= 2 * kReductionGrain) {
    std::array<T, kRowParts> parts;
    parallel_for(kRowParts, 1, [&](int64_t begin, int64_t end) {
      Chain::Reader::Part reader(elements);
      for (int64_t p = begin; p < end; ++p) {
        const int64_t from = n * p / kRowParts;
        parts[p] = reduce_read_row<R, S>(reader, from, n * (p + 1) / kRowParts - from);
      }
    });
    T total = parts[0];
    for (int p = 1; p < kRowParts; ++p) total = R::join(total, parts[p]);
    out[0] = total;
    return;
  }
  constexpr double kNanoseconds = 10'000.0 / kReductionGrain;  // to reduce an element
  parallel_for(layout.outer, std::max<int64_t>(1, elements.grain(kNanoseconds) / n),
               [&](int64_t begin, int64_t end) {
                 Chain::Reader::Part reader(elements);
                 if (n > kRead / 2) {
                   for (int64_t r = begin; r < end; ++r)
                     out[r] = reduce_read_row<R, S>(reader, r * n, n);
                   return;
                 }
                 alignas(64) S part[kRead];
                 const int64_t together = kRead / n;
                 for (int64_t r = begin; r < end; r += together) {
                   const int64_t rows = std::min(together, end - r);
                   reader.read(r * n, rows * n, part);
                   reduce_some_rows<R>(static_cast<const S*>(part), out + r, rows, layout);
                 }
               });
}

// The same for columns. Several rows at a time are one long row, and parts of the rows have their
// own totals.
template <class R, class S>
void reduce_read_columns(const Chain::Reader& elements, Accumulator<R, S>* out,
                         const ReducedLayout& layout) {
  using T = Accumulator<R, S>;
  using Total = std::conditional_t<kVector<T> && std::is_same_v<R, Sum>, double, T>;
  constexpr int kParts = 16;
  constexpr int64_t kBlocks = 256;  // per partial result, against rounding
  const int64_t width = layout.inner, together = kRead / width;
  std::vector<Total> totals(static_cast<size_t>(kParts * width),
                            static_cast<Total>(R::template start<T>()));
  parallel_for(kParts, 1, [&](int64_t begin, int64_t end) {
    Chain::Reader::Part reader(elements);
    alignas(64) S block[kRead];
    alignas(64) T sums[kRead];
    ConvertedBlock<T> wide;
    for (int64_t p = begin; p < end; ++p) {
      Total* const own = totals.data() + p * width;
      const int64_t last = layout.count * (p + 1) / kParts;
      for (int64_t r = layout.count * p / kParts; r < last;) {
        std::fill_n(sums, together * width, R::template start<T>());
        for (int64_t k = 0; k < kBlocks && r < last; ++k, r += together) {
          const int64_t count = std::min(together, last - r) * width;
          reader.read(r * width, count, block);
          reduce_into<R>(sums, static_cast<const S*>(block), count, wide);
        }
        for (int64_t k = 1; k < together; ++k) {
          reduce_into<OfParts<R>>(sums, static_cast<const T*>(sums + k * width), width, wide);
        }
        for (int64_t i = 0; i < width; ++i) own[i] = R::join(own[i], static_cast<Total>(sums[i]));
      }
    }
  });
  for (int64_t i = 0; i < width; ++i) {
    Total total = totals[static_cast<size_t>(i)];
    for (int64_t p = 1; p < kParts; ++p) {
      total = R::join(total, totals[static_cast<size_t>(p * width + i)]);
    }
    out[i] = static_cast<T>(total);
  }
}

// Few columns and very many rows: threads share the rows.
template <class R, class S>
void reduce_tall(const S* x, Accumulator<R, S>* out, const ReducedLayout& layout) {
  using T = Accumulator<R, S>;
  constexpr int kParts = 16;
  const auto parts = std::make_unique<T[]>(static_cast<size_t>(kParts * layout.inner));
  parallel_for(kParts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const int64_t from = layout.count * p / kParts;
      reduce_all_columns<R>(x + from * layout.inner, parts.get() + p * layout.inner,
                            layout.count * (p + 1) / kParts - from, layout.inner);
    }
  });
  reduce_columns<OfParts<R>>(static_cast<const T*>(parts.get()), out, kParts, layout.inner, 0,
                             layout.inner);
}

template <class R, class S>
void reduce(const S* x, Accumulator<R, S>* out, const ReducedLayout& layout) {
  if (layout.outer == 0 || layout.inner == 0) return;
  if (layout.inner == 1) return reduce_rows<R>(x, out, layout);
  const int64_t size = layout.count * layout.inner;
  if (layout.outer > 1) {
    parallel_for(layout.outer, std::max<int64_t>(1, kReductionGrain / std::max<int64_t>(size, 1)),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t o = begin; o < end; ++o) {
                     reduce_all_columns<R>(x + o * size, out + o * layout.inner, layout.count,
                                           layout.inner);
                   }
                 });
    return;
  }
  if (size >= 2 * kReductionGrain && layout.inner < 1024 && layout.count >= 64) {
    return reduce_tall<R>(x, out, layout);
  }
  parallel_for(layout.inner,
               std::max<int64_t>(64, kReductionGrain / std::max<int64_t>(layout.count, 1)),
               [&](int64_t begin, int64_t end) {
                 reduce_columns<R>(x, out, layout.count, layout.inner, begin, end);
               });
}

// Neighbouring axes of one kind, merged: alternately kept and reduced.
struct Groups {
  int count = 0;
  bool reduced[kMaxRank + 1];
  int64_t size[kMaxRank + 1];
};

Groups merge_axes(const Shape& shape, const bool* reduced) {
  Groups groups;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] == 1) continue;
    if (groups.count > 0 && groups.reduced[groups.count - 1] == reduced[i]) {
      groups.size[groups.count - 1] *= shape[i];
      continue;
    }
    groups.reduced[groups.count] = reduced[i];
    groups.size[groups.count++] = shape[i];
  }
  return groups;
}

// The layout of the reduction. `x` is replaced by a transposed copy if kept and reduced axes
// alternate too often.
ReducedLayout layout_of(Tensor& x, const bool* reduced) {
  const Groups groups = merge_axes(x.shape(), reduced);
  ReducedLayout layout;
  int k = 0;
  if (k < groups.count && !groups.reduced[k]) layout.outer = groups.size[k++];
  if (k < groups.count && groups.reduced[k]) layout.count = groups.size[k++];
  if (k < groups.count && !groups.reduced[k]) layout.inner = groups.size[k++];
  if (k == groups.count) {
    if (layout.count == 1 && layout.inner > 1) {
      layout.outer *= std::exchange(layout.inner, 1);
    }
    return layout;
  }
  // The kept axes first, then the reduced ones.
  int64_t strides[kMaxRank + 1];
  int64_t stride = 1;
  for (int i = groups.count - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= groups.size[i];
  }
  layout = {};
  for (int i = 0; i < groups.count; ++i) {
    (groups.reduced[i] ? layout.count : layout.outer) *= groups.size[i];
  }
  if (x.size() == 0) return layout;
  const Tensor copy = Tensor::empty(x.dtype(), x.shape());
  StridedMove move;
  int64_t out_stride = layout.outer * layout.count;
  for (const bool pass : {false, true}) {
    for (int i = 0; i < groups.count; ++i) {
      if (groups.reduced[i] != pass) continue;
      out_stride /= groups.size[i];
      move.add(groups.size[i], out_stride, strides[i]);
    }
  }
  move.run(x.dtype(), copy.mutable_raw_data(), x.raw_data());
  x = copy;
  return layout;
}

// Reduces deferred elements without writing them; false if they have to be written.
template <class R, class S>
[[gnu::noinline]] bool reduce_pending(const Tensor& x, Accumulator<R, S>* out,
                                      const ReducedLayout& layout) {
  const bool columns = layout.outer == 1 && layout.inner > 1 && layout.inner <= kReadColumns &&
                       x.size() >= kReadElements;
  if ((layout.inner > 1 && !columns) || layout.count <= 1) return false;
  std::optional<LazyRead> read = read_lazy(x, "reduction");
  if (!read) return false;
  const Chain::Reader elements(*read->chain, x.shape(), read->inputs);
  if (columns) {
    reduce_read_columns<R, S>(elements, out, layout);
  } else {
    reduce_read_rows<R, S>(elements, out, layout);
  }
  return true;
}

template <class R, class S>
void run_into(const Tensor& x, Accumulator<R, S>* out, const ReducedLayout& layout) {
  // Products are rounded in another order.
  if constexpr (!std::is_same_v<R, ProductRule> && !kComplex<S>) {
    if (x.impl()->lazy() && reduce_pending<R, S>(x, out, layout)) return;
  }
  reduce<R>(x.data<S>(), out, layout);
}

template <class R, class S>
void run_typed(const Tensor& x, const Tensor& out, const ReducedLayout& layout) {
  run_into<R, S>(x, out.mutable_data<Accumulator<R, S>>(), layout);
}

template <class R>
void run_real(const Tensor& x, const Tensor& out, const ReducedLayout& layout) {
  switch (x.dtype()) {
    case DType::kFloat32: return run_typed<R, float>(x, out, layout);
    case DType::kFloat64: return run_typed<R, double>(x, out, layout);
    case DType::kFloat16: return run_typed<R, Half>(x, out, layout);
    case DType::kBfloat16: return run_typed<R, Bfloat16>(x, out, layout);
    case DType::kInt8: return run_typed<R, int8_t>(x, out, layout);
    case DType::kInt16: return run_typed<R, int16_t>(x, out, layout);
    case DType::kInt32: return run_typed<R, int32_t>(x, out, layout);
    case DType::kInt64: return run_typed<R, int64_t>(x, out, layout);
    case DType::kUint8: return run_typed<R, uint8_t>(x, out, layout);
    case DType::kUint16: return run_typed<R, uint16_t>(x, out, layout);
    case DType::kUint32: return run_typed<R, uint32_t>(x, out, layout);
    default: return run_typed<R, uint64_t>(x, out, layout);
  }
}

template <class R>
void run_number(const Tensor& x, const Tensor& out, const ReducedLayout& layout) {
  if (x.dtype() == DType::kComplex64) return run_typed<R, Complex64>(x, out, layout);
  if (x.dtype() == DType::kComplex128) return run_typed<R, Complex128>(x, out, layout);
  run_real<R>(x, out, layout);
}

ReducedLayout prepare(KernelContext& context, Tensor& x) {
  x = context.input(0);
  bool reduced[kMaxRank];
  reduced_axes(context.attrs<ops::ReduceAttrs>().axis, x.rank(), reduced, context.tf_name());
  return layout_of(x, reduced);
}

// Calls run(x, out, layout); what it computes in float is converted for an output of 16-bit floats.
template <class Run>
void into_output(KernelContext& context, const Run& run) {
  Tensor x;
  const ReducedLayout layout = prepare(context, x);
  const Tensor& out = context.output(0);
  if (!is_short_float(out.dtype())) return run(x, out, layout);
  const Tensor wide = Tensor::empty(DType::kFloat32, out.shape());
  run(x, wide, layout);
  if (out.dtype() == DType::kFloat16) {
    convert(wide.data<float>(), out.mutable_data<Half>(), out.size());
  } else {
    convert(wide.data<float>(), out.mutable_data<Bfloat16>(), out.size());
  }
}

template <class T>
void divide(const Tensor& out, int64_t count) {
  T* values = out.mutable_data<T>();
  for (int64_t i = 0; i < out.size(); ++i) {
    if constexpr (kComplex<T>) {
      values[i] /= static_cast<typename T::value_type>(count);
    } else {
      values[i] /= static_cast<T>(count);
    }
  }
}

// A mean of integers is an integer, although their sum may not fit. The mean of no elements is 0.
template <class S>
void integer_mean(KernelContext& context) {
  Tensor x;
  const ReducedLayout layout = prepare(context, x);
  const Tensor& out = context.output(0);
  using T = Accumulator<WideSum, S>;
  const Scratch memory(static_cast<size_t>(out.size()) * sizeof(T));
  T* const sums = memory.as<T>();
  run_into<WideSum, S>(x, sums, layout);
  const auto mean = [count = std::max<int64_t>(layout.count, 1)](T sum) {
    return static_cast<S>(sum / count);
  };
  std::transform(sums, sums + out.size(), out.mutable_data<S>(), mean);
}

}  // namespace

void reduced_axes(const std::optional<Ints>& axes, int rank, bool* reduced, const char* op) {
  std::fill_n(reduced, rank, !axes);
  if (!axes) return;
  for (int64_t axis : *axes) {
    if (axis < -rank || axis >= rank) {
      invalid_argument("Invalid reduction dimension (", axis, " for input with ", rank,
                       " dimension(s) [Op:", op, "]");
    }
    bool& seen = reduced[axis < 0 ? axis + rank : axis];
    if (seen) {
      invalid_argument("Invalid reduction arguments: Axes contains duplicate dimension: ", axis,
                       " [Op:", op, "]");
    }
    seen = true;
  }
}

void reduce_sum(KernelContext& context) { into_output(context, run_number<Sum>); }

void reduce_prod(KernelContext& context) { into_output(context, run_number<ProductRule>); }

void reduce_max(KernelContext& context) { into_output(context, run_real<Max>); }

void reduce_min(KernelContext& context) { into_output(context, run_real<Min>); }

void reduce_all(KernelContext& context) {
  Tensor x;
  const ReducedLayout layout = prepare(context, x);
  run_typed<All, uint8_t>(x, context.output(0), layout);
}

void reduce_any(KernelContext& context) {
  Tensor x;
  const ReducedLayout layout = prepare(context, x);
  run_typed<Any, uint8_t>(x, context.output(0), layout);
}

void reduce_mean(KernelContext& context) {
  const DType dtype = context.input(0).dtype();
  if (is_integer(dtype)) {
    return on_real_type(dtype, [&]<class S>(S) {
      if constexpr (std::is_integral_v<S>) integer_mean<S>(context);
    });
  }
  into_output(context, [](const Tensor& x, const Tensor& out, const ReducedLayout& layout) {
    run_number<Sum>(x, out, layout);
    on_number_type(out.dtype(), [&]<class T>(T) {
      if constexpr (kVector<T> || kComplex<T>) divide<T>(out, layout.count);
    });
  });
}

}  // namespace ef::cpu
