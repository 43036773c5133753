import { type Connection, table } from '../../core/duckdb/duckdb.ts';
import type { EventRows } from '../../site/access-logs/event-rows.ts';
import { noteStaleDays, READING_OF_VISITORS } from './known-files.ts';
import type { LogTables } from './log-tables.ts';

/** Lines of a file that were read before in others. */
const HITS = table('temp', 'main', 'log_known_lines');

/** If another file contains this percentage of a file's lines in a time span, the two files were merged. */
const MERGED = 90;

/**
 * The minimum number of lines of a copy within a file, unless the copy repeats everything before it; and the seconds by
 * which the time goes back where a copy begins.
 */
const COPY = { lines: 10, seconds: 60 };
/** Earlier lines equal to the first one of a copy that are tried. */
const TRIED = 20;

interface NewLines {
  /** The file that they were read from now. */
  readonly id: number;
  /** Number of its lines before these. */
  readonly from: number;
  /** How the file was read: the `readingOf` its rules. */
  readonly reading: string;
  /** Whether earlier readings give way, by any rules. */
  readonly again: boolean;
  /** Position of the reading among the existing ones; absent: the last. */
  readonly seq?: number;
}

/**
 * Counts a line that several files contain only once. Among files read with the same rules, the first file keeps the
 * line. Lines read with other rules are replaced by the current reading.
 *
 * A single line that another file also contains may be a coincidence, such as the checks of a load balancer by two
 * servers. Such a line counts, unless it begins the file or is next to another such line. If this file contains nearly
 * all lines of the other file in that time, however far apart, the two files were merged.
 *
 * @returns the number of new lines that were removed, and the name of a file that contains them
 */
export async function dropKnownLines(
  connection: Connection,
  tables: LogTables,
  { id, from, reading, again, seq }: NewLines,
): Promise<{ readonly count: number; readonly name: string | null }> {
  const own = `${tables.lines} WHERE file = ${id} AND line > ${from}`;
  const isOther = again ? 'true' : 'reading IS DISTINCT FROM ?';
  const values = again ? [] : [reading];
  const others = await connection.rows(
    `SELECT id, ${READING_OF_VISITORS.map((place) => `json_extract(reading, '${place}') = json_extract(?, '${place}')`).join(' AND ')} AS is_alike
      FROM ${tables.files} WHERE id <> ${id} AND ${isOther}`,
    [...READING_OF_VISITORS.map(() => reading), ...values],
  );
  const otherIds = others.map((other) => Number(other.id));
  const earlier = earlierOnly(tables, seq);
  const unlike = others.filter((other) => other.is_alike !== true).map((other) => Number(other.id));
  if (otherIds.length > 0) await dropOlder(connection, tables, { id, own, files: otherIds, unlike, earlier });
  const span = `second BETWEEN (SELECT min(second) FROM ${own}) AND (SELECT max(second) FROM ${own}) AND ${earlier}`;
  const alike = `FROM ${tables.lines} WHERE file <> ${id} AND ${span}${otherIds.length === 0 ? '' : ` AND file NOT IN (${otherIds.join(', ')})`}`;
  if ((await connection.scalar(`SELECT count(*) > 0 FROM (SELECT 1 ${alike} LIMIT 1)`)) !== true)
    return { count: 0, name: null };
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE ${HITS} AS
      WITH known AS (SELECT mark, count(*) AS n, min(file) AS file, list(DISTINCT file) AS files ${alike} GROUP BY mark),
      own AS (SELECT rowid AS place, line, path, mark, row_number() OVER (PARTITION BY mark ORDER BY line) AS nth FROM ${own}),
      hit AS (
        SELECT place, line, path, known.file AS file, files, coalesce(nth <= known.n, false) AS is_known FROM own LEFT JOIN known USING (mark)
      ),
      merged AS (
        SELECT file, true AS is_merged
        FROM (SELECT file, count(*) AS n, count(DISTINCT path) AS paths FROM hit WHERE is_known GROUP BY file) AS here
        JOIN (SELECT file, count(*) AS n ${alike} GROUP BY file) AS there USING (file)
        WHERE here.n * 100 >= there.n * ${MERGED} AND paths > 1
      )
      SELECT place, file, files FROM hit LEFT JOIN merged USING (file)
      QUALIFY is_known AND (
        coalesce(is_merged, false)
        OR lag(is_known, 1, ${from === 0}) OVER (ORDER BY line) OR lead(is_known, 1, false) OVER (ORDER BY line)
      )`,
  );
  await hide(connection, tables, 'files');
  const [found] = await connection.rows(
    `SELECT (SELECT count(*) FROM ${HITS}) AS count, (SELECT name FROM ${tables.files} WHERE id = (SELECT min(file) FROM ${HITS})) AS name`,
  );
  await connection.run(`DROP TABLE ${HITS}`);
  return { count: Number(found?.count), name: (found?.name as string | null) ?? null };
}

/** Moves the lines of `HITS` to the uncounted lines. `by` selects the files whose lines count instead. */
async function hide(connection: Connection, tables: LogTables, by: string): Promise<void> {
  await connection.run(
    `INSERT INTO ${tables.hidden} BY NAME SELECT line.*, ${by} AS hidden_by
      FROM ${tables.lines} AS line JOIN ${HITS} AS hit ON line.rowid = hit.place`,
  );
  await connection.run(`DELETE FROM ${tables.lines} WHERE rowid IN (SELECT place FROM ${HITS})`);
}

/** Returns a condition for lines that were read before a given reading. */
function earlierOnly({ readings }: LogTables, seq: number | undefined): string {
  if (seq === undefined) return 'true';
  return `NOT EXISTS (SELECT 1 FROM ${readings} WHERE seq > ${seq} AND file_id = file AND line > after_line AND line <= to_line)`;
}

interface OlderLines {
  readonly id: number;
  /** The lines that replace them. */
  readonly own: string;
  readonly files: readonly number[];
  /** Lines that were read under other rules for queries and addresses. None of their values may stay. */
  readonly unlike: readonly number[];
  /** A condition on their lines. */
  readonly earlier: string;
}

/** Removes lines from files that were read before by other rules. */
async function dropOlder(
  connection: Connection,
  tables: LogTables,
  { id, own, files, unlike, earlier }: OlderLines,
): Promise<void> {
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE ${HITS} AS
      WITH new AS (SELECT mark, count(*) AS n FROM ${own} GROUP BY mark),
      old AS (
        SELECT rowid AS place, file, mark, row_number() OVER (PARTITION BY mark ORDER BY file, line) AS nth
        FROM ${tables.lines} WHERE file IN (${files.join(', ')}) AND ${earlier}
      )
      SELECT place, file FROM old JOIN new USING (mark) WHERE nth <= n`,
  );
  const places = `rowid IN (SELECT place FROM ${HITS})`;
  await noteStaleDays(connection, tables, `SELECT DISTINCT day FROM ${tables.lines} WHERE ${places}`);
  if (unlike.length > 0) {
    const values = `file IN (${unlike.join(', ')})`;
    await connection.run(`DELETE FROM ${tables.lines} WHERE ${places} AND ${values}`);
    await connection.run(
      `DELETE FROM ${tables.hidden} WHERE ${values} AND mark IN (SELECT mark FROM ${own})`,
    );
  }
  await hide(connection, tables, `[${id}]`);
  await connection.run(
    `UPDATE ${tables.files} AS known SET events = events - gone.n
      FROM (SELECT file, count(*) AS n FROM ${HITS} GROUP BY file) AS gone WHERE gone.file = known.id`,
  );
}

