import io, zipfile, gzip, tarfile
from pathlib import Path
with zipfile.ZipFile("notes.zip", "w", zipfile.ZIP_DEFLATED) as archive:
    for path in sorted(Path("notes").rglob("*.txt")):
        archive.write(path)
with zipfile.ZipFile("notes.zip") as archive:
    print(archive.namelist(), archive.read("notes/a.txt"))
packed = gzip.compress(b"x" * 1000, mtime=0)
print(len(packed) < 100, gzip.decompress(packed) == b"x" * 1000)
buffer = io.BytesIO()
with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
    info = tarfile.TarInfo("hello.txt")
    info.size = 5
    tar.addfile(info, io.BytesIO(b"hello"))
buffer.seek(0)
with tarfile.open(fileobj=buffer) as tar:
    print(tar.getnames(), tar.extractfile("hello.txt").read())
