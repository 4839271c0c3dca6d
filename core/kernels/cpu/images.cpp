// Resampling and boxes. Resampling first sums input rows to one result row, and then sums pixels of
// that row.
#include "kernels/cpu/images.h"

#include <algorithm>
#include <vector>

#include "device/parallel.h"
#include "kernels/cpu/resample_loops.h"
#include "kernels/cpu/search_loops.h"
#include "ops/images.h"
#include "tensor/error.h"

namespace ef::cpu {
namespace {

const ResampleLoops& resample_loops() { return best::resample_loops(); }

void check_places(const Tensor& places, int64_t taps, int64_t size) {
  const auto* at = places.data<int32_t>();
  for (int64_t i = 0; i < places.size(); ++i) {
    if (at[i] < 0 || at[i] + taps > size) {
      invalid_argument("places[", i, "] = ", at[i], " with ", taps,
                       " weights is outside an axis of ", size, " [Op:Resample]");
    }
  }
}

// For each result of a table: whether all of its weights are nonzero.
template <class T>
std::vector<uint8_t> dense_results(const T* weights, int64_t count, int64_t taps) {
  std::vector<uint8_t> dense(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    const T* const own = weights + i * taps;
    dense[static_cast<size_t>(i)] = std::find(own, own + taps, T(0)) == own + taps;
  }
  return dense;
}

template <class T>
void resample_as(KernelContext& context, const ResampleLoopsOf<T>& loops) {
  const Tensor& images = context.input(0);
  const Tensor& out = context.output(0);
  const int64_t height = images.shape()[1];
  const int64_t width = images.shape()[2];
  const int64_t channels = images.shape()[3];
  const int64_t rows = out.shape()[1];
  const int64_t columns = out.shape()[2];
  const int64_t row_taps = context.input(2).shape()[1];
  const int64_t column_taps = context.input(4).shape()[1];
  check_places(context.input(1), row_taps, height);
  check_places(context.input(3), column_taps, width);
  const T* x = images.data<T>();
  T* y = out.mutable_data<T>();
  const auto* row_indices = context.input(1).data<int32_t>();
  const T* row_weights = context.input(2).data<T>();
  const auto* column_indices = context.input(3).data<int32_t>();
  const T* column_weights = context.input(4).data<T>();
  const std::vector<uint8_t> dense = dense_results(column_weights, columns, column_taps);
  const int64_t span = width * channels;
  const int64_t work = span * row_taps + columns * channels * column_taps * 2;
  parallel_for(images.shape()[0] * rows, 1 + (1 << 16) / (work + 1),
               [&](int64_t begin, int64_t end) {
                 std::vector<T> sums(static_cast<size_t>(span));
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t row = i % rows;
                   const T* source = x + (i / rows * height + row_indices[row]) * span;
                   loops.rows(sums.data(), source, row_weights + row * row_taps, row_taps, span);
                   loops.columns(y + i * columns * channels, sums.data(), column_indices,
                                 column_weights, dense.data(), column_taps, columns, channels);
                 }
               });
}

// Storage for boxes as a structure of arrays.
struct Boxes {
  explicit Boxes(int64_t count) : count(count), numbers(static_cast<size_t>(5 * count)) {}
  float* column(int k) { return numbers.data() + k * count; }
  BoxColumns columns() { return {column(0), column(1), column(2), column(3), column(4)}; }
  int64_t count;
  std::vector<float> numbers;
};

}  // namespace

void remaining_boxes(KernelContext& context) {
  const Tensor& boxes = context.input(0);
  const Tensor& order = context.input(1);
  const int64_t candidates = order.size();
  const int64_t limit = std::min(context.attrs<ops::RemainingBoxesAttrs>().limit, candidates);
  const auto most = static_cast<float>(context.attrs<ops::RemainingBoxesAttrs>().overlap);
  Boxes all(candidates);
  for (int64_t i = 0; i < candidates; ++i) {
    const int64_t place = order.data<int64_t>()[i];
    if (place < 0 || place >= boxes.dim(0)) {
      invalid_argument("There is no box ", place, " among ", boxes.dim(0),
                       " [Op:NonMaxSuppressionV3]");
    }
    const float* box = boxes.data<float>() + 4 * place;
    for (int k = 0; k < 4; ++k) all.column(k)[i] = box[k];
    all.column(4)[i] = (box[2] - box[0]) * (box[3] - box[1]);
  }
  Boxes kept(limit);
  std::vector<int32_t> chosen;
  for (int64_t i = 0; i < candidates && static_cast<int64_t>(chosen.size()) < limit; ++i) {
    const auto found = static_cast<int64_t>(chosen.size());
    if (best::search_loops().overlaps(kept.columns(), found, all.columns(), i, most)) continue;
    for (int k = 0; k < 5; ++k) kept.column(k)[found] = all.column(k)[i];
    chosen.push_back(static_cast<int32_t>(order.data<int64_t>()[i]));
  }
  context.output(0) = Tensor::empty(DType::kInt32, {static_cast<int64_t>(chosen.size())});
  std::copy(chosen.begin(), chosen.end(), context.output(0).mutable_data<int32_t>());
}

void resample(KernelContext& context) {
  if (context.output(0).size() == 0) return;
  if (context.input(0).dtype() == DType::kFloat32) {
    resample_as<float>(context, resample_loops().float32);
  } else {
    resample_as<double>(context, resample_loops().float64);
  }
}

}  // namespace ef::cpu
