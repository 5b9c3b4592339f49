/* SPDX-License-Identifier: GPL-3.0-or-later */
/* completion_bash.c - the tables as functions of bash, and the code that asks them. */
#include "cli/completion.h"

struct writer {
    FILE *file;
    const struct completion_command *command;
};

static void put_option(const struct argp_option *option, void *context)
{
    FILE *file = context;

    if (option->name) {
        (void)fprintf(file, " --%s%s", option->name,
                      option->arg && !(option->flags & OPTION_ARG_OPTIONAL) ? "=" : "");
    }
    if (completion_letter(option)) {
        (void)fprintf(file, " -%c", completion_letter(option));
    }
}

static void put_options(const struct completion_command *command, void *context)
{
    FILE *file = context;

    (void)fputs("    '", file);
    completion_put_path(file, command);
    (void)fputs("') REPLY='", file);
    cli_each_option(command->argp, put_option, file);
    (void)fputs(" --help --usage' ;;\n", file);
}

static void put_argument(const struct argp_option *option, void *context)
{
    const struct writer *writer = context;
    const struct completion_command *command = writer->command;

    if (!option->arg || option->flags & OPTION_ARG_OPTIONAL) {
        return;
    }
    (void)fputs("    '", writer->file);
    completion_put_path(writer->file, command);
    (void)fprintf(writer->file, " --%s'", option->name);
    if (completion_letter(option)) {
        (void)fputs("|'", writer->file);
        completion_put_path(writer->file, command);
        (void)fprintf(writer->file, " -%c'", completion_letter(option));
    }
    (void)fputs(") REPLY='", writer->file);
    completion_tokens(writer->file, command, option);
    (void)fputs("' ;;\n", writer->file);
}

static void put_arguments(const struct completion_command *command, void *context)
{
    struct writer writer = {context, command};

    (void)fputs("    '", writer.file);
    completion_put_path(writer.file, command);
    (void)fputs(" ') REPLY='", writer.file);
    completion_tokens(writer.file, command, NULL);
    (void)fputs("' ;;\n", writer.file);
    cli_each_option(command->argp, put_argument, &writer);
}

