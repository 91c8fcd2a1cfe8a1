# Scripts that bash reads from standard input, line by line.
printf 'echo one\\\ntwo; echo $\\\nHOME; i\\\nf true; then echo yes; fi # end \\\necho next\n' | bash
printf '# comment \\\necho after\n' | bash
printf 'cat <<EOF\nx\\\ny\nEOF\necho "$-"\n' | bash
bash -c 'cat <<EOF
no end' 2> /dev/null
# Options: none is set if one does not exist.
set -ez 2> /dev/null; false; echo "still here: $?"
# Parameters that a sourced script sets with set stay; those it only shifts do not.
echo 'shift; set -- "$@" z' > set.sh
echo 'shift' > shift.sh
set -- a b; . ./set.sh c d; echo "$@"
set -- a b; . ./shift.sh c d; echo "$@"
f() { . ./set.sh 1 2; echo "$@"; }; f 9; echo "$@"
printf -v 'arr[@]' x 2> /dev/null; echo "printf $?"
printf '%c' '' | od -An -tx1
pushd -n; shopt -q; echo $?
# An interactive shell expands aliases; exec names itself when it finds nothing.
printf "alias hi='echo hello; '\nhi echo there\n" | bash --norc -i 2> /dev/null
(exec no-such-program) 2>&1 | sed 's/.*line [0-9]*: //'

# A function with its own OPTIND leaves the caller's in the middle of an argument.
options() {
    local OPTIND=1 option
    while getopts :abxyz option; do
        echo "option $option"
        [ "$option" != x ] || options -ab
    done
}
options -xyz -a

# An error of printf comes after the lines before it.
{ printf '%d\n' 1 two 3; } 2>&1 | sed 's/.*: printf/printf/'
{ printf '%d|%d\n' 1 two 3 4; } 2>&1 | sed 's/.*: printf/printf/'
{ printf; } 2>&1

# Input that is always ready does not hide that the time is over.
read -t 0.1 line < /dev/zero
echo "read $?"
