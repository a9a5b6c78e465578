// Finds libsectile-compiler.so beside this library (or where SECTILE_COMPILER says), and calls its C interface.

#include "runtime/compiler_library.h"

#include "sectile/error.h"

#include <cstdlib>
#include <dlfcn.h>
#include <memory>

namespace sectile::runtime {
namespace {

std::string beside_this_library() {
  Dl_info info{};
  if (!dladdr(reinterpret_cast<const void*>(&beside_this_library), &info) || !info.dli_fname) return "libsectile-compiler.so";
  std::string path = info.dli_fname;
  std::size_t slash = path.rfind('/');
  return (slash == std::string::npos ? "" : path.substr(0, slash + 1)) + "libsectile-compiler.so";
}

const SectileCompilerApi& api() {
  // A failed attempt throws out of the initialiser, so that the next call tries again.
  static const SectileCompilerApi* const loaded = [] {
    const char* chosen = std::getenv("SECTILE_COMPILER");
    std::string path = chosen && *chosen ? chosen : beside_this_library();
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    std::string problem = library ? "" : dlerror();
    if (!library && !(chosen && *chosen)) library = dlopen("libsectile-compiler.so", RTLD_NOW | RTLD_LOCAL);
    if (!library) throw UserError("the Sectile compiler cannot be opened: " + problem + "; put libsectile-compiler.so beside libsectile.so or set SECTILE_COMPILER to its path", "");
    auto entry = reinterpret_cast<const SectileCompilerApi* (*)()>(dlsym(library, "sectileCompilerApi"));
    const SectileCompilerApi* found = entry ? entry() : nullptr;
    if (!found || found->version != SectileCompilerApiVersion) {
      dlclose(library);
      throw UserError(path + " is not the compiler of this version of Sectile; install libsectile.so and libsectile-compiler.so from one build", "");
    }
    return found;
  }();
  return *loaded;
}

}  // namespace

Compilation compile(const trace::Trace& trace, std::span<const SectileParameterFacts> facts, const std::string& target, const std::string& options) {
  const SectileCompilerApi& compiler = api();
  std::vector<std::uint8_t> bytes = trace::serialize(trace), locations = trace::serialize_locations(trace);
  SectileKernel kernel{{bytes.data(), bytes.size()}, {locations.data(), locations.size()}, facts.data(), facts.size()};
  SectileRequest request{&kernel, 1, target.c_str(), options.c_str()};
  struct Release {
    const SectileCompilerApi& compiler;
    void operator()(SectileResult* result) const { compiler.release(result); }
  };
  std::unique_ptr<SectileResult, Release> result(compiler.compile(&request), Release{compiler});
  if (!result) throw InternalError("the compiler returned nothing", "");
  const char* text = compiler.message(result.get());
  std::string message = text ? text : "";
  switch (compiler.status(result.get())) {
    case SectileOk: break;
    case SectileUserError: throw UserError(message, "");
    case SectileTargetError: throw TargetError(message, "");
    default: throw InternalError(message, "");
  }
  Compilation compilation;
  SectileBytes image = compiler.image(result.get(), 0);
  format::ParsedImage parsed = format::parse_image({image.data, image.size});
  if (!parsed.error.empty()) throw InternalError("the compiler returned a " + parsed.error, "");
  compilation.image = std::move(parsed.image);
  for (std::size_t i = 0; i < compiler.stageCount(result.get()); ++i)
    compilation.stages.push_back({compiler.stageName(result.get(), i), compiler.stageText(result.get(), i), compiler.stageMilliseconds(result.get(), i)});
  return compilation;
}

}  // namespace sectile::runtime
