import atexit, gc, signal, sys, warnings
atexit.register(print, "registered first, runs last")
atexit.register(lambda: print("cleanup"))
warnings.simplefilter("always")
with warnings.catch_warnings(record=True) as caught:
    warnings.warn("old", DeprecationWarning)
print([str(w.message) for w in caught], gc.isenabled(), sys.getrecursionlimit(), sys.maxsize > 0)
class Node:
    def __init__(self): self.me = self
    def __del__(self): print("collected")
Node()
gc.collect()
print("end")
