import asyncio

async def worker(name, queue, results):
    while True:
        item = await queue.get()
        await asyncio.sleep(0.01 * (item % 3))
        results.append((name if False else "w", item * item))
        queue.task_done()

async def main():
    queue, results = asyncio.Queue(), []
    for n in range(6):
        queue.put_nowait(n)
    workers = [asyncio.create_task(worker(f"w{i}", queue, results)) for i in range(2)]
    await queue.join()
    for w in workers:
        w.cancel()
    print(await asyncio.gather(*workers, return_exceptions=True))
    print(sorted(results))
    try:
        async with asyncio.timeout(0.01):
            await asyncio.sleep(1)
    except TimeoutError:
        print("timeout")
    try:
        await asyncio.wait_for(asyncio.Event().wait(), 0.01)
    except asyncio.TimeoutError:
        print("timeout again")
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(asyncio.sleep(0.001, n)) for n in range(3)]
    print([t.result() for t in tasks])

asyncio.run(main())
