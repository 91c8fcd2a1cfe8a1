git init -q -b main; echo a > f; git add f; git commit -qm one; git branch topic; git branch; git branch -v; git checkout topic; echo b > f; git commit -qam two; git checkout -; cat f; git checkout -b third topic; git branch --show-current; git branch -d topic; git branch -d third; echo $?; git checkout main; git branch -d third; echo $?; git branch -D third; git branch -m renamed; git branch; git branch 'bad name'; echo $?; git branch renamed; echo $?; git checkout nope; echo $?; git switch nope; echo $?; git switch -c new; git switch -; git switch renamed
%%
git init -q -b main; echo a > f; git add f; git commit -qm one; echo b > f; git commit -qam two; git checkout HEAD~1; git status; git branch; echo c > f; git commit -qam three; git status; git checkout main; git checkout --detach; git checkout -q main; git switch --detach HEAD~1; git switch -q main; git log --oneline
%%
git init -q -b main; echo a > f; echo x > g; git add .; git commit -qm one; git checkout -qb other; echo b > f; git commit -qam two; git checkout -q main; echo local > f; git checkout other; echo $?; git checkout -q f; echo local > g; git checkout other; git status -s; git checkout -q main; git checkout -q -f main; cat g
%%
git init -q -b main; echo a > f; git add f; git commit -qm one; git checkout -qb other; echo n > new; git add new; git commit -qm two; git checkout -q main; echo mine > new; git checkout other; echo $?; rm new; git checkout -q other; ls
%%
git init -q -b main; echo a > f; git add f; git commit -qm one; git checkout -qb side; echo s > s; git add s; git commit -qm side; git checkout -q main; git merge side; git log --oneline; git merge side; git merge nope; echo $?; git branch --merged; git branch --no-merged; git branch --contains HEAD~1
%%
git init -q -b main; seq 1 20 > f; git add f; git commit -qm base; git checkout -qb side; sed -i '2s/.*/two/' f; echo n > n; git add n; git commit -qam side; git checkout -q main; sed -i '18s/.*/eighteen/' f; git commit -qam main; git merge side --no-edit; git log --oneline --graph; git log --format='%h %p %s'; git show --stat; git show; sed -n '2p;18p' f; git rev-parse HEAD^2; git log --oneline --first-parent; git log --merges --format=%s; git log --no-merges --format=%s; git diff HEAD^1 --stat; git diff main...side --stat; git merge-base main~1 side; git status
%%
git init -q -b main; seq 1 5 > f; git add f; git commit -qm base; git checkout -qb side; sed -i '2s/.*/side/' f; git commit -qam side; git checkout -q main; sed -i '2s/.*/main/' f; git commit -qam main; git merge side; echo $?; git status; cat f; git diff --name-only --diff-filter=U; git ls-files -u; git commit -m x; echo $?; git merge --abort; git status -s; git merge -X theirs side --no-edit -q; cat f; git log -1 --format=%s
%%
git init -q -b main; seq 1 5 > f; git add f; git commit -qm base; git checkout -qb side; sed -i '2s/.*/side/' f; git commit -qam side; git checkout -q main; sed -i '2s/.*/main/' f; git commit -qam main; git merge side -q; git checkout --ours f; sed -n 2p f; git checkout --theirs f; sed -n 2p f; git add f; git status; git commit --no-edit; git log --format='%s|%b' -1; git log --oneline | wc -l
%%
git init -q -b main; echo a > f; git add f; git commit -qm base; git checkout -qb side; git rm -q f; git commit -qm rm; git checkout -q main; echo b > f; git commit -qam mod; git merge side; echo $?; git status -s; git status; ls
%%
git init -q -b main; echo a > f; git add f; git commit -qm base; git checkout -qb side; echo 1 > n; git add n; git commit -qm s; git checkout -q main; echo 2 > n; git add n; git commit -qm m; git merge side; cat n; git status -s; git checkout -q HEAD n; cat n
%%
git init -q -b main; for n in 1 2 3; do echo $n > f$n; git add .; git commit -qm c$n; done; git checkout -qb pick HEAD~2; git cherry-pick main; git log --oneline --format=%s; git revert --no-edit HEAD; git log -1; ls; git cherry-pick -n main~1; git status -s; git cherry-pick --abort; echo $?
%%
git init -q -b main; echo 1 > f; git add f; git commit -qm base; git checkout -qb side; echo 2 > f; git commit -qam s; git checkout -q main; echo 3 > f; git commit -qam m; git cherry-pick side; echo $?; git status; cat f; echo 4 > f; git add f; git cherry-pick --continue; git log --format=%s
%%
git init -q -b main; echo 1 > f; git add f; git commit -qm base; git checkout -qb side; echo s > s; git add s; git commit -qm side1; echo t > t; git add t; git commit -qm side2; git checkout -q main; echo m > m; git add m; git commit -qm m; git checkout -q side; git rebase main 2> /dev/null; git log --format=%s; git rebase main; git log --oneline --graph --all | wc -l
%%
git init -q -b main; echo 1 > f; git add f; git commit -qm base; git checkout -qb side; echo 2 > f; git commit -qam s; git checkout -q main; echo 3 > f; git commit -qam m; git checkout -q side; git rebase main > /dev/null 2>&1; echo $?; git status -s; git rebase --abort; git log --format=%s; cat f; git rebase main -q > /dev/null 2>&1; echo 5 > f; git add f; GIT_EDITOR=true git rebase --continue > /dev/null 2>&1; git log --format=%s; cat f; git status | head -1
%%
git init -q -b main src; cd src; echo a > f; git add f; git commit -qm one; git tag v1; git branch dev; cd ..; git clone -q src dst; cd dst; git status; git branch -a; git branch -vv | sed 's/ \[/[/'; git log --oneline --decorate; git remote; cat f; cd ../src; echo b > f; git commit -qam two; cd ../dst; git fetch -q; git status; git status -sb; git pull -q; cat f; git checkout dev; git branch --show-current; git checkout -q main; echo c > f; git commit -qam three; git status -sb; git log origin/main..HEAD --oneline; git rev-parse --abbrev-ref @{u}; git rev-parse --abbrev-ref main@{upstream}
%%
git init -q --bare hub.git; git clone -q hub.git one 2>/dev/null; cd one; git checkout -q -b main; echo a > f; git add f; git commit -qm one; git push -q -u origin main; git log --oneline --decorate; cd ..; git clone -q -b main hub.git two; cd two; echo b > f; git commit -qam two; git push -q; cd ../one; git pull -q; cat f; git status -sb; echo c > f; git commit -qam three; git push -q origin HEAD; git ls-remote origin | wc -l; git remote get-url nope; echo $?; git remote add up /x; git remote -v | wc -l; git remote remove up; git remote
%%
git init -q -b main src; cd src; for n in 1 2 3 4 5; do seq 1 $((n * 100)) > f; git add f; git commit -qm c$n; done; command git gc -q 2> /dev/null || /usr/bin/git gc -q; cd ..; git clone -q src dst; cd dst; git log --oneline; git show HEAD~2 --stat --format=%s; git cat-file -t HEAD~3^{tree}; git diff HEAD~4 --shortstat; echo x > f; git commit -qam new; git log -2 --format=%s; git branch -a
%%
git init -q -b main; echo a > f; git add f; git commit -qm one; echo b > f; git add f; echo c > f; git status -s; git restore f; cat f; git restore --staged f; git status -s; git restore --source=HEAD --staged --worktree f; cat f; git restore nope; echo $?; echo d > f; git commit -qam two; git restore -s HEAD~1 f; cat f; git status -s; git checkout HEAD -- f; git checkout HEAD~1 f; git status -s
%%
git init -q -b main; mkdir d; echo 1 > d/a; git add .; git commit -qm one; git checkout -qb flat; git rm -rq d; echo file > d; git add d; git commit -qm flat; git checkout -q main; ls d; git checkout -q flat; cat d; git diff main flat --stat; git diff main flat --name-status
%%
git init -q -b main; printf 'line\n%.0s' 1 2 3 > f; git add f; git commit -qm one; git symbolic-ref HEAD; git symbolic-ref --short HEAD; git update-ref refs/heads/x HEAD; git show-ref --heads; git rev-parse x@{0}; git write-tree; git commit-tree -m msg HEAD^{tree}; git diff-tree --no-commit-id --name-only -r HEAD --root; git diff-index HEAD; git ls-files --error-unmatch nope; echo $?; git update-index --assume-unchanged f; echo y >> f; git status -s
%%
git init -q -b main; echo a > a; echo b > b; git add .; git commit -qm one; git switch -qc side; echo s > s; git add s; git commit -qm side; git switch -q main; echo m >> a; git commit -qam main; echo x >> b; git add b; git merge side; echo $?; git switch -c next; git tag light; git describe; git log --format=%s; git gc -q; echo $?
