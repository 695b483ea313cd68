/*
 * memplan completions SHELL: what a shell completes, from the tables that help
 * is printed from. Not in the list of commands: packages run it.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "memplan/memplan.h"

/* ----------------------------------------------------------- values */

/* The table whose rows an option or an operand names; NULL: none. */
static const char *table_of(const char *name)
{
	if (strcmp(name, "planner") == 0)
		return "planners";
	if (strcmp(name, "order") == 0)
		return "orders";
	if (strcmp(name, "target") == 0)
		return "targets";
	return strcmp(name, "format") == 0 ? "gate-reports" : NULL;
}

static bool takes_file(const struct option *option)
{
	return option->argument && strcmp(option->argument, "FILE") == 0;
}

static bool is_choice(const struct option *option)
{
	return option->argument && strchr(option->argument, '|');
}

static void print_rows(const char *table)
{
	const char *name, *summary;

	for (uint32_t i = 0; (name = memplan_row(table, i, &summary)); i++)
		printf("%s%s", i > 0 ? " " : "", name);
}

/* The words that an option's value may be, separated by blanks. */
static bool print_words(const struct option *option)
{
	if (!option->argument)
		return false;
	if (table_of(option->name)) {
		print_rows(table_of(option->name));
		if (strcmp(option->name, "planner") == 0) {
			putchar(' ');
			print_rows("peers");
		}
		return true;
	}
	if (!is_choice(option))
		return false;
	for (const char *c = option->argument; *c; c++)
		putchar(*c == '|' ? ' ' : *c);
	return true;
}

static bool has_words(const struct option *option)
{
	return option->argument &&
	       (table_of(option->name) || is_choice(option));
}

static bool is_hidden(const struct command *command)
{
	return command->summary == NULL;
}

static const char *dashes(const struct option *option)
{
	return option->name[1] ? "--" : "-";
}

/* Text within single quotes; zsh's own marks get a backslash before them. */
static void print_quoted(const char *text, const char *marks)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\'", stdout);
		if (strchr(marks, *text))
			putchar('\\');
		putchar(*text);
	}
}

/* ------------------------------------------------------------- bash */

static void bash_values(void)
{
	puts("\tcase $prev in");
	for (uint32_t i = 0; i < N_OPTIONS; i++) {
		const struct option *option = &cli_options[i];

		if (!option->argument)
			continue;
		printf("\t%s%s) ", dashes(option), option->name);
		if (takes_file(option)) {
			puts("COMPREPLY=($(compgen -f -- \"$cur\")); return "
			     ";;");
			continue;
		}
		fputs("COMPREPLY=($(compgen -W \"", stdout);
		print_words(option);
		puts("\" -- \"$cur\")); return ;;");
	}
	puts("\tesac");
}

static void bash_options(const struct command *command)
{
	printf("\t%s) options=\"", command->name);
	for (uint32_t i = 0; i < N_OPTIONS; i++)
		if (cli_options[i].commands & command->options)
			printf("%s%s ", dashes(&cli_options[i]),
				cli_options[i].name);
	puts("\" ;;");
}

static void bash(void)
{
	puts("# bash completion for memplan\n_memplan()\n{\n"
	     "\tlocal cur=${COMP_WORDS[COMP_CWORD]} options=\n"
	     "\tlocal prev=${COMP_WORDS[COMP_CWORD-1]}\n\n"
	     "\tif [ \"$COMP_CWORD\" -eq 1 ]; then");
	fputs("\t\tCOMPREPLY=($(compgen -W \"", stdout);
	for (uint32_t i = 0; i < cli_n_commands; i++)
		if (!is_hidden(&cli_commands[i]))
			printf("%s ", cli_commands[i].name);
	puts("--help --version\" -- \"$cur\"))\n\t\treturn\n\tfi");
	bash_values();
	puts("\tcase ${COMP_WORDS[1]} in");
	for (uint32_t i = 0; i < cli_n_commands; i++)
		if (!is_hidden(&cli_commands[i]))
			bash_options(&cli_commands[i]);
	puts("\tesac\n"
	     "\tif [ \"${COMP_WORDS[1]}\" = list ]; then\n"
	     "\t\toptions+=\"planners peers orders inputs outputs simulators "
	     "targets\"\n"
	     "\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
	     "\telif [ \"${cur:0:1}\" = - ]; then\n"
	     "\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
	     "\telse\n"
	     "\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n"
	     "\tfi\n}\ncomplete -o filenames -F _memplan memplan");
}

