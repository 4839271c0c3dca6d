// Padding of ragged rows, dense tensors from sparse ones, and counts of integers.
#include "kernels/cpu/densify.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "device/parallel.h"
#include "kernels/cpu/fill.h"
#include "kernels/cpu/moves.h"
#include "kernels/cpu/typed.h"
#include "ops/densify.h"

namespace ef::cpu {
namespace {

// The least number of bytes for a thread to write.
constexpr int64_t kGrainBytes = 262'144;

void check_splits(const Tensor& splits, int64_t count) {
  const auto* at = splits.data<int64_t>();
  bool ordered = at[0] >= 0 && at[splits.size() - 1] <= count;
  for (int64_t r = 1; r < splits.size(); ++r) ordered &= at[r - 1] <= at[r];
  if (!ordered) {
    invalid_argument("row splits must not decrease nor leave the ", count,
                     " values [Op:RaggedTensorToTensor]");
  }
}

// Elements of a fixed size in memory, or strings.
struct Items {
  explicit Items(const Tensor& tensor)
      : strings(tensor.dtype() == DType::kString), size(element_size(tensor.dtype())) {}

  void copy(const Tensor& out, int64_t to, const Tensor& in, int64_t from, int64_t count) const {
    if (strings) {
      std::copy_n(in.data<std::string>() + from, count, out.mutable_data<std::string>() + to);
    } else {
      std::memcpy(bytes(out) + static_cast<size_t>(to) * size,
                  bytes(in) + static_cast<size_t>(from) * size, static_cast<size_t>(count) * size);
    }
  }
  // `times` copies of the first `count` elements of `in`.
  void repeat(const Tensor& out, int64_t to, const Tensor& in, int64_t count, int64_t times) const {
    if (count == 1 && !strings) {
      fill_elements(bytes(out) + static_cast<size_t>(to) * size, in.raw_data(),
                    static_cast<int64_t>(size), times);
      return;
    }
    for (int64_t i = 0; i < times; ++i) copy(out, to + i * count, in, 0, count);
  }
  static char* bytes(const Tensor& tensor) { return static_cast<char*>(tensor.mutable_raw_data()); }

  bool strings;
  size_t size;
};

}  // namespace

void pad_rows(KernelContext& context) {
  const Tensor& values = context.input(0);
  const Tensor& blank = context.input(1);
  const Tensor& splits = context.input(2);
  const Tensor& out = context.output(0);
  check_splits(splits, values.dim(0));
  if (out.size() == 0) return;
  const int64_t inner = inner_size(values.shape(), 1);
  const int64_t width = out.dim(1);
  const auto* at = splits.data<int64_t>();
  const Items items(out);
  const auto rows = [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const int64_t length = std::min(width, at[r + 1] - at[r]);
      const int64_t to = r * width * inner;
      items.copy(out, to, values, at[r] * inner, length * inner);
      items.repeat(out, to + length * inner, blank, blank.size(),
                   (width - length) * inner / blank.size());
    }
  };
  if (items.strings) return rows(0, out.dim(0));
  const int64_t row_bytes = width * inner * static_cast<int64_t>(items.size) + 64;
  parallel_for(out.dim(0), kGrainBytes / row_bytes + 1, rows);
}

void unpad_rows(KernelContext& context) {
  const Tensor& padded = context.input(0);
  const Tensor& splits = context.input(1);
  const Tensor& out = context.output(0);
  check_splits(splits, out.dim(0));
  if (out.size() == 0) return;
  const int64_t inner = inner_size(padded.shape(), 2);
  const int64_t width = padded.dim(1);
  const auto* at = splits.data<int64_t>();
  const Items items(out);
  fill_constant(out, 0);
  const int64_t row_bytes = width * inner * static_cast<int64_t>(items.size) + 64;
  parallel_for(padded.dim(0), kGrainBytes / row_bytes + 1, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      items.copy(out, at[r] * inner, padded, r * width * inner,
                 std::min(width, at[r + 1] - at[r]) * inner);
    }
  });
}

