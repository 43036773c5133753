import { GRANULARITIES, type Granularity } from '../../client/resources/fields.ts';
import { BOT_KINDS, type LogMetadata, type WeekDefinition } from '../../client/resources/log-monitoring.ts';
import { type DatasetName, PERIOD_FIELDS } from '../fields/field-records-of.ts';
import { datasetOf } from '../resources/find.ts';
import type { Resources, StoredResource } from '../resources/resources.ts';
import { ServiceRows } from '../rows/service-rows.ts';

const DAY = 86_400_000;

/** Returns the first day of a project's weeks, an internal setting; default: `iso`. */
export function weekDefinitionOf(project: StoredResource | undefined): WeekDefinition {
  return project?._week_definition === 'sunday_start' ? 'sunday_start' : 'iso';
}

/** Returns the metadata of a project's log monitoring (api-spec.md §2.16), its dates taken from the rows. */
export async function logMetadata(
  resources: Resources,
  rows: ServiceRows,
  project: StoredResource,
): Promise<LogMetadata> {
  const weeks = weekDefinitionOf(project);
  const dates: { granularity: Granularity; from: string; to: string }[] = [];
  for (const granularity of GRANULARITIES) {
    const labels = await edges(resources, rows, project.id, granularity);
    const span = spanOf(granularity, labels, weeks, dates[0]);
    if (span !== undefined) dates.push({ granularity, ...span });
  }
  return { bot_kinds: [...BOT_KINDS], dates, search_engines: ['google'], week_definition: weeks };
}

/**
 * Returns the days from the first period to the last. If the days themselves are known, the first and last week or
 * month end with them.
 */
function spanOf(
  granularity: Granularity,
  labels: readonly [first: string, last: string] | undefined,
  weeks: WeekDefinition,
  days: { readonly from: string; readonly to: string } | undefined,
): { readonly from: string; readonly to: string } | undefined {
  const first = labels && daysOf(granularity, labels[0], weeks);
  const last = labels && daysOf(granularity, labels[1], weeks);
  if (first === undefined || last === undefined) return undefined;
  const inside = (day: string, span: { from: string; to: string }): boolean =>
    span.from <= day && day <= span.to;
  return {
    from: days && inside(days.from, first) ? days.from : first.from,
    to: days && inside(days.to, last) ? days.to : last.to,
  };
}

async function edges(
  resources: Resources,
  rows: ServiceRows,
  projectId: string,
  granularity: Granularity,
): Promise<readonly [string, string] | undefined> {
  const { table, columns } = datasetOf(resources, projectId, `log_pages_${granularity}`);
  const name = PERIOD_FIELDS[granularity].name;
  const column = columns.find(({ field }) => field.name === name);
  if (table === undefined || (column?.kind !== 'text' && column?.kind !== 'date')) return undefined;
  const [first, last] = ['min', 'max'].map((edge) => `CAST(${edge}(${column.id}) AS VARCHAR)`);
  const sql = `SELECT ${first} AS first, ${last} AS last FROM ${ServiceRows.table(table)}`;
  const [found] = await rows.use((connection) => connection.rows(sql));
  return typeof found?.first === 'string' && typeof found.last === 'string'
    ? [found.first, found.last]
    : undefined;
}

/** Returns the name under which the folder of a project's data type is remembered. */
export function projectDataSource(projectId: string, name: DatasetName): string {
  return `project ${projectId} ${name}`;
}

/**
 * Returns the folder that a project's data type came from, or undefined once the data is gone, such as after a
 * deletion.
 */
export function givenBy(resources: Resources, projectId: string, name: DatasetName): string | undefined {
  if (resources.dataset(projectId, name) === undefined) return undefined;
  return resources.fingerprint(projectDataSource(projectId, name));
}

/** Returns the granularities of log pages that no folder contains: they are derived from the events. */
export function derivedGranularities(resources: Resources, projectId: string): readonly Granularity[] {
  return GRANULARITIES.filter(
    (granularity) => givenBy(resources, projectId, `log_pages_${granularity}`) === undefined,
  );
}

/**
 * Returns SQL for the day, week or month of a DATE, as text (spec-notes.md 30). An ISO week belongs to the year of its
 * Thursday, and a week that starts on Sunday to the year of its Saturday. In the latter case, the week of January 1 is
 * the first.
 */
export function periodSql(granularity: Granularity, day: string, weeks: WeekDefinition): string {
  switch (granularity) {
    case 'days':
      return `strftime(${day}, '%Y-%m-%d')`;
    case 'months':
      return `strftime(${day}, '%Y-%m')`;
    case 'weeks': {
      if (weeks === 'iso') return `strftime(${day}, '%G-W%V')`;
      const saturday = `(${day} + CAST(6 - dayofweek(${day}) AS INTEGER))`;
      const number = `((dayofyear(${saturday}) - 1) // 7 + 1)`;
      return `concat(strftime(${saturday}, '%Y'), '-W', lpad(CAST(${number} AS VARCHAR), 2, '0'))`;
    }
  }
}

/**
 * Returns the days that a label of `periodSql` covers, both inclusive, as `YYYY-MM-DD`; undefined if it is not a label.
 */
export function daysOf(
  granularity: Granularity,
  label: string,
  weeks: WeekDefinition,
): { readonly from: string; readonly to: string } | undefined {
  const parts = PATTERNS[granularity].exec(label);
  const [year, number] = [Number(parts?.[1]), Number(parts?.[2])];
  if (parts === null) return undefined;
  if (granularity === 'days') return { from: label, to: label };
  if (granularity === 'months')
    return { from: dayOf(Date.UTC(year, number - 1, 1)), to: dayOf(Date.UTC(year, number, 0)) };
  // 4 January is always in the first ISO week, 1 January in the first one that starts on Sunday.
  const anchor = Date.UTC(year, 0, weeks === 'iso' ? 4 : 1);
  const weekday = (new Date(anchor).getUTCDay() + (weeks === 'iso' ? 6 : 0)) % 7;
  const start = anchor + ((number - 1) * 7 - weekday) * DAY;
  return { from: dayOf(start), to: dayOf(start + 6 * DAY) };
}

const PATTERNS: Readonly<Record<Granularity, RegExp>> = {
  days: /^(\d{4})-(\d{2})-\d{2}$/,
  weeks: /^(\d{4})-W(\d{2})$/,
  months: /^(\d{4})-(\d{2})$/,
};

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
