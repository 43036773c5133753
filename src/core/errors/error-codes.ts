/** The kind of an error decides the exit code (interface.md, "Exit codes"). */
export type ErrorKind =
  | 'fault'
  | 'usage'
  | 'locked'
  | 'refused'
  | 'retriable'
  | 'access'
  | 'forbidden'
  | 'skip'
  | 'interrupted';

export const EXIT_CODES: Readonly<Record<ErrorKind, number>> = {
  fault: 1,
  usage: 2,
  locked: 6,
  retriable: 3,
  refused: 4,
  access: 5,
  // It harms only what was asked for; the others go on.
  forbidden: 3,
  skip: 0,
  interrupted: 130,
};

/**
 * Every stable error code with its kind, its meaning, and the next step of an error that names none of its own; null
 * where there is none. `docs/errors.md` lists the same; a test compares them.
 */
export const ERROR_CODES = {
  internal: {
    kind: 'fault',
    means: 'crawlhouse itself failed; a bug.',
    hint: 'this is a fault of crawlhouse: report it; --debug prints where it happened',
  },
  usage: {
    kind: 'usage',
    means: 'The command line has an unknown command, flag or value.',
    hint: 'crawlhouse help lists the commands; crawlhouse help COMMAND says what one takes',
  },
  bad_settings: {
    kind: 'usage',
    means: 'A setting is missing, unknown or has a value that does not fit.',
    hint: 'docs/settings.md describes each setting; crawlhouse config prints those in use',
  },
  start_refused: {
    kind: 'usage',
    means: 'The start URL of a crawl can not be crawled: its status, its redirects or robots.txt.',
    hint: 'check the address in a browser',
  },
  bad_project: {
    kind: 'usage',
    means: "The project folder lacks what the command needs, or a folder of the settings can't be made.",
    hint: 'go to a project folder, name one with --project-dir, or make one with crawlhouse init',
  },
  bad_pipeline: {
    kind: 'usage',
    means: 'A pipeline file has an unknown key or a value that does not fit.',
    hint: 'docs/settings.md describes each key of a pipeline file',
  },
  bad_schedule: {
    kind: 'usage',
    means: 'schedules.yaml has an unknown key or a value that does not fit.',
    hint: 'docs/settings.md describes each key of schedules.yaml',
  },
  bad_segments: {
    kind: 'usage',
    means: 'segments.yaml has an unknown key, or a value or condition that does not fit.',
    hint: 'docs/settings.md describes segments.yaml',
  },
  bad_model: {
    kind: 'usage',
    means: "A model's header or SQL is invalid: unknown key, missing table, a circle.",
    hint: 'correct the file, then crawlhouse transform; docs/models.md describes headers and SQL',
  },
  bad_query: {
    kind: 'usage',
    means: 'The SQL of a query does not run on the published warehouse.',
    hint: "crawlhouse query 'SHOW ALL TABLES' lists the tables and their columns",
  },
  query_limit: {
    kind: 'usage',
    means: 'A query took more time, memory, space or rows than its settings allow.',
    hint: 'ask for less, or raise query_timeout, query_memory_limit or query_temp_limit in crawlhouse.yaml',
  },
  bad_package: {
    kind: 'usage',
    means: 'A folder given as a package is not a whole package.',
    hint: 'stage the unit again where the package was made',
  },
  impossible_route: {
    kind: 'usage',
    means: 'A unit cannot take the route or format that was asked for.',
    hint: 'docs/routes.md lists the routes and formats of each dataset',
  },
  nothing_published: {
    kind: 'usage',
    means: 'There is no published warehouse yet.',
    hint: 'crawlhouse run makes it',
  },
  locked: {
    kind: 'locked',
    means: 'Another process holds the state directory, or has the warehouse open for writing.',
    hint: 'wait for it to end, or stop that process; reading (status, query) works meanwhile',
  },
  newer_version: {
    kind: 'usage',
    means: 'A file was made by a newer crawlhouse: ledger, warehouse, package, alerts, console, crawl.',
    hint: 'run the newer version; what it has written is unchanged',
  },
  damaged_ledger: {
    kind: 'usage',
    means: 'The ledger cannot be read; the next run makes a new one from the published warehouse.',
    hint: 'the next run renames it and makes a new one from the published warehouse',
  },
  damaged_warehouse: {
    kind: 'fault',
    means: 'The warehouse file has changed on the disk since it was written; it is not published.',
    hint: 'restore a backup, or move the file away: the next run publishes again. Check the disk',
  },
  invalid_request: {
    kind: 'refused',
    means: 'The service refused a request as not matching its specification.',
    hint: 'correct the filter, the fields or the dates that the message names, then run again',
  },
  not_found: {
    kind: 'refused',
    means: 'The service does not know a resource that was asked for (404, 410).',
    hint: 'crawlhouse discover lists what the service has',
  },
  contract_broken: {
    kind: 'refused',
    means: 'An answer of the service does not fit its contract.',
    hint: 'the next run asks again; if the answer stays the same, report this message to the service',
  },
  over_limit: {
    kind: 'refused',
    means: 'The service or a store sends more than a setting of `limits` allows.',
    hint: 'if the data is honest, raise the setting under limits in crawlhouse.yaml (docs/settings.md)',
  },
  unreconciled: {
    kind: 'refused',
    means: 'Two of the six counts of a unit differ; the unit keeps its former rows.',
    hint: 'the unit keeps its former rows; the next run tries again',
  },
  rejected_values: {
    kind: 'refused',
    means: 'A value does not survive the round trip into its type and `on_reject` is `fail`.',
    hint: 'ops.rejects has them all; on_reject: quarantine loads the other rows',
  },
  contract_drift: {
    kind: 'refused',
    means: "A unit's fields fit neither the table nor the models, or `schema_change` is `freeze`.",
    hint: 'the unit keeps its former rows; fields.exclude in the pipeline file leaves a field out',
  },
  volume_held: {
    kind: 'refused',
    means: 'A crawl has far fewer rows than the crawls before it, and `volume_check.hold` is on.',
    hint: 'check the crawl; crawlhouse run --crawl ID accepts and loads it',
  },
  test_held: {
    kind: 'refused',
    means: 'Rows of a unit fail a data test of severity `error`; the unit keeps its former rows.',
    hint: 'the unit keeps its former rows; the next run requests it again',
  },
  model_held: {
    kind: 'refused',
    means: 'A model cannot be made with the rows of a unit; the unit keeps its former rows.',
    hint: 'the unit keeps its former rows; the next run requests it again',
  },
  test_failed: {
    kind: 'refused',
    means: 'A data test failed, and no new unit causes it; the former publication stays.',
    hint: 'the former publication stays; the next run tests again',
  },
  store_refused: {
    kind: 'refused',
    means: 'An object store refused a request for another reason than access or settings.',
    hint: 'crawlhouse doctor tries each store of the settings',
  },
  wrong_state: {
    kind: 'skip',
    means: 'The resource is not in a state that allows the request (409).',
    hint: 'the next run asks again',
  },
  missing_feature: {
    kind: 'skip',
    means: 'The subscription or project lacks the feature of a unit (403).',
    hint: 'ask the service for the feature, or name the other pipelines: crawlhouse run PIPELINE',
  },
  list_unread: {
    kind: 'forbidden',
    means:
      'A list that was asked for could not be read: its feature is missing (403), or its state does not allow it (409).',
    hint: 'ask the service for the feature, or name the other pipelines: crawlhouse run PIPELINE',
  },
  not_exportable: {
    kind: 'skip',
    means: 'The crawl left no report, or its report is archived.',
    // Such a crawl has no rows to export, now or later.
    hint: null,
  },
  unarchive_forbidden: {
    kind: 'skip',
    means: 'The crawl is archived, and the token may not restore it as its pipeline asks.',
    hint: 'give the token the scope projects:write, or set unarchive: skip',
  },
  dropped: {
    kind: 'skip',
    means: 'The unit was dropped from the warehouse; it stays out until a person names it.',
    hint: 'crawlhouse run --crawl ID loads it again',
  },
  start_unreachable: {
    kind: 'retriable',
    means: 'The start URL of a crawl gives no answer now: DNS, connection, TLS, 5xx, robots.txt.',
    hint: 'try again later',
  },
  service_unavailable: {
    kind: 'retriable',
    means: 'The service answered 5xx, 408, 425 or 429, or with a page.',
    hint: 'crawlhouse doctor; once the service answers, repeat the command',
  },
  quota: {
    kind: 'retriable',
    means: 'A quota of the service is used up for now (403 `quota_error`).',
    hint: 'the next run continues once the quota is renewed',
  },
  export_failed: {
    kind: 'retriable',
    means: 'A data export of the service ended without its data.',
    hint: 'check the bucket, its region and its credentials: crawlhouse doctor',
  },
  connection: {
    kind: 'retriable',
    means: 'The connection could not be made, was reset or stalled.',
    hint: 'crawlhouse doctor; once the service answers, repeat the command',
  },
  cut_short: {
    kind: 'retriable',
    means: 'A body ended early: short length, broken gzip, or no final newline.',
    hint: 'the next run tries again',
  },
  store_unavailable: {
    kind: 'retriable',
    means: 'An object store answered 5xx or 429, or asked to slow down.',
    hint: 'the next run tries again; crawlhouse doctor tries each store now',
  },
  engine_unavailable: {
    kind: 'retriable',
    means: 'The query engine is busy or out of reach for now (429, 502, 503, 504).',
    hint: 'once the engine answers, repeat the command: crawlhouse doctor tries it',
  },
  engine_failed: {
    kind: 'retriable',
    means: 'A statement failed in the query engine for a reason that is not its text.',
    hint: "repeat the command; the engine's own log has the cause",
  },
  object_changed: {
    kind: 'retriable',
    means: 'An object of a store was replaced or deleted after it was listed.',
    hint: 'the next run lists the objects again',
  },
  object_corrupt: {
    kind: 'retriable',
    means: 'The bytes of an object do not have the checksum that its store gives.',
    hint: 'the next run reads it again; if it stays the same, the object is damaged in its store',
  },
  ledger_unavailable: {
    kind: 'retriable',
    means: 'The PostgreSQL server of a shared ledger does not answer, or broke the connection.',
    hint: 'see that PostgreSQL runs and that this machine reaches it; the next run continues',
  },
  lease_lost: {
    kind: 'retriable',
    means: 'Another process has taken over, because this one was paused or cut off for too long.',
    hint: 'nothing more is written by this one; the other process continues, or the next run does',
  },
  worker_lost: {
    kind: 'retriable',
    means: 'Several processes in a row claimed a unit, and each ended or was cut off before it was staged.',
    hint: 'see whether the workers have enough memory; the next run tries again',
  },
  disk: {
    kind: 'retriable',
    means:
      'A file could not be read or written: disk full or read-only, no permission, a failing disk, or too many open files.',
    hint: 'check the disk, its space and its permissions, then run again',
  },
  memory: {
    kind: 'retriable',
    means: 'DuckDB needs more than the setting memory_limit, or the system gives the process no more memory.',
    hint: 'raise the setting memory_limit, or the memory of the process (ulimit -v, MemoryMax)',
  },
  timed_out: {
    kind: 'retriable',
    means:
      'A scheduled run, a data export or a restore took longer than its setting allows; the next run continues.',
    hint: 'the next run continues; docs/settings.md has the setting of the longest wait',
  },
  unauthorized: {
    kind: 'access',
    means: 'The service does not accept the access token (401).',
    hint: 'set access_token (CRAWLHOUSE_ACCESS_TOKEN, mostly in .env) to a token of this service',
  },
  all_forbidden: {
    kind: 'access',
    means: 'The service accepts the token, but forbids all that was asked for (403).',
    hint: "check the token's scopes, the user's role and the subscription",
  },
  forbidden: {
    kind: 'forbidden',
    means: 'The token lacks the right to this one, or its subscription is not active (402, 403, 451).',
    hint: "check the token's scopes, the user's role and the subscription",
  },
  store_access: {
    kind: 'forbidden',
    means: 'An object store rejects the credentials: they are wrong, expired or lack the right.',
    hint: 'correct the credentials of the store; crawlhouse doctor tries them',
  },
  engine_access: {
    kind: 'access',
    means: 'The query engine rejects the credentials, or denies the right to a table.',
    hint: "check the engine's user, password and rights; crawlhouse doctor tries them",
  },
  interrupted: {
    kind: 'interrupted',
    means: 'A signal ended the run; the next run continues.',
    hint: 'run the same command again; a run continues where it ended',
  },
} as const satisfies Record<string, { kind: ErrorKind; means: string; hint: string | null }>;

export type ErrorCode = keyof typeof ERROR_CODES;
