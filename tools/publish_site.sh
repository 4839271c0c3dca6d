#!/bin/sh
# Puts the site of a version beside those of others, on the branch gh-pages. `make docs` comes first.
#
#     tools/publish_site.sh dev           # what main has
#     tools/publish_site.sh 0.1.2         # a release: the site of 0.1, which is also the latest
#
# The branch is pushed to the remote PUSH, if that is set.
set -eu
cd "$(dirname "$0")/.."
PATH=$PWD/.venv/bin:$PATH

case $1 in
  dev)
    mike deploy dev
    mike list | grep -q latest || mike set-default dev
    ;;
  *)
    mike deploy --update-aliases --title "$1" "${1%.*}" latest
    mike set-default latest
    ;;
esac

# A host shows the page of that name in the site's folder for addresses that do not exist.
pages=$(mktemp -d)
git worktree add --quiet "$pages" gh-pages
newest=latest
[ -e "$pages/$newest" ] || newest=dev
cp "$pages/$newest/404.html" "$pages/404.html"
git -C "$pages" add 404.html
git -C "$pages" diff --cached --quiet || git -C "$pages" commit --quiet -m "Show the 404 page of $1"
git worktree remove "$pages"

if [ -n "${PUSH-}" ]; then git push "$PUSH" gh-pages; fi
