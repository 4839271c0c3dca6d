// Extremes, products and sums over segments of rows, with sorted or unsorted ids.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "device/parallel.h"
#include "kernels/cpu/row_loops.h"
#include "kernels/cpu/segments.h"
#include "kernels/cpu/typed.h"
#include "ops/segments.h"

namespace ef::cpu {
namespace {

// The least number of elements for a thread to fold.
constexpr int64_t kFoldGrain = 16'384;

enum class Fold { kSum, kMean, kMax, kMin, kProd };

template <class T>
T lowest() {
  if constexpr (std::is_same_v<T, Half>) {
    return T(-65504.0F);
  } else if constexpr (std::is_same_v<T, Bfloat16>) {
    return T(-3.3895313892515355e38F);
  } else {
    return std::numeric_limits<T>::lowest();
  }
}

template <class T>
T highest() {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16>) {
    return T(-static_cast<float>(lowest<T>()));
  } else {
    return std::numeric_limits<T>::max();
  }
}

// The result of an empty segment.
template <Fold kFold, class T>
T empty_value() {
  if constexpr (kFold == Fold::kMax) return lowest<T>();
  if constexpr (kFold == Fold::kMin) return highest<T>();
  if constexpr (kFold == Fold::kProd) return T(1);
  return T(0);
}

// The initial value of a fold. Extremes begin with an infinity, since a segment may hold only
// those.
template <Fold kFold, class T>
T start_value() {
  constexpr bool kExtreme = kFold == Fold::kMax || kFold == Fold::kMin;
  if constexpr (kExtreme && !std::is_integral_v<T>) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    return static_cast<T>(kFold == Fold::kMax ? -kInfinity : kInfinity);
  }
  return empty_value<kFold, T>();
}

// Whether empty segments have another value than the fold's initial value.
template <Fold kFold, class T, class Id>
void fill_empty(const Id* ids, int64_t count, T* out, int64_t segments, int64_t inner) {
  std::vector<char> used(static_cast<size_t>(segments), 0);
  for (int64_t i = 0; i < count; ++i) {
    if (ids[i] >= 0) used[static_cast<size_t>(ids[i])] = 1;
  }
  for (int64_t s = 0; s < segments; ++s) {
    if (!used[static_cast<size_t>(s)]) std::fill_n(out + s * inner, inner, empty_value<kFold, T>());
  }
}

template <Fold kFold, class T>
void fold_row(T* out, const T* in, int64_t count) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    if (kFold == Fold::kSum && count >= 8) return row_loops_of<T>().add_into(out, in, count);
  }
  for (int64_t k = 0; k < count; ++k) {
    if constexpr (kFold == Fold::kSum) {
      out[k] = static_cast<T>(wrapping(out[k]) + wrapping(in[k]));
    } else if constexpr (kFold == Fold::kProd) {
      out[k] = static_cast<T>(wrapping(out[k]) * wrapping(in[k]));
    } else if constexpr (kFold == Fold::kMax) {
      out[k] = is_above(in[k], out[k]) ? in[k] : out[k];
    } else {
      out[k] = is_below(in[k], out[k]) ? in[k] : out[k];
    }
  }
}

template <class Id>
void check_ids(const Id* ids, int64_t count, int64_t segments, const char* op) {
  Id most = 0;
  for (int64_t i = 0; i < count; ++i) most = std::max(most, ids[i]);
  if (count == 0 || most < segments) return;
  const int64_t i = std::find_if(ids, ids + count, [=](Id id) { return id >= segments; }) - ids;
  invalid_argument("segment_ids[", i, "] = ", ids[i], " is out of range [0, ", segments,
                   ") [Op:", op, "]");
}

template <class Id>
bool ascending(const Id* ids, int64_t count) {
  bool result = true;
  for (int64_t i = 1; i < count; ++i) result &= ids[i - 1] <= ids[i];
  return result;
}

// The first index at or after `i` where a segment begins.
template <class Id>
int64_t boundary(const Id* ids, int64_t count, int64_t i) {
  while (i > 0 && i < count && ids[i] == ids[i - 1]) ++i;
  return i;
}