static const char code_text[] =
    "# Adds to `found` what begins with $2 among the words, patterns and sets $1, behind $3.\n"
    "_hsim_match()\n"
    "{\n"
    "    local token word before=$3 begin=$2\n"
    "    local -a tokens\n"
    "\n"
    "    read -ra tokens <<<\"$1\"\n"
    "    for token in \"${tokens[@]}\"; do\n"
    "        case $token in\n"
    "        @files) mapfile -t -O \"${#found[@]}\" found < <(compgen -P \"$before\" -f -- "
    "\"$begin\")\n"
    "            is_file=1 ;;\n"
    "        @folders) mapfile -t -O \"${#found[@]}\" found < <(compgen -P \"$before\" -d -- "
    "\"$begin\")\n"
    "            is_file=1 ;;\n"
    "        \\**) mapfile -t -O \"${#found[@]}\" found < <(\n"
    "                compgen -P \"$before\" -f -X \"!$token\" -- \"$begin\"\n"
    "                compgen -P \"$before\" -d -- \"$begin\")\n"
    "            is_file=1 ;;\n"
    "        @settings)\n"
    "            if [[ $begin == *=* ]]; then\n"
    "                _hsim_key \"${begin%%=*}\"\n"
    "                _hsim_match \"$REPLY\" \"${begin#*=}\" \"$before${begin%%=*}=\"\n"
    "            else\n"
    "                _hsim_set @settings\n"
    "                mapfile -t -O \"${#found[@]}\" found < <(compgen -P \"$before\" -W \"$REPLY\" "
    "-- \"$begin\")\n"
    "            fi ;;\n"
    "        @*) _hsim_set \"$token\"\n"
    "            mapfile -t -O \"${#found[@]}\" found < <(compgen -P \"$before\" -W \"$REPLY\" -- "
    "\"$begin\") ;;\n"
    "        *) [[ $token == \"$begin\"* ]] && found+=(\"$before$token\") ;;\n"
    "        esac\n"
    "    done\n"
    "    return 0\n"
    "}\n"
    "\n"
    "_hsim()\n"
    "{\n"
    "    local REPLY path word before is_file= i at=1\n"
    "    local -a words=() found=()\n"
    "\n"
    "    # bash divides words at '='; here they are whole again, up to the cursor.\n"
    "    for ((i = 0; i <= COMP_CWORD; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        if ((i > 1)) && [[ ${COMP_WORDS[i - 1]} == *= || $word == =* ]] &&\n"
    "            [[ $COMP_WORDBREAKS == *=* ]]; then\n"
    "            words[${#words[@]} - 1]+=$word\n"
    "        else\n"
    "            words+=(\"$word\")\n"
    "        fi\n"
    "    done\n"
    "    word=${words[${#words[@]} - 1]}\n"
    "    path=\n"
    "    [[ ${words[1]-} == help && ${#words[@]} -gt 2 ]] && words=(hsim \"${words[@]:2}\")\n"
    "    while ((at < ${#words[@]} - 1)) && _hsim_commands \"$path\" &&\n"
    "        [[ \" $REPLY \" == *\" ${words[at]} \"* ]]; do\n"
    "        path+=${path:+ }${words[at++]}\n"
    "    done\n"
    "    before=\n"
    "    ((${#words[@]} > at + 1)) && before=${words[${#words[@]} - 2]}\n"
    "    REPLY=\n"
    "    if ((at == ${#words[@]} - 1)) && _hsim_commands \"$path\"; then\n"
    "        _hsim_match \"$REPLY --help\" \"$word\" ''\n"
    "    elif [[ $word == --*=* ]] && _hsim_argument \"$path ${word%%=*}\"; then\n"
    "        _hsim_match \"$REPLY\" \"${word#*=}\" \"${word%%=*}=\"\n"
    "    elif [[ $before == -* && $before != *=* ]] && _hsim_argument \"$path $before\"; then\n"
    "        _hsim_match \"$REPLY\" \"$word\" ''\n"
    "    elif [[ $word == -* ]]; then\n"
    "        _hsim_options \"$path\"\n"
    "        _hsim_match \"$REPLY\" \"$word\" ''\n"
    "    else\n"
    "        _hsim_argument \"$path \"\n"
    "        _hsim_match \"$REPLY\" \"$word\" ''\n"
    "    fi\n"
    "    # Only what stands behind the last '=' is replaced.\n"
    "    if [[ $word == *=* && $COMP_WORDBREAKS == *=* ]]; then\n"
    "        found=(\"${found[@]#\"${word%=*}=\"}\")\n"
    "    fi\n"
    "    COMPREPLY=(\"${found[@]}\")\n"
    "    [[ $is_file ]] && compopt -o filenames 2>/dev/null\n"
    "    [[ ${#found[@]} -eq 1 && ${found[0]} == *= ]] && compopt -o nospace 2>/dev/null\n"
    "    return 0\n"
    "}\n"
    "complete -F _hsim hsim\n";

enum hs_err completion_bash(FILE *file, struct hs_error *error)
{
    enum hs_err code;

    (void)fputs("# Completion of hsim for bash; `hsim completion bash` made it.\n"
                "# Each function leaves its answer in REPLY.\n\n",
                file);
    completion_put_commands(file);
    (void)fputs("_hsim_options()\n{\n    case $1 in\n", file);
    code = completion_each_command(put_options, file, error);
    (void)fputs("    *) REPLY= ;;\n    esac\n}\n\n"
                "# What the argument of an option can be, or (\"command \") that of the command.\n"
                "_hsim_argument()\n{\n    case $1 in\n",
                file);
    if (code == HS_OK) {
        code = completion_each_command(put_arguments, file, error);
    }
    (void)fputs("    *)\n        REPLY=\n        return 1 ;;\n    esac\n}\n\n", file);
    if (code == HS_OK) {
        code = completion_put_sets(file, error);
    }
    completion_put_keys(file);
    (void)fputs(code_text, file);
    return code;
}
