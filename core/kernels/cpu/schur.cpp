// The Schur form of complex matrices, and square roots of triangular matrices.
//
// G. Golub and C. Van Loan, "Matrix computations" (2013), 7.4 and 7.5: a Hessenberg matrix by
// Householder's reflections, then steps of the QR method with J. Wilkinson's shift.
#include "kernels/cpu/schur.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include "device/parallel.h"

namespace ef::cpu {
namespace {

using Complex = std::complex<double>;

constexpr double kRounding = std::numeric_limits<double>::epsilon();
// Two or three steps deflate one eigenvalue; an occasional exceptional shift breaks cycles.
constexpr int kMostSteps = 40;
constexpr int kStepsToAnotherShift = 10;
// The least number of multiplications for a thread.
constexpr int64_t kSchurGrain = 16'384;

// Products without the library's handling of infinities.
inline Complex times(Complex x, Complex y) {
  return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}
inline Complex conj_times(Complex x, Complex y) {
  return {x.real() * y.real() + x.imag() * y.imag(), x.real() * y.imag() - x.imag() * y.real()};
}
inline double size1(Complex x) { return std::abs(x.real()) + std::abs(x.imag()); }

// [c, s; -conj(s), c], which zeroes the second of two elements.
struct Rotation {
  double c = 1;
  Complex s = 0;

  // The rotation for (x, y), which become (result, 0).
  static Rotation of(Complex x, Complex y, Complex* result) {
    const double size_y = std::abs(y);
    if (size_y == 0) {
      *result = x;
      return {};
    }
    const double size_x = std::abs(x);
    const double norm = std::hypot(size_x, size_y);
    const Complex phase = size_x == 0 ? Complex(1) : x / size_x;
    *result = phase * norm;
    return {size_x / norm, times(phase, std::conj(y)) / norm};
  }
  // Rows or columns x and y.
  void apply(Complex& x, Complex& y) const {
    const Complex upper = c * x + times(s, y);
    y = c * y - conj_times(s, x);
    x = upper;
  }
  Rotation adjoint() const { return {c, std::conj(s)}; }
};

// A = Q T Q^H. `t` holds A and becomes T; `q` becomes Q^H, whose rows are contiguous.
class Schur {
 public:
  Schur(Complex* t, Complex* q, int64_t n) : t_(t), q_(q), n_(n), rotations_(n) {}

  // False if the method does not converge, as for non-finite elements.
  bool run() {
    to_hessenberg();
    int steps = 0;
    for (int64_t end = n_ - 1; end > 0;) {
      const int64_t begin = active_from(end);
      if (begin == end) {
        --end;
        steps = 0;
        continue;
      }
      if (++steps > kMostSteps) return false;
      step(begin, end, steps % kStepsToAnotherShift == 0);
    }
    return true;
  }

 private:
  Complex* row(int64_t i) { return t_ + i * n_; }
  Complex& at(int64_t i, int64_t j) { return t_[i * n_ + j]; }

  void to_hessenberg() {
    std::fill_n(q_, n_ * n_, Complex(0));
    for (int64_t i = 0; i < n_; ++i) q_[i * (n_ + 1)] = 1;
    std::vector<Complex> v(n_), sums(n_);
    for (int64_t k = 0; k + 2 < n_; ++k) {
      // The reflection 1 - 2 v v^H / |v|^2 zeroes column k below its first element.
      double rest = 0;
      for (int64_t i = k + 2; i < n_; ++i) rest += std::norm(at(i, k));
      if (rest == 0) continue;
      const Complex first = at(k + 1, k);
      const double norm = std::sqrt(std::norm(first) + rest);
      const double size = std::abs(first);
      const Complex phase = size == 0 ? Complex(1) : first / size;
      for (int64_t i = k + 1; i < n_; ++i) v[i] = at(i, k);
      v[k + 1] += phase * norm;
      const double factor = 1 / (norm * (norm + size));
      // From the left, by rows; then from the right.
      reflect_rows(t_, k, v, factor, k + 1, sums);
      reflect_rows(q_, 0, v, factor, k + 1, sums);
      for (int64_t i = 0; i < n_; ++i) {
        Complex* const x = row(i);
        Complex sum = 0;
        for (int64_t j = k + 1; j < n_; ++j) sum += times(x[j], v[j]);
        sum *= factor;
        for (int64_t j = k + 1; j < n_; ++j) x[j] -= conj_times(v[j], sum);
      }
      at(k + 1, k) = -phase * norm;
      for (int64_t i = k + 2; i < n_; ++i) at(i, k) = 0;
    }
  }

