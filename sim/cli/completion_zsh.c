/* SPDX-License-Identifier: GPL-3.0-or-later */
/* completion_zsh.c - the tables as specifications of _arguments. */
#include "cli/completion.h"

struct writer {
    FILE *file;
    const struct completion_command *command;
};

/* Text inside single quotes; brackets and colons have a meaning for _arguments. */
static void put_text(FILE *file, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '\'':
            (void)fputs("'\\''", file);
            break;
        case '[':
        case ']':
        case ':':
            (void)fprintf(file, "\\%c", *text);
            break;
        case '\n':
            (void)fputc(' ', file);
            break;
        default:
            (void)fputc(*text, file);
        }
    }
}

static void put_option(const struct argp_option *option, void *context)
{
    const struct writer *writer = context;
    FILE *file = writer->file;
    bool has_argument = option->arg && !(option->flags & OPTION_ARG_OPTIONAL);

    if (!option->name) {
        return;
    }
    (void)fputs(" \\\n            '*'", file);
    if (completion_letter(option)) {
        (void)fprintf(file, "{-%c%s,--%s%s}'[", completion_letter(option), has_argument ? "+" : "",
                      option->name, has_argument ? "=" : "");
    } else {
        (void)fprintf(file, "'--%s%s[", option->name, has_argument ? "=" : "");
    }
    put_text(file, option->doc ? option->doc : "");
    (void)fputc(']', file);
    if (has_argument) {
        (void)fputc(':', file);
        put_text(file, option->arg);
        (void)fputs(": _hsim_match", file);
        completion_tokens(file, writer->command, option);
    }
    (void)fputc('\'', file);
}

static void put_command(const struct completion_command *command, void *context)
{
    struct writer writer = {context, command};

    (void)fputs("    '", writer.file);
    completion_put_path(writer.file, command);
    (void)fputs("')\n        _arguments -s -S", writer.file);
    cli_each_option(command->argp, put_option, &writer);
    (void)fputs(" \\\n            '(- *)'{-\\?,--help}'[Give this help list]'"
                " \\\n            '(- *)--usage[Give a short usage message]'"
                " \\\n            '*:argument: _hsim_match",
                writer.file);
    completion_tokens(writer.file, command, NULL);
    (void)fputs("' ;;\n", writer.file);
}

static const char code_text[] =
    "# Adds the words, files and members of sets that the arguments name.\n"
    "_hsim_match()\n"
    "{\n"
    "    local token key REPLY\n"
    "\n"
    "    for token in \"$@\"; do\n"
    "        case $token in\n"
    "        @files) _files ;;\n"
    "        @folders) _files -/ ;;\n"
    "        \\**) _files -g \"$token\" ;;\n"
    "        @settings)\n"
    "            if [[ $PREFIX == *=* ]]; then\n"
    "                key=${PREFIX%%=*}\n"
    "                compset -P 1 '*='\n"
    "                _hsim_key $key\n"
    "                _hsim_match ${=REPLY}\n"
    "            else\n"
    "                _hsim_set @settings\n"
    "                compadd -S '' -- ${=REPLY}\n"
    "            fi ;;\n"
    "        @*) _hsim_set $token\n"
    "            compadd -- ${=REPLY} ;;\n"
    "        *) compadd -- $token ;;\n"
    "        esac\n"
    "    done\n"
    "}\n"
    "\n"
    "_hsim()\n"
    "{\n"
    "    local path_typed= REPLY\n"
    "    local -i at=2\n"
    "\n"
    "    [[ ${words[2]} == help && $CURRENT -gt 2 ]] && at=3\n"
    "    while ((at < CURRENT)) && _hsim_commands \"$path_typed\" &&\n"
    "        [[ \" $REPLY \" == *\" ${words[at]} \"* ]]; do\n"
    "        path_typed+=${path_typed:+ }${words[at]}\n"
    "        ((at++))\n"
    "    done\n"
    "    if ((at == CURRENT)) && _hsim_commands \"$path_typed\"; then\n"
    "        compadd -- ${=REPLY} --help\n"
    "        return\n"
    "    fi\n"
    "    words=(hsim \"${(@)words[at,-1]}\")\n"
    "    ((CURRENT -= at - 2))\n"
    "    _hsim_arguments \"$path_typed\"\n"
    "}\n"
    "\n"
    "# As a file of $fpath it is the function; by eval it has to be named.\n"
    "if [[ $funcstack[1] == _hsim ]]; then\n"
    "    _hsim \"$@\"\n"
    "else\n"
    "    compdef _hsim hsim\n"
    "fi\n";

enum hs_err completion_zsh(FILE *file, struct hs_error *error)
{
    enum hs_err code;

    (void)fputs("#compdef hsim\n# Completion of hsim for zsh; `hsim completion zsh` made it.\n\n",
                file);
    completion_put_commands(file);
    (void)fputs("_hsim_arguments()\n{\n    case $1 in\n", file);
    code = completion_each_command(put_command, file, error);
    (void)fputs("    esac\n}\n\n", file);
    if (code == HS_OK) {
        code = completion_put_sets(file, error);
    }
    completion_put_keys(file);
    (void)fputs(code_text, file);
    return code;
}
