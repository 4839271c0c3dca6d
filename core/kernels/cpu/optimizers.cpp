// Choosing and running an optimizer update.
#define EF_ISA plain
#include "kernels/cpu/optimizers.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "device/parallel.h"
#include "kernels/cpu/optimizer_rules.h"
#include "tensor/error.h"

namespace ef::cpu {
namespace {

const UpdateLoops& vector_loops() { return best::update_loops(); }

UpdateLoop loop_for(DType dtype) {
  switch (dtype) {
    case DType::kFloat32: return vector_loops().float32;
    case DType::kFloat64: return vector_loops().float64;
    case DType::kFloat16: return plain::run<Half, float>;
    case DType::kBfloat16: return plain::run<Bfloat16, float>;
    default: invalid_argument("Optimizers update floating variables, not ", dtype, ".");
  }
}

}  // namespace

void run_update(const OptimizerStep& step, DType dtype, const UpdateArrays& arrays) {
  const UpdateLoop loop = loop_for(dtype);
  parallel_for(arrays.count, 32768,
               [&](int64_t begin, int64_t end) { loop(step, arrays, begin, end); });
}

void run_row_update(const OptimizerStep& step, DType dtype, const UpdateArrays& arrays,
                    std::span<const int64_t> rows, int64_t row_size) {
  const UpdateLoop loop = loop_for(dtype);
  const int64_t row_bytes = row_size * static_cast<int64_t>(element_size(dtype));
  const auto row_of = [&](void* array, int64_t row) -> void* {
    return array ? static_cast<std::byte*>(array) + row * row_bytes : nullptr;
  };
  UpdateArrays part;
  part.count = row_size;
  part.gradient = arrays.gradient;
  for (const int64_t row : rows) {
    part.variable = row_of(arrays.variable, row);
    for (int k = 0; k < kMaxSlots; ++k) part.slots[k] = row_of(arrays.slots[k], row);
    loop(step, part, 0, row_size);
    part.gradient = static_cast<const std::byte*>(part.gradient) + row_bytes;
  }
}

namespace {

// For each row of a variable, the indices of its rows in a gradient, in order.
class Places {
 public:
  Places(std::span<const int64_t> rows, int64_t size)
      : begins_(static_cast<size_t>(size) + 1), places_(rows.size()) {
    // `begins_` holds the end of each row's indices, and moves to their begin while these are
    // written.
    for (const int64_t row : rows) ++begins_[static_cast<size_t>(row)];
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    for (size_t k = rows.size(); k-- > 0;) {
      places_[--begins_[static_cast<size_t>(rows[k])]] = static_cast<int64_t>(k);
    }
  }
  std::span<const int64_t> of(int64_t row) const {
    const size_t begin = begins_[static_cast<size_t>(row)];
    return std::span(places_).subspan(begin, begins_[static_cast<size_t>(row) + 1] - begin);
  }
  // The first row from `row` on that occurs in the gradient, or `end`.
  int64_t next(int64_t row, int64_t end) const {
    const size_t* const first = begins_.data() + row;
    const size_t* const last = begins_.data() + end + 1;
    const size_t* const other = std::upper_bound(first, last, *first);
    return std::min(end, row + static_cast<int64_t>(other - first) - 1);
  }

 private:
  std::vector<size_t> begins_;
  std::vector<int64_t> places_;
};

// The sum of rows of `count` elements, in the arithmetic's dtype C.
template <class T, class C>
void add_rows(const T* gradient, std::span<const int64_t> places, int64_t count, T* sum) {
  for (int64_t i = 0; i < count; ++i) {
    C total(0);
    for (const int64_t place : places) total += static_cast<C>(gradient[place * count + i]);
    sum[i] = static_cast<T>(total);
  }
}

void add_rows(DType dtype, const void* gradient, std::span<const int64_t> places, int64_t count,
              void* sum) {
  const auto add = [&]<class T, class C>(T, C) {
    add_rows<T, C>(static_cast<const T*>(gradient), places, count, static_cast<T*>(sum));
  };
  switch (dtype) {
    case DType::kFloat64: return add(double{}, double{});
    case DType::kFloat16: return add(Half{}, float{});
    case DType::kBfloat16: return add(Bfloat16{}, float{});
    default: return add(float{}, float{});
  }
}

// The gradient of rows that do not occur in it.
constexpr int64_t kZeroBytes = 16 << 10;
alignas(64) const std::byte kZeros[kZeroBytes] = {};

}  // namespace

void run_whole_update(const OptimizerStep& step, DType dtype, const UpdateArrays& arrays,
                      std::span<const int64_t> rows, int64_t size) {
  const UpdateLoop loop = loop_for(dtype);
  const auto bytes = static_cast<int64_t>(element_size(dtype));
  const int64_t row_size = arrays.count / std::max<int64_t>(size, 1);
  const Places places(rows, size);
  const auto update = [&](int64_t at, int64_t count, const void* gradient) {
    const auto moved = [&](void* array) -> void* {
      return array ? static_cast<std::byte*>(array) + at * bytes : nullptr;
    };
    UpdateArrays part;
    part.variable = moved(arrays.variable);
    for (int k = 0; k < kMaxSlots; ++k) part.slots[k] = moved(arrays.slots[k]);
    part.gradient = gradient;
    part.count = count;
    loop(step, part, 0, count);
  };
  const int64_t grain = std::max<int64_t>(1, 32768 / std::max<int64_t>(row_size, 1));
  parallel_for(size, grain, [&](int64_t begin, int64_t end) {
    std::vector<std::byte> sum;
    for (int64_t row = begin; row < end;) {
      const int64_t first = row;
      row = places.next(row, end);
      for (int64_t at = first * row_size; at < row * row_size;) {
        const int64_t count = std::min(row * row_size - at, kZeroBytes / bytes);
        update(at, count, kZeros);
        at += count;
      }
      if (row == end) return;
      const std::span<const int64_t> own = places.of(row);
      const void* gradient =
          static_cast<const std::byte*>(arrays.gradient) + own[0] * row_size * bytes;
      if (own.size() > 1) {
        sum.resize(static_cast<size_t>(row_size * bytes));
        add_rows(dtype, arrays.gradient, own, row_size, sum.data());
        gradient = sum.data();
      }
      update(row * row_size, row_size, gradient);
      ++row;
    }
  });
}

}  // namespace ef::cpu
