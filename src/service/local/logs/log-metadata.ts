import { GRANULARITIES, type Granularity } from '../../api/resources/fields.ts';
import { BOT_KINDS, type LogMetadata, type WeekDefinition } from '../../api/resources/log-monitoring.ts';
import { PERIOD_FIELDS } from '../fields/log-catalogue.ts';
import { datasetOf } from '../resources/dataset-of.ts';
import type { Document, Resources } from '../resources/resources.ts';
import { ServiceRows } from '../rows/row-store.ts';
import { daysOf } from './period.ts';

/** The first day of a project's weeks: a setting of our own; default: `iso`. */
export function weekDefinitionOf(project: Document | undefined): WeekDefinition {
  return project?._week_definition === 'sunday_start' ? 'sunday_start' : 'iso';
}

/** The metadata of a project's log monitoring (api-spec.md §2.16), its dates taken from the rows. */
export async function logMetadata(
  resources: Resources,
  rows: ServiceRows,
  project: Document,
): Promise<LogMetadata> {
  const weeks = weekDefinitionOf(project);
  const dates: { granularity: Granularity; from: string; to: string }[] = [];
  for (const granularity of GRANULARITIES) {
    const labels = await edges(resources, rows, project.id, granularity);
    const span = spanOf(granularity, labels, weeks, dates[0]);
    if (span !== undefined) dates.push({ granularity, ...span });
  }
  return {
    bot_kinds: [...BOT_KINDS],
    dates,
    search_engines: ['google'],
    week_definition: weeks,
  };
}

/**
 * The days from the first period to the last. If the days themselves are known, the first and last week or month end
 * with them.
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
