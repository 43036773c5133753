import { GRANULARITIES, type Granularity } from '../../client/resources/fields.ts';
import type { WeekDefinition } from '../../client/resources/log-monitoring.ts';
import { type Connection, ident, text } from '../../core/duckdb/duckdb.ts';
import { lookUp } from '../../core/text/look-up.ts';
import { type Column, SQL_TYPES } from '../fields/column.ts';
import { LOG_PAGE_FIELD_RECORDS, PERIOD_FIELDS } from '../fields/field-records-of.ts';
import type { StoredDataset } from '../resources/resources.ts';
import { noteChangedDays } from '../rows/changed-days.ts';
import { ServiceRows } from '../rows/service-rows.ts';
import { anyOf, LOG_PAGE_CELLS, placeSql } from './derive-log-pages.ts';
import { periodSql } from './log-metadata.ts';
import { datedColumnsOf, type LogTables } from './log-tables.ts';

/** Days on each side of a day that its week or month may reach. */
const REACH = 31;

interface LogProject {
  readonly id: string;
  readonly weeks: WeekDefinition;
  /** The day that has not ended (UTC), as `2026-11-26`. */
  readonly today: string;
}

/**
 * Counts again the days with added events, and the weeks and months that have ended, in one transaction. Notes the days
 * as changed.
 */
export async function settleLogDays(
  connection: Connection,
  tables: LogTables,
  project: LogProject,
): Promise<void> {
  await connection.transaction(async () => {
    for (const granularity of GRANULARITIES) {
      const columns = columnsOf(granularity).map((column) => `${ident(column.id)} ${SQL_TYPES[column.kind]}`);
      await connection.run(
        `CREATE TABLE IF NOT EXISTS ${tableOf(project.id, granularity)} (${columns.join(', ')})`,
      );
    }
    await connection.run(`CREATE TABLE IF NOT EXISTS ${tables.unsummedDays} (granularity VARCHAR, day DATE)`);
    const hasNews = Number(await connection.scalar(`SELECT count(*) FROM ${tables.staleDays}`)) > 0;
    if (hasNews) await countDays(connection, tables, project);
    for (const granularity of ['weeks', 'months'] as const) {
      if (hasNews) await forgetSums(connection, tables, project, granularity);
      await sumDays(connection, tables, project, granularity);
    }
    if (!hasNews) return;
    const changed = { project_id: project.id, kind: 'log_monitoring' } as const;
    await noteChangedDays(connection, changed, `SELECT day FROM ${tables.staleDays}`);
    await connection.run(`DELETE FROM ${tables.staleDays}`);
  });
}

export function addedLogPages(projectId: string, granularity: Granularity): StoredDataset {
  return { table: `log_pages_${granularity}_${projectId}`, columns: columnsOf(granularity) };
}

function columnsOf(granularity: Granularity): Column[] {
  return datedColumnsOf(LOG_PAGE_FIELD_RECORDS[granularity]);
}

function tableOf(projectId: string, granularity: Granularity): string {
  return ServiceRows.table(String(addedLogPages(projectId, granularity).table));
}

