# $BASH_COMMAND is the command that a trap interrupted, in the script's own words.
(set -e; trap 'echo "failed: $BASH_COMMAND"' EXIT; false; echo not reached)
(trap 'echo "at: $BASH_COMMAND"; f' EXIT; f() { echo "in $BASH_COMMAND"; }; true; exit 3)
(trap 'echo "usr: $BASH_COMMAND"' USR1; kill -USR1 $BASHPID; echo "$BASH_COMMAND")
(trap 'echo "err: $BASH_COMMAND $?"' ERR; (exit 3); x=$(false); [ a = b ]; ((0)); f() { return 2; }; f)
trap 'echo "#> $BASH_COMMAND"' DEBUG
echo '|' ';' "a" \; '(' a\ b '' '*' > /dev/null
x='|' y=';' z=\;
for i in '|' b; do :; done
echo a | tr a '|'
