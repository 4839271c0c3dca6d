// Batches of matrix products with broadcasting, by one product a batch or all at once.
#include "kernels/cpu/matmul.h"

#include <algorithm>

#include "device/parallel.h"
#include "device/scratch.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/short_gemm.h"
#include "kernels/cpu/widen.h"
#include "ops/matmul.h"

namespace ef::cpu {
namespace {

// Where the matrices of one product of a batch start, counted in matrices.
struct Batch {
  explicit Batch(const Shape& a, const Shape& b, const Shape& out) : rank(out.rank() - 2) {
    int64_t a_step = 1;
    int64_t b_step = 1;
    for (int axis = rank - 1; axis >= 0; --axis) {
      const int a_axis = axis - (out.rank() - a.rank());
      const int b_axis = axis - (out.rank() - b.rank());
      const int64_t a_size = a_axis >= 0 ? a[a_axis] : 1;
      const int64_t b_size = b_axis >= 0 ? b[b_axis] : 1;
      size[axis] = out[axis];
      a_stride[axis] = a_size == 1 ? 0 : a_step;
      b_stride[axis] = b_size == 1 ? 0 : b_step;
      a_step *= a_size;
      b_step *= b_size;
      count *= out[axis];
    }
    a_matrices = a_step;
    b_matrices = b_step;
  }
  void locate(int64_t index, int64_t* a_matrix, int64_t* b_matrix) const {
    *a_matrix = 0;
    *b_matrix = 0;
    for (int axis = rank - 1; axis >= 0; --axis) {
      const int64_t i = index % size[axis];
      index /= size[axis];
      *a_matrix += i * a_stride[axis];
      *b_matrix += i * b_stride[axis];
    }
  }

  // How many times the left matrices repeat as a whole, each time with other right matrices.
  int64_t shared_left() const { return shared(a_stride, a_matrices, b_matrices); }
  // The same for the right matrices.
  int64_t shared_right() const { return shared(b_stride, b_matrices, a_matrices); }

  int64_t shared(const int64_t* stride, int64_t matrices, int64_t others) const {
    int64_t times = 1;
    int64_t rest = count;
    for (int axis = 0; axis < rank && stride[axis] == 0; ++axis) {
      times *= size[axis];
      rest /= size[axis];
    }
    return matrices <= rest && others == count ? times : 1;
  }

  int rank;
  int64_t count = 1;
  int64_t a_matrices = 1;
  int64_t b_matrices = 1;
  int64_t size[kMaxRank];
  int64_t a_stride[kMaxRank];
  int64_t b_stride[kMaxRank];
};

// Calls products(begin, end) for ranges of `count` products of `cost` multiplications each, on
// several threads if a single product would not occupy them.
template <class Products>
void share_products(int64_t count, int64_t cost, const Products& products) {
  const bool each_on_one_thread = count >= 2 * max_threads() || cost < 600'000;
  if (each_on_one_thread) {
    parallel_for(count, std::max<int64_t>(1, 200'000 / cost), products);
  } else {
    products(0, count);
  }
}

// Products of vectors that share a matrix: the vectors become the rows of one matrix, which is
// multiplied once. Vectors on the left are handled by transposition.
template <class T>
void multiply_vectors(const Batch& batch, const Product& p, int64_t rows, bool right, const T* a,
                      const T* b, T* c) {
  const int64_t matrices = batch.count / rows;
  Product turned;
  turned.m = rows;
  turned.n = right ? p.n : p.m;
  turned.k = p.k;
  turned.transpose_b = right ? p.transpose_b : !p.transpose_a;
  turned.lda = matrices * p.k;
  turned.ldb = right ? p.ldb : p.lda;
  turned.ldc = matrices * turned.n;
  const int64_t size = turned.n * p.k;
  const int64_t cost = std::max<int64_t>(rows * size, 1);
  share_products(matrices, cost, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t of_a;
      int64_t of_b;
      batch.locate(i, &of_a, &of_b);
      const T* const vectors = right ? a + of_a * p.k : b + of_b * p.k;
      const T* const matrix = right ? b + of_b * size : a + of_a * size;
      gemm(turned, vectors, matrix, c + i * turned.n);
    }
  });
}

template <class T>
void multiply_all(const Batch& batch, Product p, const T* a, const T* b, T* c) {
  const int64_t a_size = p.m * p.k;
  const int64_t b_size = p.k * p.n;
  const int64_t c_size = p.m * p.n;
  if (batch.count == 1) return gemm(p, a, b, c);
  if (batch.b_matrices == 1 && batch.a_matrices == batch.count && !p.transpose_a) {
    p.m *= batch.count;  // all left matrices stacked
    return gemm(p, a, b, c);
  }
  if (!p.conjugate_a && !p.conjugate_b) {
    const int64_t left = p.n == 1 ? batch.shared_left() : 1;
    if (left > 1) return multiply_vectors(batch, p, left, false, a, b, c);
    const int64_t right = p.m == 1 ? batch.shared_right() : 1;
    if (right > 1) return multiply_vectors(batch, p, right, true, a, b, c);
  }
  const auto products = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t left;
      int64_t right;
      batch.locate(i, &left, &right);
      gemm(p, a + left * a_size, b + right * b_size, c + i * c_size);
    }
  };
  share_products(batch.count, std::max<int64_t>(p.m * p.n * p.k, 1), products);
}

