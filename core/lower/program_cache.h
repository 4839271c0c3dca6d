// A cache of compiled programs, of this process or others, in the folder that the environment
// variable EAGERFLOW_COMPILATION_CACHE names.
#pragma once

#include <string>

#include "device/pjrt/client.h"
#include "tensor/tensor_spec.h"

namespace ef::lower {

// The compiled program, for any device or for replicas on `devices`. It is read from the folder, or
// else compiled and stored there. Files in the folder are trusted as much as the plugin's library.
// Files that are damaged, or belong to another version of the plugin, are written again.
pjrt::ExecutablePtr compiled_program(pjrt::Client& client, const std::string& text,
                                     const SpecList& results, std::span<const int> devices = {});

}  // namespace ef::lower
