#!/usr/bin/env bash
# Installs the archive into a prefix with spaces, upgrades an older version there, and uninstalls it: what the person
# wrote stays. Nothing is touched outside of a temporary folder.
#
#   bash packaging/smoke/archive.sh outpace-VERSION-SYSTEM.tar.zst
set -euo pipefail

fail() { echo "FAILED: $*" >&2; exit 1; }
if [ $# -ne 1 ] || [ ! -f "$1" ]; then fail "one archive is needed, not: $*"; fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tar --zstd -xf "$1" -C "$scratch"
unpacked=$(find "$scratch" -mindepth 1 -maxdepth 1 -type d)
prefix="$scratch/Programme & mehr"
export HOME="$scratch/home"
mkdir "$HOME"

"$unpacked/install.sh" --prefix "$prefix"
"$prefix/bin/outpace" --version
"$prefix/bin/outpace-cli" doctor | grep -q "^ok       Engine" || fail "the engine does not start"
grep -q "^Exec=\"$prefix/bin/outpace\" %f$" "$prefix/share/applications/outpace.desktop" || fail "the menu entry is wrong"
for file in icons/hicolor/48x48/apps/outpace.png icons/hicolor/scalable/apps/outpace.svg mime/packages/outpace.xml; do
  [ -f "$prefix/share/$file" ] || fail "$file is missing"
done
count() { find "$prefix" -type f | wc -l; }
installed=$(count)

# What a version before this one left behind must go, and what the person has must stay.
mkdir -p "$HOME/.local/share/outpace/models"
printf 'GGUF mine' >"$HOME/.local/share/outpace/models/mine.gguf"
echo old >"$prefix/lib/outpace/_internal/of-the-version-before"
echo 0.0.1 >"$prefix/lib/outpace/VERSION"
demo="$prefix/lib/outpace/_internal/resources/demo"
answer() {
  "$prefix/bin/outpace-cli" generate --model "$demo/outpace-demo-target-q8_0.gguf" \
    --draft "$demo/outpace-demo-draft-q8_0.gguf" --prompt "List 2 users in JSON." --seed 7 --fixed-shape 8 2>/dev/null
}
before=$(answer)
[ -n "$before" ] || fail "no answer"
"$unpacked/install.sh" --prefix "$prefix"
[ ! -e "$prefix/lib/outpace/_internal/of-the-version-before" ] || fail "files of the older version are still there"
[ "$(count)" -eq "$installed" ] || fail "$(count) files instead of $installed after the upgrade"
[ "$(answer)" = "$before" ] || fail "another answer after the upgrade"
[ "$(cat "$HOME/.local/share/outpace/models/mine.gguf")" = "GGUF mine" ] || fail "the person's model is gone"
find "$prefix/lib" -maxdepth 1 -name '.outpace-*' | grep -q . && fail "half an installation was left"

mkdir "$scratch/foreign" "$scratch/foreign/lib" "$scratch/foreign/lib/outpace"
if "$unpacked/install.sh" --prefix "$scratch/foreign" 2>"$scratch/said"; then fail "it installed over something else"; fi
grep -q "is no Outpace" "$scratch/said" || fail "it does not say why: $(cat "$scratch/said")"

echo mine >"$prefix/bin/other"
"$prefix/lib/outpace/uninstall.sh" >/dev/null
left=$(find "$prefix" -type f | grep -v -e "/share/applications/mimeinfo.cache$" -e "/icon-theme.cache$" -e "/share/mime/[^p]" || true)
[ "$left" = "$prefix/bin/other" ] || fail "left after uninstalling: $left"
[ "$(cat "$HOME/.local/share/outpace/models/mine.gguf")" = "GGUF mine" ] || fail "uninstalling took the person's model"
[ -d "$HOME/.local/state/outpace" ] || fail "uninstalling took the person's logs"
echo "The archive passed: installed, upgraded, uninstalled; what the person had is there."
