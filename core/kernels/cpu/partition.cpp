// Rows partitioned among tensors, stitched together again, and reordered.
#include "kernels/cpu/partition.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "device/parallel.h"
#include "device/scratch.h"
#include "kernels/cpu/fill.h"
#include "kernels/cpu/moves.h"
#include "kernels/cpu/typed.h"
#include "ops/partition.h"

namespace ef::cpu {
namespace {

constexpr int64_t kPartitionBytes = 65'536;

// Copies rows of a fixed number of elements or strings.
class RowCopier {
 public:
  RowCopier(DType dtype, int64_t inner)
      : strings_(dtype == DType::kString),
        inner_(inner),
        bytes_(static_cast<int64_t>(element_size(dtype)) * inner) {}
  bool strings() const { return strings_; }
  int64_t bytes() const { return bytes_; }

  void operator()(void* out, int64_t to, const void* in, int64_t from) const {
    if (strings_) {
      std::copy_n(static_cast<const std::string*>(in) + from * inner_, inner_,
                  static_cast<std::string*>(out) + to * inner_);
      return;
    }
    char* const target = static_cast<char*>(out) + to * bytes_;
    const char* const source = static_cast<const char*>(in) + from * bytes_;
    switch (bytes_) {
      case 4: std::memcpy(target, source, 4); return;
      case 8: std::memcpy(target, source, 8); return;
      default: std::memcpy(target, source, static_cast<size_t>(bytes_));
    }
  }
  // Runs copies for [0, count), on several threads if that pays.
  template <class Body>
  void spread(int64_t count, const Body& body) const {
    if (strings_) return body(int64_t{0}, count);
    parallel_for(count, kPartitionBytes / (bytes_ + 8) + 1, body);
  }

 private:
  bool strings_;
  int64_t inner_;
  int64_t bytes_;
};

// The number of rows in each partition.
std::vector<int64_t> partition_sizes(const int32_t* which, int64_t count, int64_t partitions) {
  for (int64_t i = 0; i < count; ++i) {
    if (static_cast<uint32_t>(which[i]) < static_cast<uint64_t>(partitions)) continue;
    invalid_argument("partitions[", i, "] = ", which[i], " is not in [0, ", partitions,
                     ") [Op:DynamicPartition]");
  }
  std::vector<int64_t> sizes(static_cast<size_t>(partitions));
  for (int64_t i = 0; i < count; ++i) ++sizes[static_cast<size_t>(which[i])];
  return sizes;
}

}  // namespace

void dynamic_partition(KernelContext& context) {
  const Tensor& data = context.input(0);
  const Tensor& partitions = context.input(1);
  const int64_t count = partitions.size();
  const auto* which = partitions.data<int32_t>();
  const std::vector<int64_t> sizes = partition_sizes(which, count, context.num_outputs());
  std::vector<void*> ends(sizes.size());
  Shape shape = context.spec(0).shape;
  const RowCopier copy(data.dtype(), inner_size(data.shape(), partitions.rank()));
  for (size_t k = 0; k < sizes.size(); ++k) {
    shape[0] = sizes[k];
    const Tensor part = Tensor::empty(data.dtype(), shape);
    ends[k] = part.mutable_raw_data();
    context.output(static_cast<int>(k)) = part;
  }
  if (data.size() == 0) return;
  const void* const from = data.raw_data();
  const int64_t step = copy.strings()
                           ? static_cast<int64_t>(sizeof(std::string)) * (data.size() / count)
                           : copy.bytes();
  for (int64_t i = 0; i < count; ++i) {
    void*& end = ends[static_cast<size_t>(which[i])];
    copy(end, 0, from, i);
    end = static_cast<char*>(end) + step;
  }
}

void partition_order(KernelContext& context) {
  const Tensor& partitions = context.input(0);
  const int64_t count = partitions.size();
  const auto* which = partitions.data<int32_t>();
  std::vector<int64_t> next =
      partition_sizes(which, count, context.attrs<ops::PartitionAttrs>().num_partitions);
  int64_t start = 0;
  for (int64_t& place : next) start += std::exchange(place, start);
  auto* const to = context.output(0).mutable_data<int64_t>();
  for (int64_t i = 0; i < count; ++i) to[i] = next[static_cast<size_t>(which[i])]++;
}

void stitch_rows(KernelContext& context) {
  const Tensor& indices = context.input(0);
  const Tensor& rows = context.input(1);
  const int64_t count = indices.size();
  const auto* at = indices.data<int32_t>();
  int64_t size = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (at[i] < 0) invalid_argument("indices[", i, "] is out of range [Op:DynamicStitch]");
    size = std::max<int64_t>(size, int64_t{at[i]} + 1);
  }
  Shape shape = rows.shape();
  shape[0] = size;
  checked_num_elements(shape.dims(), "DynamicStitch");
  const Tensor out = Tensor::empty(rows.dtype(), shape);
  context.output(0) = out;
  if (out.size() == 0) return;
  // Rows that are not written are zero.
  const Scratch memory(static_cast<size_t>(size));
  char* const used = memory.as<char>();
  std::fill_n(used, size, 0);
  for (int64_t i = 0; i < count; ++i) used[at[i]] = 1;
  if (rows.dtype() != DType::kString && std::memchr(used, 0, static_cast<size_t>(size))) {
    std::memset(out.mutable_raw_data(), 0,
                static_cast<size_t>(out.size()) * element_size(out.dtype()));
  }
  const RowCopier copy(rows.dtype(), inner_size(rows.shape(), 1));
  for (int64_t i = 0; i < count; ++i) copy(out.mutable_raw_data(), at[i], rows.raw_data(), i);
}

