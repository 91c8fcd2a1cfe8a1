# Start files: BASH_ENV, those of login shells, and that of their end.
export HOME=$PWD/home
mkdir home
echo 'echo env file; seen=env' > env
BASH_ENV=env bash -c 'echo "in $seen"'
BASH_ENV='$HOME/../env' bash -c 'echo "expanded $seen"'
BASH_ENV=missing bash -c 'echo "missing file"'
echo 'echo "script $seen"' > script
BASH_ENV=./env bash script
echo 'echo profile; seen=profile' > home/.profile
bash -lc 'echo "login $seen"' | tail -n 2
echo 'echo login file; seen=login' > home/.bash_login
bash -lc 'echo "login $seen"' | tail -n 2
echo 'echo bash profile; seen=bash' > home/.bash_profile
bash -l -c 'echo "login $seen"; shopt login_shell' | tail -n 3
bash --noprofile -lc 'echo "none ${seen-unset}"'
echo 'echo logout' > home/.bash_logout
bash --noprofile -lc 'exit 3'
echo $?
bash --noprofile -lc '(exit 4); echo "no exit $?"'
bash --noprofile -lc 'logout; echo not reached'
echo 'exit 7' > home/.bash_profile
bash -lc 'echo not reached' > /dev/null
echo $?
