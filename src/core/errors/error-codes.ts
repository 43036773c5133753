/** The kind of an error determines the exit code (interface.md, "Exit codes"). */
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
  // It affects only the requested object; others continue.
  forbidden: 3,
  skip: 0,
  interrupted: 130,
};

/**
 * Every stable error code with its kind, its meaning, and the default hint of its errors, or null.
 * `docs/errors.md` lists the codes; a test compares both.
 */
export const ERROR_CODES = {
  internal: {
    kind: 'fault',
    means: 'crawlhouse failed because of a bug.',
    hint: 'report this as a bug in crawlhouse; --debug prints where it happened',
  },
  usage: {
    kind: 'usage',
    means: 'The command line has an unknown command, flag or value.',
    hint: 'crawlhouse help lists the commands; crawlhouse help COMMAND describes one',
  },
  bad_settings: {
    kind: 'usage',
    means: 'A setting is missing, unknown or has an invalid value.',
    hint: 'docs/settings.md describes each setting; crawlhouse config prints their values',
  },
  start_refused: {
    kind: 'usage',
    means: 'The start URL cannot be crawled because of its status, its redirects or robots.txt.',
    hint: 'check the address in a browser',
  },
  bad_project: {
    kind: 'usage',
    means:
      'The project folder lacks a required file, or crawlhouse cannot create a folder that the settings name.',
    hint: 'go to a project folder, name a folder with --project-dir, or create a project with crawlhouse init',
  },
  bad_pipeline: {
    kind: 'usage',
    means: 'A pipeline file has an unknown key or an invalid value.',
    hint: 'docs/settings.md describes each key of a pipeline file',
  },
  bad_schedule: {
    kind: 'usage',
    means: 'schedules.yaml has an unknown key or an invalid value.',
    hint: 'docs/settings.md describes each key of schedules.yaml',
  },
  bad_segments: {
    kind: 'usage',
    means: 'segments.yaml has an unknown key, or an invalid value or condition.',
    hint: 'docs/settings.md describes segments.yaml',
  },
  bad_model: {
    kind: 'usage',
    means: "A model's header or SQL is invalid: an unknown key, a missing table or a cycle.",
    hint: 'correct the file, then run crawlhouse transform; docs/models.md describes headers and SQL',
  },
  bad_query: {
    kind: 'usage',
    means: 'The SQL of a query does not run on the published warehouse.',
    hint: "crawlhouse query 'SHOW ALL TABLES' lists the tables and their columns",
  },
  query_limit: {
    kind: 'usage',
    means: 'A query took more time, memory, space or rows than its settings allow.',
    hint: 'request less data, or raise query_timeout, query_memory_limit or query_temp_limit in crawlhouse.yaml',
  },
  bad_package: {
    kind: 'usage',
    means: 'A folder is not a complete package.',
    hint: 'stage the unit again on the machine that created the package',
  },
  impossible_route: {
    kind: 'usage',
    means: 'A unit does not support the requested route or format.',
    hint: 'docs/routes.md lists the routes and formats of each dataset',
  },
  nothing_published: {
    kind: 'usage',
    means: 'There is no published warehouse yet.',
    hint: 'crawlhouse run publishes one',
  },
  locked: {
    kind: 'locked',
    means: 'Another process holds the state directory, or has the warehouse open for writing.',
    hint: 'wait until it ends, or stop it; status and query work meanwhile',
  },
  newer_version: {
    kind: 'usage',
    means: 'A newer crawlhouse wrote a file: ledger, warehouse, package, alerts, console, crawl.',
    hint: 'use the newer version; the file is unchanged',
  },
  damaged_ledger: {
    kind: 'usage',
    means: 'The ledger cannot be read.',
    hint: 'the next run renames the file and creates a new ledger from the published warehouse',
  },
  damaged_warehouse: {
    kind: 'fault',
    means:
      'The warehouse file has changed on the disk since it was written, or lacks loaded rows; crawlhouse does not publish it.',
    hint: 'check the disk; restore a backup, or move the file away so that the next run publishes again',
  },
  invalid_request: {
    kind: 'refused',
    means: 'The service refused a request because it does not match the specification.',
    hint: 'correct the filter, the fields or the dates that the message names, then run again',
  },
  not_found: {
    kind: 'refused',
    means: 'The service does not know a requested resource (404, 410).',
    hint: 'crawlhouse discover lists the crawls of the service',
  },
  contract_broken: {
    kind: 'refused',
    means: 'A response of the service breaks its contract.',
    hint: 'the next run tries again; if the error persists, report this message to the service',
  },
  over_limit: {
    kind: 'refused',
    means: 'The service or a store sends more than a setting of `limits` allows.',
    hint: 'if the data is correct, raise the setting under limits in crawlhouse.yaml (docs/settings.md)',
  },
  unreconciled: {
    kind: 'refused',
    means: 'Two of the six counts of a unit differ.',
    hint: 'the unit keeps its previous rows; the next run tries again',
  },
  rejected_values: {
    kind: 'refused',
    means: 'A value does not survive the round trip into its type and `on_reject` is `fail`.',
    hint: 'ops.rejects lists all rejects; on_reject: quarantine loads the other rows',
  },
  contract_drift: {
    kind: 'refused',
    means: "A unit's fields fit neither the table nor the models, or `schema_change` is `freeze`.",
    hint: 'the unit keeps its previous rows; fields.exclude in the pipeline file omits a field',
  },
  volume_held: {
    kind: 'refused',
    means: 'A crawl has far fewer rows than the previous crawls, and `volume_check.hold` is on.',
    hint: 'check the crawl; crawlhouse run --crawl ID accepts and loads it',
  },
  test_held: {
    kind: 'refused',
    means: 'Rows of a unit fail a data test of severity `error`.',
    hint: 'the unit keeps its previous rows; the next run requests the unit again',
  },
  model_held: {
    kind: 'refused',
    means: 'A model cannot be built with the rows of a unit.',
    hint: 'the unit keeps its previous rows; the next run requests the unit again',
  },
  test_failed: {
    kind: 'refused',
    means: 'A data test failed, and no new unit causes the failure.',
    hint: 'the previous publication stays; the next run tests again',
  },
  store_refused: {
    kind: 'refused',
    means: 'An object store refused a request for a reason other than access or settings.',
    hint: 'crawlhouse doctor tests each store in the settings',
  },
  wrong_state: {
    kind: 'skip',
    means: 'The resource is not in a state that allows the request (409).',
    hint: 'the next run tries again',
  },
  missing_feature: {
    kind: 'skip',
    means: 'The subscription or project lacks the feature of a unit (403).',
    hint: 'ask the service to enable the feature, or run only the other pipelines: crawlhouse run PIPELINE',
  },
  list_unread: {
    kind: 'forbidden',
    means:
      'A requested list could not be read: its feature is missing (403), or its state does not allow it (409).',
    hint: 'ask the service to enable the feature, or run only the other pipelines: crawlhouse run PIPELINE',
  },
  not_exportable: {
    kind: 'skip',
    means: 'The crawl left no report, or its report is archived.',
    // Such a crawl never has rows to export.
    hint: null,
  },
  unarchive_forbidden: {
    kind: 'skip',
    means: 'The crawl is archived, and the token lacks the right to restore it.',
    hint: 'give the token the projects:write scope, or set unarchive: skip',
  },
  dropped: {
    kind: 'skip',
    means: 'The unit was dropped from the warehouse and stays out until you name it.',
    hint: 'crawlhouse run --crawl ID loads it again',
  },
  start_unreachable: {
    kind: 'retriable',
    means: 'The start URL does not respond: DNS, connection, TLS, 5xx or robots.txt.',
    hint: 'try again later',
  },
  service_unavailable: {
    kind: 'retriable',
    means: 'The service answered 5xx, 408, 425 or 429, or with an HTML page.',
    hint: 'crawlhouse doctor; once the service responds, repeat the command',
  },
  quota: {
    kind: 'retriable',
    means: 'A quota of the service is exhausted (403 `quota_error`).',
    hint: 'the next run continues once the quota is renewed',
  },
  export_failed: {
    kind: 'retriable',
    means: 'A data export of the service ended without data.',
    hint: 'check the bucket, its region and its credentials: crawlhouse doctor',
  },
  connection: {
    kind: 'retriable',
    means: 'The connection could not be made, was reset or stalled.',
    hint: 'crawlhouse doctor; once the service responds, repeat the command',
  },
  cut_short: {
    kind: 'retriable',
    means: 'A download ended early: short length, broken gzip, or no final newline.',
    hint: 'the next run tries again',
  },
  store_unavailable: {
    kind: 'retriable',
    means: 'An object store answered 5xx or 429, or asked to slow down.',
    hint: 'the next run tries again; crawlhouse doctor tests each store now',
  },
  engine_unavailable: {
    kind: 'retriable',
    means: 'The query engine is busy or cannot be reached (429, 502, 503, 504).',
    hint: 'once the engine responds, repeat the command; crawlhouse doctor tests the engine',
  },
  engine_failed: {
    kind: 'retriable',
    means: 'A statement failed in the query engine for a reason other than its text.',
    hint: "repeat the command; the engine's own log has the cause",
  },
  object_changed: {
    kind: 'retriable',
    means: 'An object of a store was replaced or deleted after it was listed.',
    hint: 'the next run lists the objects again',
  },
  object_corrupt: {
    kind: 'retriable',
    means: 'The bytes of an object do not match the checksum of its store.',
    hint: 'the next run reads the object again; if the error persists, the object is damaged in its store',
  },
  ledger_unavailable: {
    kind: 'retriable',
    means: 'The PostgreSQL server of a shared ledger does not answer, or broke the connection.',
    hint: 'check that PostgreSQL is running and that this machine can reach it; the next run continues',
  },
  lease_lost: {
    kind: 'retriable',
    means: 'Another process has taken over, because this one was paused or cut off for too long.',
    hint: 'this process writes nothing more; the other process or the next run continues',
  },
  worker_lost: {
    kind: 'retriable',
    means: 'Several processes in a row claimed a unit, and each ended or was cut off before it was staged.',
    hint: 'check whether the workers have enough memory; the next run tries again',
  },
  disk: {
    kind: 'retriable',
    means:
      'A file could not be read or written: disk full or read-only, no permission, a failing disk, or too many open files.',
    hint: 'check the disk, its space and its permissions, then run again',
  },
  memory: {
    kind: 'retriable',
    means:
      'DuckDB needs more memory than memory_limit allows, or the system gives the process no more memory.',
    hint: 'raise memory_limit, or the memory of the process (ulimit -v, MemoryMax)',
  },
  timed_out: {
    kind: 'retriable',
    means: 'A scheduled run, a data export or a restore took longer than its setting allows.',
    hint: 'the next run continues; docs/settings.md describes the time limits',
  },
  unauthorized: {
    kind: 'access',
    means: 'The service does not accept the access token (401).',
    hint: 'set access_token (CRAWLHOUSE_ACCESS_TOKEN, usually in .env) to a token of this service',
  },
  all_forbidden: {
    kind: 'access',
    means: 'The service accepts the token but forbids everything that was requested (403).',
    hint: "check the token's scopes, the user's role and the subscription",
  },
  forbidden: {
    kind: 'forbidden',
    means: 'The token lacks the right to this resource, or its subscription is not active (402, 403, 451).',
    hint: "check the token's scopes, the user's role and the subscription",
  },
  store_access: {
    kind: 'forbidden',
    means: 'An object store rejects the credentials: they are wrong, expired or lack the right.',
    hint: 'correct the credentials of the store; crawlhouse doctor tests them',
  },
  engine_access: {
    kind: 'access',
    means: 'The query engine rejects the credentials or denies access to a table.',
    hint: "check the engine's user, password and rights; crawlhouse doctor tests them",
  },
  interrupted: {
    kind: 'interrupted',
    means: 'A signal ended the run.',
    hint: 'run the same command again; it continues where it stopped',
  },
} as const satisfies Record<string, { kind: ErrorKind; means: string; hint: string | null }>;

export type ErrorCode = keyof typeof ERROR_CODES;
