git init -q -b main; printf 'a' > f; git add ../f > /dev/null 2>&1; echo $?; git add .git/config; echo $?
%%
git init -q -b main; echo a > f; git add f; git commit -qm one; printf 'x' > .git/index; git status > /dev/null 2>&1; echo $?; printf 'ref: refs/heads/../../../x' > .git/HEAD; git log > /dev/null 2>&1; echo $?; printf '[core' > .git/config; git status > /dev/null 2>&1; echo $?
%%
git init -q -b main; printf -- '--- a/../evil\n+++ b/../evil\n@@ -0,0 +1 @@\n+x\n' | git apply > /dev/null 2>&1; echo $?; ls ../evil 2> /dev/null; printf -- 'diff --git a/.git/hooks/x b/.git/hooks/x\nnew file mode 100755\n--- /dev/null\n+++ b/.git/hooks/x\n@@ -0,0 +1 @@\n+x\n' | git apply > /dev/null 2>&1; echo $?; ls .git/hooks/x 2> /dev/null
%%
git init -q -b main; echo a > f; git add f; git commit -qm one; git update-index --add --cacheinfo 100644,$(git hash-object f),../x > /dev/null 2>&1; echo $?; for o in $(find .git/objects -type f | head -1); do chmod +w $o; printf 'broken' > $o; done; git log -p > /dev/null 2>&1; test $? -gt 0 && echo refused
