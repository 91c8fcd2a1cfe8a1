import subprocess
done = subprocess.run(["echo", "hello", "world"], capture_output=True, text=True, check=True)
print(repr(done.stdout), done.returncode)
print(subprocess.check_output("printf 'a\\nb\\n' | wc -l", shell=True, text=True).strip())
try:
    subprocess.run(["false"], check=True)
except subprocess.CalledProcessError as error:
    print(error)
done = subprocess.run(["tr", "a-z", "A-Z"], input="shout", capture_output=True, text=True)
print(done.stdout)
with subprocess.Popen(["sort"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
    out, err = process.communicate("b\na\n")
    print(out.split(), err, process.returncode)
try:
    subprocess.run(["no-such-command"])
except FileNotFoundError as error:
    print("FileNotFoundError", error.filename)
