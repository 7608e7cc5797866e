#!/usr/bin/env bash
# Makes the packages for Linux and tries them out as people would: three quarters of an hour on two cores the first time,
# as the engine is compiled for every kind of processor, then less than half of that. As root, on Debian or Ubuntu.
#
#   bash packaging/smoke/nightly.sh             everything
#   bash packaging/smoke/nightly.sh --built     the packages are in dist/ already
#
# OUTPACE_VULKAN_BUNDLE may name a bundle that was made with --gpu vulkan; then that is tried out too.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if [ "$(id -u)" -ne 0 ]; then
  echo "nightly.sh: run this as root: the program is tried out as another user, and in a root of its own." >&2
  exit 1
fi
for tool in Xvfb:xvfb xdotool:xdotool debootstrap:debootstrap zstd:zstd; do
  command -v "${tool%%:*}" >/dev/null || missing="${missing:-} ${tool##*:}"
done
if [ -n "${missing:-}" ]; then
  apt-get update -qq
  # shellcheck disable=SC2086 # a list of words
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi

if [ "${1:-}" != --built ]; then python3 packaging/dev.py package; fi

step() { printf '\n== %s\n' "$*"; }
step "The bundle, from a folder with spaces and other letters, without the right to write there"
python3 packaging/smoke/smoke.py dist/outpace
step "The engine on older and older processors"
python3 packaging/smoke/variants.py dist/outpace
if [ -n "${OUTPACE_VULKAN_BUNDLE:-}" ]; then
  step "The part for Vulkan, on a device that computes on the processor"
  python3 packaging/smoke/vulkan.py "$OUTPACE_VULKAN_BUNDLE"
else
  echo "SKIPPED: OUTPACE_VULKAN_BUNDLE names no bundle that was made with --gpu vulkan"
fi
step "The archive: install, install a newer one over it, uninstall"
bash packaging/smoke/archive.sh dist/*.tar.zst
step "The Debian package in a system that has nothing"
bash packaging/smoke/debian.sh dist/*.deb
step "All passed"
