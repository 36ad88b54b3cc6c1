# SPDX-License-Identifier: MIT
"""Writes initial RAM file systems: cpio archives of the kind "newc".

Written here instead of calling cpio(1), so that device nodes need no root and
the same content always gives the same bytes.
"""

import hashlib
import os
import stat
from pathlib import Path


class Archive:
    """Directories, files, symbolic links and device nodes, in order."""

    def __init__(self):
        self.entries = []
        self.known_directories = set()

    def directory(self, name, mode=0o755):
        name = name.strip("/")
        if not name or name in self.known_directories:
            return
        self.directory(os.path.dirname(name))
        self.known_directories.add(name)
        self.entries.append((name, stat.S_IFDIR | mode, b"", (0, 0)))

    def file(self, name, content, mode=0o644):
        if isinstance(content, Path):
            mode = 0o755 if os.access(content, os.X_OK) else mode
            content = content.read_bytes()
        elif isinstance(content, str):
            content = content.encode()
        self.directory(os.path.dirname(name))
        self.entries.append((name.strip("/"), stat.S_IFREG | mode, content, (0, 0)))

    def link(self, name, target):
        self.directory(os.path.dirname(name))
        self.entries.append((name.strip("/"), stat.S_IFLNK | 0o777, target.encode(), (0, 0)))

    def character_device(self, name, major, minor, mode=0o600):
        self.directory(os.path.dirname(name))
        self.entries.append((name.strip("/"), stat.S_IFCHR | mode, b"", (major, minor)))

    def bytes(self):
        out = bytearray()
        for number, entry in enumerate(self.entries + [("TRAILER!!!", 0, b"", (0, 0))]):
            append_entry(out, number + 1, *entry)
        return bytes(out)

    def write(self, directory):
        """Write the archive below directory, once for each content."""
        content = self.bytes()
        path = directory / f"initramfs-{hashlib.sha256(content).hexdigest()[:16]}.cpio"
        if not path.exists():
            directory.mkdir(parents=True, exist_ok=True)
            drop_old(directory)
            temporary = path.with_suffix(f".{os.getpid()}")
            temporary.write_bytes(content)
            temporary.rename(path)
        return path


def append_entry(out, inode, name, mode, content, device):
    raw_name = name.encode() + b"\0"
    links = 2 if stat.S_ISDIR(mode) else 1
    fields = (inode, mode, 0, 0, links, 0, len(content), 0, 0,
              device[0], device[1], len(raw_name), 0)
    out += b"070701" + b"".join(b"%08x" % f for f in fields) + raw_name
    out += bytes(-len(out) % 4)
    out += content
    out += bytes(-len(out) % 4)


def drop_old(directory, keep=8):
    """Programs change often; archives of former ones would pile up."""
    archives = sorted(directory.glob("initramfs-*.cpio"),
                      key=lambda p: p.stat().st_mtime, reverse=True)
    for path in archives[keep:]:
        path.unlink(missing_ok=True)
