#!/usr/bin/env bash
# What the documentation says is so: links, named files, functions and cited works are there, every
# scene key is documented, scenes in it are good, the commands of README and tutorials run, and the
# site has every page.
#   tests/docs.sh PROGRAM
set -euo pipefail
program=$(realpath "$1")
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root"
pages=(README.md CONTRIBUTING.md docs/*.md docs/laws/*.md docs/theory/*.md docs/tutorials/*.md docs/developer/*.md)
passed=0 failed=0 skipped=0

# found WORDS: one thing is as it should be, or the words say what is not.
found() {
  if [[ -z $1 ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $1"
  fi
}

check_links() {
  local page target
  for page in "${pages[@]}"; do
    while read -r target; do
      [[ -e $(dirname "$page")/$target ]] && found "" || found "$page links to $target"
    done < <(grep -oE '\]\([^)# ]+' "$page" | cut -c3- | grep -v ^https:)
    while read -r target; do
      [[ -e $target ]] && found "" || found "$page names $target"
    done < <(grep -oE '`(src|tests|scenes|tools|papers|bench|include|examples|web)/[A-Za-z0-9_./-]+`' "$page" |
      tr -d '`' | grep -v KEY)
  done
}

# Headings of a page as the anchors that links name: lower case, spaces as -, no other marks.
anchors() {
  sed -n '/^```/,/^```/d; s/^##* //p' "$1" | sed -e 's/`//g' -e 's/\[\([^]]*\)\]([^)]*)/\1/g' |
    tr '[:upper:]' '[:lower:]' | sed -e 's/[^a-z0-9 _-]//g' -e 's/  */-/g'
}

