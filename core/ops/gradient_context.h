// The recorded call for gradient functions, and the gradients that they set.
#pragma once

#include <cstdint>

#include "ops/attrs.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

namespace ef {

// The recorded call of a gradient function. Gradients are built by calling operations, so that they
// can be recorded in turn. input(i) and output(j) hold values only if `needs` names them.
class GradContext {
 public:
  virtual const Tensor& input(int i) const = 0;
  virtual const Tensor& output(int j) const = 0;
  virtual const Shape& input_shape(int i) const = 0;
  virtual DType input_dtype(int i) const = 0;
  virtual const Shape& output_shape(int j) const = 0;
  virtual int num_inputs() const = 0;
  virtual int num_outputs() const = 0;
  virtual AttrsRef attrs() const = 0;
  template <class T>
  const T& attrs() const {
    return attrs().as<T>();
  }
  // Gradient with respect to output j; zeros if it has none.
  virtual Tensor dy(int j = 0) const = 0;
  // The same, released by the context: for gradients that use it once, and may reuse its memory.
  virtual Tensor take_dy(int j = 0) const = 0;
  // Whether output j has a gradient (to skip work).
  virtual bool has_dy(int j) const = 0;
  // Whether the gradient with respect to input i is requested.
  virtual bool wants(int i) const = 0;
  virtual void set(int i, Tensor gradient) = 0;
  virtual void set_sparse(int i, Tensor values, Tensor indices, const Shape& dense_shape) = 0;
  // Sets the gradient of input i to `values` in the slice of strided_slice with these attributes,
  // and to zero elsewhere. Many slices of one tensor share one gradient.
  virtual void set_slice(int i, Tensor values, AttrsRef slice) = 0;
  // The same for the rows of input i that gather or gather_nd with these attributes reads.
  virtual void set_gathered(int i, Tensor values, const Tensor& indices, AttrsRef gather) = 0;
  // Sets the gradient of input i to aᴴ b, of matrices [rows, m] and [rows, n]. Many such products
  // for one tensor may be computed as one.
  virtual void set_product(int i, const Tensor& a, const Tensor& b) = 0;

 protected:
  ~GradContext() = default;
};

// The tensors that the gradient with respect to one input reads: bit k of `inputs` is input k (bit
// 15 is input 15 and all later ones), bit k of `outputs` is output k.
struct Need {
  uint16_t inputs = 0;
  uint16_t outputs = 0;
};

// What may be unknown of tensors and attributes while a gradient is recorded. Such a gradient
// passes sizes on to other calls, or calculates with them by ops/sizes.h.
enum class Unknown : uint8_t { kNone, kSizes, kRanks };

using GradFn = void (*)(GradContext&);

}  // namespace ef