/**
 * Removes repetitions within a file, such as from a log that was appended a second time: lines in the same order as
 * before, though later lines may be between them. Lines that are equal by chance, or because of repeated requests, are
 * in the order of their time. Between a line and its copy, the time goes back.
 *
 * @returns the number of removed lines
 */
export async function dropCopies(
  connection: Connection,
  tables: LogTables,
  { id, from, first, goesBack }: Pick<NewLines, 'id' | 'from'> & Pick<EventRows, 'first' | 'goesBack'>,
): Promise<number> {
  const before = `SELECT max(second) FROM ${tables.lines} WHERE file = ${id} AND line <= ${from}`;
  if (first === null || !(goesBack || (from > 0 && Number(await connection.scalar(before)) > first)))
    return 0;
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE ${HITS} AS
      WITH own AS (
        SELECT rowid AS place, line, mark, row_number() OVER in_order AS nth, lag(mark) OVER in_order AS former_mark,
          lead(mark, ${COPY.lines - 1}) OVER in_order AS later_mark, max(second) OVER in_order - second AS back,
          sum(falls) OVER in_order AS falls
        FROM (
          SELECT rowid, line, mark, second, CAST(lag(second, 1, second) OVER (ORDER BY line) > second AS INTEGER) AS falls
          FROM ${tables.lines} WHERE file = ${id}
        ) AS numbered
        WINDOW in_order AS (ORDER BY line)
      ),
      tried AS (
        SELECT begin.nth AS begin, begin.nth - former.nth AS shift, begin.back
        FROM own AS begin JOIN own AS former ON former.mark = begin.mark AND former.nth < begin.nth
        WHERE begin.line > ${from} AND begin.back > 0 AND begin.falls > former.falls AND begin.former_mark IS DISTINCT FROM former.former_mark
          AND (former.nth = 1 OR (begin.back >= ${COPY.seconds}
            AND (begin.later_mark = former.later_mark OR begin.nth - former.nth < ${COPY.lines})))
        QUALIFY row_number() OVER (PARTITION BY begin.nth ORDER BY former.nth) <= ${TRIED}
      ),
      pairs AS (
        SELECT tried.*, own.nth, own.place, own.mark = former.mark AS is_same
        FROM tried JOIN own ON own.nth >= begin AND own.nth < begin + shift JOIN own AS former ON former.nth = own.nth - shift
      ),
      ends AS (
        SELECT begin, shift, coalesce(min(nth) FILTER (WHERE NOT is_same), max(nth) + 1) AS until
        FROM pairs GROUP BY ALL
        HAVING until - begin >= shift OR (any_value(back) >= ${COPY.seconds} AND until - begin >= ${COPY.lines})
      )
      SELECT DISTINCT place FROM pairs JOIN ends USING (begin, shift) WHERE nth < until AND shift > 1`,
  );
  await hide(connection, tables, `[${id}]`);
  const count = Number(await connection.scalar(`SELECT count(*) FROM ${HITS}`));
  await connection.run(`DROP TABLE ${HITS}`);
  return count;
}
