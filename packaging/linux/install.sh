#!/bin/sh
# Installs Outpace for you, or with --prefix /usr/local (as root) for everybody. Nothing is fetched, and nothing outside
# of the prefix is touched. Installing again replaces the program; chats, settings and models stay.
set -eu

usage() {
  echo "usage: ./install.sh [--prefix FOLDER]    (default: ~/.local, or /usr/local for root)"
}

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
if [ "$(id -u)" -eq 0 ]; then prefix=/usr/local; else prefix=${HOME:?HOME is not set}/.local; fi
while [ $# -gt 0 ]; do
  case $1 in
    --prefix) [ $# -gt 1 ] || { usage >&2; exit 2; }; prefix=$2; shift 2 ;;
    -h | --help) usage; exit 0 ;;
    *) echo "install.sh: unknown option $1" >&2; usage >&2; exit 2 ;;
  esac
done
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac

if [ ! -x "$here/app/outpace" ]; then
  echo "install.sh: $here has no Outpace in it. Unpack the whole archive and run install.sh from there." >&2
  exit 1
fi
lib=$prefix/lib/outpace
if [ -e "$lib" ] && [ ! -x "$lib/outpace" ]; then
  echo "install.sh: $lib exists and is no Outpace. Move it away, or choose another --prefix." >&2
  exit 1
fi
if ! mkdir -p "$prefix/lib" "$prefix/bin" "$prefix/share" 2>/dev/null || [ ! -w "$prefix/lib" ]; then
  echo "install.sh: $prefix cannot be written to. Choose another --prefix, or run this with sudo." >&2
  exit 1
fi

# Beside the place first, then two renames: an interrupted copy leaves the version that was there.
fresh=$prefix/lib/.outpace-new.$$
trap 'rm -rf "$fresh"' EXIT
trap 'exit 130' HUP INT TERM
cp -R "$here/app" "$fresh"
cp "$here/uninstall.sh" "$here/VERSION" "$here/LICENSE" "$fresh/"
# Who installs for everybody may have a umask that lets nobody else in.
chmod -R u+rwX,go+rX,go-w "$fresh"
old=$prefix/lib/.outpace-old.$$
if [ -e "$lib" ]; then mv "$lib" "$old"; fi
mv "$fresh" "$lib"
rm -rf "$old"

ln -sfn ../lib/outpace/outpace "$prefix/bin/outpace"
ln -sfn ../lib/outpace/outpace-engine "$prefix/bin/outpace-cli"

# Desktop entry, icons, kind of file: remembered in a list, so that uninstalling takes exactly these.
list=$lib/installed-files
: >"$list"
(cd "$here/share" && find . -type f) | while IFS= read -r file; do
  file=${file#./}
  mkdir -p "$(dirname -- "$prefix/share/$file")"
  cp "$here/share/$file" "$prefix/share/$file"
  chmod a+r "$prefix/share/$file"
  printf '%s\n' "share/$file" >>"$list"
done
# The menu does not search PATH as a terminal does; quoted, as a prefix may have spaces in it.
entry=$prefix/share/applications/outpace.desktop
quoted=$(printf '%s' "$prefix" | sed 's/[\\"`$]/\\&/g; s/[\\&|]/\\&/g; s/%/%%/g')
sed "s|^Exec=outpace |Exec=\"$quoted/bin/outpace\" |" "$here/share/applications/outpace.desktop" >"$entry"

refresh() {
  if command -v "$1" >/dev/null 2>&1; then "$@" >/dev/null 2>&1 || true; fi
}
refresh update-desktop-database "$prefix/share/applications"
refresh update-mime-database "$prefix/share/mime"
refresh gtk-update-icon-cache -q -t "$prefix/share/icons/hicolor"

echo "Outpace $(cat "$here/VERSION") is installed in $lib."
case ":${PATH:-}:" in
  *":$prefix/bin:"*) echo "Start it from the menu, or with: outpace" ;;
  *) echo "Start it from the menu, or with: $prefix/bin/outpace" ;;
esac
echo "$lib/uninstall.sh removes it again."
