from pathlib import Path, PurePosixPath
import shutil, tempfile, glob, os
p = Path("notes") / "deep" / "b.txt"
print(p.name, p.stem, p.suffix, p.parent, p.exists(), p.is_file(), Path("notes").is_dir())
print(sorted(str(x) for x in Path(".").glob("**/*.txt")), sorted(glob.glob("*.csv")))
shutil.copytree("notes", "copy")
shutil.copy("sales.csv", "copy/s.csv")
print(sorted(os.listdir("copy")))
Path("copy/new.txt").write_text("one\ntwo\n")
print(Path("copy/new.txt").read_text().splitlines(), Path("copy/new.txt").stat().st_size)
Path("copy/new.txt").rename("copy/renamed.txt")
shutil.rmtree("copy")
print(Path("copy").exists(), PurePosixPath("/a/../b").parts, Path("a/b").relative_to("a"), Path("x.tar.gz").suffixes)