// Folds rows into their segments, which are already initialised. Rows with negative ids are
// skipped; the caller has checked that no id is too large.
template <Fold kFold, class T, class Id>
void fold_rows(const T* rows, const Id* ids, int64_t count, int64_t inner, T* out,
               int64_t segments) {
  const auto fold = [=](int64_t i, int64_t from, int64_t to) {
    if (ids[i] < 0) return;
    fold_row<kFold>(out + ids[i] * inner + from, rows + i * inner + from, to - from);
  };
  const int64_t work = count * (inner + 2);
  if (work < 2 * kFoldGrain) {
    for (int64_t i = 0; i < count; ++i) fold(i, 0, inner);
  } else if (ascending(ids, count)) {
    parallel_for(count, kFoldGrain / (inner + 2) + 1, [&](int64_t begin, int64_t end) {
      const int64_t last = boundary(ids, count, end);
      for (int64_t i = boundary(ids, count, begin); i < last; ++i) fold(i, 0, inner);
    });
  } else if (inner >= 64) {
    parallel_for(inner, std::max<int64_t>(32, kFoldGrain / (count + 1)),
                 [&](int64_t from, int64_t to) {
                   for (int64_t i = 0; i < count; ++i) fold(i, from, to);
                 });
  } else {
    // Each thread reads all ids, and folds the rows of its segments.
    const int64_t parts = std::min<int64_t>(max_threads(), segments);
    parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
      const int64_t first = segments * begin / parts, last = segments * end / parts;
      for (int64_t i = 0; i < count; ++i) {
        if (ids[i] >= first && ids[i] < last) fold(i, 0, inner);
      }
    });
  }
}

template <class Body>
void on_id_type(DType dtype, const Body& body) {
  dtype == DType::kInt64 ? body(int64_t{}) : body(int32_t{});
}

template <Fold kFold>
void unsorted_fold(KernelContext& context) {
  const Tensor& data = context.input(0);
  const Tensor& ids = context.input(1);
  const Tensor& out = context.output(0);
  const int64_t count = ids.size(), segments = out.dim(0);
  on_id_type(ids.dtype(), [&]<class Id>(Id) {
    const Id* const at = ids.data<Id>();
    check_ids(at, count, segments, context.tf_name());
    const auto run = [&]<class T>(T) {
      T* const to = out.mutable_data<T>();
      if (data.size() == 0 || out.size() == 0) {
        return void(std::fill_n(to, out.size(), empty_value<kFold, T>()));
      }
      std::fill_n(to, out.size(), start_value<kFold, T>());
      const int64_t inner = data.size() / count;
      fold_rows<kFold>(data.data<T>(), at, count, inner, to, segments);
      if constexpr ((kFold == Fold::kMax || kFold == Fold::kMin) && !std::is_integral_v<T>) {
        fill_empty<kFold>(at, count, to, segments, inner);
      }
    };
    if constexpr (kFold == Fold::kProd) {
      on_number_type(out.dtype(), run);
    } else {
      on_real_type(out.dtype(), run);
    }
  });
}

// The number of segments, from the last id.
int64_t segments_up_to(int64_t last, const char* op) {
  if (last == std::numeric_limits<int64_t>::max()) {
    invalid_argument("segment ids must be less than 2**63 - 1 [Op:", op, "]");
  }
  return last + 1;
}

// Checks that ids ascend, and returns the number of segments.
template <class Id>
int64_t count_segments(const Id* ids, int64_t count) {
  if (count == 0) return 0;
  if (ids[0] < 0 || !ascending(ids, count)) {
    invalid_argument("segment ids are not increasing [Op:SegmentReduction]");
  }
  return segments_up_to(ids[count - 1], "SegmentReduction");
}

// How sums are scaled. As in TensorFlow, means of contiguous rows divide, and means of gathered
// rows multiply.
struct Scaling {
  double divisor = 1;
  double factor = 1;

