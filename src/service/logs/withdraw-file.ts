import { z } from 'zod';
import { type Connection, table } from '../../core/duckdb/duckdb.ts';
import { type Typed, typedRows } from '../../core/text/typed-rows.ts';
import { forgetFile, noteStaleDays } from './known-files.ts';
import { dropCopies, dropKnownLines } from './known-lines.ts';
import type { LogTables } from './log-tables.ts';

/** The lines of files that are decided again. */
const AGAIN = table('temp', 'main', 'log_lines_again');
/** Where the previously counted lines were. */
const COUNTED = table('temp', 'main', 'log_lines_counted');

/** Requests that a file also contains, and that count there now. */
export const SharedLines = z.strictObject({ file: z.string(), events: z.number() });
export type SharedLines = Typed<typeof SharedLines>;

/**
 * Removes the lines of a file as if they had never been read. Lines that other files also contain then count in those
 * files.
 */
export async function withdrawFile(
  connection: Connection,
  tables: LogTables,
  id: number,
): Promise<readonly SharedLines[]> {
  const linked = await linkedFiles(connection, tables, id);
  await forgetFile(connection, tables, id);
  return linked.length === 0 ? [] : await decideAgain(connection, tables, linked);
}

/** Returns the other files that hide its lines or whose lines it hides, and the files linked to those. */
async function linkedFiles(connection: Connection, { hidden }: LogTables, id: number): Promise<number[]> {
  const pairs = await connection.rows(
    `SELECT DISTINCT file AS a, unnest(hidden_by) AS b FROM ${hidden} ORDER BY ALL`,
  );
  const linked = new Set([id]);
  for (let size = 0; size < linked.size; ) {
    size = linked.size;
    for (const pair of pairs) {
      const both = [Number(pair.a), Number(pair.b)];
      if (both.some((one) => linked.has(one))) for (const one of both) linked.add(one);
    }
  }
  linked.delete(id);
  return [...linked].sort((a, b) => a - b);
}

/**
 * Decides again which lines of the given files count, one reading at a time, in the original order of the readings.
 * Returns the lines that now count.
 */
async function decideAgain(
  connection: Connection,
  tables: LogTables,
  files: readonly number[],
): Promise<readonly SharedLines[]> {
  const own = `file IN (${files.join(', ')})`;
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE ${COUNTED} AS SELECT file, line, day FROM ${tables.lines} WHERE ${own}`,
  );
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE ${AGAIN} AS SELECT * FROM ${tables.lines} WHERE ${own}
      UNION ALL BY NAME SELECT * EXCLUDE (hidden_by) FROM ${tables.hidden} WHERE ${own}`,
  );
  for (const one of [tables.lines, tables.hidden]) await connection.run(`DELETE FROM ${one} WHERE ${own}`);
  const readings = await connection.rows(
    `SELECT readings.*, reading FROM ${tables.readings} AS readings JOIN ${tables.files} ON id = file_id
      WHERE file_id IN (${files.join(', ')}) ORDER BY seq`,
  );
  for (const { seq, file_id, after_line, to_line, again, reading } of readings) {
    const [id, from] = [Number(file_id), Number(after_line)];
    await connection.run(
      `INSERT INTO ${tables.lines} BY NAME SELECT * FROM ${AGAIN}
        WHERE file = ${id} AND line > ${from} AND line <= ${Number(to_line)} ORDER BY line`,
    );
    await dropCopies(connection, tables, { id, from, first: 0, goesBack: true });
    const how = { reading: String(reading), again: again === true, seq: Number(seq) };
    await dropKnownLines(connection, tables, { id, from, ...how });
  }
  const now = `SELECT file, line, day FROM ${tables.lines} WHERE ${own}`;
  const before = `SELECT * FROM ${COUNTED}`;
  await noteStaleDays(
    connection,
    tables,
    `SELECT DISTINCT day FROM ((${now} EXCEPT ${before}) UNION ALL (${before} EXCEPT ${now}))`,
  );
  await connection.run(
    `UPDATE ${tables.files} AS known
      SET events = (SELECT count(*) FROM ${tables.lines} AS line WHERE line.file = known.id) WHERE id IN (${files.join(', ')})`,
  );
  const shared = typedRows(
    SharedLines,
    await connection.rows(
      `SELECT name AS file, CAST(count(*) AS INTEGER) AS events
      FROM (${now} EXCEPT ${before}) AS back JOIN ${tables.files} AS known ON known.id = back.file
      GROUP BY id, name ORDER BY id`,
    ),
  );
  for (const one of [AGAIN, COUNTED]) await connection.run(`DROP TABLE ${one}`);
  return shared;
}
