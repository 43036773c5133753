import { randomBytes } from 'node:crypto';
import type { FieldRecord } from '../../client/resources/fields.ts';
import { type Connection, ident, text } from '../../core/duckdb/duckdb.ts';
import { lookUp } from '../../core/text/look-up.ts';
import { keyedHash } from '../../site/access-logs/text-digest.ts';
import { type Column, columnsOf } from '../fields/column.ts';
import { fieldRecord } from '../fields/field-record.ts';
import { LOG_EVENT_FIELD_RECORDS } from '../fields/field-records-of.ts';
import { ServiceRows } from '../rows/service-rows.ts';

/** Verdicts on bots, by the number that rows have. */
export const VERIFICATIONS = ['verified', 'refuted', 'unchecked'] as const;

/** Fields of log events of added logs: the default ones, then crawlhouse's own. */
const FIELDS: readonly FieldRecord[] = [
  ...LOG_EVENT_FIELD_RECORDS,
  fieldRecord('bot_verification', 'enum', 'one', [...VERIFICATIONS]),
  fieldRecord('client', 'string'),
];

/**
 * Derived fields are computed when they are read, so that storing rows takes a tenth of the time and a third of the
 * space.
 */
const CELLS: Readonly<Record<string, string>> = {
  url: 'origin.origin || line.path',
  urlpath: "split_part(line.path, '?', 1)",
  url_host: 'origin.host',
  url_first_path: `CASE WHEN length(line.path) - length(replace(line.path, '/', '')) < 2 THEN '/'
    ELSE concat('/', split_part(line.path, '/', 2), '/') END`,
  url_has_params: "contains(line.path, '?')",
  event_date: "strftime(make_timestamp(line.second * 1000000), '%Y/%m/%d %H:%M:%S UTC')",
  day: 'line.day',
  method: 'line.method',
  status_code: 'line.status',
  status_code_range: `CASE WHEN line.status < 300 THEN 'ok' WHEN line.status < 400 THEN 'redirect'
    WHEN line.status < 500 THEN 'client_error' WHEN line.status IS NOT NULL THEN 'server_error' END`,
  bytes_sent: 'line.bytes',
  referer: 'line.referer',
  user_agent: 'agent.user_agent',
  device: 'agent.device',
  is_bot: 'agent.is_bot',
  bot: 'agent.bot',
  // A refuted bot does not belong to a search engine.
  bot_kind: 'CASE WHEN line.verification IS DISTINCT FROM 2 THEN agent.bot_kind END',
  search_engine: 'CASE WHEN line.verification IS DISTINCT FROM 2 THEN agent.search_engine END',
  is_seo_visit: 'line.is_seo_visit',
  bot_verification: `[${VERIFICATIONS.map(text).join(', ')}][line.verification]`,
  client: 'line.client',
};

const LINE_COLUMNS = `line BIGINT, second BIGINT, day DATE, origin INTEGER, path VARCHAR, method VARCHAR, status SMALLINT, bytes BIGINT,
  referer VARCHAR, agent INTEGER, verification TINYINT, is_seo_visit BOOLEAN, client VARCHAR, file INTEGER, mark BIGINT`;

/** As `columnsOf`, with days that DuckDB finds without reading the adjacent ones. */
export function datedColumnsOf(fields: readonly FieldRecord[]): Column[] {
  return columnsOf(fields).map((column) =>
    column.field.name === 'day' ? { ...column, kind: 'date' } : column,
  );
}

export class LogTables {
  readonly #projectId: string;
  /** One row per event, without derived fields. */
  readonly lines: string;
  /** Rows of lines that another file counts. They come back when the file that hides them is removed. */
  readonly hidden: string;
  /** Each reading of lines of a file, in order. */
  readonly readings: string;
  readonly agents: string;
  readonly origins: string;
  /** One row per file that was read. */
  readonly files: string;
  /** The names under which files were read, each with its last version. */
  readonly names: string;
  /** Identifies the files that an earlier version has read, until they are read again. */
  readonly former: string;
  /** Days with events that are not yet in the log pages. */
  readonly staleDays: string;
  /** Days that are not yet in the sums of their week or month. */
  readonly unsummedDays: string;
  /** Salts of the days whose addresses are hashed. */
  readonly salts: string;
  readonly #secrets: string;

  constructor(projectId: string) {
    const table = (name: string): string => ServiceRows.table(`log_${name}_${projectId}`);
    this.#projectId = projectId;
    this.lines = table('lines');
    this.hidden = table('hidden');
    this.readings = table('readings');
    this.agents = table('agents');
    this.origins = table('origins');
    this.files = table('files');
    this.names = table('names');
    this.former = table('former');
    this.staleDays = table('stale_days');
    this.unsummedDays = table('unsummed_days');
    this.salts = table('salts');
    this.#secrets = table('secret');
  }

  /** The events in the service's form; unqualified, as datasets name their tables. */
  get events(): string {
    return `events_${this.#projectId}`;
  }

