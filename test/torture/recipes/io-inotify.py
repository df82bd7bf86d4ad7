# SPDX-License-Identifier: MIT
# inotify, file locks, temporary files, pipes with select.
import ctypes, fcntl, os, select, struct, tempfile
libc = ctypes.CDLL("libc.so.6")
fd = libc.inotify_init()
libc.inotify_add_watch(fd, b".", 0x100 | 0x200 | 0x8)
open("made", "w").write("x")
os.unlink("made")
data = os.read(fd, 4096)
at = 0
while at < len(data):
    wd, mask, cookie, n = struct.unpack_from("iIII", data, at)
    print(hex(mask), data[at + 16:at + 16 + n].rstrip(b"\0"))
    at += 16 + n
with tempfile.TemporaryFile() as f:
    fcntl.lockf(f, fcntl.LOCK_EX)
    f.write(b"abc" * 1000)
    f.seek(1500)
    print(f.read(6))
r, w = os.pipe()
print(select.select([r], [w], [], 0) == ([], [w], []))