  template <class T>
  T operator()(T sum) const {
    if constexpr (std::is_same_v<T, Int128>) {
      return sum / static_cast<int64_t>(divisor);
    } else if constexpr (std::is_same_v<T, Complex64>) {
      return sum / static_cast<float>(divisor) * static_cast<float>(factor);
    } else if constexpr (std::is_same_v<T, Complex128>) {
      return sum / divisor * factor;
    } else {
      return static_cast<T>(sum / static_cast<T>(divisor) * static_cast<T>(factor));
    }
  }
};

// The scaled sum of rows, accumulated in a wider dtype: a mean of integers fits its dtype, but
// their sum may not.
template <class Sum, class T, class Row>
void wide_mean_row(T* out, int64_t inner, int64_t count, const Scaling& scaling, const Row& row) {
  std::vector<Sum> sums(static_cast<size_t>(inner));
  for (int64_t i = 0; i < count; ++i) {
    const T* const in = row(i);
    for (int64_t k = 0; k < inner; ++k) {
      Sum& sum = sums[static_cast<size_t>(k)];
      sum += static_cast<Sum>(arithmetic(in[k]));
    }
  }
  for (int64_t k = 0; k < inner; ++k) {
    out[k] = static_cast<T>(scaling(sums[static_cast<size_t>(k)]));
  }
}

// The scaled sum of rows.
template <class T, class Row>
void mean_row(T* out, int64_t inner, int64_t count, const Scaling& scaling, const Row& row) {
  const bool scaled = scaling.divisor != 1 || scaling.factor != 1;
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16>) {
    return wide_mean_row<float>(out, inner, count, scaling, row);
  } else if constexpr (std::is_integral_v<T>) {
    if (scaled) return wide_mean_row<Int128>(out, inner, count, scaling, row);
  }
  std::copy_n(row(0), inner, out);
  for (int64_t i = 1; i < count; ++i) fold_row<Fold::kSum>(out, row(i), inner);
  if constexpr (!std::is_integral_v<T> && !std::is_same_v<T, Half> &&
                !std::is_same_v<T, Bfloat16>) {
    for (int64_t k = 0; scaled && k < inner; ++k) out[k] = scaling(out[k]);
  }
}

// For ascending ids: the sums of segments' rows, scaled by scaling(number of rows).
template <class T, class Id, class Row, class Scale>
void mean_rows(const Id* ids, int64_t count, int64_t inner, T* out, int64_t segments,
               const Row& row, const Scale& scaling) {
  parallel_for(count, kFoldGrain / (inner + 2) + 1, [&](int64_t begin, int64_t end) {
    const int64_t last = boundary(ids, count, end);
    int64_t i = boundary(ids, count, begin);
    while (i < last) {
      const int64_t first = i;
      while (i < last && ids[i] == ids[first]) ++i;
      mean_row(out + ids[first] * inner, inner, i - first, scaling(i - first),
               [&](int64_t k) { return row(first + k); });
      // Empty segments before this segment, or after the last one.
      const int64_t before = first == 0 ? 0 : ids[first - 1] + 1;
      std::fill(out + before * inner, out + ids[first] * inner, T(0));
      if (i == count) std::fill(out + (ids[first] + 1) * inner, out + segments * inner, T(0));
    }
  });
}

template <Fold kFold>
void sorted_fold(KernelContext& context) {
  const Tensor& data = context.input(0);
  const Tensor& ids = context.input(1);
  const int64_t count = ids.size();
  on_id_type(ids.dtype(), [&]<class Id>(Id) {
    const Id* const at = ids.data<Id>();
    const int64_t segments = count_segments(at, count);
    Shape shape = data.shape();
    shape[0] = segments;
    checked_num_elements(shape.dims(), context.tf_name());
    const Tensor out = Tensor::empty(data.dtype(), shape);
    const auto run = [&]<class T>(T) {
      if (out.size() == 0) return;
      const int64_t inner = data.size() / count;
      const T* const rows = data.data<T>();
      T* const to = out.mutable_data<T>();
      if constexpr (kFold == Fold::kSum || kFold == Fold::kMean) {
        mean_rows(
            at, count, inner, to, segments, [=](int64_t i) { return rows + i * inner; },
            [](int64_t size) {
              return Scaling{.divisor = kFold == Fold::kMean ? static_cast<double>(size) : 1};
            });
      } else {
        std::fill_n(to, out.size(), start_value<kFold, T>());
        fold_rows<kFold>(rows, at, count, inner, to, segments);
        if (kFold == Fold::kProd) return;
        // This operation returns 0 for the extremes of empty segments.
        for (int64_t i = 0; i < count; ++i) {
          const int64_t before = i == 0 ? 0 : at[i - 1] + 1;
          if (before < at[i]) std::fill(to + before * inner, to + at[i] * inner, T(0));
        }
      }
    };
    if constexpr (kFold == Fold::kMax || kFold == Fold::kMin) {
      on_real_type(out.dtype(), run);
    } else {
      on_number_type(out.dtype(), run);
    }
    context.output(0) = out;
  });
}

