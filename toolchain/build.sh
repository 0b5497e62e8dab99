#!/usr/bin/env bash
# Builds the ledger program from package registries alone and puts it at program/payouts.so.
#
#   toolchain/build.sh [OUTPUT [CRATE]]     default OUTPUT: program/payouts.so, default CRATE (a folder): program
#
# The tests' double of the layer's Magic program: toolchain/build.sh test/program/magic-program.so test/program/magic-program.
#
# Needs Debian's rustc-web, cargo-web and rust-web-src of the pinned version (they bring LLVM 22) and nothing
# else. Everything it makes beside OUTPUT lies in .toolchain/ and target/ and may be deleted.
# Exit 3: the pinned toolchain is not on this machine.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
output=$(realpath -m "${1:-$root/program/payouts.so}")
crate=$(realpath "${2:-$root/program}")
tools="$root/.toolchain/sbpf"
rustc_pin=1.96.0
llvm=/usr/lib/$(uname -m)-linux-gnu/libLLVM.so.22.1

have=$(/usr/bin/rustc --version 2>/dev/null | cut -d' ' -f2 || true)
if [ "$have" != "$rustc_pin" ] || [ ! -e "$llvm" ] || [ ! -x /usr/bin/cargo ] || { [ ! -d /usr/lib/rustlib/src/rust/library ] && [ ! -d "/usr/src/rustc-$rustc_pin/library" ]; }; then
  echo "The program's toolchain is missing: install Debian's rustc-web, cargo-web and rust-web-src $rustc_pin (found rustc: ${have:-none})." >&2
  exit 3
fi

# rustc's own LLVM must be the one that the linker opens: another build of the same version rejects some of its bitcode.
mkdir -p "$tools/llvm"
ln -sf "$llvm" "$tools/llvm/"

if [ ! -x "$tools/sbpf-ld22" ] || [ "$root/toolchain/linker/src/main.rs" -nt "$tools/sbpf-ld22" ]; then
  echo "Building the linker (two minutes, once) ..." >&2
  (cd "$root/toolchain/linker" && env -u RUSTFLAGS -u CARGO_ENCODED_RUSTFLAGS RUSTC=/usr/bin/rustc /usr/bin/cargo build --quiet --release --locked --target-dir "$tools/linker")
  # Moved, since another build may be running the one that is replaced.
  cp "$tools/linker/release/sbpf-ld22" "$tools/sbpf-ld22.$$"
  mv "$tools/sbpf-ld22.$$" "$tools/sbpf-ld22"
fi

# build-std is nightly; Debian's compiler is stable and this switch is how it allows the same features.
export RUSTC_BOOTSTRAP=1 RUSTC=/usr/bin/rustc LD_LIBRARY_PATH="$tools/llvm"
unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS
(cd "$crate" && /usr/bin/cargo build --quiet --release --locked)
mkdir -p "$(dirname "$output")"
name=$(sed -n 's/^name = "\(.*\)"$/\1/p' "$crate/Cargo.toml" | head -1)
cp "$crate/target/sbpf-solana/release/lib${name//-/_}.so" "$output"
sha256sum "$output" | cut -d' ' -f1