/* -------------------------------------------------------------- zsh */

static void zsh_option(const struct option *option)
{
	printf("\t\t\t'%s%s[", dashes(option), option->name);
	print_quoted(option->help, "[]:\\");
	putchar(']');
	if (option->argument) {
		putchar(':');
		print_quoted(option->argument, ":\\");
		putchar(':');
		if (takes_file(option))
			fputs("_files", stdout);
		if (has_words(option)) {
			putchar('(');
			print_words(option);
			putchar(')');
		}
	}
	puts("' \\");
}

static void zsh_command(const struct command *command)
{
	printf("\t%s)\n\t\t_arguments \\\n", command->name);
	for (uint32_t i = 0; i < N_OPTIONS; i++)
		if (cli_options[i].commands & command->options)
			zsh_option(&cli_options[i]);
	puts(strcmp(command->name, "list") == 0
			? "\t\t\t'1:table:(planners peers orders inputs "
			  "outputs simulators targets)' ;;"
			: "\t\t\t'*:file:_files' ;;");
}

static void zsh(void)
{
	puts("#compdef memplan\n_memplan() {\n\tlocal -a commands\n"
	     "\tcommands=(");
	for (uint32_t i = 0; i < cli_n_commands; i++) {
		if (is_hidden(&cli_commands[i]))
			continue;
		printf("\t\t'%s:", cli_commands[i].name);
		print_quoted(cli_commands[i].summary, ":\\");
		puts("'");
	}
	puts("\t)\n\tif (( CURRENT == 2 )); then\n"
	     "\t\t_describe command commands\n\t\treturn\n\tfi\n"
	     "\tshift words\n\t(( CURRENT-- ))\n\tcase $words[1] in");
	for (uint32_t i = 0; i < cli_n_commands; i++)
		if (!is_hidden(&cli_commands[i]))
			zsh_command(&cli_commands[i]);
	puts("\tesac\n}\n_memplan \"$@\"");
}

/* ------------------------------------------------------------- fish */

static void fish_commands(unsigned bits)
{
	for (uint32_t i = 0; i < cli_n_commands; i++)
		if (!is_hidden(&cli_commands[i]) &&
			cli_commands[i].options & bits)
			printf(" %s", cli_commands[i].name);
}

static void fish_option(const struct option *option)
{
	fputs("complete -c memplan -n '__fish_seen_subcommand_from", stdout);
	fish_commands(option->commands);
	printf("' %s %s", option->name[1] ? "-l" : "-s", option->name);
	if (takes_file(option))
		fputs(" -r", stdout);
	else if (option->argument)
		fputs(" -x", stdout);
	if (has_words(option)) {
		fputs(" -a '", stdout);
		print_words(option);
		putchar('\'');
	}
	fputs(" -d '", stdout);
	print_quoted(option->help, "");
	puts("'");
}

static void fish(void)
{
	puts("# fish completion for memplan");
	for (uint32_t i = 0; i < cli_n_commands; i++) {
		if (is_hidden(&cli_commands[i]))
			continue;
		printf("complete -c memplan -n __fish_use_subcommand -f -a %s "
		       "-d '",
			cli_commands[i].name);
		print_quoted(cli_commands[i].summary, "");
		puts("'");
	}
	for (uint32_t i = 0; i < N_OPTIONS; i++)
		fish_option(&cli_options[i]);
	puts("complete -c memplan -n '__fish_seen_subcommand_from list' -f "
	     "-a 'planners peers orders inputs outputs simulators "
	     "targets'");
}

/* ---------------------------------------------------------- command */

enum memplan_status cli_completions(const struct arguments *arguments)
{
	static const struct {
		const char *name;
		void (*print)(void);
	} shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++)
		if (arguments->n_inputs == 1 &&
			strcmp(arguments->inputs[0], shells[i].name) == 0) {
			shells[i].print();
			return MEMPLAN_OK;
		}
	fputs("memplan: completions for bash, zsh or fish\n", stderr);
	return MEMPLAN_EUSAGE;
}