// The largest number of rows or columns with which the other matrix is converted part by part.
constexpr int64_t kFewVectors = 16;
// Elements of such a part: the second-level cache holds them as float until they are multiplied.
constexpr int64_t kPart = 64 << 10;

// Converts rows of a larger matrix, `step` elements apart, to a matrix of their own.
template <class T>
void convert_part(int64_t rows, int64_t columns, const T* from, int64_t step, float* to) {
  if (columns == step) return convert_here(from, to, rows * columns);
  for (int64_t i = 0; i < rows; ++i) convert_here(from + i * step, to + i * columns, columns);
}

// Multiplies a matrix by few vectors, on its left or right, and reads it once, as 16-bit floats:
// its parts are converted and multiplied while they are in the cache. A part has `length` rows or
// columns of the result and `depth` terms of their sums.
template <class T>
void multiply_few_vectors(const Product& p, bool on_left, const T* a, const T* b, T* c) {
  const int64_t vectors = on_left ? p.m : p.n, results = on_left ? p.n : p.m;
  // Whether a stored row of the large matrix has terms of one result, and not of one term.
  const bool by_result = on_left ? p.transpose_b : !p.transpose_a;
  // Pieces of stored rows should be long.
  const int64_t length = std::clamp<int64_t>(kPart / p.k, by_result ? 16 : 256, 1024);
  const int64_t depth = std::min(p.k, kPart / length);
  const Scratch few(vectors * p.k * sizeof(float));
  convert_here(on_left ? a : b, few.as<float>(), vectors * p.k);
  parallel_for(results, length, [&](int64_t begin, int64_t end) {
    const Scratch memory((depth + vectors) * length * sizeof(float));
    auto* const part = memory.as<float>();
    float* const found = part + depth * length;
    for (int64_t from = begin; from < end; from += length) {
      const int64_t count = std::min(length, end - from);
      Product product = p;
      (on_left ? product.n : product.m) = count;
      product.ldc = product.n;
      for (int64_t term = 0; term < p.k; term += depth) {
        product.k = std::min(depth, p.k - term);
        product.accumulate = term > 0;
        const int64_t step = on_left ? p.ldb : p.lda;
        const T* const large =
            (on_left ? b : a) + (by_result ? from * step + term : term * step + from);
        const int64_t rows = by_result ? count : product.k, columns = by_result ? product.k : count;
        convert_part(rows, columns, large, step, part);
        (on_left ? product.ldb : product.lda) = columns;
        const bool rows_of_terms = on_left ? p.transpose_a : !p.transpose_b;
        const float* const vector = few.as<float>() + (rows_of_terms ? term * vectors : term);
        gemm(product, on_left ? vector : part, on_left ? part : vector, found);
      }
      T* const to = c + (on_left ? from : from * p.ldc);
      for (int64_t i = 0; i < product.m; ++i) {
        convert_here(found + i * product.n, to + i * p.ldc, product.n);
      }
    }
  });
}

// Products that do not share matrices: each is converted, multiplied and converted back at once.
template <class T>
void multiply_each_wide(int64_t count, const Product& p, const T* a, const T* b, T* c) {
  const int64_t a_size = p.m * p.k, b_size = p.k * p.n, c_size = p.m * p.n;
  const int64_t cost = std::max<int64_t>(p.m * p.n * p.k, 1);
  parallel_for(count, std::max<int64_t>(1, 200'000 / cost), [&](int64_t begin, int64_t end) {
    const Scratch memory((a_size + b_size + c_size) * sizeof(float));
    auto* const left = memory.as<float>();
    float *const right = left + a_size, *const found = right + b_size;
    for (int64_t i = begin; i < end; ++i) {
      convert_here(a + i * a_size, left, a_size);
      convert_here(b + i * b_size, right, b_size);
      gemm(p, left, right, found);
      convert_here(found, c + i * c_size, c_size);
    }
  });
}

