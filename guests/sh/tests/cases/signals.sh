# Subshells show the traps of their parent until they set one.
trap 'echo "two
lines"' INT
trap 'echo term' TERM
trap -p TERM INT
(trap -p TERM; trap 'echo x' USR1; trap -p TERM USR1)
echo $(trap -p TERM)
trap -p TERM | cat
cat <(trap -p TERM)
trap - INT TERM
# A background child signals a shell that loops.
bash -c 'trap "echo got; exit 3" TERM; (sleep 0.1; kill $$) & while true; do sleep 0.05; done'; echo $?
# exit and return in a trap use the status from before it.
(trap 'echo trapped; exit' EXIT; (exit 5)); echo $?
f() { (exit 2); (kill -USR1 $$; exit 3); echo no; }
trap 'echo usr1; return' USR1
f; echo $?
trap - USR1
# Messages of children that signals end.
bash -c 'sleep 5 & kill -HUP $!; wait $!; echo $?' 2>/dev/null
# A child that has ended is not alive.
sleep 0 & pid=$!; sleep 0.2; kill -0 $pid 2>/dev/null || echo gone
# RETURN traps see the status of the last command.
set -T
trap 'echo "return $?"' RETURN
g() { false; return 4; }
g; echo $?
trap - RETURN
set +T
# ulimit keeps what a script sets.
ulimit -S -t 100; ulimit -S -t; ulimit -t 50; ulimit -H -t
ulimit -t 60 2>/dev/null || echo refused
(ulimit -n 0; echo x > out) 2>/dev/null || echo too many
