#!/bin/sh
# Signs Outpace.app, packs it into a disk image, and has Apple notarise that, as far as the environment allows.
#
#   make_dmg.sh Outpace.app TARGET.dmg
#
# OUTPACE_SIGN_IDENTITY     "Developer ID Application: NAME (TEAM)" in the keychain; without it the app is signed ad hoc,
#                           runs on this Mac, and elsewhere only after a right click and Open
# OUTPACE_NOTARY_PROFILE    a profile of `xcrun notarytool store-credentials`; without it nothing is sent to Apple
set -eu

[ $# -eq 2 ] || { echo "usage: make_dmg.sh Outpace.app TARGET.dmg" >&2; exit 2; }
app=$1
target=$2
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
identity=${OUTPACE_SIGN_IDENTITY:--}
profile=${OUTPACE_NOTARY_PROFILE:-}

if [ "$identity" = - ]; then
  echo "No OUTPACE_SIGN_IDENTITY: signing ad hoc." >&2
  sign() { codesign --force --sign - "$@"; }
else
  sign() { codesign --force --timestamp --options runtime --entitlements "$here/entitlements.plist" --sign "$identity" "$@"; }
fi

# From the inside out: a signature covers those of what lies in it. Programs get the entitlements, as the app does.
find "$app/Contents" -type f \( -name '*.dylib' -o -name '*.so' \) -print | while IFS= read -r file; do sign "$file"; done
find "$app/Contents" -type d -name '*.framework' -print | while IFS= read -r folder; do sign "$folder"; done
for program in "$app/Contents/MacOS/"*; do sign "$program"; done
sign "$app"
codesign --verify --deep --strict --verbose=2 "$app"

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
trap 'exit 130' HUP INT TERM
# ditto keeps links and signatures as they are.
ditto "$app" "$stage/Outpace.app"
ln -s /Applications "$stage/Applications"
rm -f "$target"
hdiutil create -volname Outpace -srcfolder "$stage" -fs HFS+ -format ULFO -ov "$target"

if [ "$identity" != - ]; then codesign --force --timestamp --sign "$identity" "$target"; fi
if [ -n "$profile" ]; then
  xcrun notarytool submit "$target" --keychain-profile "$profile" --wait
  xcrun stapler staple "$target"
  spctl --assess --type open --context context:primary-signature --verbose "$target"
else
  echo "No OUTPACE_NOTARY_PROFILE: not notarised." >&2
fi