async function countDays(connection: Connection, tables: LogTables, { id }: LogProject): Promise<void> {
  const days = tableOf(id, 'days');
  const columns = columnsOf('days');
  const stale = `(SELECT day FROM ${tables.staleDays})`;
  await connection.run(`DELETE FROM ${days} WHERE ${idOf(columns, 'day')} IN ${stale}`);
  const [first, last] = ['min', 'max'].map((edge) => `(SELECT ${edge}(day) FROM ${tables.staleDays})`);
  // The span lets DuckDB skip rows of other days. URLs are assembled after counting.
  const events = `SELECT line.origin AS origin, line.path AS path, line.day AS day, line.status AS status, line.bytes AS bytes,
      agent.is_bot AS is_bot, line.is_seo_visit AS is_seo_visit,
      CASE WHEN line.verification IS DISTINCT FROM 2 THEN agent.bot_kind END AS bot_kind,
      ${placeSql('line.second', 'line.line')} AS place
    FROM ${tables.lines} AS line
    JOIN ${tables.agents} AS agent ON agent.id = line.agent
    WHERE line.path IS NOT NULL AND line.day BETWEEN ${first} AND ${last} AND line.day IN ${stale}`;
  const counted = columns.map(({ id, field }) =>
    ['url', 'urlpath'].includes(field.name)
      ? ''
      : `${lookUp(LOG_PAGE_CELLS, field.name) ?? field.name} AS ${ident(id)}`,
  );
  const cells = columns.map(({ id, field }) =>
    field.name === 'url'
      ? 'origin.origin || page.path'
      : field.name === 'urlpath'
        ? "split_part(split_part(page.path, '?', 1), '#', 1)"
        : `page.${ident(id)}`,
  );
  await connection.run(
    `INSERT INTO ${days} SELECT ${cells.join(', ')}
      FROM (
        SELECT origin, path, ${counted.filter((one) => one !== '').join(', ')}
        FROM (${events}) GROUP BY day, origin, path
      ) AS page
      JOIN ${tables.origins} AS origin ON origin.id = page.origin
      ORDER BY page.${ident(idOf(columns, 'day'))}, page.origin, page.path`,
  );
}

/** Deletes the sums of weeks or months with new days, and notes the periods. */
async function forgetSums(
  connection: Connection,
  tables: LogTables,
  { id, weeks }: LogProject,
  granularity: 'weeks' | 'months',
): Promise<void> {
  const label = idOf(columnsOf(granularity), PERIOD_FIELDS[granularity].name);
  await connection.run(
    `DELETE FROM ${tableOf(id, granularity)}
      WHERE ${label} IN (SELECT ${periodSql(granularity, 'day', weeks)} FROM ${tables.staleDays})`,
  );
  await connection.run(
    `INSERT INTO ${tables.unsummedDays} SELECT ${text(granularity)}, day FROM ${tables.staleDays}`,
  );
}

/**
 * Sums the days of weeks or months that have new days and have ended (UTC). Summing the current period would sum all
 * its days again for each new day, and the sums are not needed before the period ends.
 */
async function sumDays(
  connection: Connection,
  tables: LogTables,
  { id, weeks, today }: LogProject,
  granularity: 'weeks' | 'months',
): Promise<void> {
  const [from, to] = [columnsOf('days'), columnsOf(granularity)];
  const day = idOf(from, 'day');
  const { name } = PERIOD_FIELDS[granularity];
  const period = (date: string): string => periodSql(granularity, date, weeks);
  const due = `FROM ${tables.unsummedDays}
    WHERE granularity = ${text(granularity)} AND ${period('day')} < ${period(`DATE ${text(today)}`)}`;
  if (Number(await connection.scalar(`SELECT count(*) ${due}`)) === 0) return;
  const cells = to.map(({ field }) => {
    if (field.name === name) return period(day);
    const column = idOf(from, field.name);
    if (field.name === 'url' || field.name === 'urlpath') return column;
    if (field.name === 'last_status_code') return `arg_max(${column}, ${day})`;
    if (field.type === 'bool') return anyOf(column);
    return `CASE WHEN count(${column}) = count(*) THEN CAST(sum(${column}) AS BIGINT) END`;
  });
  const [url, path] = [idOf(from, 'url'), idOf(from, 'urlpath')];
  const [first, last] = ['min', 'max'].map((edge) => `(SELECT ${edge}(day) ${due})`);
  await connection.run(
    `INSERT INTO ${tableOf(id, granularity)} SELECT ${cells.join(', ')} FROM ${tableOf(id, 'days')}
      WHERE ${day} BETWEEN ${first} - ${REACH} AND ${last} + ${REACH} AND ${period(day)} IN (SELECT ${period('day')} ${due})
      GROUP BY ${period(day)}, ${url}, ${path} ORDER BY ${period(day)}, ${url}`,
  );
  await connection.run(`DELETE ${due}`);
}

function idOf(columns: readonly Column[], name: string): string {
  const found = columns.find(({ field }) => field.name === name);
  if (found === undefined) throw new Error(`log pages have no ${name}`);
  return found.id;
}
