/**
 * The guard's program. It is in bash, which is installed anyway and takes a few megabytes. It waits for the end of its
 * input, which comes when its Retinue ends, for whatever reason. Then it ends the processes with that Retinue's mark,
 * the rest of their sessions, and their descendants: SIGTERM first, then SIGKILL, until two snapshots are empty.
 *
 * Each snapshot is taken right before its signals, so that a reused pid is not hit. A session counts only if its leader
 * is one of these processes or gone: a session with another leader is a terminal of the user.
 *
 * A mark is a whole entry of an environment: a text that quotes it is no mark. `ps` shows neither where an entry begins
 * nor where the environment does, so on macOS a word that looks like a mark is one. An owner contains no character with
 * a meaning in patterns.
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
