import { type Connection, table } from '../../../core/duckdb/duckdb.ts';
import type { EventRows } from '../../site/logs/event-rows.ts';
import { noteStaleDays, READING_OF_VISITORS } from './known-files.ts';
import type { LogTables } from './log-tables.ts';

/** Lines of a file that were read before in others. */
const HITS = table('temp', 'main', 'log_known_lines');

/** Of the lines that a file has of a time, so many in a hundred are in another one with which it was merged. */
const MERGED = 90;

/** Lines that a copy within a file has, unless it is of all before it; and seconds that the time goes back where it begins. */
const COPY = { lines: 10, seconds: 60 };
/** Earlier lines like the first one of a copy that are tried. */
const TRIED = 20;

interface NewLines {
  /** The file that they were read from now. */
  readonly id: number;
  /** Its lines before these. */
  readonly from: number;
  /** How the file was read: `readingOf` its rules. */
  readonly reading: string;
  /** Whether what was read before gives way, however it was read. */
  readonly again: boolean;
  /** Where the reading stands among others that are there; absent: behind all of them. */
  readonly seq?: number;
}

/**
 * Takes care that a line that several files have counts once. Of files that were read alike the first one keeps it; what was
 * read in another way gives way to what is read now.
 *
 * One line alone that another file has too may be a coincidence, such as the checks of a load balancer by two servers: it
 * counts, unless it begins the file or stands beside another one. Where nearly all that the other file has of that time is here,
 * however far apart, the two were merged.
 *
 * @returns how many of the new lines were taken out, and the name of a file that has them
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
  const otherIds = others.map((one) => Number(one.id));
  const earlier = earlierOnly(tables, seq);
  const unlike = others.filter((one) => one.is_alike !== true).map((one) => Number(one.id));
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

/** Moves the lines of `HITS` to those that do not count; `by` gives the files that they give way to. */
async function hide(connection: Connection, tables: LogTables, by: string): Promise<void> {
  await connection.run(
    `INSERT INTO ${tables.hidden} BY NAME SELECT line.*, ${by} AS hidden_by
      FROM ${tables.lines} AS line JOIN ${HITS} AS hit ON line.rowid = hit.place`,
  );
  await connection.run(`DELETE FROM ${tables.lines} WHERE rowid IN (SELECT place FROM ${HITS})`);
}

/** A condition on lines: those that were read before a reading. */
function earlierOnly({ readings }: LogTables, seq: number | undefined): string {
  if (seq === undefined) return 'true';
  return `NOT EXISTS (SELECT 1 FROM ${readings} WHERE seq > ${seq} AND file_id = file AND line > after_line AND line <= to_line)`;
}

interface OlderLines {
  readonly id: number;
  /** The lines that take their place. */
  readonly own: string;
  readonly files: readonly number[];
  /** Of these, the ones that were read by other rules for queries and addresses: nothing of their values may stay. */
  readonly unlike: readonly number[];
  /** A condition on their lines. */
  readonly earlier: string;
}

/** Takes lines out of the files that were read before in another way. */
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
 * Takes out what a file has twice, as one that a log was appended to a second time: lines in the order in which they are
 * before, though later ones stand between them. Lines that are alike by chance, or because they were asked for twice, stand in
 * the order of their time: between a line and its copy the time goes back.
 *
 * @returns how many lines were taken out
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
