// Argmax and argmin, and cumulative sums and products along an axis.
#include <algorithm>
#include <type_traits>
#include <utility>

#include "device/parallel.h"
#include "device/scratch.h"
#include "kernels/cpu/reduction.h"
#include "kernels/cpu/reduction_loops.h"
#include "kernels/cpu/typed.h"
#include "kernels/cpu/widen.h"
#include "ops/reduction.h"

namespace ef::cpu {
namespace {

const ReductionLoops& axis_loops() { return best::reduction_loops(); }

// The sizes of an axis and of those before and after it.
struct AxisLayout {
  int64_t outer = 1;
  int64_t count = 1;
  int64_t inner = 1;
};

AxisLayout around_axis(const Shape& shape, int axis) {
  AxisLayout layout;
  for (int i = 0; i < axis; ++i) layout.outer *= shape[i];
  layout.count = shape[axis];
  for (int i = axis + 1; i < shape.rank(); ++i) layout.inner *= shape[i];
  return layout;
}

// The least number of elements for a thread.
constexpr int64_t kScanGrain = 32'768;
// Columns per block of work.
constexpr int64_t kColumns = 512;

// Calls body(block, first column, columns) for parts of the columns of all blocks.
template <class Body>
void for_axis_columns(const AxisLayout& layout, const Body& body) {
  const int64_t parts = (layout.inner + kColumns - 1) / kColumns;
  const int64_t cost = std::min(layout.inner, kColumns) * layout.count + 1;
  parallel_for(layout.outer * parts, std::max<int64_t>(1, kScanGrain / cost),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t first = i % parts * kColumns;
                   body(i / parts, first, std::min(kColumns, layout.inner - first));
                 }
               });
}

template <bool kMax, class T>
void find(const T* x, const AxisLayout& layout, int64_t* out) {
  const ReductionLoopsOf<T>& all = axis_loops();
  if (layout.inner == 1) {
    const auto rows = kMax ? all.argmax_rows : all.argmin_rows;
    parallel_for(layout.outer, std::max<int64_t>(1, kScanGrain / layout.count),
                 [&](int64_t begin, int64_t end) {
                   rows(out + begin, x + begin * layout.count, end - begin, layout.count);
                 });
    return;
  }
  const auto columns = kMax ? all.argmax_columns : all.argmin_columns;
  for_axis_columns(layout, [&](int64_t block, int64_t first, int64_t size) {
    columns(out + block * layout.inner + first, x + block * layout.count * layout.inner + first,
            layout.count, layout.inner, size);
  });
}

template <bool kMax>
void arg_kernel(KernelContext& context) {
  const Tensor& x = context.input(0);
  const Tensor& out = context.output(0);
  if (out.size() == 0) return;
  const int axis = normalize_axis(context.attrs<ops::ArgExtremumAttrs>().axis.value_or(0), x.rank(),
                                  context.tf_name());
  const AxisLayout layout = around_axis(x.shape(), axis);
  const auto run = [&](int64_t* places) {
    if (x.dtype() == DType::kBool) {
      return find<kMax>(x.data<uint8_t>(), layout, places);
    }
    on_real_type(x.dtype(), [&]<class T>(T) {
      if constexpr (kLooped<T>) find<kMax>(x.data<T>(), layout, places);
    });
  };
  if (out.dtype() == DType::kInt64) return run(out.mutable_data<int64_t>());
  const Scratch wide(static_cast<size_t>(out.size()) * sizeof(int64_t));
  run(wide.as<int64_t>());
  on_real_type(out.dtype(), [&]<class T>(T) {
    if constexpr (std::is_integral_v<T>) {
      std::transform(wide.as<int64_t>(), wide.as<int64_t>() + out.size(), out.mutable_data<T>(),
                     [](int64_t place) { return static_cast<T>(place); });
    }
  });
}

struct Add {
  template <class T>
  static T start() {
    return T(0);
  }
  template <class T>
  static T join(T a, T b) {
    return static_cast<T>(wrapping(a) + wrapping(b));
  }
  template <class T>
  static void rows(T* out, const T* x, const T* y, int64_t n) {
    static_cast<const ReductionLoopsOf<T>&>(axis_loops()).add(out, x, y, n);
  }
};

struct Multiply {
  template <class T>
  static T start() {
    return T(1);
  }
  template <class T>
  static T join(T a, T b) {
    return static_cast<T>(wrapping(a) * wrapping(b));
  }
  template <class T>
  static void rows(T* out, const T* x, const T* y, int64_t n) {
    static_cast<const ReductionLoopsOf<T>&>(axis_loops()).multiply(out, x, y, n);
  }
};

// Cumulative values of kRows rows of n elements at once: within one row the steps are sequential.
template <class R, int kRows, class T>
void scan_rows(T* to, const T* from, int64_t n, bool exclusive, bool reverse) {
  T totals[kRows];
  std::fill_n(totals, kRows, R::template start<T>());
  for (int64_t k = 0; k < n; ++k) {
    const int64_t at = reverse ? n - 1 - k : k;
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      const T next = R::join(totals[r], from[r * n + at]);
      to[r * n + at] = exclusive ? totals[r] : next;
      totals[r] = next;
    }
  }
}

