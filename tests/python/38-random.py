import random, uuid
random.seed(42)
print([random.randint(1, 100) for _ in range(5)], random.random())
items = list("abcdef")
random.shuffle(items)
print(items, random.choice("xyz"), random.sample(range(50), 3), round(random.gauss(0, 1), 6))
rng = random.Random("seed")
print(rng.choices(["a", "b"], weights=[1, 9], k=5), rng.getrandbits(16))
print(uuid.uuid5(uuid.NAMESPACE_DNS, "example.org"), len(str(uuid.uuid4())), uuid.uuid4() != uuid.uuid4())
