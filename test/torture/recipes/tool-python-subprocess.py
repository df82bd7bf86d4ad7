# SPDX-License-Identifier: MIT
# subprocess: pipes, errors, environment, working directory, signals, shell.
import os, signal, subprocess, sys
print(subprocess.run(["sh", "-c", "cat; echo err >&2; exit 3"], input=b"in", capture_output=True))
print(subprocess.run("echo $V; pwd | tail -c 2", shell=True, env={"V": "set", "PATH": os.environ["PATH"]}, cwd="/", capture_output=True).stdout)
try:
    subprocess.run(["/no/such/program"])
except FileNotFoundError as e:
    print(e)
p = subprocess.Popen(["sleep", "60"])
p.send_signal(signal.SIGTERM)
print(p.wait())
a = subprocess.Popen(["seq", "1000"], stdout=subprocess.PIPE)
b = subprocess.Popen(["grep", "-c", "7"], stdin=a.stdout, stdout=subprocess.PIPE)
a.stdout.close()
print(b.communicate()[0], a.wait())
try:
    subprocess.run(["sleep", "5"], timeout=0.1)
except subprocess.TimeoutExpired as e:
    print("timeout")
print(subprocess.run([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]).returncode)
