/** A table of `ops`: what a row is, and what each column contains. */
interface OpsTable {
  readonly holds: string;
  readonly columns: Readonly<Record<string, string>>;
}

const UNIT = {
  unit: 'Name of the unit: <dataset>/<source id>[/<window>].',
  dataset: 'Dataset of the unit: its table in raw.',
  source_kind:
    'Kind of the source: crawl, crawl_over_crawl, log_monitoring, ranking_performance or resource.',
  source_id: 'Identifier of the crawl, comparison, project or workspace.',
  project_id: 'Identifier of the project; NULL for lists of a workspace.',
  window_from: 'First day of the window of dated data; else NULL.',
  window_to: 'Day after the window of dated data; else NULL.',
};
const RUN_ID = 'Identifier of the run, as in ops.runs.';

export const OPS_TABLES: Readonly<Record<string, OpsTable>> = {
  publication: {
    holds: 'One row: the publication in this file.',
    columns: {
      id: 'Identifier of this publication.',
      base_id: 'Identifier of the publication that it replaced.',
      published_at: 'When it was published.',
      dirty: 'Whether there are unpublished changes; false in a published file.',
      version: 'Version of the tables of ops.',
      contract: 'The contract of mart at its publication, as JSON (sql/contract.yaml).',
    },
  },
  runs: {
    holds: 'A row for each run.',
    columns: {
      run_id: 'Identifier of the run.',
      command: 'Command that started it.',
      status: 'State of the run: done, partial, refused, failed, killed, yielded, …',
      started_at: 'When the run began.',
      ended_at: 'When the run ended.',
    },
  },
  units: {
    holds: 'A row for each known unit, including failed and skipped ones, at the time of the publication.',
    columns: {
      ...UNIT,
      status: 'State of the unit: published, failed, refused, skipped, …',
      attempts: 'Number of attempts in the last run that tried it.',
      error_code: 'Code of the error in the last run that tried it; NULL after a success.',
      error_message: 'Message of that error.',
      error_hint: 'What to do about that error.',
      updated_at: 'When the state changed.',
      failures: 'Number of consecutive runs in which it failed.',
      next_try_at: 'End of its backoff.',
    },
  },
  loads: {
    holds: 'A row for each unit in the warehouse, about its last load.',
    columns: {
      ...UNIT,
      reported: 'Number of rows that the service counts; NULL if it gives no count.',
      received: 'Number of rows that were received.',
      staged: 'Number of rows in the package.',
      rejected: 'Number of rows that were rejected.',
      loaded: 'Number of rows that were loaded.',
      queryable: 'Number of rows in the published file.',
      route: 'Route of the rows: stream, export, search, aggs, list, …',
      format: 'Format of the content: csv, json or parquet.',
      bytes: 'Number of bytes on the wire.',
      seconds: 'Seconds from the first request to the package.',
      attempts: 'Number of attempts.',
      content_sha256: 'SHA-256 of the content, after decompression.',
      filter: 'Filter under which it was loaded, as JSON; NULL: none.',
      run_id: RUN_ID,
      loaded_at: 'When it was loaded.',
      reason: 'Why it used this route and format; NULL in loads of early versions.',
      usual: 'Usual number of rows of the project.',
      flag: 'few_rows: it has far fewer rows than usual; else NULL.',
      source_ended_at: 'When its crawl or comparison had ended; NULL for others.',
      pinned: 'Whether it was requested by id, so that retention keeps it.',
      definition:
        'Filter and fields of its pipeline when it was loaded, as JSON; NULL: loaded by an earlier version.',
      fingerprint: 'Hash over its rows that does not depend on their order; NULL: none taken.',
      waited:
        'Seconds from the first request until the data export was ready; NULL for other routes, or if unknown.',
    },
  },
  unit_fields: {
    holds: "A row for each field that a unit's export had.",
    columns: {
      unit: UNIT.unit,
      dataset: UNIT.dataset,
      field: 'Exact name of the field in the service.',
      type: 'Type of the field in the service.',
      arity: 'Whether the field has one value or many.',
      column_name: 'Column of the field in the table of raw.',
    },
  },
  rejects: {
    holds: "A row for each rejected value or line of a unit's last attempt.",
    columns: {
      unit: UNIT.unit,
      dataset: UNIT.dataset,
      file: 'File that contains the line.',
      line: 'Number of the line in the file.',
      field: 'Field of the value; NULL: the whole line.',
      value: 'The rejected value.',
      reason: 'Why it was rejected.',
      run_id: RUN_ID,
      rejected_at: 'When it was rejected.',
    },
  },
  schema_changes: {
    holds: 'A row for each change of the fields of a dataset, and for each value outside its schema.',
    columns: {
      dataset: UNIT.dataset,
      unit: 'Unit with the change.',
      field: 'Field that changed.',
      change:
        'Kind of the change: added, widened, variant, vanished, retyped, arity, enum_value or out_of_range.',
      before: 'Type, arity or allowed values before.',
      after: 'Type, arity or value after; NULL for a field that vanished.',
      run_id: RUN_ID,
      changed_at: 'When it changed.',
      value_count:
        'Number of values in the column of a variant; NULL for other changes, and if a worker wrote the load.',
    },
  },
  test_results: {
    holds: 'A row for each data test and run.',
    columns: {
      run_id: RUN_ID,
      model: 'Model that was tested.',
      name: 'Name of the test.',
      severity: 'Severity of the test: error or warn.',
      status: 'Result: passed or failed.',
      failures: 'Number of rows that break the rule.',
      sql: 'Query of the test.',
      tested_at: 'When the test ran.',
    },
  },
  lists: {
    holds: 'A row for each list of the service that is read incrementally.',
    columns: {
      list: 'List: crawls, crawl_over_crawls or data_exports.',
      workspace_id: 'Identifier of the workspace.',
      total: "The service's number of records when the list last changed.",
      swept_at: 'Time of the last full resync of the list.',
    },
  },
  listed: {
    holds: 'A row for each known record of these lists.',
    columns: {
      list: 'List that contains the record.',
      workspace_id: 'Identifier of the workspace.',
      id: 'Identifier of the record.',
      project_id: 'Identifier of its project.',
      status: 'State of the record, as the service names it.',
      end_reason: 'Why it ended, as the service names it.',
      link_status: 'State of its links: live or archived.',
      created_at: 'When it was created.',
      ended_at: 'When it ended.',
      content: 'Hash of the record.',
      pending: 'Whether raw does not have the record yet.',
      gone: 'Whether the service no longer lists the record.',
      has_requests: 'Whether it is a crawl of the local service with requests other than its pages.',
    },
  },
  holds: {
    holds: 'A row for each unit whose last load fails a data test or breaks a model.',
    columns: {
      unit: UNIT.unit,
      model: 'Model that was tested or could not be built.',
      test: 'Test that failed; NULL: the model could not be built.',
      code: 'Code of the error.',
      message: 'Message of the error.',
      hint: 'What to do about it.',
      content_sha256:
        'SHA-256 of the content that was quarantined; NULL if other units also cause the failure.',
      models: 'Hash of all models at that time.',
      run_id: RUN_ID,
      held_at: 'When it was quarantined.',
    },
  },
  models: {
    holds: 'A row for each built model.',
    columns: {
      name: 'Name of the model.',
      kind: 'table or view.',
      fingerprint: 'Hash of its definition.',
      sources: 'Hash of its sources.',
      rows: 'Number of its rows; NULL for a view.',
      built_at: 'When it was built.',
      run_id: RUN_ID,
      tested_at: 'When its tests last ran; NULL until all of severity error have passed.',
      definition: 'Hash of its SQL and of the SQL of all models that it reads.',
      looked_at: 'Hash of the loads at its last check.',
    },
  },
  model_partitions: {
    holds: 'A row for each partition of a model.',
    columns: {
      model: 'Name of the model.',
      partition_key: 'Values of the columns that partition it, as a JSON list.',
      stamp: 'Hash of the inputs of the partition.',
      tested: 'Whether the partition has passed its tests.',
      load_id: 'Identifier of the build of its rows (_load_id); NULL for a view.',
    },
  },
  tombstones: {
    holds: 'A row for each load whose rows were replaced or removed, of a unit or of a partition of a model.',
    columns: {
      load_id: 'Identifier of the load, as _load_id in the tables of mart.',
      relation: 'Table that contained the rows: raw.crawl_pages, mart.page_issues.',
      ...UNIT,
      unit: `${UNIT.unit} NULL for a partition of a model.`,
      dataset: `${UNIT.dataset} NULL for a partition of a model.`,
      partition_key: 'Values of the columns that partition the model, as a JSON list; NULL for a unit.',
      reason: 'reloaded or dropped for a unit; replaced for a partition that was built again or removed.',
      removed_at: 'When the rows were replaced or removed.',
    },
  },
  pointers: {
    holds: 'A row for each load whose rows are in another engine; empty if the warehouse is a file.',
    columns: {
      relation: 'Table or view: raw.crawl_pages, mart.pages.',
      unit: 'Unit of a table of raw, partition of a model; empty for a table with one partition.',
      load_id: 'Identifier of the load that contains its rows.',
      made_from: 'Hash of the rows, or the sources of a view, as JSON.',
    },
  },
};

/** `ops` tables with a key of one column. */
export const OPS_KEYS: ReadonlyMap<string, string> = new Map([
  ['loads', 'unit'],
  ['models', 'name'],
  ['runs', 'run_id'],
  ['units', 'unit'],
]);

/** The unit that a row belongs to. */
export const UNIT_OF_ROW = { column: '_unit', to: 'ops.loads', field: 'unit' } as const;
