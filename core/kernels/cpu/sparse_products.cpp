// Products of sparse and dense matrices.
#include <algorithm>
#include <type_traits>

#include "device/parallel.h"
#include "device/scratch.h"
#include "kernels/cpu/fill.h"
#include "kernels/cpu/row_loops.h"
#include "kernels/cpu/sparse.h"
#include "kernels/cpu/typed.h"
#include "ops/sparse.h"

namespace ef::cpu {
namespace {

// The least number of multiplications for a thread.
constexpr int64_t kPairGrain = 16'384;

void check_pairs(const int64_t* pairs, int64_t count, int64_t rows, int64_t columns) {
  bool inside = true;
  for (int64_t i = 0; i < count; ++i) {
    inside &= static_cast<uint64_t>(pairs[2 * i]) < static_cast<uint64_t>(rows) &&
              static_cast<uint64_t>(pairs[2 * i + 1]) < static_cast<uint64_t>(columns);
  }
  for (int64_t i = 0; !inside && i < count; ++i) {
    const int64_t row = pairs[2 * i], column = pairs[2 * i + 1];
    if (row >= 0 && row < rows && column >= 0 && column < columns) continue;
    invalid_argument("indices[", i, "] = [", row, ", ", column,
                     "] is out of bounds: need 0 <= index < [", rows, ", ", columns,
                     "] [Op:SparseTensorDenseMatMul]");
  }
}

template <class T>
T conjugated(T value) {
  return value;
}
Complex64 conjugated(Complex64 value) { return std::conj(value); }
Complex128 conjugated(Complex128 value) { return std::conj(value); }

template <class T, class Sum>
void add_scaled_row(Sum* out, const T* row, Sum factor, int64_t count) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    if (count >= 8) return row_loops_of<T>().add_scaled(out, row, factor, count);
  }
  for (int64_t k = 0; k < count; ++k) {
    out[k] = static_cast<Sum>(out[k] + factor * static_cast<Sum>(arithmetic(row[k])));
  }
}

// Which of the two indices of an element is the row of the result, and which that of the dense
// matrix.
struct Sides {
  int out;
  int in;
};

template <class T, class Sum>
void multiply_pairs(const T* values, const int64_t* pairs, int64_t count, Sides sides,
                    bool conjugate, const T* dense, int64_t width, Sum* out, int64_t rows) {
  const auto add = [=](int64_t i, int64_t from, int64_t to) {
    const auto value = arithmetic(conjugate ? conjugated(values[i]) : values[i]);
    add_scaled_row(out + pairs[2 * i + sides.out] * width + from,
                   dense + pairs[2 * i + sides.in] * width + from, static_cast<Sum>(value),
                   to - from);
  };
  const int64_t work = count * (width + 4);
  bool ordered = true;
  for (int64_t i = 1; ordered && i < count; ++i) {
    ordered = pairs[2 * (i - 1) + sides.out] <= pairs[2 * i + sides.out];
  }
  if (ordered) {
    // Threads share the elements, but each row of the result belongs to one thread.
    const auto start = [=](int64_t i) {
      while (i > 0 && i < count && pairs[2 * i + sides.out] == pairs[2 * (i - 1) + sides.out]) ++i;
      return i;
    };
    parallel_for(count, kPairGrain / (width + 4) + 1, [&](int64_t begin, int64_t end) {
      const int64_t last = start(end);
      for (int64_t i = start(begin); i < last;) {
        const int64_t row = pairs[2 * i + sides.out];
        const int64_t first = i;
        while (i < last && pairs[2 * i + sides.out] == row) ++i;
        if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
          row_loops_of<T>().add_scaled_rows(out + row * width, dense, pairs + 2 * first + sides.in,
                                            values + first, i - first, width);
        } else {
          for (int64_t k = first; k < i; ++k) add(k, 0, width);
        }
      }
    });
    return;
  }
  if (width >= 64) {
    const int64_t grain = std::max<int64_t>(32, kPairGrain / (count + 1));
    parallel_for(width, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = 0; i < count; ++i) add(i, begin, end);
    });
    return;
  }
  // Each thread reads all elements, and multiplies those of its rows.
  const int64_t parts = std::min<int64_t>({max_threads(), work / kPairGrain + 1, rows});
  parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    const int64_t first = rows * begin / parts, last = rows * end / parts;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t row = pairs[2 * i + sides.out];
      if (row >= first && row < last) add(i, 0, width);
    }
  });
}

}  // namespace

void sparse_matmul(KernelContext& context) {
  const Tensor& values = context.input(0);
  const Tensor& indices = context.input(1);
  const Tensor& dense = context.input(2);
  const Tensor& out = context.output(0);
  const int64_t count = values.size();
  const auto* pairs = indices.data<int64_t>();
  const auto& attrs = context.attrs<ops::SparseMatmulAttrs>();
  const bool adjoint = attrs.adjoint;
  check_pairs(pairs, count, attrs.rows, attrs.columns);
  fill_constant(out, 0);
  if (count == 0 || out.size() == 0) return;
  const Sides sides = adjoint ? Sides{1, 0} : Sides{0, 1};
  on_number_type(out.dtype(), [&]<class T>(T) {
    using Sum = decltype(arithmetic(T()));
    if constexpr (std::is_same_v<Sum, T>) {
      multiply_pairs(values.data<T>(), pairs, count, sides, adjoint, dense.data<T>(), dense.dim(1),
                     out.mutable_data<T>(), out.dim(0));
    } else {
      const Scratch memory(static_cast<size_t>(out.size()) * sizeof(Sum));
      Sum* const sums = memory.as<Sum>();
      std::fill_n(sums, out.size(), Sum(0));
      multiply_pairs(values.data<T>(), pairs, count, sides, adjoint, dense.data<T>(), dense.dim(1),
                     sums, out.dim(0));
      std::transform(sums, sums + out.size(), out.mutable_data<T>(),
                     [](Sum sum) { return T(sum); });
    }
  });
}

void sparse_dots(KernelContext& context) {
  const Tensor& a = context.input(1);
  const Tensor& b = context.input(2);
  const Tensor& out = context.output(0);
  const auto* pairs = context.input(0).data<int64_t>();
  const int64_t width = a.dim(1);
  check_pairs(pairs, out.size(), a.dim(0), b.dim(0));
  on_number_type(out.dtype(), [&]<class T>(T) {
    using Sum = decltype(arithmetic(T()));
    parallel_for(out.size(), kPairGrain / (width + 4) + 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const T* const x = a.data<T>() + pairs[2 * i] * width;
        const T* const y = b.data<T>() + pairs[2 * i + 1] * width;
        T& to = out.mutable_data<T>()[i];
        if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
          if (width >= 8) {
            to = row_loops_of<T>().dot(x, y, width);
            continue;
          }
        }
        Sum sum = Sum(0);
        for (int64_t k = 0; k < width; ++k) {
          sum = static_cast<Sum>(wrapping(sum) + wrapping(x[k]) * wrapping(y[k]));
        }
        to = static_cast<T>(sum);
      }
    });
  });
}

}  // namespace ef::cpu
