import itertools as it
print(list(it.accumulate([1, 2, 3, 4], initial=0)))
print([("".join(k), len(list(g))) for k, g in it.groupby("aaabbc")])
print(list(it.chain.from_iterable([[1], [2, 3]])), list(it.islice(it.count(10, 5), 3)))
print(list(it.combinations("abc", 2)), list(it.product([0, 1], repeat=2)))
print(list(it.zip_longest("ab", "xyz", fillvalue="-")), list(it.batched("abcdefg", 3)))
print(list(it.pairwise([1, 4, 9])))
