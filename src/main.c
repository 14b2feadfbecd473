/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/huge_pages.h"
#include "base/output.h"
#include "cli/complete.h"
#include "cli/report.h"
#include "cli/suggest.h"

static const struct bc_command *const commands[] = {
	&bc_command_sort,   &bc_command_check,   &bc_command_encode,   &bc_command_dump,
	&bc_command_header, &bc_command_compare, &bc_command_assemble, &bc_command_pahole,
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static enum bc_exit trouble(const struct bc_err *err)
{
	bc_report_line("%s", err->text);
	return BC_EXIT_TROUBLE;
}

/*
 * A closed standard stream would be the next file opened, and get what is
 * printed. What takes its place fails when it is written to.
 */
static void open_standard_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* All that was printed is out: a full disk is trouble even here. */
static enum bc_exit end_print(void)
{
	struct bc_err err;

	if (fflush(stdout) || ferror(stdout)) {
		bc_err_errno(&err, "standard output");
		return trouble(&err);
	}
	return BC_EXIT_DONE;
}

static enum bc_exit print_text(const char *text)
{
	fputs(text, stdout);
	return end_print();
}

static enum bc_exit print_help(const struct bc_command *command, bool all)
{
	bc_help_print(command->help, command->name, all);
	return end_print();
}

static void print_overview(void)
{
	fputs("Usage: btfcanon COMMAND [OPTION...]\n"
	      "\n"
	      "Canonical BTF: bytes that depend only on the types they describe.\n"
	      "\n"
	      "Commands:\n",
	      stdout);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		printf("  %-8s %s\n", commands[i]->name, commands[i]->summary);
	fputs("\n"
	      "  btfcanon COMMAND --help       what most people need of it, with examples\n"
	      "  btfcanon COMMAND --help=all   every option\n"
	      "  btfcanon --version            the version\n"
	      "\n"
	      "Exit code: 0 done, equal or canonical; 1 different or not canonical; 2 trouble.\n"
	      "\n"
	      "Example: canonical BTF of this machine's kernel\n"
	      "  btfcanon sort -o vmlinux.btf && btfcanon check vmlinux.btf\n",
	      stdout);
}

/* A temporary file must not stay behind when the run is stopped. */
static void stop(int signal_number)
{
	bc_output_remove_temporaries();
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

/* libdw maps what it reads: pages that are gone, since the file became shorter, end in this. */
static void stop_unreadable(int signal_number, siginfo_t *info, void *context)
{
	static const char text[] = "btfcanon: an input cannot be read to its end any more: "
				   "it was cut meanwhile, or its disk fails\n";
	static bool is_told;

	(void)context;
	bc_output_remove_temporaries();
	if (info->si_code != BUS_ADRERR) {
		signal(signal_number, SIG_DFL);
		raise(signal_number);
		return;
	}
	/* Other threads may come here, too: one line is enough. */
	if (__atomic_exchange_n(&is_told, true, __ATOMIC_RELAXED))
		for (;;)
			pause();
	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	_exit(BC_EXIT_TROUBLE);
}

static void handle_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = stop };
	struct sigaction unreadable = { .sa_sigaction = stop_unreadable, .sa_flags = SA_SIGINFO };

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct sigaction before;

		/* What the parent ignores (nohup) stays ignored. */
		if (!sigaction(signals[i], NULL, &before) && before.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
	sigemptyset(&unreadable.sa_mask);
	sigaction(SIGBUS, &unreadable, NULL);
	/* A closed pipe and a file that may grow no more are errors to report. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

static bool parse_options(const struct bc_command *command, struct bc_options *options, int argc,
			  char **argv, struct bc_arena *arena, struct bc_err *err)
{
	if (command->parse)
		return command->parse(options, argc, argv, arena, err);
	return bc_options_parse(options, argc, argv, command->takes, arena, err);
}

/* What a header of a kernel takes, and half as much again; others take less. */
#define GRAPH_HEAP_BYTES ((size_t)64 * 1024 * 1024)

static enum bc_exit run(const struct bc_command *command, struct bc_options *options,
			struct bc_workers *workers, struct bc_inputs *inputs, struct bc_err *err)
{
	workers->count = options->threads ? options->threads : bc_workers_available();
	bc_workers_gather(workers);
	options->workers = workers;
	/* With a base most of the work is on its graph, whatever the command. */
	if (command->works_on_graphs || options->base_count)
		bc_heap_of_huge_pages(GRAPH_HEAP_BYTES);
	return command->run(options, inputs, err);
}

static enum bc_exit run_command(const struct bc_command *command, int argc, char **argv)
{
	struct bc_arena arena = { 0 };
	struct bc_inputs inputs = { 0 };
	struct bc_workers workers = { 0 };
	struct bc_options options;
	struct bc_err err;
	enum bc_exit code;

	if (!parse_options(command, &options, argc, argv, &arena, &err))
		code = trouble(&err);
	else if (options.help)
		code = print_help(command, options.help == BC_HELP_ALL);
	else if (options.answer)
		code = print_text(options.answer);
	else if ((code = run(command, &options, &workers, &inputs, &err)) == BC_EXIT_TROUBLE)
		trouble(&err);
	else if (options.stats)
		bc_report_serial(options.workers);
	bc_workers_dismiss(&workers);
	bc_inputs_close(&inputs);
	bc_arena_free(&arena);
	return code;
}

/* The program's name without its folder. */
static const char *own_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const struct bc_command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (!strcmp(name, commands[i]->name))
			return commands[i];
	return NULL;
}

static enum bc_exit refuse_command(const char *word)
{
	struct bc_suggestion suggestion;
	struct bc_err err;

	bc_suggest_begin(&suggestion, word);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		bc_suggest_offer(&suggestion, "", commands[i]->name);
	bc_suggest_offer(&suggestion, "--", "help");
	bc_suggest_offer(&suggestion, "--", "version");
	bc_err_set(&err, "no command '%.80s'%s (see btfcanon --help)", word,
		   bc_suggest_text(&suggestion));
	return trouble(&err);
}

static bool is_help(const char *word)
{
	return !strcmp(word, "-h") || !strcmp(word, "--help") || !strcmp(word, "help") ||
	       !strcmp(word, "--help=all");
}

/* Of the program, with all of all commands or not, or of the command that ARGV[1] names. */
static enum bc_exit answer_help(char **argv)
{
	bool all = strchr(argv[0], '=');
	const struct bc_command *command;

	if (argv[1]) {
		command = find_command(argv[1]);
		return command ? print_help(command, all) : refuse_command(argv[1]);
	}
	print_overview();
	for (size_t i = 0; all && i < COMMAND_COUNT; i++) {
		putchar('\n');
		bc_help_print(commands[i]->help, commands[i]->name, true);
	}
	return end_print();
}

static enum bc_exit complete(int argc, char **argv)
{
	bc_complete(commands, COMMAND_COUNT, argv, argc);
	return print_text("");
}

int main(int argc, char **argv)
{
	const struct bc_command *command;

	open_standard_streams();
	handle_signals();
	if (argc && !strcmp(own_name(argv[0]), bc_command_pahole.name))
		return run_command(&bc_command_pahole, argc, argv);
	if (argc < 2) {
		struct bc_err err;

		bc_err_set(&err, "a command is missing (see btfcanon --help)");
		return trouble(&err);
	}
	if (is_help(argv[1]))
		return answer_help(argv + 1);
	if (!strcmp(argv[1], "-V") || !strcmp(argv[1], "--version"))
		return print_text("btfcanon " BC_VERSION "\n");
	if (!strcmp(argv[1], "--complete"))
		return complete(argc - 2, argv + 2);
	command = find_command(argv[1]);
	return command ? run_command(command, argc - 1, argv + 1) : refuse_command(argv[1]);
}
