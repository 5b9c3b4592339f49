# SPDX-License-Identifier: GPL-3.0-or-later
# code.awk - C files to lines `name TAB number TAB code` without comments and string contents.
FNR == 1 {
    in_comment = 0
}
{
    line = $0
    sub(/\r$/, "", line)
    if (!in_comment && line ~ /^[ \t]*#[ \t]*include/) {
        sub(/[ \t]*(\/\*.*|\/\/.*)$/, "", line)
        printf "%s\t%d\t%s\n", FILENAME, FNR, line
        next
    }
    out = ""
    quote = ""
    length_of_line = length(line)
    for (i = 1; i <= length_of_line; i++) {
        c = substr(line, i, 1)
        two = substr(line, i, 2)
        if (in_comment) {
            if (two == "*/") {
                in_comment = 0
                out = out " "
                i++
            }
        } else if (quote != "") {
            if (c == "\\") {
                i++
            } else if (c == quote) {
                quote = ""
                out = out c
            }
        } else if (two == "/*") {
            in_comment = 1
            i++
        } else if (two == "//") {
            break
        } else {
            if (c == "\"" || c == "'") {
                quote = c
            }
            out = out c
        }
    }
    printf "%s\t%d\t%s\n", FILENAME, FNR, out
}
