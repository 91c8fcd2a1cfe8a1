for n in range(3000):
    print(n, "x" * 20)
