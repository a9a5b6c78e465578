# Shared by tools/quickstart and tools/check: installs what is missing, configures and builds. Sourced by bash, from the top of the repository.
# Doing it again does nothing twice.

step_number=0
step() {  # step TEXT ESTIMATE: says what comes and about how long it takes
  step_number=$((step_number + 1))
  printf '\n[%d/%d] %s (about %s)\n' "$step_number" "$steps" "$1" "$2"
}

sectile_packages=(
  clang-22 libclang-rt-22-dev lld-22 llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools liblld-22-dev
  cmake ninja-build g++-12 python3 libcli11-dev nlohmann-json3-dev catch2 libtbb-dev zlib1g-dev libzstd-dev libxml2-dev libopenblas-dev
)

install_packages() {
  local missing=() package
  for package in "${sectile_packages[@]}"; do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -q '^installed$' || missing+=("$package")
  done
  if [ ${#missing[@]} -eq 0 ]; then
    echo "all ${#sectile_packages[@]} packages are there"
    return
  fi
  local run=()
  [ "$(id -u)" -eq 0 ] || run=(sudo)
  echo "installing: ${missing[*]}"
  "${run[@]}" apt-get update -qq
  DEBIAN_FRONTEND=noninteractive "${run[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null || {
    echo "cannot install ${missing[*]}; they are Debian packages (LLVM 22 comes with Debian 12's security suite)" >&2
    return 1
  }
}

configure() {  # configure PRESET
  [ -f "build/$1/build.ninja" ] && echo "already configured in build/$1" && return
  cmake --preset "$1" >"/tmp/sectile-configure.$$" 2>&1 || { cat "/tmp/sectile-configure.$$"; return 1; }
  rm -f "/tmp/sectile-configure.$$"
  echo "configured in build/$1"
}

build() {  # build PRESET TARGETS...
  local preset=$1
  shift
  ninja -C "build/$preset" "$@" | grep --line-buffered -vE '^\[[0-9]+/[0-9]+\] (Building|Generating|Linking|Creating)' || true
  return "${PIPESTATUS[0]}"
}
