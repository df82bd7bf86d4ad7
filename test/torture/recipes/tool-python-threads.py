# SPDX-License-Identifier: MIT
# Python threads, queues, subprocesses, signals, asyncio.
import asyncio, queue, signal, subprocess, sys, threading
q, out = queue.Queue(), []
def worker():
    while (x := q.get()) is not None:
        out.append(x * 2)
ts = [threading.Thread(target=worker) for _ in range(4)]
for t in ts: t.start()
for i in range(200): q.put(i)
for _ in ts: q.put(None)
for t in ts: t.join()
print(sum(out))
print(subprocess.run(["sh", "-c", "cat; exit 3"], input=b"in", capture_output=True))
signal.signal(signal.SIGUSR1, lambda *a: print("usr1"))
signal.raise_signal(signal.SIGUSR1)
async def main():
    a = await asyncio.gather(*(asyncio.sleep(0.01 * (3 - i), i) for i in range(3)))
    p = await asyncio.create_subprocess_exec("echo", "async", stdout=asyncio.subprocess.PIPE)
    print(a, (await p.communicate())[0])
asyncio.run(main())
sys.exit(2)
