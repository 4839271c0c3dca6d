// Euclidean norms: roots of sums of squares. Sums that overflow or vanish are computed again with a
// scale.
#include "kernels/cpu/norms.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "device/parallel.h"
#include "kernels/cpu/reduction.h"
#include "kernels/cpu/row_loops.h"
#include "kernels/cpu/typed.h"
#include "ops/norms.h"
#include "tensor/error.h"

namespace ef::cpu {
namespace {

// The range in which sums of squares lose no digits, in the dtype of the sums.
template <class Total>
constexpr Total kLeast = std::numeric_limits<Total>::min() / std::numeric_limits<Total>::epsilon();
template <class Total>
constexpr Total kMost = std::numeric_limits<Total>::max();

// Powers of two with exponents up to this one, and their inverses, are normal numbers.
int exponents_of(DType dtype) {
  if (dtype == DType::kFloat16) return 14;
  return dtype == DType::kFloat64 ? 1022 : 126;
}

// A norm is length * 2^exponent.
struct Norm {
  double length = 0;
  int exponent = 0;
};

// The norm from the root of a sum of squares. In float16, large and small lengths lose digits.
Norm known_norm(double root, DType dtype) {
  if (dtype != DType::kFloat16 || (root >= 0x1p-10 && root <= 0x1p10)) return {root, 0};
  const int exponent = std::clamp(std::ilogb(root), -exponents_of(dtype), exponents_of(dtype));
  return {std::ldexp(root, -exponent), exponent};
}

// The elements of each of the norms of a tensor over `axis`.
class Members {
 public:
  Members(const Shape& shape, const std::optional<Ints>& axis, int64_t expected) {
    bool reduced[kMaxRank];
    reduced_axes(axis, shape.rank(), reduced, "ScaledNorm");
    int64_t stride = 1, norms = 1;
    for (int i = shape.rank() - 1; i >= 0; --i) {
      const int64_t size = shape[i];
      if (!reduced[i]) {
        kept_.push_back({size, stride});
        norms *= size;
      } else if (norms == 1) {
        run_ *= size;
      } else {
        std::vector<int64_t> repeated;
        for (int64_t k = 0; k < size; ++k) {
          for (const int64_t offset : offsets_) repeated.push_back(k * stride + offset);
        }
        offsets_ = std::move(repeated);
      }
      stride *= size;
    }
    if (norms != expected) {
      invalid_argument("`total` has ", expected, " elements, but tensors of shape ", shape,
                       " have ", norms, " norms [Op:ScaledNorm]");
    }
  }

  int64_t count() const { return run_ * std::ssize(offsets_); }

  // Calls body(value as double) for the elements of a norm, in their order.
  template <class T, class Body>
  void each(int64_t norm, const T* x, const Body& body) const {
    for (const auto& [size, stride] : kept_) {
      x += norm % size * stride;
      norm /= size;
    }
    for (const int64_t offset : offsets_) {
      for (int64_t k = 0; k < run_; ++k) body(static_cast<double>(arithmetic(x[offset + k])));
    }
  }

 private:
  struct Axis {
    int64_t size;
    int64_t stride;
  };
  std::vector<Axis> kept_;  // the last one first
  std::vector<int64_t> offsets_{0};
  int64_t run_ = 1;  // elements from an offset on that follow each other
};

// A norm by the sum of squares of the elements divided by a power of two near the largest.
// `elements(body)` calls body(value) for each of them.
template <class Elements>
Norm rescaled(const Elements& elements, double each, int most) {
  double largest = 0;
  elements([&](double value) {
    const double size = std::fabs(value);
    if (!(size <= largest) && !std::isnan(largest)) largest = size;
  });
  Norm norm;
  if (std::isfinite(largest) && largest != 0) {
    norm.exponent = std::clamp(std::ilogb(largest), -most, most);
  }
  double squares = 0;
  if (largest != 0) {
    elements([&](double value) {
      const double scaled = std::ldexp(value, -norm.exponent);
      squares += scaled * scaled;
    });
  }
  norm.length = std::sqrt(squares / each);
  return norm;
}

// What the operation reads and writes.
template <class T, class Total>
struct Norms {
  explicit Norms(KernelContext& context)
      : total(context.input(0)),
        totals(total.data<Total>()),
        dtype(context.output(0).dtype()),
        norm(context.output(0).mutable_data<T>()),
        length(context.output(1).mutable_data<T>()),
        inverse(context.output(2).mutable_data<T>()) {}

