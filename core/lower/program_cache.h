// Programs that were compiled before, by this process or another one: files of the folder that the
// environment variable EAGERFLOW_COMPILATION_CACHE names.
#pragma once

#include <string>

#include "device/pjrt/client.h"
#include "tensor/tensor_spec.h"

namespace ef::lower {

// The compiled program, for any device or for replicas on `devices`, from the folder where it has
// it; else it is compiled, and kept there. What is in the folder is trusted as the library of a
// plugin is. Files that are damaged, or belong to another version of the plugin, are written anew.
pjrt::ExecutablePtr compiled_program(pjrt::Client& client, const std::string& text,
                                     const SpecList& results, std::span<const int> devices = {});

}  // namespace ef::lower
