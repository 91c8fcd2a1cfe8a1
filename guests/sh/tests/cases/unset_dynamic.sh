# Variables of the shell: what `unset`, `set` and the environment do with them.
unset RANDOM; RANDOM=5; echo $RANDOM
unset LINENO; echo "[$LINENO]"
(unset UID; echo "unset $?") 2> /dev/null
set | grep -cE '^(RANDOM|SECONDS|EPOCHREALTIME|BASHPID|SRANDOM)='
set | grep -E '^(BASH_ALIASES|BASH_CMDS|DIRSTACK|GROUPS)='
env 'x-y=1' '2z=3' bash -c 'env | grep -E "^(x-y|2z)=" | sort; (env | grep -c "^2z=")'
for level in ' 3 ' 7 x -4; do SHLVL=$level bash -c 'echo $SHLVL'; done
mkdir -p a b; cd a; pushd ../b > /dev/null; DIRSTACK[1]=/x; dirs -l | sed 's:.* ::'; cd ..
f() { local v=1; g; echo "[${v-unset}]"; }
g() { unset v; echo "[${v-unset}]"; }
v=global
f
shopt -s localvar_unset
f
shopt -u localvar_unset
shopt -s compat31; echo $BASH_COMPAT; shopt -s compat44; shopt compat31; echo $BASH_COMPAT
BASH_COMPAT=4.2; shopt compat42; BASH_COMPAT=; shopt compat42
declare -a e; declare -A h; e1=(); echo "${e[@]@A}|${h[@]@A}|${e1[@]@A}"
echo "${none@Z}" "${!v@foo}" ok
x=$'\xc2\x80\xff'; declare -p x | od -An -c | tr -d ' '
ulimit -S -n 100 -c 0; ulimit -n; ulimit -Sn 50; ulimit -Sn; ulimit -nc 2> /dev/null; echo $?

# Here-documents: blanks join `$*`; a delimiter may be continued.
set -- a b
IFS=:
cat <<E
$* "$*"
E
cat <<EN\
D
x
END
unset IFS
IFS=éz; y="$*"; echo "$y"; unset IFS
# The pattern for an unset variable is not expanded.
i=1; : ${none#${q[i=5]}}; echo $i
(echo $((1 ? 20 : i+=2))) 2> /dev/null; echo $?
mkdir d; : > d/f; echo d*/// d//*; shopt -s globstar; cd d; echo **/; cd ..; shopt -u globstar
HOME=/h; set -o posix
command export t=~ ; command command readonly u=~; echo $t $u; set +o posix

set -o history
HISTCONTROL=ignorespace
 echo not kept
echo kept
HISTCONTROL=ignoredups
echo twice
echo twice
HISTCONTROL=erasedups
HISTIGNORE='echo no*:&'
echo none
echo kept
history
