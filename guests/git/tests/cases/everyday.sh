git init; git status; git init
%%
git status; echo $?; git log; git frobnicate; echo $?
%%
git init -q -b main; git log; echo $?; git status -sb; git branch; git diff; git stash; echo $?
%%
git init -q -b main; git commit -m x; echo $?; git add nothing; echo $?; git add; git commit -m x --allow-empty; git log --format='%H %T %P|%an|%ae|%at|%s'
%%
git init -q -b main; echo 'build/' > .gitignore; mkdir -p build a/b; echo 1 > build/x; echo 2 > a/b/c; echo 3 > top; git add -v .; git commit -m 'First

Body line one.
Body line two.'; git log; git show --stat; git ls-files; git ls-files -s; git ls-tree HEAD; git ls-tree -r HEAD; git ls-tree -r --name-only HEAD a
%%
git init -q -b main; echo build/x > .gitignore; mkdir build; echo 1 > build/x; git add build/x; echo $?; git add -f build/x; git status --short
%%
git init -q -b main; printf 'a\nb\nc\n' > f; git add f; git commit -qm one; printf 'a\nB\nc\n' > f; git diff; git diff --stat; git diff --numstat; git diff --shortstat; git diff --name-status; git diff --raw; git diff -U0; git diff --quiet; echo $?; git diff --exit-code > /dev/null; echo $?
%%
git init -q -b main; printf 'a\nb' > f; git add f; git commit -qm one; printf 'a\nb\n' > f; git diff; printf 'a' > f; git diff; : > f; git diff
%%
git init -q -b main; printf 'x\0y' > bin; git add bin; git commit -qm one; printf 'x\0z!' > bin; git diff; git diff --stat; git commit -qam two; git show --stat --format=%s; git diff HEAD~ --numstat
%%
git init -q -b main; seq 1 30 > old; git add .; git commit -qm one; git mv old new; git status; git status -s; sed -i 's/^7$/seven/' new; git add .; git diff --staged; git diff --staged --stat -M; git commit -m 'rename'; git log --stat -1 --format=%s; git log --follow --oneline new; git log --oneline -- new; git show --name-status --format=
%%
git init -q -b main; mkdir a; seq 1 20 > a/x; seq 30 50 > a/y; git add .; git commit -qm one; mkdir b; git mv a/x b/x; git mv a/y b/z; git commit -qm move; git show --stat --format=; git show --summary --format=; git show --raw --format= --abbrev=7 | cut -c1-14
%%
git init -q -b main; echo 1 > f; chmod +x f; git add .; git commit -m exec; chmod -x f; git diff; git commit -am plain; git show --format=%s; ln -s f link; git add link; git commit -m link; git show --format=%s; rm link; echo file > link; git diff; git status -s
%%
git init -q -b main; for n in 1 2 3 4 5; do echo $n > f; git add f; git commit -qm "commit $n"; done; git log --oneline; git log --oneline -2; git log -n 1 --format='%h%n%s'; git log --reverse --format=%s; git log --skip=1 -2 --format=%s; git log HEAD~3..HEAD --format=%s; git log HEAD~1 --oneline -1; git rev-list --count HEAD; git rev-parse HEAD~2; git rev-parse HEAD^ HEAD^^; git log --grep='commit [13]' --format=%s; git log --author=Ada --format=%an -1; git log --author=Bob
%%
git init -q -b main; echo a > f; git add f; git commit -qm one; git log --format='%H|%h|%T|%t|%P|%p|%an|%ae|%ad|%aD|%ai|%aI|%as|%at|%cn|%ce|%cd|%s|%f|%b|%B|%d|%D|%%|%x41' --decorate; git log --pretty=oneline; git log --pretty=short; git log --pretty=full; git log --pretty=fuller; git log --pretty=raw; git log --pretty=reference; git log --date=iso --format=%ad; git log --date=short --format=%cd; git log --date=format:%Y --format=%ad; git log --date=unix --format=%ad; git log --date=raw --format=%ad; git log --date=rfc --format=%ad
%%
git init -q -b main; echo a > f; git add f; git commit -qm one; git tag v1; git tag -a v2 -m 'Version two'; echo b > f; git commit -qam two; git branch topic; git log --oneline --decorate; git log --format='%h%d' ; git tag; git tag -l 'v*'; git tag -n; git show v2; git describe; git describe --tags; git rev-parse v2 v2^{} v2^{commit} v2^{tree}; git tag -d v1; git tag v2; echo $?; git cat-file -t v2; git cat-file -p v2; git for-each-ref; git for-each-ref --format='%(refname:short) %(objecttype) %(subject)'; git show-ref
%%
git init -q -b main; echo a > f; git add f; git commit -qm one; echo b > f; git commit -q --amend -m 'one again' -a; git log --format=%s; git commit --amend --no-edit; git commit --amend -m third --author='Bob <bob@example.com>'; git log --format='%an %s'; git reflog; git commit --allow-empty -m empty; git commit -m none; echo $?
%%
git init -q -b main; echo a > a; echo b > b; git add .; git commit -qm one; rm a; git status; git add -u; git status -s; git rm b; git status -s; git commit -m gone; git ls-files; git show --stat --format=
%%
git init -q -b main; echo a > a; git add a; git commit -qm one; echo c > a; git rm a; echo $?; git rm --cached a; git status -s; git rm -f nope; echo $?; mkdir d; echo 1 > d/1; git add d; git rm d; echo $?; git rm -rf d; git status -s
%%
git init -q -b main; mkdir -p d/e; echo 1 > d/1; echo 2 > d/e/2; echo 3 > 3; git add .; git commit -qm one; cd d; echo x >> 1; echo x >> ../3; echo new > n; git status; git status -s; git status --porcelain; git diff --stat; git diff --name-only; git diff --relative --name-only; git ls-files; git add .; git status -s; git checkout -- ../3; git rev-parse --show-toplevel | sed 's/.*\///'; git rev-parse --show-prefix --show-cdup --git-dir | tail -3 | head -2; git log --oneline -- .
%%
git init -q -b main; echo a > 'with space'; echo b > 'umläut'; printf 'q' > 'quo"te'; git add .; git commit -qm one; git ls-files; git status -s; echo c >> 'with space'; echo d >> umläut; git status -s; git diff; git -c core.quotepath=true diff --stat; git ls-files -z | tr '\0' '\n'
%%
git init -q -b main; git config user.name; git config user.email x@y; git config --get user.email; git config --list | tail -1; git config alias.st 'status -s'; echo 1 > a; git st; git config --unset alias.st; git config alias.st; echo $?; git config nodot; echo $?; git config --get core.bare; git config --bool core.bare; cat .git/config; git config --add a.b 1; git config --add a.b 2; git config --get-all a.b; git config a.b 3; echo $?; git config --get-regexp '^a'
%%
git init -q -b main; for i in 1 2 3; do echo $i > f$i; git add .; git commit -qm c$i; done; git reset HEAD~1; git status -s; git reset --soft HEAD~1; git status -s; git reset -q; git add .; git reset f2; git status -s; git reset --hard; git reset --hard nope; echo $?; ls; git log --oneline
%%
git init -q -b main; mkdir sub; echo 1 > sub/a; echo 1 > b; git add .; git commit -qm one; git clean -n; echo 2 > c; mkdir u; echo 3 > u/d; git clean; echo $?; git clean -n; git clean -nd; git clean -fd; git status -s
%%
git init -q -b main; printf 'one\ntwo\nthree\n' > f; git add .; git commit -qm one; git grep -n t; git grep -c o; git grep -l three; git grep nope; echo $?; git grep -i TWO -- f; git grep -n three HEAD
%%
git init -q -b main; echo a > f; git add f; git commit -qm 'A'; echo b >> f; git commit -qam 'B'; GIT_AUTHOR_NAME=Bob git commit -q --allow-empty -m C; git shortlog HEAD; git shortlog -sn HEAD; git shortlog -sne HEAD; git log --oneline --graph; git rev-list HEAD | wc -l; git cat-file -p HEAD; git cat-file -s HEAD:f; git cat-file blob HEAD:f; git cat-file -e HEAD:g; echo $?; git hash-object f; git rev-parse HEAD:f; git show HEAD:nope; echo $?; git rev-parse nope; echo $?; git rev-parse --verify -q nope; echo $?
%%
git init -q -b main; echo a > f; git add f; git commit -qm A; echo b > f; git stash; git stash list; cat f; git stash show; git stash show -p; git stash pop; cat f; git stash push -m 'with words'; git stash list; git stash apply -q; git stash drop; git stash list; git checkout -q f; echo u > u; git stash -u; ls; git stash pop -q; ls; git stash; git stash drop; echo $?
%%
git init -q -b main; seq 1 10 > f; git add f; git commit -qm A; sed -i '3s/.*/three/' f; git stash -q; sed -i '3s/.*/drei/' f; git commit -qam B; git stash pop; echo $?; cat f | sed -n 1,10p; git status -s; git stash list
%%
git init -q -b main; seq 1 10 > f; git add f; git commit -qm A; sed -i '3s/.*/three/' f; git diff > p; git stash -q; git apply p; git diff --stat; git apply p; echo $?; git apply -R p; git diff --stat; git apply --check p; git apply --stat p; git apply --numstat p; git apply --index p; git status -s; git reset -q --hard; git apply --cached p; git status -s; printf 'junk' | git apply; echo $?
%%
git init -q -b main; seq 1 5 > f; git add f; git commit -qm A; sed -i '2s/.*/two/' f; GIT_AUTHOR_NAME=Bobby git commit -qam B; sed -i '4s/.*/four/' f; git blame f | sed '4s/2[-0-9: +]* 4)/TIME 4)/'; git blame -L2,3 f; git blame -s f HEAD; git blame --porcelain -L2,2 f; git blame -e -L1,1 HEAD -- f; git blame nope; echo $?; git commit -qam C; git mv f g; git commit -qm D; git blame g; git blame -L/two/,+1 -l g
%%
git -C /nowhere status; echo $?; git --version | cut -d' ' -f1-2; git -c user.name=X init -q t; git -C t status -s; git help > /dev/null; echo $?; git status --nope 2>/dev/null; echo $?
%%
git init -q -b main; printf '*.log\n!keep.log\n/only\nd/**/x\n' > .gitignore; mkdir -p d/e/f only sub/only; touch a.log keep.log d/x d/e/f/x d/e/y only/1 sub/only/1 sub/b.log; git status -s; git status -s -uall; git status -s --ignored; git check-ignore -v a.log d/e/f/x sub/b.log keep.log; git check-ignore keep.log; echo $?; git ls-files -o --exclude-standard; git ls-files -oi --exclude-standard
