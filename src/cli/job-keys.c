/*
 * Keys of jobs, and the digests of files that they are made of.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/job-keys.h"

#include <assert.h>
#include <string.h>

#include "base/names.h"

enum {
	DIGESTS_KEPT = 1024
};

/* By name. A new one takes the place of an old one. */
struct digests {
	struct arena *arena;
	struct digest {
		struct sink name;
		char text[SHA256_TEXT];
	} at[DIGESTS_KEPT];
	struct sink text; /* of a key */
	struct error error;
};

struct digests *cli_job_digests(struct arena *arena)
{
	struct digests *digests = NEW(arena, struct digests, 1);

	if (!digests)
		return cli_out_of_memory(), NULL;
	for (size_t i = 0; i < DIGESTS_KEPT; i++)
		digests->at[i].name.error = &digests->error;
	digests->text.error = &digests->error;
	return digests;
}

void cli_job_digests_free(struct digests *digests)
{
	for (size_t i = 0; i < DIGESTS_KEPT; i++)
		mp_sink_free(&digests->at[i].name);
	mp_sink_free(&digests->text);
}

static enum memplan_status digest_file(
	const char *name, struct digests *digests, char text[SHA256_TEXT])
{
	uint64_t hash = mp_names_hash(name, strlen(name));
	struct digest *kept = &digests->at[hash % DIGESTS_KEPT];
	size_t length = strlen(name) + 1;
	enum memplan_status status;
	struct file file;

	if (kept->name.length != length ||
		memcmp(kept->name.bytes, name, length) != 0) {
		status = cli_file_read(name, UINT64_MAX, &file);
		if (status != MEMPLAN_OK)
			return status;
		mp_sha256(file.bytes, file.length, kept->text);
		cli_file_free(&file);
		kept->name.length = 0;
		mp_sink_write(&kept->name, name, length);
	}
	memcpy(text, kept->text, SHA256_TEXT);
	return digests->error.code == MEMPLAN_OK ? MEMPLAN_OK
						 : cli_out_of_memory();
}

enum memplan_status cli_job_key(
	const struct job *job, struct digests *digests, char key[SHA256_TEXT])
{
	struct session_file names[SESSION_FILES];
	struct task_file files[SESSION_FILES];
	uint32_t n = 0;
	enum memplan_status status =
		cli_session_files(&job->own, job->input, names, &n);

	for (uint32_t i = 0; status == MEMPLAN_OK && i < n; i++) {
		files[i].role = names[i].role;
		files[i].name = names[i].name;
		status = digest_file(names[i].name, digests, files[i].digest);
	}
	if (status != MEMPLAN_OK)
		return status;
	return mp_batch_key(&job->task, files, n, memplan_version(), key,
		       &digests->text)
		       ? MEMPLAN_OK
		       : cli_out_of_memory();
}

bool cli_job_session_key(const struct job *job, const struct session *session,
	char key[SHA256_TEXT])
{
	struct session_file names[SESSION_FILES];
	struct task_file files[SESSION_FILES];
	struct error error = {0};
	struct sink sink = {.error = &error};
	uint32_t n = 0;
	bool fine = cli_session_files(&job->own, job->input, names, &n) ==
		    MEMPLAN_OK;

	assert(!fine || n == session->n_files);
	for (uint32_t i = 0; i < session->n_files; i++) {
		files[i].role = names[i].role;
		files[i].name = names[i].name;
		mp_sha256(session->files[i].bytes, session->files[i].length,
			files[i].digest);
	}
	fine = fine && mp_batch_key(&job->task, files, n, memplan_version(),
			       key, &sink);
	mp_sink_free(&sink);
	return fine;
}
