// Tensors from sizes and scalars, and the diagonals of matrices.
#include "kernels/cpu/creation.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "device/parallel.h"
#include "kernels/cpu/array.h"
#include "kernels/cpu/fill.h"
#include "kernels/cpu/moves.h"
#include "kernels/cpu/typed.h"
#include "ops/creation.h"

namespace ef::cpu {

void fill(KernelContext& context) {
  const Tensor& value = context.input(0);
  const Tensor& out = context.output(0);
  if (owns_memory(out.dtype())) {
    return on_owning_type(out.dtype(), [&]<class T>(T) {
      std::fill_n(out.mutable_data<T>(), out.size(), *value.data<T>());
    });
  }
  fill_elements_parallel(out.mutable_raw_data(), value.raw_data(),
                         static_cast<int64_t>(element_size(out.dtype())), out.size());
}

void zeros(KernelContext& context) { fill_constant(context.output(0), 0); }
void ones(KernelContext& context) { fill_constant(context.output(0), 1); }

namespace {

// A value in the precision of its type: 16-bit floats are rounded after every step.
template <class T, class A>
auto rounded(A value) {
  return arithmetic(static_cast<T>(value));
}

// An index converted to the type.
template <class T, class I>
auto counted(I i) {
  if constexpr (requires { typename T::value_type; }) {  // complex
    return T(static_cast<typename T::value_type>(i));
  } else {
    return rounded<T>(static_cast<decltype(arithmetic(T{}))>(i));
  }
}

// The number of steps from start to limit, rounded up; the step may be negative.
template <class T, class A>
int64_t step_count(A start, A limit, A step) {
  constexpr const char* kTooMany =
      "Requires ((limit - start) / delta) <= 9223372036854775807 [Op:Range]";
  if constexpr (std::is_integral_v<A>) {
    const auto from = static_cast<uint64_t>(start);
    const auto to = static_cast<uint64_t>(limit);
    const uint64_t distance = step > 0 ? to - from : from - to;
    const uint64_t size =
        step > 0 ? static_cast<uint64_t>(step) : uint64_t{0} - static_cast<uint64_t>(step);
    const uint64_t count = distance / size + (distance % size == 0 ? 0 : 1);
    if (count > static_cast<uint64_t>(INT64_MAX)) invalid_argument(kTooMany);
    return static_cast<int64_t>(count);
  } else {
    const A count = std::ceil(rounded<T>(rounded<T>(limit - start) / step));
    if (!(count < A(0x1p63))) invalid_argument(kTooMany);
    return static_cast<int64_t>(count);
  }
}

}  // namespace

int64_t range_size(const Tensor& start, const Tensor& limit, const Tensor& delta) {
  int64_t count = 0;
  on_real_type(start.dtype(), [&]<class T>(T) {
    const auto a = arithmetic(*start.data<T>());
    const auto b = arithmetic(*limit.data<T>());
    const auto step = arithmetic(*delta.data<T>());
    if (step == 0) invalid_argument("Requires delta != 0: 0 [Op:Range]");
    if (step > 0 && !(a <= b)) {
      invalid_argument("Requires start <= limit when delta > 0: ", +a, "/", +b, " [Op:Range]");
    }
    if (!(step > 0) && !(a >= b)) {
      invalid_argument("Requires start >= limit when delta < 0: ", +a, "/", +b, " [Op:Range]");
    }
    count = step_count<T>(a, b, step);
  });
  return count;
}

void range(KernelContext& context) {
  const int64_t count = range_size(context.input(0), context.input(1), context.input(2));
  context.output(0) = Tensor::empty(context.input(0).dtype(), {count});
  on_real_type(context.input(0).dtype(), [&]<class T>(T) {
    const auto start = arithmetic(*context.input(0).data<T>());
    const auto delta = arithmetic(*context.input(2).data<T>());
    T* out = context.output(0).mutable_data<T>();
    const auto number = [=](auto i) {
      return static_cast<T>(start + rounded<T>(counted<T>(i) * delta));
    };
    parallel_for(count, 65'536, [=](int64_t begin, int64_t end) {
      if (end > INT32_MAX) {
        for (int64_t i = begin; i < end; ++i) out[i] = number(i);
        return;
      }
      const auto last = static_cast<int32_t>(end);  // there are vectors for these
#pragma omp simd
      for (int32_t i = static_cast<int32_t>(begin); i < last; ++i) out[i] = number(i);
    });
  });
}

namespace {

Tensor broadcast(const Tensor& tensor, const Shape& shape, const Op& op) {
  if (tensor.shape() == shape) return tensor;
  SpecList specs;
  specs.push_back({tensor.dtype(), shape});
  TensorList outputs;
  outputs.resize(1);
  KernelContext context(op, {&tensor, 1}, {}, specs, outputs);
  broadcast_to(context);
  return outputs[0];
}

}  // namespace

