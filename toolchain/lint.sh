#!/usr/bin/env bash
# Formats and lints the ledger program and the tests of its rules with a stock toolchain (rustfmt and clippy).
#
#   toolchain/lint.sh [--fix]
#   toolchain/lint.sh --clippy CRATE      only clippy, on a crate that is built like the program
#
# The program's manifest asks for features that a stock compiler refuses, so a copy without them is what clippy sees.
# Exit 3: no stock toolchain with clippy and rustfmt is here.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
if ! cargo clippy --version >/dev/null 2>&1 || ! rustfmt --version >/dev/null 2>&1; then
  echo "The program's lints need cargo with clippy and rustfmt: install a stable Rust toolchain." >&2
  exit 3
fi
copy="$root/.toolchain/lint"
# The rules of program/clippy.toml: among them, no function above 70 lines.
clippy() {
  mkdir -p "$copy"
  rm -rf "$copy/src"
  cp -r "$1/src" "$1/Cargo.lock" "$copy/"
  sed '/trim-paths/d' "$1/Cargo.toml" > "$copy/Cargo.toml"
  (cd "$copy" && CLIPPY_CONF_DIR="$root/program" CARGO_TERM_COLOR=never \
    cargo clippy --quiet --locked -- --deny warnings --deny clippy::too_many_lines)
}
if [ "${1:-}" = --clippy ]; then
  clippy "$2"
  exit
fi

check=--check
[ "${1:-}" != --fix ] || check=
rustfmt $check --config-path "$root/program" "$root/program/src/lib.rs"
rustfmt $check --edition 2024 --config-path "$root/program" "$root/toolchain/linker/src/main.rs" "$root/toolchain/verify/src/main.rs"
rustfmt $check --config-path "$root/program" --edition 2024 "$root"/test/program/{magic,treasury}-program/src/lib.rs
rules="$root/test/program/rules"
rustfmt $check --edition 2024 --config-path "$root/program" "$rules"/src/lib.rs "$rules"/src/bin/*.rs "$rules"/tests/*.rs

for crate in program test/program/{magic,treasury}-program; do
  clippy "$root/$crate"
done
CARGO_TERM_COLOR=never cargo clippy --quiet --locked --all-targets --manifest-path "$rules/Cargo.toml" --target-dir "$root/.toolchain/rules" -- --deny warnings
