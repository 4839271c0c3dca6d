// Sums of the rows that belong to the same segment.
#include <algorithm>
#include <type_traits>

#include "device/parallel.h"
#include "device/scratch.h"
#include "kernels/cpu/fill.h"
#include "kernels/cpu/indexing.h"
#include "kernels/cpu/row_loops.h"
#include "kernels/cpu/typed.h"
#include "kernels/cpu/widen.h"
#include "ops/indexing.h"

namespace ef::cpu {
namespace {

template <class Id>
[[noreturn]] void bad_id(const Id* ids, int64_t count, int64_t segments) {
  const int64_t i = std::find_if(ids, ids + count, [=](Id id) { return id >= segments; }) - ids;
  invalid_argument("segment_ids[", i, "] = ", ids[i], " is out of range [0, ", segments,
                   ") [Op:UnsortedSegmentSum]");
}

// Each addition depends on the previous one to the same segment. With several tables of sums, each
// for a part of the elements, these chains of additions overlap or run on several threads.
constexpr int64_t kTables = 8;

template <class T, class Id>
void sum_numbers(const T* values, const Id* ids, int64_t count, T* out, int64_t segments) {
  using Sum = decltype(arithmetic(T()));
  const int64_t table = segments + 1;  // the last one is for ids outside all segments
  const int64_t part = count / kTables;
  const Scratch memory(static_cast<size_t>(kTables * table) * sizeof(Sum));
  Sum* const sums = memory.as<Sum>();
  std::fill_n(sums, kTables * table, Sum(0));
  // Adds element i of the parts [first, end), and keeps the largest id.
  const auto add = [=](int64_t first, int64_t end, int64_t i, Id* largest) {
#pragma GCC unroll 8
    for (int64_t t = first; t < end; ++t) {
      const Id id = ids[t * part + i];
      *largest = std::max(*largest, id);
      const auto place = std::min(static_cast<uint64_t>(id), static_cast<uint64_t>(segments));
      Sum& sum = sums[t * table + static_cast<int64_t>(place)];
      sum = static_cast<Sum>(sum + arithmetic(values[t * part + i]));
    }
  };
  Id largest[kTables] = {};
  parallel_for(kTables, std::max<int64_t>(1, 65'536 / (part + 1)), [&](int64_t begin, int64_t end) {
    Id most = 0;
    if (begin == 0 && end == kTables) {
      for (int64_t i = 0; i < part; ++i) add(0, kTables, i, &most);
    } else {
      for (int64_t i = 0; i < part; ++i) add(begin, end, i, &most);
    }
    largest[begin] = most;
  });
  for (int64_t i = part; i < count - (kTables - 1) * part; ++i) {
    add(kTables - 1, kTables, i, largest);
  }
  if (*std::max_element(largest, largest + kTables) >= segments) bad_id(ids, count, segments);
  for (int64_t s = 0; s < segments; ++s) {
    Sum sum = sums[s];
    for (int64_t t = 1; t < kTables; ++t) sum = static_cast<Sum>(sum + sums[t * table + s]);
    out[s] = static_cast<T>(sum);
  }
}

template <class T>
void add_row(T* out, const T* in, int64_t count) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    if (count >= 8) return row_loops_of<T>().add_into(out, in, count);
  }
  for (int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<T>(wrapping(out[i]) + wrapping(in[i]));
  }
}

// Each thread sums its own columns of all rows.
template <class T, class Id>
void sum_rows(const T* rows, const Id* ids, int64_t count, int64_t inner, const Tensor& out) {
  const int64_t segments = out.dim(0);
  if (*std::max_element(ids, ids + count) >= segments) bad_id(ids, count, segments);
  fill_constant(out, 0);
  T* const sums = out.mutable_data<T>();
  const int64_t grain = std::max<int64_t>(32, 65'536 / (count + 1));
  parallel_for(inner, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = 0; i < count; ++i) {
      if (ids[i] < 0) continue;
      add_row(sums + ids[i] * inner + begin, rows + i * inner + begin, end - begin);
    }
  });
}

template <class Id>
void segment_sum(KernelContext& context, const Id* ids) {
  const Tensor& data = context.input(0);
  const Tensor& out = context.output(0);
  const int64_t count = context.input(1).size();
  const int64_t segments = context.attrs<ops::UnsortedSegmentAttrs>().num_segments;
  if (data.size() == 0) {
    if (count > 0 && *std::max_element(ids, ids + count) >= segments) bad_id(ids, count, segments);
    return fill_constant(out, 0);
  }
  on_number_type(out.dtype(), [&]<class T>(T) {
    if (data.size() == count && segments * kTables <= count) {
      return sum_numbers(data.data<T>(), ids, count, out.mutable_data<T>(), segments);
    }
    sum_rows(data.data<T>(), ids, count, data.size() / count, out);
  });
}

}  // namespace

void unsorted_segment_sum(KernelContext& context) {
  if (run_wide(context, unsorted_segment_sum)) return;
  const Tensor& ids = context.input(1);
  if (ids.dtype() == DType::kInt64) {
    segment_sum(context, ids.data<int64_t>());
  } else {
    segment_sum(context, ids.data<int32_t>());
  }
}

}  // namespace ef::cpu
