# Tildes in subscripts are plain text.
HOME=/h; declare -A p=([~]=1 [k]=~ ["~/x"]=2); declare -p p; p[~/y]=3; echo "${p['~/y']-none}" ${p[~]} "${p[~/y]}" ${p[~/x]}; [[ -v p[~] ]]; echo $?; unset 'p[~]'; echo ${#p[@]}; x=1; p[$x]=~/q; p["a b"]=c; p['q']=r; echo "${p[1]} ${p[a b]} ${p[q]}"; a[1+1]=z; a[x]=y; echo ${a[@]} ${!a[@]}; declare p[~]=w; echo "${p[~]}"
