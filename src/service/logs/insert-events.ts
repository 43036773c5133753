import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Connection, file, text } from '../../core/duckdb/duckdb.ts';
import { type VerifyOptions, verifyBots } from '../../site/access-logs/bots/verify-bots.ts';
import type { BotClaim, EventRows } from '../../site/access-logs/event-rows.ts';
import { type LogTables, VERIFICATIONS } from './log-tables.ts';

/** The cells of a row of `EventRows`, in their order. */
const CELLS = {
  verification: 'TINYINT',
  line: 'BIGINT',
  second: 'BIGINT',
  method: 'VARCHAR',
  path: 'VARCHAR',
  status: 'SMALLINT',
  bytes: 'BIGINT',
  referer: 'VARCHAR',
  agent: 'INTEGER',
  is_seo_visit: 'BOOLEAN',
  origin: 'INTEGER',
  client: 'VARCHAR',
  mark: 'BIGINT',
} as const;
/** Bytes of the longest row: a line, percent-encoded. */
const LONGEST_ROW = 8 * 1024 * 1024;
/** Bytes that DuckDB reads at a time. The default is 16 of the longest rows, a large part of its memory. */
const BUFFER = LONGEST_ROW;
/** The first digit. */
const ZERO = 48;

interface InsertWork {
  readonly connection: Connection;
  readonly tables: LogTables;
  readonly verify: VerifyOptions;
  readonly folder: string;
}

/** Writes rows of a file into its table, while the next ones are read. */
export class InsertEvents {
  readonly #work: InsertWork;
  readonly #fileId: number;
  /** The insert that is in progress. */
  #insert: Promise<void> = Promise.resolve();
  #chunk = 0;
  events = 0;

  constructor(work: InsertWork, fileId: number) {
    this.#work = work;
    this.#fileId = fileId;
  }

  /** Takes rows; waits until the previous rows are written. */
  async put({ rows, count, claims }: ReturnType<EventRows['take']>): Promise<void> {
    await this.#verify(claims);
    for (const { at, pair } of claims) rows[at] = ZERO + (pair.verdict ?? 0);
    await this.#insert;
    if (count === 0) return;
    const path = join(this.#work.folder, `events-${this.#chunk++ % 2}.tsv`);
    await writeFile(path, rows);
    this.events += count;
    this.#insert = this.#write(path);
    // Thrown by the next call.
    this.#insert.catch(() => {});
  }

  async done(): Promise<void> {
    await this.#insert;
  }

  async #verify(claims: readonly BotClaim[]): Promise<void> {
    const pairs = new Set(claims.flatMap(({ pair }) => (pair.verdict === null ? pair : [])));
    if (pairs.size === 0) return;
    const verdicts = await verifyBots([...pairs], this.#work.verify);
    for (const [index, pair] of [...pairs].entries())
      pair.verdict = VERIFICATIONS.indexOf(verdicts[index] ?? 'unchecked') + 1;
  }

  async #write(path: string): Promise<void> {
    const { connection, tables } = this.#work;
    const columns = Object.entries(CELLS).map(([name, type]) => `${text(name)}: ${text(type)}`);
    const source = `read_csv(${file(path)}, delim = ${text('\t')}, quote = '', escape = '', header = false, auto_detect = false,
      nullstr = ${text('\\N')}, max_line_size = ${LONGEST_ROW}, buffer_size = ${BUFFER}, columns = {${columns.join(', ')}})`;
    // The order of the rows is kept without a sort.
    await connection.run(
      `INSERT INTO ${tables.lines}
        SELECT line, second, CAST(make_timestamp(second * 1000000) AS DATE), origin, path, method, status, bytes, referer, agent,
          nullif(verification, 0), is_seo_visit, client, ${this.#fileId}, mark
        FROM ${source}`,
    );
    await rm(path);
  }
}
