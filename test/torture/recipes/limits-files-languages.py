# SPDX-License-Identifier: MIT
# torture: launch=ulimit -n 600
# Python's resource module: what it sets is what it then has.
import errno
import os
import resource

N = resource.RLIMIT_NOFILE
print(resource.getrlimit(N))
resource.setrlimit(N, (40, 600))
held = []
try:
    while True:
        held.append(os.dup(0))
except OSError as e:
    print(errno.errorcode[e.errno], max(held))
for fd in held:
    os.close(fd)
print(resource.getrlimit(N), resource.prlimit(0, N))
resource.setrlimit(N, (600, 600))
for bad in ((700, 600), (-1, -1)):
    try:
        resource.setrlimit(N, bad)
        print("set", bad)
    except (ValueError, OSError) as e:
        print(type(e).__name__)
for name in ("CORE", "CPU", "FSIZE", "NPROC", "MEMLOCK", "SIGPENDING", "MSGQUEUE", "NICE", "RTPRIO"):
    which = getattr(resource, "RLIMIT_" + name)
    soft, hard = resource.getrlimit(which)
    resource.setrlimit(which, (soft, hard))
    print(name, resource.getrlimit(which) == (soft, hard))
