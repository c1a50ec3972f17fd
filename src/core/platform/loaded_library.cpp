#include "core/platform/loaded_library.hpp"

#include <dlfcn.h>
#include <link.h>

namespace skua::core {

void keep_loaded(const void* address) noexcept {
  Dl_info library{};
  link_map* loaded = nullptr;
  if (dladdr1(address, &library, reinterpret_cast<void**>(&loaded), RTLD_DL_LINKMAP) == 0) return;
  if (loaded->l_name[0] == '\0') return;  // the program itself
  dlopen(loaded->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

}  // namespace skua::core
