import time, calendar, timeit
began = time.monotonic()
time.sleep(0.02)
took = time.monotonic() - began
print(0.015 < took < 5, time.time() > 1_600_000_000, time.strftime("%Y-%m-%d", time.gmtime(86400)))
print(calendar.month(2024, 2), calendar.isleap(1900), timeit.timeit("1+1", number=10) >= 0)
