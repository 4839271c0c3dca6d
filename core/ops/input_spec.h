// The declaration of one tensor argument of an operation.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/dtype.h"

namespace ef {

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

// Sets `first` of each input.
void number_types(std::vector<InputSpec>& inputs);

}  // namespace ef
