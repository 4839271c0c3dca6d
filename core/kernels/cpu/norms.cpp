// Euclidean norms: roots of sums of squares. Sums that overflow or vanish are computed again with a
// scale.
#include "kernels/cpu/norms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/cpu/elementwise.h"
#include "kernels/cpu/reduction.h"
#include "ops/norms.h"
#include "tensor/error.h"

namespace ef::cpu {
namespace {

// The range in which sums of squares lose no digits, in the dtype of the sums.
template <class Total>
constexpr double kLeast = static_cast<double>(std::numeric_limits<Total>::min()) /
                          static_cast<double>(std::numeric_limits<Total>::epsilon());
template <class Total>
constexpr double kMost = static_cast<double>(std::numeric_limits<Total>::max());

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

bool is_blank(const Tensor& x) {
  const auto* bytes = static_cast<const char*>(x.raw_data());
  const auto count = static_cast<size_t>(x.size()) * element_size(x.dtype());
  return count == 0 || (bytes[0] == 0 && std::memcmp(bytes, bytes + 1, count - 1) == 0);
}

// Calls body(index of the norm, element as double) for all elements, which have so many norms.
template <class Body>
void for_elements(const Tensor& x, const std::optional<Ints>& axis, size_t expected,
                  const Body& body) {
  const int rank = x.rank();
  bool reduced[kMaxRank];
  reduced_axes(axis, rank, reduced, "ScaledNorm");
  std::array<int64_t, kMaxRank> step{}, at{};
  int64_t norms = 1;
  for (int i = rank - 1; i >= 0; --i) {
    if (reduced[i]) continue;
    step[static_cast<size_t>(i)] = norms;
    norms *= x.dim(i);
  }
  if (norms != static_cast<int64_t>(expected)) {
    invalid_argument("`total` has ", expected, " elements, but tensors of shape ", x.shape(),
                     " have ", norms, " norms [Op:ScaledNorm]");
  }
  constexpr int64_t kBlock = 1024;
  std::array<double, kBlock> block;
  const auto* bytes = static_cast<const std::byte*>(x.raw_data());
  const auto width = static_cast<int64_t>(element_size(x.dtype()));
  int64_t norm = 0;
  for (int64_t begin = 0; begin < x.size(); begin += kBlock) {
    const int64_t count = std::min(kBlock, x.size() - begin);
    convert_elements(x.dtype(), bytes + begin * width, DType::kFloat64, block.data(), count);
    for (int64_t k = 0; k < count; ++k) {
      body(static_cast<size_t>(norm), block[static_cast<size_t>(k)]);
      for (int i = rank - 1; i >= 0; --i) {
        const auto d = static_cast<size_t>(i);
        norm += step[d];
        if (++at[d] < x.dim(i)) break;
        norm -= step[d] * at[d];
        at[d] = 0;
      }
    }
  }
}

// All norms, by sums of squares of the elements divided by a power of two near the largest.
std::vector<Norm> rescaled(KernelContext& context, size_t count) {
  const auto& attrs = context.attrs<ops::ScaledNormAttrs>();
  const auto tensors = context.inputs().subspan(1);
  std::vector<Norm> norms(count);
  int64_t elements = 0;
  for (const Tensor& x : tensors) elements += x.size();
  // The mean of no elements is NaN.
  if (std::all_of(tensors.begin(), tensors.end(), is_blank) && (elements || !attrs.mean)) {
    return norms;
  }
  std::vector<double> largest(count, 0.0), squares(count, 0.0);
  for (const Tensor& x : tensors) {
    for_elements(x, attrs.axis, count, [&](size_t i, double value) {
      const double size = std::fabs(value);
      if (!(size <= largest[i]) && !std::isnan(largest[i])) largest[i] = size;
    });
  }
  const int most = exponents_of(tensors[0].dtype());
  for (size_t i = 0; i < count; ++i) {
    if (!std::isfinite(largest[i]) || largest[i] == 0) continue;
    norms[i].exponent = std::clamp(std::ilogb(largest[i]), -most, most);
  }
  for (const Tensor& x : tensors) {
    for_elements(x, attrs.axis, count, [&](size_t i, double value) {
      const double scaled = std::ldexp(value, -norms[i].exponent);
      squares[i] += scaled * scaled;
    });
  }
  const double each = attrs.mean ? static_cast<double>(elements) / static_cast<double>(count) : 1;
  for (size_t i = 0; i < count; ++i) norms[i].length = std::sqrt(squares[i] / each);
  return norms;
}

template <class T, class Total>
void make_norms(KernelContext& context) {
  const Tensor& total = context.input(0);
  const DType dtype = context.output(0).dtype();
  const auto count = static_cast<size_t>(total.size());
  const Total* const totals = total.data<Total>();
  T* const norm = context.output(0).mutable_data<T>();
  T* const length = context.output(1).mutable_data<T>();
  T* const inverse = context.output(2).mutable_data<T>();
  const auto rounded = [](double value) { return static_cast<T>(static_cast<Total>(value)); };
  std::vector<Norm> norms;
  for (size_t i = 0; i < count; ++i) {
    const bool exact = totals[i] >= kLeast<Total> && totals[i] <= kMost<Total>;
    if (!exact && norms.empty()) norms = rescaled(context, count);
    const auto [part, exponent] = exact ? known_norm(std::sqrt(totals[i]), dtype) : norms[i];
    norm[i] = length[i] = rounded(part);
    inverse[i] = rounded(1);
    if (exponent == 0) continue;
    norm[i] = rounded(std::ldexp(part, exponent));
    inverse[i] = rounded(std::ldexp(1.0, -exponent));
  }
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
