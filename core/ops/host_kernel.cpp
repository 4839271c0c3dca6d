#include "ops/host_kernel.h"

#include <atomic>

#include "tensor/error.h"

namespace ef {
namespace {

std::atomic<KernelFn> chosen{nullptr};

}  // namespace

void set_host_kernel(KernelFn run) { chosen.store(run); }

void host_kernel(KernelContext& context) {
  const KernelFn run = chosen.load();
  if (!run) fail(Code::kUnimplemented, context.tf_name(), " is computed by the host language.");
  run(context);
}

}  // namespace ef
