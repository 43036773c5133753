import type { Connection } from '../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { idOf } from './demand-tables.ts';

/** The table with the staged rows of an export, on one connection. */
export const STAGED = 'demand_staged';
/** The key of a row in the files. */
const KEY = 'counted_by, date, url, query, device, country, given, property';

/** The greatest sum that tables hold. */
const MOST = 2n ** 63n - 1n;

/**
 * @param from the rows that are added up, as SQL
 * @throws CrawlhouseError `rejected_values` for clicks or impressions whose sum no table can store: every later run
 *   would fail
 */
export async function refuseOverflow(connection: Connection, from: string, place: string): Promise<void> {
  for (const name of ['clicks', 'impressions']) {
    const column = from === STAGED ? name : idOf(name);
    const isOver = `coalesce(sum(${column}), 0) > ${MOST}`;
    if (Number(await connection.scalar(`SELECT CAST(${isOver} AS INTEGER) FROM ${from}`)) === 0) continue;
    throw new CrawlhouseError(
      'rejected_values',
      `${place}: the ${name} of all rows add up to more than 2^63`,
      { hint: 'no rows of the export were added; check the export for an implausibly large number' },
    );
  }
}

/**
 * Keeps one of several identical rows, such as rows from overlapping API responses or from a table that was appended to
 * itself.
 *
 * @returns the number of removed rows
 * @throws CrawlhouseError `rejected_values` for rows of one key with different figures
 */
export async function leaveRepeated(connection: Connection, place: string): Promise<number> {
  const [other] = await connection.rows(
    `SELECT concat_ws(' ', date, url, query, device, country) AS key, CAST(count(*) AS INTEGER) AS copies,
       array_to_string(list_sort(list(DISTINCT clicks || ' clicks, ' || impressions || ' impressions')), '; ') AS figures
     FROM ${STAGED} GROUP BY ${KEY}
     HAVING min(clicks) <> max(clicks) OR min(impressions) <> max(impressions) OR min(position) <> max(position)
     ORDER BY key LIMIT 1`,
  );
  if (other !== undefined) {
    throw new CrawlhouseError(
      'rejected_values',
      `${place}: ${other.copies} rows are of ${other.key || 'all'}, with different figures: ${other.figures}`,
      {
        hint: 'no rows of the export were added; include one value for each day, and a column for each dimension in which the rows differ',
      },
    );
  }
  const count = async (): Promise<number> =>
    Number(await connection.scalar(`SELECT count(*) FROM ${STAGED}`));
  const before = await count();
  const keys = Number(
    await connection.scalar(`SELECT count(*) FROM (SELECT 1 FROM ${STAGED} GROUP BY ${KEY})`),
  );
  if (keys === before) return 0;
  await connection.run(`CREATE OR REPLACE TEMP TABLE ${STAGED} AS SELECT DISTINCT * FROM ${STAGED}`);
  return before - (await count());
}

/**
 * Leaves out the rows of a property on days for which a property that covers it has rows, because both contain the same
 * clicks. For example, `sc-domain:e.example` covers `https://e.example/`.
 *
 * @returns the number of removed rows, by property
 */
export async function leaveCovered(connection: Connection): Promise<Record<string, number>> {
  const properties = await connection.column<string>(
    `SELECT DISTINCT property FROM ${STAGED} WHERE property IS NOT NULL ORDER BY property`,
  );
  const found = new Map<string, number>();
  for (const property of properties) {
    const covering = properties.filter((one) => one !== property && covers(one, property));
    if (covering.length === 0) continue;
    const gone = await connection.rows(
      `DELETE FROM ${STAGED} AS covered WHERE property = $1 AND EXISTS (
         SELECT 1 FROM ${STAGED} AS wider
         WHERE list_contains(from_json($2::JSON, '["VARCHAR"]'), wider.property)
           AND wider.counted_by = covered.counted_by AND wider.date IS NOT DISTINCT FROM covered.date
       ) RETURNING 1`,
      [property, JSON.stringify(covering)],
    );
    if (gone.length > 0) found.set(property, gone.length);
  }
  return Object.fromEntries(found);
}

const DOMAIN = 'sc-domain:';

/** Returns whether a property of Search Console has all pages of another one. */
function covers(wide: string, narrow: string): boolean {
  if (!wide.startsWith(DOMAIN)) return narrow.startsWith(wide);
  const domain = wide.slice(DOMAIN.length);
  const host = narrow.startsWith(DOMAIN) ? narrow.slice(DOMAIN.length) : (URL.parse(narrow)?.hostname ?? '');
  return host === domain || host.endsWith(`.${domain}`);
}
