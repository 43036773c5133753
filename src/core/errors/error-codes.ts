/** The kind of an error decides the exit code (interface.md, "Exit codes"). */
export type ErrorKind =
  | 'fault'
  | 'usage'
  | 'refused'
  | 'retriable'
  | 'access'
  | 'forbidden'
  | 'skip'
  | 'interrupted';

/** The exit code of each kind. */
export const EXIT_CODES: Readonly<Record<ErrorKind, number>> = {
  fault: 1,
  usage: 2,
  retriable: 3,
  refused: 4,
  access: 5,
  // It harms only what was asked for; the others go on.
  forbidden: 3,
  skip: 0,
  interrupted: 130,
};

/** Every stable error code with its kind and meaning. `docs/errors.md` lists the same; a test compares them. */
export const ERROR_CODES = {
  internal: { kind: 'fault', means: 'crawlhouse itself failed; a bug.' },
  usage: { kind: 'usage', means: 'The command line has an unknown command, flag or value.' },
  bad_settings: { kind: 'usage', means: 'A setting is missing, unknown or has a value that does not fit.' },
  start_refused: {
    kind: 'usage',
    means: 'The start URL of a crawl can not be crawled: its status, its redirects or robots.txt.',
  },
  bad_project: {
    kind: 'usage',
    means: "The project folder lacks what the command needs, or a folder of the settings can't be made.",
  },
  bad_pipeline: { kind: 'usage', means: 'A pipeline file has an unknown key or a value that does not fit.' },
  bad_schedule: { kind: 'usage', means: 'schedules.yaml has an unknown key or a value that does not fit.' },
  bad_segments: {
    kind: 'usage',
    means: 'segments.yaml has an unknown key, or a value or condition that does not fit.',
  },
  bad_model: {
    kind: 'usage',
    means: "A model's header or SQL is invalid: unknown key, missing table, a circle.",
  },
  bad_query: { kind: 'usage', means: 'The SQL of a query does not run on the published warehouse.' },
  query_limit: {
    kind: 'usage',
    means: 'A query took more time, memory, space or rows than its settings allow.',
  },
  bad_package: { kind: 'usage', means: 'A folder given as a package is not a whole package.' },
  impossible_route: { kind: 'usage', means: 'A unit cannot take the route or format that was asked for.' },
  nothing_published: { kind: 'usage', means: 'There is no published warehouse yet.' },
  locked: {
    kind: 'usage',
    means: 'Another process holds the state directory, or has the warehouse open for writing.',
  },
  newer_version: {
    kind: 'usage',
    means: 'A file was made by a newer crawlhouse: ledger, warehouse, package, alerts, console, crawl.',
  },
  damaged_ledger: {
    kind: 'usage',
    means: 'The ledger cannot be read; the next run makes a new one from the published warehouse.',
  },
  damaged_warehouse: {
    kind: 'fault',
    means: 'The warehouse file has changed on the disk since it was written; it is not published.',
  },
  invalid_request: {
    kind: 'refused',
    means: 'The service refused a request as not matching its specification.',
  },
  not_found: { kind: 'refused', means: 'The service does not know a resource that was asked for.' },
  contract_broken: {
    kind: 'refused',
    means: 'An answer of the service does not fit its contract.',
  },
  over_limit: {
    kind: 'refused',
    means: 'The service or a store sends more than a setting of `limits` allows.',
  },
  unreconciled: {
    kind: 'refused',
    means: 'Two of the six counts of a unit differ; the unit keeps its former rows.',
  },
  rejected_values: {
    kind: 'refused',
    means: 'A value does not survive the round trip into its type and `on_reject` is `fail`.',
  },
  contract_drift: {
    kind: 'refused',
    means: "A unit's fields fit neither the table nor the models, or `schema_change` is `freeze`.",
  },
  volume_held: {
    kind: 'refused',
    means: 'A crawl has far fewer rows than the crawls before it, and `volume_check.hold` is on.',
  },
  test_held: {
    kind: 'refused',
    means: 'Rows of a unit fail a data test of severity `error`; the unit keeps its former rows.',
  },
  model_held: {
    kind: 'refused',
    means: 'A model cannot be made with the rows of a unit; the unit keeps its former rows.',
  },
  test_failed: {
    kind: 'refused',
    means: 'A data test failed, and no new unit causes it; the former publication stays.',
  },
  store_refused: {
    kind: 'refused',
    means: 'An object store refused a request for another reason than access or settings.',
  },
  wrong_state: { kind: 'skip', means: 'The resource is not in a state that allows the request (409).' },
  missing_feature: { kind: 'skip', means: 'The subscription or project lacks the feature (403).' },
  not_exportable: {
    kind: 'skip',
    means: 'The crawl left no report, or its report is archived.',
  },
  unarchive_forbidden: {
    kind: 'skip',
    means: 'The crawl is archived, and the token may not restore it as its pipeline asks.',
  },
  dropped: {
    kind: 'skip',
    means: 'The unit was dropped from the warehouse; it stays out until a person names it.',
  },
  start_unreachable: {
    kind: 'retriable',
    means: 'The start URL of a crawl gives no answer now: DNS, connection, TLS, 5xx, robots.txt.',
  },
  service_unavailable: { kind: 'retriable', means: 'The service answered 5xx or 429, or with a page.' },
  quota: { kind: 'retriable', means: 'A quota of the service is used up for now (403 `quota_error`).' },
  export_failed: { kind: 'retriable', means: 'A data export of the service ended without its data.' },
  connection: { kind: 'retriable', means: 'The connection could not be made, was reset or stalled.' },
  cut_short: {
    kind: 'retriable',
    means: 'A body ended early: short length, broken gzip, or no final newline.',
  },
  store_unavailable: {
    kind: 'retriable',
    means: 'An object store answered 5xx or 429, or asked to slow down.',
  },
  engine_unavailable: {
    kind: 'retriable',
    means: 'The query engine is busy or out of reach for now (429, 502, 503, 504).',
  },
  engine_failed: {
    kind: 'retriable',
    means: 'A statement failed in the query engine for a reason that is not its text.',
  },
  object_changed: {
    kind: 'retriable',
    means: 'An object of a store was replaced or deleted after it was listed.',
  },
  object_corrupt: {
    kind: 'retriable',
    means: 'The bytes of an object do not have the checksum that its store gives.',
  },
  ledger_unavailable: {
    kind: 'retriable',
    means: 'The PostgreSQL server of a shared ledger does not answer, or broke the connection.',
  },
  lease_lost: {
    kind: 'retriable',
    means: 'Another process has taken over, because this one was paused or cut off for too long.',
  },
  worker_lost: {
    kind: 'retriable',
    means: 'Several processes in a row claimed a unit, and each ended or was cut off before it was staged.',
  },
  disk: {
    kind: 'retriable',
    means: 'A file could not be read or written: disk full, no permission, or a failing disk.',
  },
  timed_out: {
    kind: 'retriable',
    means:
      'A scheduled run, a data export or a restore took longer than its setting allows; the next run continues.',
  },
  unauthorized: { kind: 'access', means: 'The service does not accept the access token (401).' },
  all_forbidden: {
    kind: 'access',
    means: 'The service accepts the token, but forbids all that was asked for (403).',
  },
  forbidden: {
    kind: 'forbidden',
    means: 'The token lacks the right to this one, or its subscription is not active (403).',
  },
  store_access: {
    kind: 'forbidden',
    means: 'An object store rejects the credentials: they are wrong, expired or lack the right.',
  },
  engine_access: {
    kind: 'access',
    means: 'The query engine rejects the credentials, or denies the right to a table.',
  },
  interrupted: { kind: 'interrupted', means: 'A signal ended the run; the next run continues.' },
} as const satisfies Record<string, { kind: ErrorKind; means: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;
