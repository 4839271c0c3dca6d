// The op table's entry: everything the engine knows about one operation.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "ops/attrs.h"
#include "ops/element_loop.h"
#include "tensor/dtype.h"
#include "tensor/error.h"
#include "tensor/inline_vector.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

namespace ef {

struct Op;
namespace ops {
struct StridedSliceAttrs;
struct GatherAttrs;
struct GatherNdAttrs;
}  // namespace ops

struct TensorSpec {
  // Written out, so that constructing a spec does not clear the storage of the sizes.
  constexpr TensorSpec() {}
  TensorSpec(DType of, const Shape& sizes) : dtype(of), shape(sizes) {}

  DType dtype = DType::kInvalid;
  Shape shape;
};
using SpecList = InlineVector<TensorSpec, 2>;
using TensorList = InlineVector<Tensor, 4>;

// When an input's Python value becomes a tensor, and with which dtype.
enum class Converts : uint8_t {
  // Together with the other inputs. The dtype is that of any tensor of the same type, else that of
  // earlier values, else `prefer`.
  kTogether,
  // By itself, before anything is checked. The dtype is the only declared one, else the value's
  // own.
  // Earlier inputs of the same type only propose theirs.
  kAlone,
  // Before anything is checked, to the dtype of the first input of the same type.
  kLikeFirst,
};

// One tensor argument, as TensorFlow declares it.
struct InputSpec {
  const char* name;
  DTypeSet dtypes = kNumericTypes;  // those with a kernel
  // TensorFlow's type attribute: inputs that name the same one have the same dtype. It has no
  // meaning where there is one dtype only.
  const char* type = "T";
  bool variadic = false;  // accepts a list of tensors; at most one such input, and it is the last
  bool optional = false;  // may be None, then it is absent from the call; only at the end
  Converts converts = Converts::kTogether;
  DType prefer = DType::kInvalid;  // dtype that Python values convert to when no partner decides
  // Dtypes that TensorFlow declares without a kernel, which raises another error. If empty, these
  // are all stored types where `dtypes` holds strings, else none.
  DTypeSet no_kernel = {};
  int first = -1;  // index of the first input of the same type; set by the op table

  // The only dtype that is declared, or kInvalid.
  DType fixed() const { return no_kernel.bits() ? DType::kInvalid : dtypes.only(); }
  // Whether the dtypes of both are the same.
  bool shares_type(const InputSpec& other) const;
  // All dtypes that TensorFlow declares.
  DTypeSet declared() const;
};

// An attribute that TensorFlow passes as a tensor: its type attribute, which is int32 or int64, or
// the name of its only dtype.
struct TensorAttr {
  const char* name;
  const char* type;
};

// Computes output dtypes and shapes from those of the inputs. Never reads values.
//
// Where inputs are symbolic, their shapes may be partial (Shape::ranked(), kUnknownSize) and
// attributes unknown (kUnknownInt, Ints::unknown()). `infer` derives what follows from the known
// sizes, and throws only if no values of the unknown ones are valid.
class InferContext {
 public:
  InferContext(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs, SpecList& outputs,
               bool symbolic = false)
      : op_(op), inputs_(inputs), attrs_(attrs), outputs_(outputs), symbolic_(symbolic) {}
  // Whether an input has no value. Sizes that depend on values are then unknown.
  bool symbolic() const { return symbolic_; }
  const Op& op() const { return op_; }
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  DType dtype(int i) const { return inputs_[i].dtype(); }
  const Shape& shape(int i) const { return inputs_[i].shape(); }
  AttrsRef attrs() const { return attrs_; }
  template <class T>
  const T& attrs() const {
    return attrs_.as<T>();
  }
  void add_output(DType dtype, const Shape& shape) {
    TensorSpec& spec = outputs_.emplace_back();
    spec.dtype = dtype;
    spec.shape = shape;
  }

 private:
  const Op& op_;
  std::span<const Tensor> inputs_;
  AttrsRef attrs_;
  SpecList& outputs_;
  bool symbolic_;
};

// A kernel reads inputs and fills outputs. Outputs are allocated with the inferred specs before the
// call, except for ops with `makes_outputs`, whose kernel assigns them (views, copies of handles).
class KernelContext {
 public:
  KernelContext(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs, const SpecList& specs,
                TensorList& outputs, bool owns_inputs = false)
      : op_(op),
        inputs_(inputs),
        attrs_(attrs),
        specs_(specs),
        outputs_(outputs),
        owns_inputs_(owns_inputs) {}
  const Op& op() const { return op_; }
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  // Whether the caller no longer needs the inputs. The kernel may then reuse the memory of an input
  // to which there is no other handle.
  bool owns_inputs() const { return owns_inputs_; }
  const Tensor& input(int i) const { return inputs_[i]; }
  std::span<const Tensor> inputs() const { return inputs_; }
  AttrsRef attrs() const { return attrs_; }
  template <class T>
  const T& attrs() const {
    return attrs_.as<T>();
  }
  const TensorSpec& spec(int i) const { return specs_[i]; }
  int num_outputs() const { return static_cast<int>(specs_.size()); }
  Tensor& output(int i) const { return outputs_[i]; }