# Links to a place in a page.
check_anchors() {
  local page target file
  for page in "${pages[@]}"; do
    while read -r target; do
      file=${target%%#*}
      file=${file:+$(dirname "$page")/$file}
      grep -qx -- "${target#*#}" < <(anchors "${file:-$page}") && found "" || found "$page links to $target"
    done < <(grep -oE '\]\([^) ]*\.md#[^) ]+|\]\(#[^) ]+' "$page" | cut -c3- | grep -v ^https:)
  done
}

# Functions named after a source file, as in `src/sim/sim.c` `ff_sim_step`, are in that file.
check_functions() {
  local page file name
  for page in "${pages[@]}"; do
    while read -r file name; do
      grep -qs "^[a-z].*\b$name(" "$file" && found "" || found "$page: $name is not in $file"
    done < <(grep -oE '`(src|cli)/[a-z0-9_/]+\.c` `[a-z0-9_]+`(, `[a-z0-9_]+`)*' "$page" | tr -d '`,' |
      awk '{ for (i = 2; i <= NF; i++) print $1, $i }')
  done
}

# Functions of the walk through a step in docs/architecture.md: each is defined in src, and called or
# part of a table there.
check_walk() {
  local name
  while read -r name; do
    if grep -rqE "^[a-z].*\b$name\(" src --include='*.[ch]' &&
       grep -rqE "^ +([^ */].*)?\b$name\b" src --include='*.[ch]'; then
      found ""
    else
      found "docs/architecture.md: no step calls $name"
    fi
  done < <(sed -n '/^## One step of each/,/^## Status/p' docs/architecture.md |
    grep -oE '`[a-z0-9]+(_[a-z0-9]+)+`' | tr -d '`' | grep -vx max_step | sort -u)
}

# Every work that a comment or a page cites, as in [Marhefka96 eq. 13].
check_citations() {
  local key
  while read -r key; do
    grep -q "^| \`$key\` |" docs/bibliography.md && found "" ||
      found "[$key] is cited and not in docs/bibliography.md"
  done < <(grep -rhoE '\[[A-Z][A-Za-z]+(1[0-9])?[0-9]{2}[] ,;]' src include cli papers bench docs --include='*.[ch]' --include='*.md' |
    tr -d '[] ,;' | sort -u)
}

# Every word that a reader of scenes knows.
check_keys() {
  local key
  while read -r key; do
    grep -qE "(^|[^a-z-])$key([^a-z-]|$)" docs/scene-format.md docs/shapes.md docs/robots.md \
      docs/walking.md docs/constraints.md docs/micro-macro.md && found "" ||
      found "the scene key '$key' is documented nowhere"
  done < <(cat src/io/scene_*.c | tr '\n' ' ' | grep -oE 'keys\[\] = \{[^;]*;' | grep -oE '"[a-z-]+"' |
    tr -d '"' | sort -u)
}

# Blocks of a language in a page, each into a file of its own: WORK/block-N.
blocks() {
  rm -f "$work"/block-*
  awk -v into="$work/block-" -v wanted="\`\`\`$2" '
    /^```/ { open = !open; inside = open && $0 == wanted; n += inside; next }
    inside { print > (into n) }' "$1"
}

check_scenes() {
  local page block said
  for page in "${pages[@]}"; do
    blocks "$page" yaml
    for block in "$work"/block-*; do
      if [[ -f $block ]] && grep -q '^footfall: 1' "$block"; then
        said=$("$program" check "$block" 2>&1 >/dev/null) && found "" || found "$page: $said"
      fi
    done
  done
}

# The README's, in a folder beside nothing but scenes.
check_commands() {
  local words said
  blocks README.md ""
  ln -s "$root/scenes" "$work/scenes"
  while read -r words; do
    # A build without npm writes no reports, one without ./dev live no live ones; both say so.
    if said=$(cd "$work" && "$program" ${words#footfall } 2>&1 </dev/null) || [[ $said == *npm* ]] ||
      [[ $said == *"./dev live"* ]]; then
      found ""
    else
      found "README: $words: $said"
    fi
  done < <(cat "$work"/block-* | sed -n 's/ *#.*//; /^footfall /p')
}

# Tables that the program prints.
check_tables() {
  local words page mark
  while read -r words page mark; do
    if diff <("$program" "$words" --markdown) <(sed -n "/^<!-- $mark -->/,/^<!-- .$mark -->/p" "$page" |
      sed '1d;$d') >/dev/null; then
      found ""
    else
      found "$page has another table than footfall $words; run tools/refresh-docs PROGRAM"
    fi
  done <<<"findings docs/verdict.md findings
paper docs/papers.md papers"
}

# Lines of a page in order: "run COMMAND" of blocks without a language, "text LINE" of those marked as text.
steps() {
  awk '/^```/ { open = !open; kind = !open ? "" : $0 == "```" ? "run" : $0 == "```text" ? "text" : ""; next }
    kind == "run" && /^footfall / { print "run", $0 }
    kind == "text" && NF { print "text", $0 }' "$1"
}

# Pages that are followed step by step: files by their title, then the commands, in one folder. Every line of a
# text block, as far as "..." in it, must be among what the commands since the last text block printed.
check_tutorials() {
  local page kind words said folder before
  for page in docs/start.md docs/tutorials/*.md; do
    folder=$work/$(basename "$page" .md)
    mkdir "$folder"
    ln -s "$root/scenes" "$folder/scenes"
    awk -v folder="$folder/" '
      /^```[a-z]+ title="/ { split($0, part, "\""); file = folder part[2]; next }
      /^```/ { file = ""; next }
      file { print > file }' "$page"
    [[ $page != *python.md ]] || continue
    before="" && : >"$work/said"
    while read -r kind words; do
      if [[ $kind == text ]]; then
        grep -qF -- "$(tr -s ' ' <<<"${words%%...*}")" < <(tr -s ' ' <"$work/said") && found "" ||
          found "$page: no command before it prints: $words"
      else
        [[ $before != text ]] || : >"$work/said"
        if said=$(cd "$folder" && eval "\"$program\" ${words#footfall }" 2>&1 </dev/null) || [[ $said == *npm* ]]; then
          found ""
        else
          found "$page: $words: $said"
        fi
        printf '%s\n' "$said" >>"$work/said"
      fi
      before=$kind
    done < <(steps "$page")
  done
}

# Scripts of the Python tutorial, as its commands run them, and what it says they print.
check_python() {
  local page=docs/tutorials/python.md folder=$work/scripts build said expected script n=0 interpreter=/usr/bin/python3
  build=$(dirname "$program")/python
  [[ -x $interpreter ]] || interpreter=python3 # as python/CMakeLists.txt selects it
  if ! PYTHONPATH=$build "$interpreter" -c 'import footfall' 2>/dev/null; then
    echo "SKIP $page: import footfall"
    skipped=$((skipped + 1))
    return
  fi
  mkdir "$folder"
  ln -s "$root/scenes" "$folder/scenes"
  awk -v folder="$folder/" '
    /^```python title="/ { split($0, part, "\""); file = folder part[2]; next }
    /^```text/ { file = folder "expected-" ++n; next }
    /^```/ { file = ""; next }
    file { print > file }' "$page"
  while read -r script; do
    n=$((n + 1))
    said=$(cd "$folder" && PYTHONPATH=$build "$interpreter" "$script" 2>&1) || true
    expected=$(cat "$folder/expected-$n")
    [[ $said == "$expected" ]] && found "" || found "$page: $script prints $said"
  done < <(sed -n 's/^python3 //p' "$page")
}

# Every page that says how to use something has an example, and every page with a figure the command
# that makes it.
check_examples() {
  local page
  for page in docs/*.md docs/laws/*.md docs/theory/*.md docs/tutorials/*.md; do
    [[ $page == docs/bibliography.md ]] || grep -q '^ *```' "$page" && found "" ||
      found "$page has no example"
    ! grep -q '^!\[' "$page" || grep -qE '`(tools/|footfall |\./dev )' "$page" || grep -q '^footfall ' "$page" ||
      found "$page does not say how its figure is made"
  done
}

check_spelling() {
  local line
  if ! command -v codespell >/dev/null; then
    echo "SKIP codespell is not installed"
    skipped=$((skipped + 1))
    return
  fi
  while read -r line; do
    found "$line"
  done < <(codespell --quiet-level 3 --ignore-words tools/spelling-allowed "${pages[@]}" || true)
  found ""
}

# Every page is in the menu of the site, and every entry of the menu is there.
check_site() {
  local page
  while read -r page; do
    [[ -e docs/$page ]] && found "" || found "mkdocs.yml names $page"
  done < <(grep -oE '[a-z0-9/-]+\.md$' mkdocs.yml)
  for page in docs/*.md docs/*/*.md; do
    grep -q " ${page#docs/}$" mkdocs.yml && found "" || found "mkdocs.yml lacks $page"
  done
}

check_links
check_anchors
check_tables
check_functions
check_walk
check_citations
check_keys
check_scenes
check_commands
check_tutorials
check_site
check_python
check_examples
check_spelling
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0))
