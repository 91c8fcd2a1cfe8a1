import os, tempfile
folder = os.path.join(os.getcwd(), "tmp")
os.makedirs(folder, exist_ok=True)
with tempfile.TemporaryDirectory(dir=folder) as work:
    path = os.path.join(work, "x.txt")
    with open(path, "w") as f:
        f.write("data")
    print(os.listdir(work))
print(os.listdir(folder))
with tempfile.NamedTemporaryFile("w+", dir=folder, suffix=".txt") as f:
    f.write("hello")
    f.seek(0)
    print(f.read(), f.name.endswith(".txt"))
print(os.listdir(folder))
with tempfile.SpooledTemporaryFile() as f:
    f.write(b"x")
    print(f.tell())
