#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# completion.sh - `hsim completion`: what bash, zsh and fish offer, asked in these shells.
#
# Usage: completion.sh HSIM SOURCE. Shells that are not installed are passed over.
set -euo pipefail

hsim=$1
root=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export HOME=$work

die()
{
    printf 'completion.sh: %s\n' "$*" >&2
    exit 1
}

mkdir results
touch study.yaml study.h5 policy.so results/easy.h5 'two words.yaml'
for shell in bash zsh fish; do
    "$hsim" completion $shell >"hsim.$shell"
done
code=0
"$hsim" completion tcsh 2>err || code=$?
[ "$code" -eq 2 ] && grep -q 'bash, zsh and fish' err || die "tcsh: $code, $(cat err)"
"$hsim" completion zhs 2>err && die 'zhs is not known'
grep -q "Did you mean 'zsh'" err || die "did you mean: $(cat err)"

# ---- bash, with the words as bash would divide them (at blanks and at =)
bash -n hsim.bash
. ./hsim.bash

# offers LINE: what is offered for the last word, sorted, in one line.
offers()
{
    local IFS=$' \t\n'
    local -a COMPREPLY=()

    read -ra COMP_WORDS <<<"$(sed 's/=/ = /g' <<<"$1")"
    [[ $1 == *[=\ ] ]] && COMP_WORDS+=('')
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMP_LINE=$1 COMP_POINT=${#1}
    _hsim
    printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort | tr '\n' '|'
}

expect()
{
    local got

    got=$(offers "$1")
    [ "$got" = "$2" ] || die "bash, '$1': '$got', not '$2'"
}

expect 'hsim ru' 'run|'
expect 'hsim trace i' 'info|'
expect 'hsim export --to s' 'sqlite|swf|'
expect 'hsim export --to=s' 'sqlite|swf|'
expect 'hsim export --tabl' '--table=|'
expect 'hsim run ' 'results|study.yaml|two words.yaml|'
expect 'hsim run st' 'study.yaml|'
expect 'hsim inspect st' 'study.h5|'
expect 'hsim run --verify st' 'study.h5|'
expect 'hsim policies list --plugin ' 'policy.so|results|'
expect 'hsim policies sh' 'show|'
expect 'hsim policies show saf' 'saf|'
expect 'hsim run --set workload.loa' 'workload.load=|'
expect 'hsim run --set policy=sjf-easy-' 'sjf-easy-hosts|sjf-easy-noextra|sjf-easy-sjbf|'
expect 'hsim run --set=scheduler.predictor=l' 'last-two|'
expect 'hsim run -s output.allocations=' 'false|true|'
expect 'hsim run --set workload.file=st' 'study.h5|study.yaml|'
expect 'hsim explain scheduler.lat' 'scheduler.latency|'
expect 'hsim help tra' 'trace|'
expect 'hsim help trace inf' 'info|'
expect 'hsim trace convert --zero o' 'one-second|'
expect 'hsim map --policy min-st' 'min-standard-deviation|'
expect 'hsim bench startu' 'startup|'
expect 'hsim compare --format l' 'latex|'
expect 'hsim nonsense ' '|'
COMP_WORDBREAKS=${COMP_WORDBREAKS//=/}
COMP_WORDS=(hsim export --to=sq) COMP_CWORD=2
COMPREPLY=()
_hsim
[ "${COMPREPLY[*]}" = --to=sqlite ] || die "bash without = as a break: ${COMPREPLY[*]}"

# ---- every command and every option that --help shows is offered, every word is taken
COMP_WORDBREAKS+='='
families=' '
commands=$("$hsim" help | sed -n 's/^  \([a-z]*\) .*/\1/p' | grep -v '^help$')
for command in $commands; do
    "$hsim" "$command" --help >help.txt
    if grep -q "^Usage: hsim $command COMMAND" help.txt; then
        families+="$command "
        for sub in $(sed -n '/^$/,$s/^  \([a-z]*\) .*/\1/p' help.txt); do
            "$hsim" "$command" "$sub" --help >"help.$command $sub"
        done
    else
        mv help.txt "help.$command"
    fi
done
[[ $families == *' trace '* && $families == *' platform '* ]] || die "families: $families"
for file in help.*; do
    path=${file#help.}
    [ "$path" != txt ] || continue
    _hsim_options "$path"
    offered=" ${REPLY//=/} "
    fish=$(grep -F "__hsim_in $path'" hsim.fish)
    zsh=$(sed -n "/^    '$path')$/,/;;$/p" hsim.zsh)
    while read -r option; do
        [[ $offered == *" $option "* ]] || die "'hsim $path $option' is not offered: $offered"
        [[ $fish == *" -l ${option#--} "* ]] || die "fish does not know 'hsim $path $option'"
        [[ $zsh == *"$option"* ]] || die "zsh does not know 'hsim $path $option'"
    done < <(sed -n 's/^  \(-[a-zA-Z?], \|    \)\(--[a-z-]*\).*/\2/p' "$file")
done
# A word in the script that the command does not know would be refused with its name.
sed -n "/^_hsim_argument()/,/^}/s/^    '\([a-z ]* --[a-z-]*\)'.*REPLY=' *\([a-z0-9].*\)' ;;$/\1=\2/p" \
    hsim.bash >words.txt
[ "$(wc -l <words.txt)" -ge 15 ] || die "few options with words: $(cat words.txt)"
while IFS='=' read -r option words; do
    for word in $words; do
        [[ $word == [a-z]* ]] || continue
        # shellcheck disable=SC2086
        "$hsim" $option="$word" >out.txt 2>&1 </dev/null || true
        ! grep -qF "'$word'" out.txt || die "hsim $option=$word: $(cat out.txt)"
    done
done <words.txt
_hsim_set @stacks
{
    printf 'hsim: 1\nplatform: {nodes: 4}\nworkload: {generate: {jobs: 2}}\npolicies:\n'
    # `recorded` is for traces only
    tr ' ' '\n' <<<"$REPLY" | awk '/./ && $0 != "recorded" { print "  - {name: " $0 ", label: p" NR "}" }'
} >stacks.yaml
"$hsim" validate stacks.yaml >out.txt 2>&1 || die "policies: $(cat out.txt)"

# ---- the other shells, and bash with its own hands
if command -v fish >/dev/null; then
    fish -n hsim.fish || die 'fish -n'
    fish -c "source hsim.fish
        complete -C'hsim ru'
        complete -C'hsim trace conv'
        complete -C'hsim run --set policy=sjf-easy-h'
        complete -C'hsim run --set=workload.generate.model='
        complete -C'hsim export --to sq'
        complete -C'hsim explain scheduler.lat'
        complete -C'hsim run --forc'" | cut -f 1 >fish.txt
    printf '%s\n' run convert policy=sjf-easy-hosts --set=workload.generate.model=lublin \
        --set=workload.generate.model=mix sqlite scheduler.latency --force |
        cmp - fish.txt || die "fish: $(cat fish.txt)"
else
    echo 'fish is not installed'
fi
if command -v zsh >/dev/null; then
    zsh -n hsim.zsh || die 'zsh -n'
fi
python3 "$root/tests/cli/completion.py" hsim.bash hsim.zsh
