#include "bindings/garbage.h"

#include <nanobind/nanobind.h>

#include "device/allocator.h"

namespace ef::py {
namespace {

int collect(void*) {
  PyGC_Collect();  // does nothing if the program has disabled the collector
  reset_growth();
  return 0;
}

// Finalizers must not run during an allocation, so the main thread collects between two Python
// instructions. If its queue is full, the next doubling tries again.
void ask_for_collection() { (void)Py_AddPendingCall(collect, nullptr); }

}  // namespace

void collect_garbage_on_growth() {
  set_growth_hook(ask_for_collection);
  // Other threads may allocate while Python shuts down.
  const nanobind::object at_exit = nanobind::module_::import_("atexit").attr("register");
  at_exit(nanobind::cpp_function([] { set_growth_hook(nullptr); }));
}

}  // namespace ef::py