template <class T>
void multiply_wide(const Batch& batch, const Product& p, const Tensor& a, const Tensor& b,
                   const Tensor& c) {
  const T *const left = a.data<T>(), *const right = b.data<T>();
  T* const found = c.mutable_data<T>();
  const bool large = p.k > 0 && std::max(a.size(), b.size()) >= kPart;
  if (batch.count == 1 && large && std::min(p.m, p.n) <= kFewVectors) {
    return multiply_few_vectors(p, p.m < p.n, left, right, found);
  }
  if (batch.count >= 2 * max_threads() && batch.a_matrices == batch.count &&
      batch.b_matrices == batch.count) {
    return multiply_each_wide(batch.count, p, left, right, found);
  }
  const Scratch wide((a.size() + b.size() + c.size()) * sizeof(float));
  float* wide_a = wide.as<float>();
  float* wide_b = wide_a + a.size();
  float* wide_c = wide_b + b.size();
  convert(left, wide_a, a.size());
  convert(right, wide_b, b.size());
  multiply_all<float>(batch, p, wide_a, wide_b, wide_c);
  convert(wide_c, found, c.size());
}

// Products of integers of 8 and 16 bits, as int32 or truncated to their own dtype.
template <class T, class Result>
void multiply_narrow(const Batch& batch, const Product& p, const Tensor& a, const Tensor& b,
                     const Tensor& c) {
  const Scratch wide((a.size() + b.size() + c.size()) * sizeof(int32_t));
  int32_t* const wide_a = wide.as<int32_t>();
  int32_t* const wide_b = std::copy_n(a.data<T>(), a.size(), wide_a);
  int32_t* const wide_c = std::copy_n(b.data<T>(), b.size(), wide_b);
  multiply_all<int32_t>(batch, p, wide_a, wide_b, wide_c);
  std::transform(wide_c, wide_c + c.size(), c.mutable_data<Result>(),
                 [](int32_t x) { return static_cast<Result>(x); });
}

// Multiplies bfloat16 natively if the processor can and the matrices are contiguous.
bool multiply_short(const Batch& batch, const Product& p, const Tensor& a, const Tensor& b,
                    const Tensor& c) {
  const bool one_right = batch.b_matrices == 1;
  if (batch.a_matrices != batch.count || (!one_right && batch.b_matrices != batch.count) ||
      !suits_short_gemm(p, batch.count)) {
    return false;
  }
  Product product = p;
  int64_t count = batch.count;
  if (count > 1 && one_right && !p.transpose_a) {
    product.m *= count;  // all left matrices stacked
    count = 1;
  }
  short_gemm(product, count, one_right, a.data<Bfloat16>(), b.data<Bfloat16>(),
             c.mutable_data<Bfloat16>());
  return true;
}

}  // namespace

void matmul(KernelContext& context) {
  const Tensor& a = context.input(0);
  const Tensor& b = context.input(1);
  const Tensor& c = context.output(0);
  if (c.size() == 0) return;
  const auto& attrs = context.attrs<ops::MatmulAttrs>();
  Product p;
  const bool complex = is_complex(a.dtype());
  p.conjugate_a = complex && attrs.adjoint_a;
  p.conjugate_b = complex && attrs.adjoint_b;
  p.transpose_a = attrs.swaps_a();
  p.transpose_b = attrs.swaps_b();
  p.m = c.shape().back(1);
  p.n = c.shape().back(0);
  p.k = a.shape().back(p.transpose_a ? 1 : 0);
  p.lda = std::max<int64_t>(a.shape().back(0), 1);
  p.ldb = std::max<int64_t>(b.shape().back(0), 1);
  p.ldc = p.n;
  if (a.dtype() == DType::kFloat32 && c.rank() == 2) {
    return gemm(p, a.data<float>(), b.data<float>(), c.mutable_data<float>());
  }
  const Batch batch(a.shape(), b.shape(), c.shape());
  const auto go = [&]<class T>(T) {
    multiply_all(batch, p, a.data<T>(), b.data<T>(), c.mutable_data<T>());
  };
  switch (a.dtype()) {
    case DType::kFloat32: return go(float{});
    case DType::kFloat64: return go(double{});
    case DType::kFloat16: return multiply_wide<Half>(batch, p, a, b, c);
    case DType::kBfloat16:
      if (multiply_short(batch, p, a, b, c)) return;
      return multiply_wide<Bfloat16>(batch, p, a, b, c);
    case DType::kInt8: return multiply_narrow<int8_t, int32_t>(batch, p, a, b, c);
    case DType::kUint8: return multiply_narrow<uint8_t, int32_t>(batch, p, a, b, c);
    case DType::kInt16: return multiply_narrow<int16_t, int16_t>(batch, p, a, b, c);
    case DType::kInt32: return go(int32_t{});
    case DType::kInt64: return go(int64_t{});
    case DType::kComplex64: return go(Complex64{});
    case DType::kComplex128: return go(Complex128{});
    default: return;
  }
}

}  // namespace ef::cpu
