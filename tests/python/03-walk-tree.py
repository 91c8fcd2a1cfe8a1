import os
for folder, folders, files in os.walk("."):
    folders.sort()
    for name in sorted(files):
        path = os.path.join(folder, name)
        print(path, os.path.getsize(path))