  static bool is_exact(Total sum) { return sum >= kLeast<Total> && sum <= kMost<Total>; }
  static T rounded(double value) { return static_cast<T>(static_cast<Total>(value)); }

  void put(int64_t i, const Norm& found) const {
    norm[i] = length[i] = rounded(found.length);
    inverse[i] = rounded(1);
    if (found.exponent == 0) return;
    norm[i] = rounded(std::ldexp(found.length, found.exponent));
    inverse[i] = rounded(std::ldexp(1.0, -found.exponent));
  }

  // Whether all norms of a block are roots as they are; writes them.
  bool put_roots(int64_t first, int64_t size) const {
    if constexpr (std::is_same_v<T, Total>) {
      const RowLoopsOf<T>& rows = row_loops_of<T>();
      const Total* const sums = totals + first;
      if (!is_exact(rows.min(sums, size)) || !is_exact(rows.max(sums, size))) return false;
      T *const norms = norm + first, *const lengths = length + first, *const ones = inverse + first;
#pragma omp simd
      for (int64_t k = 0; k < size; ++k) {
        norms[k] = lengths[k] = std::sqrt(sums[k]);
        ones[k] = 1;
      }
      return true;
    }
    return false;
  }

  // The norms whose sums lost no digits; whether these are all.
  bool put_exact() const {
    std::atomic<bool> all = true;
    parallel_for(total.size(), 4096, [&](int64_t begin, int64_t end) {
      constexpr int64_t kBlock = 64;
      for (int64_t first = begin; first < end; first += kBlock) {
        const int64_t size = std::min(kBlock, end - first);
        if (put_roots(first, size)) continue;
        for (int64_t i = first; i < first + size; ++i) {
          if (is_exact(totals[i])) {
            put(i, known_norm(std::sqrt(totals[i]), dtype));
          } else {
            all.store(false, std::memory_order_relaxed);
          }
        }
      }
    });
    return all;
  }

  // The others, by the elements of the tensors.
  void put_rescaled(std::span<const Tensor> tensors, const ops::ScaledNormAttrs& attrs) const {
    const int64_t count = total.size();
    std::vector<std::pair<Members, const T*>> sources;
    int64_t elements = 0;
    for (const Tensor& x : tensors) {
      sources.emplace_back(Members(x.shape(), attrs.axis, count), x.data<T>());
      elements += sources.back().first.count();
    }
    const double each = attrs.mean ? static_cast<double>(elements) : 1;
    const int most = exponents_of(dtype);
    parallel_for(count, 1 + 65'536 / (elements + 16), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        if (is_exact(totals[i])) continue;
        const auto of_norm = [&](const auto& body) {
          for (const auto& [members, data] : sources) members.each(i, data, body);
        };
        put(i, rescaled(of_norm, each, most));
      }
    });
  }

  const Tensor& total;
  const Total* totals;
  DType dtype;
  T* norm;
  T* length;
  T* inverse;
};

template <class T, class Total>
void make_norms(KernelContext& context) {
  const Norms<T, Total> norms(context);
  // The tensors may be deferred: they are read only if a norm needs them, before threads share it.
  if (norms.put_exact()) return;
  norms.put_rescaled(context.inputs().subspan(1), context.attrs<ops::ScaledNormAttrs>());
}

}  // namespace

void scaled_norm(KernelContext& context) {
  switch (context.output(0).dtype()) {
    case DType::kFloat16: return make_norms<Half, float>(context);
    case DType::kBfloat16: return make_norms<Bfloat16, float>(context);
    case DType::kFloat32: return make_norms<float, float>(context);
    default: return make_norms<double, double>(context);
  }
}

}  // namespace ef::cpu
