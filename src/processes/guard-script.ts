/**
 * The guard's program, in bash, because that is there anyway and takes a few megabytes. It waits for the end of its
 * input, which comes when the Retinue that holds the other end has ended, however that was. Then it ends what carries
 * that Retinue's mark, the rest of those processes' sessions, and everything below: gently, then surely, until two looks
 * find nothing.
 *
 * Each look is taken afresh right before its signals, so that a pid that went to a stranger meanwhile is not hit. A
 * session counts only if its leader is one of them or gone: one that somebody else leads is somebody's terminal.
 *
 * A mark is a whole entry of an environment: a text in which it is quoted marks nobody. `ps` does not tell where an entry
 * begins, nor environment from arguments, so on macOS a word that looks like a mark is one. An owner has no character
 * that means something in a pattern.
 */
export const guardScript: string = String.raw`
trap '' HUP INT TERM
owner=$1
while read -r _; do :; done

marked() {
  if [[ -e /proc/self/environ ]]; then
    grep -slazE "^RETINUE_OWNER=([^,]*,)*$owner(,|$)" /proc/[0-9]*/environ
    ls -lq /proc/[0-9]*/fd/6[4-9] /proc/[0-9]*/fd/7[01] |
      grep -E "/retinue-mark~$owner~[^~/]+~[^~/ ]+( \(deleted\))?$"
  else
    ps -axEww -o pid=,command= | grep -E " RETINUE_OWNER=([^ ,]*,)*$owner(,| |$)" |
      while read -r pid _; do echo "/proc/$pid/"; done
  fi
}

# Sets parent and session of every process that lives.
look() {
  parent=() session=()
  local pid up stat
  if [[ -e /proc/self/stat ]]; then
    for pid in /proc/[0-9]*; do
      stat=
      IFS= read -r -d '' stat <"$pid/stat"
      set -- ${"$"}{stat##*) }
      [[ -z $4 || $1 == [ZX] ]] && continue
      parent[${"$"}{pid#/proc/}]=$2 session[${"$"}{pid#/proc/}]=$4
    done
  else
    while read -r pid up; do parent[pid]=$up; done < <(ps -axo pid=,ppid=)
  fi
}

# Sets family.
gather() {
  local line pid more=1
  family=()
  while read -r line; do
    [[ $line =~ /proc/([0-9]+)/ ]] && family[BASH_REMATCH[1]]=1
  done < <(marked)
  ((${"$"}{#family[@]})) || return
  look
  for pid in 1 "$$" "${"$"}{!family[@]}"; do
    [[ $pid == 1 || $pid == "$$" || -z ${"$"}{parent[pid]} ]] && unset "family[pid]"
  done
  while ((more)); do
    more=0
    local -a sessions=()
    for pid in "${"$"}{!family[@]}"; do
      line=${"$"}{session[pid]:-0}
      ((line > 1)) && [[ -n ${"$"}{family[line]} || -z ${"$"}{parent[line]} ]] && sessions[line]=1
    done
    for pid in "${"$"}{!parent[@]}"; do
      [[ -n ${"$"}{family[pid]} || $pid == 1 || $pid == "$$" ]] && continue
      if [[ -n ${"$"}{family[parent[pid]]} || -n ${"$"}{sessions[session[pid]]} ]]; then
        family[pid]=1 more=1
      fi
    done
  done
}

declare -a family parent session told
for ((round = 0, empty = 0; round < 200 && empty < 2; round++)); do
  gather
  if ((${"$"}{#family[@]})); then empty=0; else ((empty++)); fi
  for pid in "${"$"}{!family[@]}"; do
    if ((round >= 6)); then
      kill -KILL "$pid"
    elif [[ -z ${"$"}{told[pid]} ]]; then
      told[pid]=1
      kill -TERM "$pid"
    fi
  done
  sleep 0.05
done
`;