 private:
  const Op& op_;
  std::span<const Tensor> inputs_;
  AttrsRef attrs_;
  const SpecList& specs_;
  TensorList& outputs_;
  bool owns_inputs_;
};

// A gradient on the tape: dense, or rows of a larger tensor (IndexedSlices).
struct Gradient {
  Tensor values;      // the dense gradient, or one row (slice along axis 0) per index
  Tensor indices;     // empty for a dense gradient; else rank 1, int32 or int64
  Shape dense_shape;  // of the larger tensor, for a sparse gradient
  explicit operator bool() const { return static_cast<bool>(values); }
  bool sparse() const { return static_cast<bool>(indices); }
};

// The recorded call as a gradient function sees it. It builds gradients by calling operations,
// so that they can be recorded in turn. input(i)/output(j) hold values only where `needs` says so.
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
  // Sets the gradient of input i to `values` in the slice that strided_slice returns with these
  // attributes, and to zero elsewhere. Many slices of one tensor share one gradient.
  virtual void set_slice(int i, Tensor values, const ops::StridedSliceAttrs& slice) = 0;
  // The same for the rows of input i that gather or gather_nd reads with these attributes.
  virtual void set_gathered(int i, Tensor values, const Tensor& indices,
                            const ops::GatherAttrs& gather) = 0;
  virtual void set_gathered(int i, Tensor values, const Tensor& indices,
                            const ops::GatherNdAttrs& gather) = 0;

 protected:
  ~GradContext() = default;
};

// Which tensors the gradient with respect to one input reads: bit k of `inputs` is input k (bit 15
// is input 15 and all later ones), bit k of `outputs` is output k.
struct Need {
  uint16_t inputs = 0;
  uint16_t outputs = 0;
};

using InferFn = void (*)(InferContext&);
using KernelFn = void (*)(KernelContext&);

// The functions that compute an operation: on entire tensors and, if it is elementwise, on a range
// of elements.
struct Kernel {
  constexpr Kernel() = default;
  constexpr Kernel(KernelFn run, ElementLoopFn elements = nullptr) : run(run), elements(elements) {}
  void operator()(KernelContext& context) const { run(context); }

  KernelFn run = nullptr;
  ElementLoopFn elements = nullptr;
};

using GradFn = void (*)(GradContext&);
// Estimated run time in nanoseconds on one thread; decides whether the GIL is released.
using CostFn = double (*)(std::span<const Tensor> inputs, const SpecList& outputs, AttrsRef);

struct OpSpec {
  const char* name;     // in eagerflow._core.ops
  const char* tf_name;  // TensorFlow's name, for messages: "AddV2"
  // The operation of StableHLO or CHLO with the same operands and result, or the direction of its
  // `compare`. Null if a rule in lower/rules/ composes several, or programs do not have it.
  const char* stablehlo = nullptr;
  std::vector<InputSpec> inputs;
  const AttrsType* attrs = nullptr;  // attrs_of<...>(), or null if there are none
  std::vector<TensorAttr> tensor_attrs = {};
  InferFn infer = nullptr;
  int outputs = 1;  // the number of outputs, unless it returns a list
  Kernel kernel = {};
  GradFn gradient = nullptr;
  // Per input, what its gradient reads; the last entry serves all further inputs.
  std::vector<Need> needs = {};
  // Which tensors' sizes the gradient reads. If these sizes are known while tracing, the gradient
  // adds ordinary nodes. By default all sizes, also those of gradients.
  Need sizes = {0xFFFF, 0xFFFF};
  // Whether each element of the result depends on the elements of its inputs at the same indices,
  // after broadcasting. Entries whose `infer` is one of ops/elementwise_infer.h need not say so.
  bool elementwise = false;
  // Whether a sparse tensor's result has the result of its values, as in TensorFlow: for what maps
  // zero to zero.
  bool of_sparse_values = false;
  bool makes_outputs = false;
  bool view = false;               // the result is a view of the input: the kernel computes nothing
  bool sizes_from_values = false;  // the inferred shapes are not the outputs' true shapes
  bool takes_lazy = false;         // the kernel handles lazy inputs itself
  bool waits = false;              // large results may be deferred, though not as parts of chains
  bool returns_list = false;       // the number of outputs depends on the call; Python gets a list
  CostFn cost = nullptr;
  const char* doc = "";
};

// Sets `first` of each input.
void number_types(std::vector<InputSpec>& inputs);

// A registered operation. Define one with static storage duration in ops/*.cpp; declare it in the
// header of the same name so that gradients and other code can call it.
struct Op : OpSpec {
  explicit Op(OpSpec spec);
  Op(const Op&) = delete;
  Op& operator=(const Op&) = delete;
  int index = 0;  // position in the table
  Need need(size_t input) const {
    if (needs.empty()) return {};
    return needs[input < needs.size() ? input : needs.size() - 1];
  }
};

// All registered operations.
const std::vector<const Op*>& op_table();

}  // namespace ef