void sparse_to_dense(KernelContext& context) {
  const Tensor& values = context.input(0);
  const Tensor& blank = context.input(1);
  const Tensor& indices = context.input(2);
  const Tensor& out = context.output(0);
  const bool ordered = context.attrs<ops::SparseToDenseAttrs>().ordered;
  const int64_t count = indices.dim(0);
  const int rank = out.rank();
  const auto* at = indices.data<int64_t>();
  const auto row_text = [&](int64_t row) {
    std::string text = "indices[" + std::to_string(row) + "] = [";
    for (int k = 0; k < rank; ++k) text += (k ? ", " : "") + std::to_string(at[row * rank + k]);
    return text + "]";
  };
  // All offsets are computed and checked before anything is written.
  std::vector<int64_t> places(static_cast<size_t>(count));
  std::atomic<bool> all_inside = true;
  parallel_for(count, 32'768, [&](int64_t begin, int64_t end) {
    bool inside = true;
    for (int64_t i = begin; i < end; ++i) {
      int64_t place = 0;
      for (int k = 0; k < rank; ++k) {
        const int64_t index = at[i * rank + k];
        inside &= static_cast<uint64_t>(index) < static_cast<uint64_t>(out.dim(k));
        place = place * out.dim(k) + index;
      }
      places[static_cast<size_t>(i)] = place;
    }
    if (!inside) all_inside = false;
  });
  if (!all_inside) {
    for (int64_t i = 0; i < count; ++i) {
      for (int k = 0; k < rank; ++k) {
        if (at[i * rank + k] >= 0 && at[i * rank + k] < out.dim(k)) continue;
        invalid_argument(row_text(i), " is out of bounds: need 0 <= index < ", out.shape(),
                         " [Op:SparseToDense]");
      }
    }
  }
  if (ordered) {
    bool rising = true;
    for (size_t i = 1; i < places.size(); ++i) rising &= places[i - 1] < places[i];
    for (size_t i = 1; !rising && i < places.size(); ++i) {
      if (places[i - 1] < places[i]) continue;
      const std::string text = row_text(static_cast<int64_t>(i));
      if (places[i - 1] == places[i]) invalid_argument(text, " is repeated [Op:SparseToDense]");
      invalid_argument(text,
                       " is out of order. Many sparse ops require sorted indices. Use "
                       "`tf.sparse.reorder` to create a correctly ordered copy. "
                       "[Op:SparseToDense]");
    }
  }
  const int64_t step = values.rank() == 0 ? 0 : 1;  // a scalar is broadcast
  if (out.dtype() == DType::kString) {
    std::fill_n(out.mutable_data<std::string>(), out.size(), blank.strings()[0]);
    for (int64_t i = 0; i < count; ++i) {
      out.mutable_data<std::string>()[places[static_cast<size_t>(i)]] = values.strings()[i * step];
    }
    return;
  }
  const size_t size = element_size(out.dtype());
  fill_elements_parallel(out.mutable_raw_data(), blank.raw_data(), static_cast<int64_t>(size),
                         out.size());
  const auto* const from = static_cast<const char*>(values.raw_data());
  char* const to = static_cast<char*>(out.mutable_raw_data());
  const auto put = [&](auto bytes) {
    const auto part = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        std::memcpy(to + static_cast<size_t>(places[static_cast<size_t>(i)]) * bytes,
                    from + static_cast<size_t>(i * step) * bytes, bytes);
      }
    };
    // The last of equal indices wins, so threads share the work only if there are no duplicates.
    ordered ? parallel_for(count, 32'768, part) : part(0, count);
  };
  switch (size) {
    case 1: return put(std::integral_constant<size_t, 1>());
    case 2: return put(std::integral_constant<size_t, 2>());
    case 4: return put(std::integral_constant<size_t, 4>());
    case 8: return put(std::integral_constant<size_t, 8>());
    default: return put(std::integral_constant<size_t, 16>());
  }
}

namespace {

// Counts into two tables alternately, so that equal neighbours do not depend on each other. Ids not
// below `length` are counted in an extra bin.
template <class Id>
void count_into(const Id* ids, int64_t count, int64_t length, int64_t* tables) {
  const auto place = [=](Id id) {
    return static_cast<int64_t>(std::min(static_cast<uint64_t>(id), static_cast<uint64_t>(length)));
  };
  int64_t* const second = tables + length + 1;
  int64_t i = 0;
  for (; i + 2 <= count; i += 2) {
    ++tables[place(ids[i])];
    ++second[place(ids[i + 1])];
  }
  if (i < count) ++tables[place(ids[i])];
}

template <class Id>
void count_rows(const Tensor& ids, const Tensor& out, int64_t rows, bool binary) {
  const int64_t length = out.size() / std::max<int64_t>(1, rows);
  const int64_t count = ids.size() / std::max<int64_t>(1, rows);
  // Long rows are split among threads.
  const int64_t parts = std::clamp<int64_t>(count / (65'536 + 4 * length), 1, 16);
  const int64_t table = 2 * (length + 1);
  const auto* from = ids.data<Id>();
  on_real_type(out.dtype(), [&]<class T>(T) {
    T* const to = out.mutable_data<T>();
    const auto put = [=](int64_t row, const int64_t* tables, int64_t number) {
      for (int64_t k = 0; k < length; ++k) {
        int64_t sum = 0;
        for (int64_t t = 0; t < 2 * number; ++t) sum += tables[t * (length + 1) + k];
        if (binary) sum = sum > 0;
        if constexpr (sizeof(T) == 2 && !std::is_integral_v<T>) {
          to[row * length + k] = T(static_cast<float>(sum));
        } else {
          to[row * length + k] = static_cast<T>(sum);
        }
      }
    };
    if (parts == 1) {
      parallel_for(rows, 16'384 / (count + length + 1) + 1, [&](int64_t begin, int64_t end) {
        std::vector<int64_t> tables(static_cast<size_t>(table));
        for (int64_t r = begin; r < end; ++r) {
          std::fill(tables.begin(), tables.end(), 0);
          count_into(from + r * count, count, length, tables.data());
          put(r, tables.data(), 1);
        }
      });
      return;
    }
    std::vector<int64_t> tables(static_cast<size_t>(parts * table));
    for (int64_t r = 0; r < rows; ++r) {
      std::fill(tables.begin(), tables.end(), 0);
      parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
        for (int64_t p = begin; p < end; ++p) {
          const int64_t first = count * p / parts;
          count_into(from + r * count + first, count * (p + 1) / parts - first, length,
                     tables.data() + p * table);
        }
      });
      put(r, tables.data(), parts);
    }
  });
}

}  // namespace

void count_integers(KernelContext& context) {
  const Tensor& ids = context.input(0);
  const Tensor& out = context.output(0);
  if (out.size() == 0) return;
  const int64_t rows = context.attrs<ops::CountIntegersAttrs>().rows;
  const bool binary = context.attrs<ops::CountIntegersAttrs>().binary;
  if (ids.dtype() == DType::kInt32) {
    count_rows<int32_t>(ids, out, rows, binary);
  } else {
    count_rows<int64_t>(ids, out, rows, binary);
  }
}

}  // namespace ef::cpu
