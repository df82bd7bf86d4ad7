# SPDX-License-Identifier: MIT
# asyncio: tasks, queues, subprocesses, timeouts.
import asyncio
async def producer(queue):
    for i in range(50):
        await queue.put(i * i)
        if i % 10 == 0:
            await asyncio.sleep(0)
    await queue.put(None)
async def consumer(queue):
    total = 0
    while (item := await queue.get()) is not None:
        total += item
    return total
async def main():
    queue = asyncio.Queue(5)
    _, total = await asyncio.gather(producer(queue), consumer(queue))
    print(total)
    process = await asyncio.create_subprocess_exec("tr", "a-z", "A-Z", stdin=-1, stdout=-1)
    out, _ = await process.communicate(b"from a pipe\n")
    print(out, process.returncode)
    try:
        await asyncio.wait_for(asyncio.sleep(10), 0.01)
    except asyncio.TimeoutError:
        print("timeout")
    server = await asyncio.start_server(lambda r, w: (w.write(b"hello"), w.close()), "127.0.0.1", 0)
    r, w = await asyncio.open_connection(*server.sockets[0].getsockname())
    print(await r.read())
    server.close()
asyncio.run(main())
