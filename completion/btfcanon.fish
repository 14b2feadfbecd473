# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Completion of btfcanon in fish. The program itself knows its commands and options: it is asked.

# Files that begin as the word does, folders first; those with the patterns, or all if none has.
function __btfcanon_files --argument-names before word patterns
    set -l likely
    set -l all
    for path in (complete -C "'' $word" 2>/dev/null | string replace -r '\t.*' '')
        set -a all $before$path
        if string match -q '*/' -- $path
            set -a likely $before$path
            continue
        end
        for pattern in (string split ' ' -- $patterns)
            if string match -q -- $pattern (string split / -- $path)[-1]
                set -a likely $before$path
                break
            end
        end
    end
    if set -q likely[1]
        printf '%s\n' $likely
    else if set -q all[1]
        printf '%s\n' $all
    end
end

function __btfcanon_complete
    set -l before (commandline -opc)
    set -l word (commandline -ct)
    for line in ($before[1] --complete $before[2..-1] "$word" 2>/dev/null)
        set -l parts (string split \t -- $line)
        if test "$parts[1]" = :files
            __btfcanon_files "$parts[2]" (string replace -- "$parts[2]" '' "$word") "$parts[3]"
        else
            echo $line
        end
    end
end

complete -c btfcanon -f -a '(__btfcanon_complete)'
