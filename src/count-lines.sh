#!/usr/bin/env bash
# Code lines of main sources for each module, or for each package of one: lines that are neither blank nor comment, in
# the formatter's layout, which the build enforces. Usage: src/count-lines.sh [module]
set -euo pipefail
cd "$(dirname "$0")/.."
find ${1:-wheel-scheduler-*}/src/main/java -name '*.java' | sort | xargs awk -v by="${1:+package}" '
    FNR == 1 { key = FILENAME; sub(by ? "/[^/]*$" : "/.*", "", key); sub(".*/java/", "", key); files[key]++ }
    /^[ \t]*\/\*/ { comment = 1 }
    !comment && !/^[ \t]*(\/\/.*)?$/ { lines[key]++; total++ }
    /\*\// { comment = 0 }
    END {
        for (key in files) printf "%7d lines %4d files  %s\n", lines[key], files[key], key | "sort -k5"
        close("sort -k5")
        printf "%7d lines\n", total
    }'
