#!/usr/bin/env bash
# Unpacks a newer release's C runtime, from which the ephemeral validator runs where the machine's own is too old.
#   fetch-c-runtime.sh DIR RELEASE   puts the libraries of RELEASE (such as trixie or noble) under DIR
# Packages come from the archive that apt is set up with, checked with its keys; nothing is installed, no root is needed.
set -euo pipefail

dir=$(mkdir -p "$1" && cd "$1" && pwd)
release=$2
# shellcheck source=/dev/null
distribution=$(. /etc/os-release && echo "$ID")
codename=$(. /etc/os-release && echo "$VERSION_CODENAME")

archive=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
  awk -v release="$codename" '$2 == release && $3 == "main" { print $1; exit }')
if [ -z "$archive" ]; then
  echo "apt has no source for $codename main: restore /etc/apt/sources.list" >&2
  exit 1
fi

mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial" "$dir/packages"
echo "deb [signed-by=/usr/share/keyrings/$distribution-archive-keyring.gpg] $archive $release main" > "$dir/sources.list"
options=(
  -qq
  -o "Dir::Etc::SourceList=$dir/sources.list"
  -o "Dir::Etc::SourceParts=/dev/null"
  -o "Dir::State::Lists=$dir/lists"
  -o "Dir::Cache=$dir/cache"
  # Root would download as a user of its own, who may not write here.
  -o "APT::Sandbox::User=root"
  -o "Acquire::Languages=none"
  # apt ranks releases only to install them; a default release of the machine's own would refuse the newer one.
  -o "APT::Default-Release="
)
apt-get "${options[@]}" update
(cd "$dir/packages" && apt-get "${options[@]}" download libc6 libstdc++6 libgcc-s1 libssl3t64)
for package in "$dir"/packages/*.deb; do dpkg-deb -x "$package" "$dir/root"; done
rm -rf "$dir/lists" "$dir/cache" "$dir/packages" "$dir/sources.list"
