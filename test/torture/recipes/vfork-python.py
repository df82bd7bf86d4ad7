# SPDX-License-Identifier: MIT
# subprocess uses vfork: programs that are there and that are not, a directory that is not, a session of its own, pipes.
import os
import subprocess

for words in (["/bin/echo", "hello"], ["/no/such/program"], ["/etc/passwd"], ["sh", "-c", "exit 3"]):
    try:
        print(subprocess.run(words, capture_output=True, check=False))
    except OSError as e:
        print(type(e).__name__, e)
try:
    subprocess.run(["true"], cwd="/no/such/directory", check=False)
except OSError as e:
    print(type(e).__name__, e)
print(subprocess.run(["cat"], input=b"through a pipe", capture_output=True, start_new_session=True, check=False).stdout)
print(os.waitstatus_to_exitcode(os.waitpid(os.posix_spawn("/bin/false", ["false"], {}), 0)[1]))
try:
    os.posix_spawn("/no/such", ["x"], {})
except OSError as e:
    print(type(e).__name__, e)
