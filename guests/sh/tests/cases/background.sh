# Background commands, jobs and messages about killed programs.
echo "--- jobs in substitutions and stages"
sleep 5 & first=$!
sleep 5 & second=$!
jobs | cat
echo "$(jobs -p | wc -l)" "$(jobs | wc -l)"
(jobs)
{ jobs; } | cat
kill $first $second
wait $first $second 2>/dev/null; echo $?

echo "--- SIGINT is ignored in the background"
mkfifo pipe
{ echo ready > pipe; read -r line < pipe; echo "end $line"; } & bg=$!
read -r line < pipe; kill -INT $bg; echo go > pipe; wait $bg; echo $?
(trap 'echo caught' INT; kill -INT $BASHPID; echo after) & wait $!
bash -c 'trap "echo no" INT; kill -INT $$; echo ignored' & wait $!

echo "--- messages"
sleep 5 & kill -HUP $!; wait $! 2> errors; echo $?
sed 's/.*line [0-9]*: *[0-9]* //' errors
bash -c 'kill -9 $$' 2>/dev/null; echo $?
{ bash -c 'kill -9 $$'; } 2> errors; sed 's/.*line [0-9]*: *[0-9]* //' errors

echo "--- traps at the end"
(trap 'trap -p EXIT; trap "echo never" EXIT; trap -p EXIT' EXIT)
bash -c 'trap "false; exit" USR1; kill -USR1 $$; echo no'; echo $?
bash -c 'trap "false; exit" EXIT; exit 3'; echo $?

echo "--- levels of shells"
SHLVL=5 bash -c 'bash -c "echo \$SHLVL"; bash -c "echo \$SHLVL"'
SHLVL=5 bash -c 'exec bash -c "echo \$SHLVL"'
bash -c 'sleep 0; wait %1; echo $?; echo $_' 2>/dev/null
bash -c 'export SHELLOPTS; set -f; bash -c "echo \$-"' | grep -c f

echo "--- the EXIT trap"
bash -c 'f() { local x=1; trap "echo \$x \$FUNCNAME \$?" EXIT; exit 3; }; f'; echo $?
bash -c 'trap "echo bye" EXIT; kill -TERM $$' 2>/dev/null; echo $?
bash -c 'trap "echo \$?; false" EXIT; eval "exit 6"; echo no'; echo $?
x=1 export x; declare -p x; z=3 export w; echo "[$z]"
BASH_ALIASES[q]='echo hi'; alias q; BASH_CMDS[foo]=/bin/true; hash -t foo
(exec -l bash -c 'echo $0')
