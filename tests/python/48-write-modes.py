with open("log.txt", "w") as f:
    print("first", file=f)
with open("log.txt", "a") as f:
    f.writelines(["second\n", "third\n"])
with open("log.txt", "r+") as f:
    f.seek(0)
    f.write("FIRST")
    f.seek(0, 2)
    print(f.tell())
try:
    open("log.txt", "x")
except FileExistsError as error:
    print(error)
print(open("log.txt").readlines())
with open("log.txt", "rb") as f:
    f.seek(-6, 2)
    print(f.read(), f.readable(), f.writable(), f.closed)
with open("u.txt", "w", encoding="utf-16", newline="\r\n") as f:
    f.write("ä\n")
print(open("u.txt", "rb").read())
with open("log.txt", "w+") as f:
    f.write("x" * 100000)
    f.truncate(10)
    f.seek(0)
    print(len(f.read()))
try:
    open("log.txt").write("x")
except OSError as error:
    print(type(error).__name__, error)