void reverse_sequence(KernelContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& lengths = context.input(1);
  const Tensor& out = context.output(0);
  const int axis = static_cast<int>(context.attrs<ops::ReverseSequenceAttrs>().seq_axis);
  const int batch = static_cast<int>(context.attrs<ops::ReverseSequenceAttrs>().batch_axis);
  const Shape& shape = input.shape();
  const auto length_of = [&](int64_t i) -> int64_t {
    return lengths.dtype() == DType::kInt64 ? lengths.data<int64_t>()[i]
                                            : lengths.data<int32_t>()[i];
  };
  for (int64_t i = 0; i < lengths.size(); ++i) {
    const int64_t length = length_of(i);
    if (length < 0) invalid_argument("seq_lengths(", i, ") < 0 [Op:ReverseSequence]");
    if (length > shape[axis]) {
      invalid_argument("seq_lengths(", i, ") > input.dims(", axis, ") [Op:ReverseSequence]");
    }
  }
  if (input.size() == 0) return;
  // The tensor as [outer, first, middle, second, inner], of which `first` and `second` are the
  // axes.
  const int low = std::min(axis, batch), high = std::max(axis, batch);
  const int64_t inner = inner_size(shape, high + 1);
  const int64_t second = shape[high], first = shape[low];
  int64_t middle = 1;
  for (int i = low + 1; i < high; ++i) middle *= shape[i];
  const int64_t rows = input.size() / inner;
  const RowCopier copy(input.dtype(), inner);
  const void* const from = input.raw_data();
  void* const to = out.mutable_raw_data();
  const int64_t step = axis == high ? 1 : middle * second;  // stride of a sequence's elements
  copy.spread(rows / second, [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line) {
      const int64_t at = line / middle % first;
      for (int64_t k = 0; k < second; ++k) {
        const int64_t row = line * second + k;
        const int64_t place = axis == high ? k : at;
        const int64_t length = length_of(axis == high ? at : k);
        const int64_t source = place < length ? row + (length - 1 - 2 * place) * step : row;
        copy(to, row, from, source);
      }
    }
  });
}

void invert_permutation(KernelContext& context) {
  const Tensor& x = context.input(0);
  const int64_t count = x.size();
  const auto run = [&]<class T>(T) {
    const T* const from = x.data<T>();
    T* const to = context.output(0).mutable_data<T>();
    std::fill_n(to, count, T(-1));
    for (int64_t i = 0; i < count; ++i) {
      if (static_cast<uint64_t>(from[i]) >= static_cast<uint64_t>(count)) {
        invalid_argument(from[i], " is not between 0 and ", count, " [Op:InvertPermutation]");
      }
      if (to[from[i]] != T(-1)) {
        invalid_argument(from[i], " is duplicated in the input. [Op:InvertPermutation]");
      }
      to[from[i]] = static_cast<T>(i);
    }
  };
  x.dtype() == DType::kInt64 ? run(int64_t{}) : run(int32_t{});
}

void in_top_k(KernelContext& context) {
  const Tensor& predictions = context.input(0);
  const Tensor& targets = context.input(1);
  const int64_t k = context.attrs<ops::InTopKAttrs>().k, width = predictions.dim(1);
  const auto* scores = predictions.data<float>();
  auto* const out = context.output(0).mutable_data<bool>();
  parallel_for(targets.size(), 16'384 / (width + 1) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t target = targets.dtype() == DType::kInt64 ? targets.data<int64_t>()[i]
                                                              : targets.data<int32_t>()[i];
      out[i] = false;
      if (target < 0 || target >= width) continue;
      const float* const row = scores + i * width;
      const float own = row[target];
      int64_t larger = 0;
      bool finite = true;
      for (int64_t j = 0; j < width && finite && larger < k; ++j) {
        larger += row[j] > own;
        finite = std::isfinite(row[j]);
      }
      out[i] = finite && larger < k;
    }
  });
}

void gather_or_default(KernelContext& context) {
  const Tensor& params = context.input(0);
  const Tensor& indices = context.input(1);
  const Tensor& blank = context.input(2);
  const Tensor& out = context.output(0);
  const auto* at = indices.data<int64_t>();
  const int64_t rows = params.dim(0);
  for (int64_t i = 0; i < indices.size(); ++i) {
    if (at[i] < rows) continue;
    invalid_argument("indices[", i, "] = ", at[i], " is not below ", rows, " [Op:LookupTableFind]");
  }
  if (out.size() == 0) return;
  const RowCopier copy(out.dtype(), inner_size(params.shape(), 1));
  // One row for all, or one row each.
  const int64_t step = blank.size() == out.size() ? 1 : 0;
  copy.spread(indices.size(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if (at[i] < 0) {
        copy(out.mutable_raw_data(), i, blank.raw_data(), i * step);
      } else {
        copy(out.mutable_raw_data(), i, params.raw_data(), at[i]);
      }
    }
  });
}

}  // namespace ef::cpu
