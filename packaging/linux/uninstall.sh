#!/bin/sh
# Removes what install.sh installed, and nothing else: chats, settings and models stay where they are.
set -eu

lib=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
prefix=$(dirname -- "$(dirname -- "$lib")")
if [ ! -f "$lib/installed-files" ] || [ "$lib" != "$prefix/lib/outpace" ]; then
  echo "uninstall.sh: run the one in lib/outpace of the installation." >&2
  exit 1
fi
if [ ! -w "$prefix/lib" ]; then
  echo "uninstall.sh: $prefix cannot be written to. Run this with sudo." >&2
  exit 1
fi
while IFS= read -r file; do
  rm -f "$prefix/$file"
done <"$lib/installed-files"
for name in outpace outpace-cli; do
  # Only a link that is ours.
  if [ -L "$prefix/bin/$name" ]; then
    case $(readlink "$prefix/bin/$name") in ../lib/outpace/*) rm -f "$prefix/bin/$name" ;; esac
  fi
done
refresh() {
  if command -v "$1" >/dev/null 2>&1; then "$@" >/dev/null 2>&1 || true; fi
}
if [ -d "$prefix/share/applications" ]; then refresh update-desktop-database "$prefix/share/applications"; fi
if [ -d "$prefix/share/mime/packages" ]; then refresh update-mime-database "$prefix/share/mime"; fi
cd /
rm -rf "$lib"
echo "Outpace is removed. Your chats, settings and models stay in ~/.local/share/outpace and ~/.config/outpace;"
echo "delete these folders, ~/.cache/outpace and ~/.local/state/outpace if you want them gone."
