# printf and prompts follow an exported TZ; other variables of the name have no effect.
export TZ=Europe/Berlin
printf '%(%F %T %Z %z)T\n' 0 1720000000 1704400000
TZ=America/New_York printf '%(%F %T %Z %z)T\n' 1720000000
TZ='<+0545>-5:45' printf '%(%T %Z)T\n' 0
TZ=XXX3YYY,M3.5.0/1,J300/3 printf '%(%T %Z)T\n' 1720000000 1704400000
TZ=Nosuch printf '%(%T %z)T\n' 0
unset TZ
printf '%(%T %Z)T\n' 0
(TZ=Asia/Tokyo; printf '%(%T)T\n' 0)