void linspace(KernelContext& context) {
  const Tensor& out = context.output(0);
  const auto& attrs = context.attrs<ops::LinspaceAttrs>();
  const int64_t num = attrs.num;
  const int axis = normalize_axis(attrs.axis, out.rank(), "LinSpace");
  int64_t inner = 1;
  for (int i = axis + 1; i < out.rank(); ++i) inner *= out.dim(i);
  Shape each = out.shape();
  each.erase(axis);
  const Tensor starts = broadcast(context.input(0), each, context.op());
  const Tensor stops = broadcast(context.input(1), each, context.op());
  on_number_type(out.dtype(), [&]<class T>(T) {
    const T* start = starts.data<T>();
    const T* stop = stops.data<T>();
    T* to = out.mutable_data<T>();
    using A = std::remove_const_t<decltype(arithmetic(*start))>;
    const auto delta_of = [=](A a, A b) {
      return num > 1 ? rounded<T>(rounded<T>(b - a) / counted<T>(num - 1)) : A(0);
    };
    const auto number = [](A a, A delta, int64_t step) {
      return static_cast<T>(a + rounded<T>(delta * counted<T>(step)));
    };
    if (inner == 1) {
      for (int64_t row = 0; row < out.size() / num; ++row) {
        const A a = arithmetic(start[row]);
        const A delta = delta_of(a, arithmetic(stop[row]));
        T* const numbers = to + row * num;
        parallel_for(num, 65'536, [=](int64_t begin, int64_t end) {
#pragma omp simd
          for (int64_t step = begin; step < end; ++step) {
            numbers[step] = number(a, delta, step);
          }
        });
        if (num > 1) numbers[num - 1] = stop[row];
      }
      return;
    }
    for (int64_t k = 0; k < out.size(); ++k) {
      const int64_t step = k / inner % num;
      const int64_t from = k / (inner * num) * inner + k % inner;
      const A a = arithmetic(start[from]);
      to[k] = num > 1 && step == num - 1 ? stop[from]
                                         : number(a, delta_of(a, arithmetic(stop[from])), step);
    }
  });
}

namespace {

// Matrices in the last two axes.
struct Matrices {
  int64_t count;
  int64_t rows;
  int64_t cols;
};

Matrices matrices_of(const Shape& shape) {
  const int64_t rows = shape.back(1);
  const int64_t cols = shape.back(0);
  int64_t count = 1;
  for (int i = 0; i + 2 < shape.rank(); ++i) count *= shape[i];
  return {count, rows, cols};
}

}  // namespace

void eye(KernelContext& context) {
  const Tensor& out = context.output(0);
  fill_constant(out, 0);
  const Matrices m = matrices_of(out.shape());
  const auto size = static_cast<int64_t>(element_size(out.dtype()));
  alignas(16) std::byte one[16];
  constant_element(out.dtype(), 1, one);
  auto* bytes = static_cast<std::byte*>(out.mutable_raw_data());
  for (int64_t k = 0; k < m.count; ++k) {
    for (int64_t i = 0; i < std::min(m.rows, m.cols); ++i) {
      std::memcpy(bytes + ((k * m.rows + i) * m.cols + i) * size, one, static_cast<size_t>(size));
    }
  }
}

void matrix_band_part(KernelContext& context) {
  const Tensor& x = context.input(0);
  const Tensor& out = context.output(0);
  const Matrices m = matrices_of(x.shape());
  const auto [lower, upper] = context.attrs<ops::MatrixBandPartAttrs>();
  const auto size = static_cast<int64_t>(element_size(x.dtype()));
  fill_constant(out, 0);
  const auto* from = static_cast<const std::byte*>(x.raw_data());
  auto* to = static_cast<std::byte*>(out.mutable_raw_data());
  for (int64_t row = 0; row < m.count * m.rows; ++row) {
    const int64_t i = row % m.rows;
    const int64_t begin = lower < 0 ? 0 : std::clamp<int64_t>(i - lower, 0, m.cols);
    const int64_t end = upper < 0 ? m.cols : std::clamp<int64_t>(i + upper + 1, 0, m.cols);
    if (begin >= end) continue;
    const int64_t at = (row * m.cols + begin) * size;
    std::memcpy(to + at, from + at, static_cast<size_t>((end - begin) * size));
  }
}

namespace {

// Calls body(matrix offset, diagonal offset) along the k-th diagonals.
template <class Body>
void along_diagonal(const Matrices& m, int64_t k, int64_t length, const Body& body) {
  const int64_t row = std::max<int64_t>(-k, 0);
  const int64_t col = std::max<int64_t>(k, 0);
  for (int64_t b = 0; b < m.count; ++b) {
    for (int64_t i = 0; i < length; ++i) {
      body((b * m.rows + row + i) * m.cols + col + i, b * length + i);
    }
  }
}

}  // namespace

void diag(KernelContext& context) {
  const Tensor& x = context.input(0);
  const Tensor& out = context.output(0);
  fill_constant(out, 0);
  const auto size = static_cast<int64_t>(element_size(x.dtype()));
  const auto* from = static_cast<const std::byte*>(x.raw_data());
  auto* to = static_cast<std::byte*>(out.mutable_raw_data());
  along_diagonal(matrices_of(out.shape()), context.attrs<ops::DiagAttrs>().k, x.shape().back(),
                 [&](int64_t matrix, int64_t diagonal) {
                   std::memcpy(to + matrix * size, from + diagonal * size,
                               static_cast<size_t>(size));
                 });
}

void diag_part(KernelContext& context) {
  const Tensor& x = context.input(0);
  const Tensor& out = context.output(0);
  const auto size = static_cast<int64_t>(element_size(x.dtype()));
  const auto* from = static_cast<const std::byte*>(x.raw_data());
  auto* to = static_cast<std::byte*>(out.mutable_raw_data());
  along_diagonal(matrices_of(x.shape()), context.attrs<ops::DiagPartAttrs>().k, out.shape().back(),
                 [&](int64_t matrix, int64_t diagonal) {
                   std::memcpy(to + diagonal * size, from + matrix * size,
                               static_cast<size_t>(size));
                 });
}

}  // namespace ef::cpu