template <class R, class T>
void scan_columns(T* to, const T* from, const AxisLayout& layout, int64_t size, bool exclusive,
                  bool reverse) {
  const int64_t step = reverse ? -layout.inner : layout.inner;
  const int64_t first = reverse ? (layout.count - 1) * layout.inner : 0;
  to += first;
  from += first;
  if (exclusive) {
    std::fill_n(to, size, R::template start<T>());
  } else {
    std::copy_n(from, size, to);
  }
  for (int64_t k = 1; k < layout.count; ++k, to += step, from += step) {
    const T* next = exclusive ? from : from + step;
    if constexpr (kLooped<T>) {
      R::rows(to + step, static_cast<const T*>(to), next, size);
    } else {
      for (int64_t i = 0; i < size; ++i) to[step + i] = R::join(to[i], next[i]);
    }
  }
}

template <class R, class T>
void scan_of(const T* from, T* to, const AxisLayout& layout, bool exclusive, bool reverse) {
  if (layout.inner == 1) {
    parallel_for(layout.outer, std::max<int64_t>(4, kScanGrain / layout.count),
                 [&](int64_t begin, int64_t end) {
                   int64_t r = begin;
                   for (; r + 4 <= end; r += 4) {
                     scan_rows<R, 4>(to + r * layout.count, from + r * layout.count, layout.count,
                                     exclusive, reverse);
                   }
                   for (; r < end; ++r) {
                     scan_rows<R, 1>(to + r * layout.count, from + r * layout.count, layout.count,
                                     exclusive, reverse);
                   }
                 });
    return;
  }
  for_axis_columns(layout, [&](int64_t block, int64_t first, int64_t size) {
    const int64_t at = block * layout.count * layout.inner + first;
    scan_columns<R>(to + at, from + at, layout, size, exclusive, reverse);
  });
}

template <class R>
void scan(KernelContext& context) {
  const Tensor& x = context.input(0);
  const Tensor& out = context.output(0);
  if (out.size() == 0) return;
  const auto& attrs = context.attrs<ops::ScanAttrs>();
  const AxisLayout layout =
      around_axis(x.shape(), normalize_axis(attrs.axis, x.rank(), context.tf_name()));
  on_number_type(x.dtype(), [&]<class T>(T) {
    if constexpr (kLooped<T> || kComplex<T>) {
      scan_of<R>(x.data<T>(), out.mutable_data<T>(), layout, attrs.exclusive, attrs.reverse);
    }
  });
}

// h[k] = terms[k] + c h[previous k], where c is the coefficient of k or of the previous k.
template <class T>
void linear_columns(const T* coefficients, const T* terms, T* h, const AxisLayout& layout,
                    int64_t size, const ops::LinearScanAttrs& attrs) {
  const int64_t step = attrs.reverse ? -layout.inner : layout.inner;
  int64_t at = attrs.reverse ? (layout.count - 1) * layout.inner : 0;
  std::copy_n(terms + at, size, h + at);
  for (int64_t k = 1; k < layout.count; ++k) {
    const int64_t before = std::exchange(at, at + step);
    const T* const c = coefficients + (attrs.previous ? before : at);
    for (int64_t i = 0; i < size; ++i) h[at + i] = terms[at + i] + c[i] * h[before + i];
  }
}

}  // namespace

void argmax(KernelContext& context) {
  if (!run_wide(context, argmax)) arg_kernel<true>(context);
}
void argmin(KernelContext& context) {
  if (!run_wide(context, argmin)) arg_kernel<false>(context);
}
void cumsum(KernelContext& context) {
  if (!run_wide(context, cumsum)) scan<Add>(context);
}
void cumprod(KernelContext& context) {
  if (!run_wide(context, cumprod)) scan<Multiply>(context);
}

void linear_scan(KernelContext& context) {
  if (run_wide(context, linear_scan)) return;
  const Tensor& terms = context.input(1);
  const Tensor& out = context.output(0);
  if (out.size() == 0) return;
  const auto& attrs = context.attrs<ops::LinearScanAttrs>();
  const AxisLayout layout =
      around_axis(terms.shape(), normalize_axis(attrs.axis, terms.rank(), context.tf_name()));
  on_number_type(terms.dtype(), [&]<class T>(T) {
    if constexpr (std::is_floating_point_v<T> || kComplex<T>) {
      const T* const coefficients = context.input(0).data<T>();
      for_axis_columns(layout, [&](int64_t block, int64_t first, int64_t size) {
        const int64_t at = block * layout.count * layout.inner + first;
        linear_columns(coefficients + at, terms.data<T>() + at, out.mutable_data<T>() + at, layout,
                       size, attrs);
      });
    }
  });
}

}  // namespace ef::cpu