template <class Place, class Id>
void sparse_segments(KernelContext& context, const Place* places, const Id* ids, int64_t count) {
  const Tensor& data = context.input(0);
  const char* const op = context.tf_name();
  const int64_t rows = data.dim(0);
  for (int64_t i = 0; i < count; ++i) {
    if (static_cast<uint64_t>(places[i]) < static_cast<uint64_t>(rows)) continue;
    invalid_argument("Bad: indices[", i, "] == ", places[i], " out of range [0, ", rows,
                     ") [Op:", op, "]");
  }
  if (!ascending(ids, count)) invalid_argument("segment ids are not increasing [Op:", op, "]");
  if (count > 0 && ids[0] < 0) invalid_argument("segment ids must be >= 0 [Op:", op, "]");
  const int64_t last = count > 0 ? segments_up_to(ids[count - 1], op) : 0;
  int64_t segments = last;
  const auto& attrs = context.attrs<ops::SparseSegmentAttrs>();
  if (attrs.num_segments) {
    segments = *attrs.num_segments;
    if (segments < last) invalid_argument("segment ids must be < num_segments [Op:", op, "]");
  }
  using ops::SegmentScale;
  const SegmentScale scale = attrs.scale;
  Shape shape = data.shape();
  shape[0] = segments;
  checked_num_elements(shape.dims(), op);
  const Tensor out = Tensor::empty(data.dtype(), shape);
  context.output(0) = out;
  if (out.size() == 0) return;
  on_number_type(out.dtype(), [&]<class T>(T) {
    T* const to = out.mutable_data<T>();
    if (count == 0) return void(std::fill_n(to, out.size(), T(0)));
    const int64_t inner = out.size() / segments;
    const T* const from = data.data<T>();
    mean_rows(
        ids, count, inner, to, segments,
        [=](int64_t i) { return from + static_cast<int64_t>(places[i]) * inner; },
        [=](int64_t size) {
          const auto number = static_cast<double>(size);
          const double divisor = scale == SegmentScale::kMean ? number : std::sqrt(number);
          return Scaling{.factor = scale == SegmentScale::kSum ? 1 : 1 / divisor};
        });
  });
}

}  // namespace

void unsorted_segment_max(KernelContext& context) { unsorted_fold<Fold::kMax>(context); }
void unsorted_segment_min(KernelContext& context) { unsorted_fold<Fold::kMin>(context); }
void unsorted_segment_prod(KernelContext& context) { unsorted_fold<Fold::kProd>(context); }
void segment_sum(KernelContext& context) { sorted_fold<Fold::kSum>(context); }
void segment_mean(KernelContext& context) { sorted_fold<Fold::kMean>(context); }
void segment_max(KernelContext& context) { sorted_fold<Fold::kMax>(context); }
void segment_min(KernelContext& context) { sorted_fold<Fold::kMin>(context); }
void segment_prod(KernelContext& context) { sorted_fold<Fold::kProd>(context); }

void sparse_segment_sum(KernelContext& context) {
  const Tensor& places = context.input(1);
  const Tensor& ids = context.input(2);
  on_id_type(places.dtype(), [&]<class Place>(Place) {
    on_id_type(ids.dtype(), [&]<class Id>(Id) {
      sparse_segments(context, places.data<Place>(), ids.data<Id>(), ids.size());
    });
  });
}

}  // namespace ef::cpu
