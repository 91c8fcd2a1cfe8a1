# A background command reads the input of its pipeline or of a redirected compound command.
echo hi | { cat & wait; }
echo hi2 | ( cat & wait )
while :; do cat & wait; break; done <<< loop
f() { cat & wait; }
f <<< func
echo piped | f
g() { cat & wait; } <<< def
g
{ { cat & wait; }; } <<< nest
{ ( cat & wait ); } <<< nest2
{ x=$(cat & wait); echo "x=$x"; } <<< sub
( cat & wait ) <<< par
eval 'cat & wait' <<< ev
if :; then cat & wait; fi <<< if
echo a | while read x; do cat & wait; done <<< b
echo zz | bash -c 'cat & wait'
{ cat | cat & wait; } <<< pipe
{ { cat; } & wait; } <<< grp
{ cat && : & wait; } <<< andor
echo last | { f; }
