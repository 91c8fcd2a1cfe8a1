import threading, queue
from concurrent.futures import ThreadPoolExecutor, as_completed
results, lock = [], threading.Lock()
def work(n):
    with lock:
        results.append(n * n)
threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
for t in threads: t.start()
for t in threads: t.join()
print(sorted(results), threading.current_thread().name)
with ThreadPoolExecutor(max_workers=3) as pool:
    print(list(pool.map(lambda x: x + 1, range(5))))
    futures = {pool.submit(pow, 2, n): n for n in range(3)}
    print(sorted(f.result() for f in as_completed(futures)))
q = queue.Queue()
for n in range(3): q.put(n)
print([q.get() for _ in range(3)], q.empty())
