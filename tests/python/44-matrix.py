import time
def multiply(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]
n = 60
a = [[(i * j) % 7 for j in range(n)] for i in range(n)]
began = time.perf_counter()
c = multiply(a, a)
took = time.perf_counter() - began
print(sum(map(sum, c)), took >= 0, c[3][:5])
sieve = bytearray([1]) * 20000
sieve[:2] = b"\0\0"
for i in range(2, 142):
    if sieve[i]:
        sieve[i * i :: i] = bytes(len(sieve[i * i :: i]))
print(sum(sieve), [i for i, x in enumerate(sieve) if x][-3:])
