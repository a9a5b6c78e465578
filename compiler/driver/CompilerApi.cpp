// The exported C interface: a table of functions over driver::Result.

#include "compiler/driver/Compile.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"

#include <elf.h>
#include <link.h>

using sectile::driver::Result;

struct SectileResult {
  Result result;
};

namespace {

/// The GNU build id of this library, in hex: changes whenever the compiler's code does.
std::string readBuildId() {
  std::string id;
  auto visit = [](dl_phdr_info *info, size_t, void *out) -> int {
    auto self = reinterpret_cast<ElfW(Addr)>(&readBuildId);
    bool mine = false;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto &header = info->dlpi_phdr[i];
      mine = mine || (header.p_type == PT_LOAD && self >= info->dlpi_addr + header.p_vaddr && self < info->dlpi_addr + header.p_vaddr + header.p_memsz);
    }
    if (!mine) return 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto &header = info->dlpi_phdr[i];
      if (header.p_type != PT_NOTE) continue;
      const char *note = reinterpret_cast<const char *>(info->dlpi_addr + header.p_vaddr), *end = note + header.p_memsz;
      while (note + sizeof(ElfW(Nhdr)) <= end) {
        auto *head = reinterpret_cast<const ElfW(Nhdr) *>(note);
        const char *name = note + sizeof(*head), *data = name + ((head->n_namesz + 3) & ~3u);
        if (head->n_type == NT_GNU_BUILD_ID)
          *static_cast<std::string *>(out) = llvm::toHex(llvm::ArrayRef<uint8_t>(reinterpret_cast<const uint8_t *>(data), head->n_descsz), /*LowerCase=*/true);
        note = data + ((head->n_descsz + 3) & ~3u);
      }
    }
    return 1;
  };
  dl_iterate_phdr(visit, &id);
  return id;
}

const char *buildId() {
  static const std::string id = readBuildId();
  return id.c_str();
}

const SectileCompilerApi api = {
    SectileCompilerApiVersion,
    buildId,
    [](const SectileRequest *request) { return new SectileResult{sectile::driver::compile(*request)}; },
    [](const SectileResult *r) { return r->result.status; },
    [](const SectileResult *r) { return r->result.message.c_str(); },
    [](const SectileResult *r, size_t kernel) {
      if (kernel >= r->result.images.size()) return SectileBytes{nullptr, 0};
      return SectileBytes{r->result.images[kernel].data(), r->result.images[kernel].size()};
    },
    [](const SectileResult *r) { return r->result.stages.size(); },
    [](const SectileResult *r, size_t stage) { return stage < r->result.stages.size() ? r->result.stages[stage].name.c_str() : ""; },
    [](const SectileResult *r, size_t stage) { return stage < r->result.stages.size() ? r->result.stages[stage].text.c_str() : ""; },
    [](const SectileResult *r, size_t stage) { return stage < r->result.stages.size() ? r->result.stages[stage].milliseconds : 0.0; },
    [](SectileResult *r) { delete r; },
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const SectileCompilerApi *sectileCompilerApi() { return &api; }
