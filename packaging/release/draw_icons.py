"""Draws the icon in all sizes, and packs it as Windows and macOS want it. Needs Qt; run by the packaging environment.

python draw_icons.py FOLDER_WITH_SVG TARGET_FOLDER
"""

import os
import struct
import sys
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QBuffer, QIODevice, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

SIZES = (16, 22, 24, 32, 48, 64, 128, 256, 512)
_ICO_SIZES = (16, 24, 32, 48, 64, 128, 256)
# Kinds of macOS that hold a PNG, with their sizes in pixels.
_ICNS_KINDS = {b"icp4": 16, b"icp5": 32, b"icp6": 64, b"ic07": 128, b"ic08": 256, b"ic09": 512}
_SMALL = 24
"""Up to this size the drawing with fewer and thicker lines is used, pixels."""


def main(source: Path, target: Path) -> int:
    """Write outpace-SIZE.png, outpace.ico and outpace.icns."""
    application = QGuiApplication([])
    target.mkdir(parents=True, exist_ok=True)
    pictures = {size: draw(source / ("app-small.svg" if size <= _SMALL else "app.svg"), size) for size in SIZES}
    for size, picture in pictures.items():
        (target / f"outpace-{size}.png").write_bytes(picture)
    (target / "outpace.ico").write_bytes(ico({size: pictures[size] for size in _ICO_SIZES}))
    (target / "outpace.icns").write_bytes(icns({kind: pictures[size] for kind, size in _ICNS_KINDS.items()}))
    del application
    return 0


def draw(svg: Path, size: int) -> bytes:
    """A PNG of `size` pixels."""
    renderer = QSvgRenderer(str(svg))
    if not renderer.isValid():
        raise SystemExit(f"{svg} cannot be drawn")
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return bytes(buffer.data().data())


def ico(pictures: dict[int, bytes]) -> bytes:
    """The container of Windows: a header, an entry of 16 bytes for each picture, the pictures."""
    head = struct.pack("<HHH", 0, 1, len(pictures))
    offset = len(head) + 16 * len(pictures)
    entries = b""
    for size, picture in pictures.items():
        entries += struct.pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, len(picture), offset)
        offset += len(picture)
    return head + entries + b"".join(pictures.values())


def icns(pictures: dict[bytes, bytes]) -> bytes:
    """The container of macOS: kind and length before each picture, both counted in, and the same around all."""
    body = b"".join(kind + struct.pack(">I", len(picture) + 8) + picture for kind, picture in pictures.items())
    return b"icns" + struct.pack(">I", len(body) + 8) + body


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
