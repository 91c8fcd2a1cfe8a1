import os, sys
os.environ["MY_SETTING"] = "on"
print(os.environ["MY_SETTING"], os.getenv("NOT_SET", "default"), "MY_SETTING" in os.environ)
os.makedirs("x/y/z", exist_ok=True)
os.chdir("x")
print(os.path.basename(os.getcwd()), os.listdir())
open("file", "w").close()
os.replace("file", "y/moved")
print(sorted(e.name + ("/" if e.is_dir() else "") for e in os.scandir("y")), os.path.splitext("a/b.tar.gz"), os.sep, os.linesep == "\n")
print(os.path.normpath("/a/./b/../c"), os.path.commonpath(["/a/b", "/a/c"]), os.path.isabs("x"), sys.version_info >= (3, 13))
for call in (lambda: os.mkdir("y"), lambda: os.rmdir("y"), lambda: os.remove("none"), lambda: os.listdir("none")):
    try:
        call()
    except OSError as error:
        print(type(error).__name__, error.errno, error.strerror)
