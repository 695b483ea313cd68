/*
 * check-proofs FOLDER N: runs a checker on FOLDER/0.json and FOLDER/0.proof
 * and so on, up to N of them, each in a process of its own, and prints for each
 * a line: 0, it holds; 1, it does not. For tools/prove-random. CHECKER is the
 * source of the checker, check-proof.c or check-order-proof.c.
 *
 * SPDX-License-Identifier: MIT
 */
int check_proof(int n, char **arguments);

#define main check_proof
#include CHECKER
#undef main

#include <sys/wait.h>
#include <unistd.h>

static int check_one(char *folder, unsigned long i)
{
	char plan[4096], proof[4096], name[] = "check-proof";
	char *arguments[] = {name, plan, proof};
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		snprintf(plan, sizeof(plan), "%s/%lu.json", folder, i);
		snprintf(proof, sizeof(proof), "%s/%lu.proof", folder, i);
		exit(freopen("/dev/null", "w", stdout)
				? check_proof(3, arguments)
				: 2);
	}
	if (child < 0 || waitpid(child, &status, 0) != child ||
		!WIFEXITED(status))
		return 2;
	return WEXITSTATUS(status);
}

int main(int n, char **arguments)
{
	if (n != 3)
		return 2;
	for (unsigned long i = 0; i < strtoul(arguments[2], NULL, 10); i++)
		printf("%d\n", check_one(arguments[1], i));
	return 0;
}
