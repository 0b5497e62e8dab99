#!/usr/bin/env bash
# Builds nofile.so from nofile.c; the same compiler makes the same bytes.
#   build-nofile.sh [FILE]   writes FILE; left out: the committed file beside this script
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
gcc -shared -fPIC -O2 -nostdlib -ffreestanding -fno-stack-protector -fno-asynchronous-unwind-tables \
  -Wall -Wextra -Werror -Wl,--build-id=none,--strip-all,-z,noseparate-code,-z,noexecstack \
  -o "${1:-$here/nofile.so}" "$here/nofile.c"