  // x = (1 - factor v v^H) x, for the columns from `left` on.
  void reflect_rows(Complex* x, int64_t left, const std::vector<Complex>& v, double factor,
                    int64_t first, std::vector<Complex>& sums) const {
    std::fill(sums.begin() + left, sums.end(), Complex(0));
    for (int64_t i = first; i < n_; ++i) {
      for (int64_t j = left; j < n_; ++j) sums[j] += conj_times(v[i], x[i * n_ + j]);
    }
    for (int64_t i = first; i < n_; ++i) {
      const Complex scaled = v[i] * factor;
      for (int64_t j = left; j < n_; ++j) x[i * n_ + j] -= times(scaled, sums[j]);
    }
  }

  // The first row of the unreduced block that ends at `end`.
  int64_t active_from(int64_t end) {
    for (int64_t k = end; k > 0; --k) {
      const double around = size1(at(k, k)) + size1(at(k - 1, k - 1));
      if (size1(at(k, k - 1)) <= kRounding * around) {
        at(k, k - 1) = 0;
        return k;
      }
    }
    return 0;
  }

  // The eigenvalue of the trailing 2×2 block that is closer to the last element.
  Complex shift(int64_t end) {
    const Complex a = at(end - 1, end - 1), d = at(end, end);
    const Complex half = (a - d) / 2.0;
    const Complex product = at(end - 1, end) * at(end, end - 1);
    if (product == 0.0) return d;
    Complex root = std::sqrt(half * half + product);
    if (conj_times(half, root).real() < 0) root = -root;
    return d - product / (half + root);
  }

  void step(int64_t begin, int64_t end, bool elsewhere) {
    const Complex by =
        elsewhere ? Complex(size1(at(end, end - 1)) + size1(at(end, end))) : shift(end);
    for (int64_t i = begin; i <= end; ++i) at(i, i) -= by;
    for (int64_t k = begin; k < end; ++k) {
      const Rotation rotation = Rotation::of(at(k, k), at(k + 1, k), &at(k, k));
      at(k + 1, k) = 0;
      Complex* const x = row(k);
      Complex* const y = row(k + 1);
      for (int64_t j = k + 1; j < n_; ++j) rotation.apply(x[j], y[j]);
      Complex* const qx = q_ + k * n_;
      Complex* const qy = qx + n_;
      for (int64_t j = 0; j < n_; ++j) rotation.apply(qx[j], qy[j]);
      rotations_[k] = rotation.adjoint();
    }
    for (int64_t i = 0; i <= end; ++i) {
      Complex* const x = row(i);
      for (int64_t k = std::max(begin, i - 1); k < end; ++k) {
        rotations_[k].apply(x[k], x[k + 1]);
      }
    }
    for (int64_t i = begin; i <= end; ++i) at(i, i) += by;
  }

  Complex* t_;
  Complex* q_;
  int64_t n_;
  std::vector<Rotation> rotations_;
};

// Å. Björck and S. Hammarling, "A Schur method for the square root of a matrix" (1983). Division by
// zero follows IEEE arithmetic.
void root_of_triangle(const Complex* t, Complex* x, int64_t n) {
  std::fill_n(x, n * n, Complex(0));
  std::vector<Complex> column(n);
  for (int64_t j = 0; j < n; ++j) {
    column[j] = x[j * (n + 1)] = std::sqrt(t[j * (n + 1)]);
    for (int64_t i = j - 1; i >= 0; --i) {
      Complex sum = t[i * n + j];
      for (int64_t k = i + 1; k < j; ++k) sum -= times(x[i * n + k], column[k]);
      column[i] = x[i * n + j] = sum / (x[i * (n + 1)] + column[j]);
    }
  }
}

template <class Body>
void for_square_matrices(const Tensor& a, const Body& body) {
  if (a.size() == 0) return;
  const int64_t n = a.shape().back();
  parallel_for(a.size() / (n * n), kSchurGrain / (n * n * n) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(i * n * n, n);
  });
}

}  // namespace

void schur(KernelContext& context) {
  const Tensor& a = context.input(0);
  Complex* const t = context.output(0).mutable_data<Complex>();
  Complex* const q = context.output(1).mutable_data<Complex>();
  std::copy_n(a.data<Complex>(), a.size(), t);
  for_square_matrices(a, [&](int64_t at, int64_t n) {
    if (Schur(t + at, q + at, n).run()) return;
    std::fill_n(t + at, n * n, Complex(std::numeric_limits<double>::quiet_NaN()));
  });
}

void triangle_root(KernelContext& context) {
  const Tensor& a = context.input(0);
  Complex* const x = context.output(0).mutable_data<Complex>();
  for_square_matrices(
      a, [&](int64_t at, int64_t n) { root_of_triangle(a.data<Complex>() + at, x + at, n); });
}

}  // namespace ef::cpu
