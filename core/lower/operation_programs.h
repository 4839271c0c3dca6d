// Programs of single operations: one for each operation, its attributes, dtypes and shapes.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "device/pjrt/client.h"
#include "ops/attrs.h"
#include "tensor/tensor_list.h"
#include "tensor/tensor_spec.h"

namespace ef::lower {

// The programs of one plugin, for all of its devices.
class OperationPrograms {
 public:
  explicit OperationPrograms(pjrt::Client& client) : client_(client) {}

  struct Found {
    pjrt::ExecutablePtr executable;  // null if there is no program
    // Messages of errors. For each, the program has one more result: whether it applies.
    std::shared_ptr<const std::vector<std::string>> refusals;
    TensorList late;  // scalars behind the inputs: attributes that differ from call to call
  };
  // Returns the program, which the first call compiles. With `overwrites`, its result takes over
  // the memory of the first input if that is donated.
  Found find(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs, const SpecList& specs,
             bool overwrites = false);

 private:
  struct Entry {
    const Op* op;
    SavedAttrs attrs;
    SpecList inputs;
    bool overwrites;
    Found found;
  };
  using Entries = std::unordered_multimap<size_t, Entry>;

  const Entry* find_entry(size_t hash, const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
                          bool overwrites);
  Found compile(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs, const SpecList& specs,
                std::span<const std::string> late, bool overwrites);

  pjrt::Client& client_;
  std::mutex mutex_;
  Entries entries_;
};

}  // namespace ef::lower
