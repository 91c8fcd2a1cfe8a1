# Errors that abandon a line, a text or the whole of `bash -c`.
run() { bash -c "$1" 2>/dev/null; echo "status $?"; }

echo "--- eval and source go on with the next line"
eval 'echo ${^}
echo second' 2>/dev/null
echo 'echo ${^}
echo second line' > file
. ./file 2>/dev/null
echo "after $?"

echo "--- a subscript or an integer abandons all of -c"
run 'a=(1 2); echo ${a[0+]}; echo same
echo next'
run 'declare -i n; n=1+; echo same
echo next'
run 'a=([0+]=1)
echo next'
run 'echo $((0+)); echo same
echo next'
run 'x=abc; echo ${x:0+}
echo next'

echo "--- syntax errors inside a substitution"
run 'echo $(if true)
echo next'
run 'eval "echo \$(if true)"; echo next'
run 'echo `if true`; echo next'
run 'a['

echo "--- POSIX mode"
run 'set -o posix; readonly x=1; x=2; echo next'
run 'set -o posix; readonly x=1; x=2 true; echo next'
run 'set -o posix; .() { :; }; echo next'

echo "--- bad substitutions"
for text in '${#=}' '${#+}' '${#%}' '${!#x}' '${a[]}' '${a[@]:}'; do
  (eval "echo $text") 2>/dev/null || echo "bad $text"
done
a=(1 2 3)
echo "${a[@]: }" "${a[@]: : 2}" "${#:-}" "${#:+x}"

echo "--- loops, names and redirections"
for i in 1 2; do for j in 1 2; do echo $i$j; continue 0; done; done 2>/dev/null
echo "status $?"
(eval '$foo() { :; }') 2>/dev/null; echo "status $?"
! !; echo "status $?"
set -- '1 2' x
(echo lost >& "$@") 2>/dev/null; echo "status $?"
f() { set -e; false; echo unseen; }
(! f; echo unseen); echo "status $?"
(set -e; ! f; echo seen); echo "status $?"

# Scripts from -c name the option in syntax errors; the end of a text is on the line after it.
bash -c 'echo )' 2>&1
bash -c ')' name 2>&1
bash -c 'if true
then' 2>&1
bash -c 'while' name 2>&1 | tail -n 1
eval 'if' 2>&1 | sed 's/.*: eval/eval/'

# A here-document without its end is used, with a warning.
printf 'cat <<END\nline\n' > unended
bash ./unended 2>&1

# Under the name sh, or with POSIXLY_CORRECT, the shell follows POSIX.
ln -s "$(type -P bash)" sh
cat > aliased <<'END'
alias hello='echo alias'
hello
shopt inherit_errexit expand_aliases
x=1 :
echo "${x-unset}"
END
./sh ./aliased
POSIXLY_CORRECT=1 bash ./aliased
bash -c 'set -o posix; set +o posix; shopt expand_aliases inherit_errexit'
./sh -c '. ./no-such-file; echo not here' 2>/dev/null
echo $?

# In that mode, aliases are printed as POSIX says, and redirections of special builtins end a script.
./sh -c 'alias a="b c"; alias; alias -p; : < /no/such; echo not here' 2>/dev/null; echo $?
alias -x 2>&1 | sed 's/.*: alias: -/alias: -/'
./sh -c 'cat < /no/such; shift 3; echo here' 2>&1 | sed 's/.*: line/line/'

# An empty name in CDPATH is the working directory, and others follow it.
mkdir -p one/deep two
(CDPATH=/no/such::"$PWD/one/"; cd deep > out; cat "$OLDPWD/out" | sed 's,.*/one,one,'; cd ../../two && echo two; cd "$OLDPWD/.." && cd deep > /dev/null; basename "$PWD")

# Mistakes in builtins.
m() { "$@" 2>&1 | sed 's/^[^ ]*: line [0-9]*: //'; }
m .; m . -x; m trap -q INT; m kill -s; m kill ''; m umask u:rwx; m umask u=q; m umask 99; m unset -f -v x
m shopt -s -u extglob; m declare -z; m declare -f -a x; m declare -f x=1; m logout; m declare -f +r m
fixed() { :; }; readonly -f fixed; declare -Fr; m declare -f +r fixed; readonly -a list=(1); readonly -a | grep list
(set -u; echo ${9}) 2>&1 | sed 's/.*: 9/9/'; (set -u; echo $9) 2>&1 | sed 's/.*: \$/$/'
x='abcd'; (echo "${x:1+}") 2>&1 | sed 's/.*line [0-9]*: //'; echo "${x:`echo 1`}"
echo `echo 'one\
two'`; v1='ab#cd'; v2='a^b'; v3='a:~b'; v4='a,b%'; set | grep '^v[1-4]='