  columns(): Column[] {
    return datedColumnsOf(FIELDS);
  }

  /** Idempotent. */
  async make(connection: Connection): Promise<void> {
    for (const [name, columns] of [
      [this.lines, LINE_COLUMNS],
      [this.hidden, `${LINE_COLUMNS}, hidden_by INTEGER[]`],
      [
        this.readings,
        'seq BIGINT PRIMARY KEY, file_id INTEGER, after_line BIGINT, to_line BIGINT, digest VARCHAR, again BOOLEAN',
      ],
      [
        this.agents,
        'id INTEGER, user_agent VARCHAR, device VARCHAR, is_bot BOOLEAN, bot VARCHAR, bot_kind VARCHAR, search_engine VARCHAR',
      ],
      [this.origins, 'id INTEGER, origin VARCHAR, host VARCHAR'],
      [
        this.files,
        `id INTEGER PRIMARY KEY, name VARCHAR, format VARCHAR, state VARCHAR, reading VARCHAR, head VARCHAR, head_bytes INTEGER,
        digest VARCHAR, "offset" BIGINT, lines BIGINT, events BIGINT, rejected BIGINT, skipped BIGINT, other_hosts BIGINT,
        rejects VARCHAR, added_at BIGINT`,
      ],
      [this.names, 'name VARCHAR PRIMARY KEY, version VARCHAR, file_id INTEGER'],
      [this.staleDays, 'day DATE PRIMARY KEY'],
      [this.salts, 'day DATE PRIMARY KEY, salt VARCHAR'],
      [this.#secrets, 'secret VARCHAR'],
      [this.former, 'id INTEGER, first VARCHAR, last VARCHAR, last_bytes INTEGER'],
    ] as const)
      await connection.run(`CREATE TABLE IF NOT EXISTS ${name} (${columns})`);
    if (await this.areFormer(connection)) await connection.transaction(() => this.#renew(connection));
    await connection.run(`ALTER TABLE ${this.names} ADD COLUMN IF NOT EXISTS file_id INTEGER`);
    // For files that a version without readings has read.
    await connection.run(
      `INSERT INTO ${this.readings}
        SELECT row_number() OVER (ORDER BY id) + (SELECT coalesce(max(seq), 0) FROM ${this.readings}), id, 0, lines, digest, false
        FROM ${this.files} WHERE id NOT IN (SELECT file_id FROM ${this.readings})`,
    );
    const cells = this.columns().map(({ id, field }) => `${lookUp(CELLS, field.name)} AS ${ident(id)}`);
    await connection.run(
      `CREATE VIEW IF NOT EXISTS ${ServiceRows.table(this.events)} AS SELECT line.rowid AS rowid, ${cells.join(', ')}
        FROM ${this.lines} AS line
        JOIN ${this.agents} AS agent ON agent.id = line.agent
        JOIN ${this.origins} AS origin ON origin.id = line.origin`,
    );
  }

  /** Returns whether they are from an earlier version: without marks of lines, and with hashes without a key. */
  async areFormer(connection: Connection): Promise<boolean> {
    if (!(await this.isThere(connection))) return false;
    const sql = `SELECT count(*) > 0 FROM (DESCRIBE ${this.files}) WHERE column_name = 'heads'`;
    return (await connection.scalar(sql)) === true;
  }

  async #renew(connection: Connection): Promise<void> {
    const secret = await this.secret(connection);
    const keyed = (hash: unknown): string => keyedHash(secret, String(hash));
    const sql = `SELECT id, heads[-1] AS first, tail, tail_bytes FROM ${this.files}`;
    for (const { id, first, tail, tail_bytes } of await connection.rows(sql)) {
      const values = [Number(id), keyed(first), keyed(tail), Number(tail_bytes)];
      await connection.run(`INSERT INTO ${this.former} VALUES (?, ?, ?, ?)`, values);
    }
    await connection.run(`ALTER TABLE ${this.lines} ADD COLUMN mark BIGINT`);
    for (const name of ['reading VARCHAR', 'head VARCHAR', 'head_bytes INTEGER', 'digest VARCHAR'])
      await connection.run(`ALTER TABLE ${this.files} ADD COLUMN ${name}`);
    for (const name of ['heads', 'tail', 'tail_bytes'])
      await connection.run(`ALTER TABLE ${this.files} DROP COLUMN ${name}`);
  }

  /** Returns the key of all hashes of line contents. Without a key, the hashes would reveal the dropped addresses. */
  async secret(connection: Connection): Promise<string> {
    const sql = `SELECT secret FROM ${this.#secrets}`;
    const known = await connection.scalar(sql);
    if (typeof known === 'string') return known;
    const secret = randomBytes(32).toString('hex');
    await connection.run(`INSERT INTO ${this.#secrets} VALUES (?)`, [secret]);
    return secret;
  }

  isThere(connection: Connection): Promise<boolean> {
    return ServiceRows.hasView(connection, this.events);
  }
}
