#!/usr/bin/env bash
# Installs the package in a minimal Debian: no Python, no compiler, no fonts. Drives the window there, upgrades an older
# version of the package that has been used, and removes it: what the person wrote stays. As root.
#
#   bash packaging/smoke/debian.sh outpace_VERSION_ARCH.deb
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
fail() { echo "FAILED: $*" >&2; exit 1; }
if [ $# -ne 1 ] || [ ! -f "$1" ]; then fail "one package is needed, not: $*"; fi
scratch=$(mktemp -d)
root="$scratch/root"
mkdir "$root"
clean() {
  umount "$root/proc" 2>/dev/null || true
  # Never across a mount that would not go.
  rm -rf --one-file-system "$scratch"
}
trap clean EXIT

# The same source as this machine's.
# shellcheck disable=SC2016 # apt fills these in
read -r site suite < <(apt-get indextargets --format '$(SITE) $(CODENAME)' 'Created-By: Packages' | head -n 1)
keyring=$(find /usr/share/keyrings -name '*archive-keyring.gpg' | head -n 1)
say_and_run() { "$@" >"$scratch/log" 2>&1 || { tail -n 20 "$scratch/log" >&2; fail "$1 $2"; }; }
say_and_run debootstrap --variant=minbase ${keyring:+--keyring="$keyring"} "${suite%%-*}" "$root" "$site"
mount -t proc proc "$root/proc"
for source in /etc/apt/sources.list /etc/apt/sources.list.d /etc/apt/apt.conf.d /etc/apt/trusted.gpg.d; do
  if [ -e "$source" ]; then cp -RL "$source" "$root/etc/apt/"; fi
done
cp -L /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LANG=C.UTF-8 "$@"; }
for program in python3 gcc fc-list; do
  if inside sh -c "command -v $program" >/dev/null; then fail "this root has $program already"; fi
done
say_and_run inside apt-get update

# An older version of the package, used: the same files under a lower number, and one more that is gone by now.
mkdir "$scratch/older"
dpkg-deb -R "$1" "$scratch/older"
sed -i 's/^Version: .*/Version: 0.0.1/' "$scratch/older/DEBIAN/control"
echo old >"$scratch/older/usr/lib/outpace/of-the-version-before"
rm "$scratch/older/DEBIAN/md5sums"
dpkg-deb -b --root-owner-group -Znone "$scratch/older" "$root/older.deb" >/dev/null
rm -rf "$scratch/older"
cp "$1" "$root/newer.deb"
say_and_run inside apt-get install -y --no-install-recommends /older.deb
demo=/usr/lib/outpace/_internal/resources/demo
answer() {
  inside HOME=/var/person outpace-cli generate --model $demo/outpace-demo-target-q8_0.gguf \
    --draft $demo/outpace-demo-draft-q8_0.gguf --prompt "List 2 users in JSON." --seed 7 --fixed-shape 8 \
    2>"$scratch/said" || fail "no answer: $(cat "$scratch/said")"
}
answer >"$scratch/before"
[ -s "$scratch/before" ] || fail "no answer from the older version"
mkdir -p "$root/var/person/.local/share/outpace/models"
printf 'GGUF mine' >"$root/var/person/.local/share/outpace/models/mine.gguf"

say_and_run inside apt-get install -y --no-install-recommends /newer.deb
# shellcheck disable=SC2016 # and dpkg these
inside dpkg-query -W -f '${Package} ${Version} ${Status}\n' outpace
[ ! -e "$root/usr/lib/outpace/of-the-version-before" ] || fail "a file of the older version is still there"
inside dpkg --verify outpace || fail "installed files are not those of the package"
python3 "$here/smoke.py" --root "$root"
answer >"$scratch/after"
cmp "$scratch/before" "$scratch/after" || fail "another answer after the upgrade"

say_and_run inside apt-get purge -y outpace
[ ! -e "$root/usr/lib/outpace" ] || fail "left after removing: $(find "$root/usr/lib/outpace" | head -n 5)"
[ "$(cat "$root/var/person/.local/share/outpace/models/mine.gguf")" = "GGUF mine" ] || fail "the person's model is gone"
[ -d "$root/var/person/.local/state/outpace" ] || fail "the person's logs are gone"
echo "The package passed: installed on a bare system, upgraded, driven, removed; what the person had is there."
