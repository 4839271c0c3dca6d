// Euclidean norms: roots of sums of squares. Sums that overflow or vanish are computed again with a
// scale.
#include "kernels/cpu/norms.h"

#include <algorithm>
#include <cmath>
#include <limits>
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

template <class T, class Total>
void make_norms(KernelContext& context) {
  const auto& attrs = context.attrs<ops::ScaledNormAttrs>();
  const Tensor& total = context.input(0);
  const auto tensors = context.inputs().subspan(1);
  const DType dtype = context.output(0).dtype();
  const int64_t count = total.size();
  const Total* const totals = total.data<Total>();
  T* const norm = context.output(0).mutable_data<T>();
  T* const length = context.output(1).mutable_data<T>();
  T* const inverse = context.output(2).mutable_data<T>();
  const auto rounded = [](double value) { return static_cast<T>(static_cast<Total>(value)); };
  const auto is_exact = [](Total sum) { return sum >= kLeast<Total> && sum <= kMost<Total>; };
  std::vector<Members> members;
  int64_t elements = 0;
  for (const Tensor& x : tensors) {
    elements += members.emplace_back(x.shape(), attrs.axis, count).count();
  }
  const double each = attrs.mean ? static_cast<double>(elements) : 1;
  const int most = exponents_of(dtype);
  const auto make = [&](int64_t i) {
    const bool exact = is_exact(totals[i]);
    const auto [part, exponent] =
        exact ? known_norm(std::sqrt(totals[i]), dtype)
              : rescaled(
                    [&](const auto& body) {
                      for (size_t t = 0; t < members.size(); ++t) {
                        members[t].each(i, tensors[t].template data<T>(), body);
                      }
                    },
                    each, most);
    norm[i] = length[i] = rounded(part);
    inverse[i] = rounded(1);
    if (exponent == 0) return;
    norm[i] = rounded(std::ldexp(part, exponent));
    inverse[i] = rounded(std::ldexp(1.0, -exponent));
  };
  // Whether all of a block are roots as they are; writes them.
  const auto make_roots = [&]([[maybe_unused]] int64_t first, [[maybe_unused]] int64_t size) {
    if constexpr (std::is_same_v<T, Total>) {
      const RowLoopsOf<T>& rows = row_loops_of<T>();
      const Total* const sums = totals + first;
      if (!is_exact(rows.min(sums, size)) || !is_exact(rows.max(sums, size))) return false;
#pragma omp simd
      for (int64_t k = 0; k < size; ++k) {
        norm[first + k] = length[first + k] = std::sqrt(sums[k]);
        inverse[first + k] = 1;
      }
      return true;
    }
    return false;
  };
  parallel_for(count, 1 + 65'536 / (elements + 16), [&](int64_t begin, int64_t end) {
    constexpr int64_t kBlock = 64;
    for (int64_t first = begin; first < end; first += kBlock) {
      const int64_t size = std::min(kBlock, end - first);
      if (make_roots(first, size)) continue;
      for (int64_t i = first; i < first + size; ++i) make(i);
    }
  });
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
