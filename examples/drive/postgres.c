/* A client program for asif drive: PostgreSQL, by libpq.
 *
 *   cc -O -I$(pg_config --includedir) examples/drive/postgres.c -lpq -o postgres
 *   asif drive './postgres "host=127.0.0.1 dbname=test"' --ops get,put,cas
 *
 * Its table is made if it is not there: asif(name text primary key, value bigint). With a second connection, of a
 * replica, reads are made there. SPLIT_CAS=1: cas reads, and then writes, in one transaction (READ COMMITTED by
 * default), which loses updates. */
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static PGconn *connect_to(const char *where) {
  PGconn *c = PQconnectdb(where);
  if (PQstatus(c) == CONNECTION_OK) return c;
  fprintf(stderr, "%s", PQerrorMessage(c));
  exit(1);
}

/* Is nothing known of what became of it? A message of the server's says that it did not happen. */
static int is_lost(const PGresult *r) {
  const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);
  return !state || !strncmp(state, "57P", 3) || !strncmp(state, "08", 2);
}

static PGresult *run(PGconn *c, const char *statement, int count, const char *const *values) {
  return PQexecParams(c, statement, count, NULL, values, NULL, NULL, 0);
}

static void answer(PGresult *r, const char *good) {
  const char *why = PQresultErrorMessage(r);
  ExecStatusType status = PQresultStatus(r);
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK)
    puts(good);
  else
    printf("%s %.*s\n", is_lost(r) ? "info" : "fail", (int)strcspn(why, "\n"), why);
  PQclear(r);
}

static void get(PGconn *c, const char *name) {
  PGresult *r = run(c, "select value from asif where name = $1", 1, &name);
  char good[64] = "ok nil";
  if (PQresultStatus(r) == PGRES_TUPLES_OK && PQntuples(r)) snprintf(good, sizeof good, "ok %s", PQgetvalue(r, 0, 0));
  answer(r, good);
}

/* One statement: its row is locked, and looked at again. */
static void compare_and_set(PGconn *c, const char *name, const char *from, const char *to) {
  const char *values[] = {to, name, from};
  PGresult *r = run(c, "update asif set value = $1 where name = $2 and value = $3", 3, values);
  answer(r, PQresultStatus(r) == PGRES_COMMAND_OK && !strcmp(PQcmdTuples(r), "1") ? "ok true" : "ok false");
}

static void compare_then_set(PGconn *c, const char *name, const char *from, const char *to) {
  const char *values[] = {to, name};
  PQclear(PQexec(c, "begin"));
  PGresult *r = run(c, "select value from asif where name = $1", 1, &name);
  int same = PQresultStatus(r) == PGRES_TUPLES_OK && PQntuples(r) && !strcmp(PQgetvalue(r, 0, 0), from);
  PQclear(r);
  if (same) PQclear(run(c, "update asif set value = $1 where name = $2", 2, values));
  answer(PQexec(c, "commit"), same ? "ok true" : "ok false");
}

static void no_notice(void *self, const char *text) {
  (void)self;
  (void)text;
}

int main(int argc, char **argv) {
  const char *prefix = getenv("ASIF_PREFIX");
  char line[200], op[20], key[20], a[30], b[30], name[100];
  if (argc < 2 || !prefix) return fputs("usage: asif drive 'postgres CONNECTION [REPLICA]'\n", stderr), 2;
  PGconn *writes = connect_to(argv[1]), *reads = argc > 2 ? connect_to(argv[2]) : writes;
  PQsetNoticeProcessor(writes, no_notice, NULL);
  PQclear(PQexec(writes, "create table if not exists asif (name text primary key, value bigint)"));
  setvbuf(stdout, NULL, _IOLBF, 0);
  while (fgets(line, sizeof line, stdin)) {
    a[0] = b[0] = '\0';
    if (sscanf(line, "%19s %19s %29s %29s", op, key, a, b) < 2) continue;
    snprintf(name, sizeof name, "%s-%s", prefix, key);
    const char *put[] = {name, a};
    if (!strcmp(op, "get"))
      get(reads, name);
    else if (!strcmp(op, "put"))
      answer(run(writes, "insert into asif values ($1, $2) on conflict (name) do update set value = excluded.value", 2,
                 put),
             "ok");
    else if (!strcmp(op, "cas"))
      (getenv("SPLIT_CAS") ? compare_then_set : compare_and_set)(writes, name, a, b);
    else if (!strcmp(op, "delete"))
      answer(run(writes, "delete from asif where name = $1", 1, put), "ok");
    else
      puts("fail it is not known");
    if (PQstatus(writes) != CONNECTION_OK || PQstatus(reads) != CONNECTION_OK) return 1;
  }
  return 0;
}
