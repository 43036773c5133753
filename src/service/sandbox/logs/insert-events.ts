import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Connection, file, table, text } from '../../../core/duckdb/duckdb.ts';
import { type VerifyOptions, verifyBots } from '../../logs/bots/verify-bots.ts';
import type { EventRows } from '../../logs/event-rows.ts';
import { type LogTables, VERIFICATIONS } from './log-tables.ts';

/** The cells of a row of `EventRows`, in their order. */
const CELLS = {
  line: 'BIGINT',
  second: 'BIGINT',
  origin: 'INTEGER',
  path: 'VARCHAR',
  method: 'VARCHAR',
  status: 'SMALLINT',
  bytes: 'BIGINT',
  referer: 'VARCHAR',
  agent: 'INTEGER',
  pair: 'INTEGER',
  is_seo_visit: 'BOOLEAN',
  client: 'VARCHAR',
  mark: 'BIGINT',
} as const;
/** Bytes of the longest row: a line, percent-encoded. */
const LONGEST_ROW = 8 * 1024 * 1024;

/** Verdicts on bots with addresses, by the numbers of `EventRows`. */
const VERDICTS = table('temp', 'main', 'log_verdicts');

interface InsertWork {
  readonly connection: Connection;
  readonly tables: LogTables;
  readonly verify: VerifyOptions;
  /** A folder for rows on their way. */
  readonly folder: string;
}

/** Writes rows of a file into its table, while the next ones are read. */
export class InsertEvents {
  readonly #work: InsertWork;
  readonly #fileId: number;
  /** The insert that is under way. */
  #insert: Promise<void> = Promise.resolve();
  #chunk = 0;
  events = 0;

  constructor(work: InsertWork, fileId: number) {
    this.#work = work;
    this.#fileId = fileId;
  }

  /** Makes the table of verdicts that belong to one file. */
  async begin(): Promise<void> {
    await this.#work.connection.run(
      `CREATE OR REPLACE TEMP TABLE ${VERDICTS} (pair INTEGER, verdict TINYINT)`,
    );
  }

  /** Takes rows; waits until the ones before are written. */
  async put({ rows, count, pairs }: ReturnType<EventRows['take']>): Promise<void> {
    await this.#insert;
    if (count === 0) return;
    const { connection, folder, verify } = this.#work;
    const path = join(folder, `events-${this.#chunk++ % 2}.tsv`);
    await writeFile(path, rows);
    const verdicts = await verifyBots(pairs, verify);
    const found = pairs.map(({ id }, index) => [
      id,
      VERIFICATIONS.indexOf(verdicts[index] ?? 'unchecked') + 1,
    ]);
    await connection.run(
      `INSERT INTO ${VERDICTS} SELECT pair[1], pair[2] FROM (SELECT unnest(from_json(?::JSON, '[["INTEGER"]]')) AS pair)`,
      [JSON.stringify(found)],
    );
    this.events += count;
    this.#insert = this.#write(path);
    // Thrown by the next call.
    this.#insert.catch(() => {});
  }

  /** Waits for all of them. */
  async done(): Promise<void> {
    await this.#insert;
  }

  async #write(path: string): Promise<void> {
    const { connection, tables } = this.#work;
    const columns = Object.entries(CELLS).map(([name, type]) => `${text(name)}: ${text(type)}`);
    const source = `read_csv(${file(path)}, delim = ${text('\t')}, quote = '', escape = '', header = false, auto_detect = false,
      nullstr = ${text('\\N')}, max_line_size = ${LONGEST_ROW}, columns = {${columns.join(', ')}})`;
    await connection.run(
      `INSERT INTO ${tables.lines}
        SELECT line, second, CAST(make_timestamp(second * 1000000) AS DATE), origin, path, method, status, bytes, referer, agent,
          found.verdict, is_seo_visit, client, ${this.#fileId}, mark
        FROM ${source} AS event
        LEFT JOIN ${VERDICTS} AS found ON found.pair = event.pair
        ORDER BY line`,
    );
    await rm(path);
  }
}
