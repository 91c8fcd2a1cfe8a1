import asyncio

async def ticks(n):
    for i in range(n):
        yield i
        await asyncio.sleep(0)

class Session:
    async def __aenter__(self):
        print("open")
        return self
    async def __aexit__(self, *_):
        print("close")

async def main():
    async with Session():
        print([x async for x in ticks(3)])
    lock = asyncio.Lock()
    order = []
    async def use(n):
        async with lock:
            order.append(n)
            await asyncio.sleep(0.001)
            order.append(n)
    await asyncio.gather(*(use(n) for n in range(3)))
    print(order)
    print(await asyncio.to_thread(sum, [1, 2, 3]))
    done, pending = await asyncio.wait([asyncio.create_task(asyncio.sleep(0.001, "a"))], timeout=1)
    print([d.result() for d in done], pending)

asyncio.run(main())
