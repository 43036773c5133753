import { ident } from '../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { ownUrl } from '../../core/net/web-url.ts';
import { jsonOf } from '../../core/text/json.ts';
import { ownHosts } from '../../site/access-logs/request-parts.ts';
import type { DemandExport } from '../../site/search-data/demand-row.ts';
import { find } from '../resources/find.ts';
import type { Resources } from '../resources/resources.ts';
import { workspaceOf } from '../resources/seed.ts';
import { dryTransaction } from '../rows/dry-transaction.ts';
import type { ServiceData } from '../rows/service-state.ts';
import {
  BY,
  DEMAND_COLUMNS,
  demandTables,
  EXPORT,
  IS_KEPT_OUT,
  idOf,
  makeDemandTables,
} from './demand-tables.ts';
import { type NamedFile, type RemovedDemand, removeDemand } from './remove-demand.ts';
import { STAGED } from './repeated-demand.ts';
import type { Replaced } from './replaced-demand.ts';
import { type RowEdges, stageDemand } from './stage-demand.ts';
import { type AddedDemand, NotAgreed, storeDemand } from './store-demand.ts';
import { sumDemand } from './sum-demand.ts';

/** The quota of a local service, which needs no hourly limit. */
const QUOTA = Number.MAX_SAFE_INTEGER;
/** The name of the feature, and of the data. */
const RANKING = 'ranking_performance';

export interface DemandToAdd {
  readonly source: DemandExport;
  readonly onReject: 'fail' | 'quarantine';
  /** Hosts of the website in addition to its own. */
  readonly hosts?: readonly string[];
  /** Keeps the rows of earlier exports: adds only rows that they lack. */
  readonly keep?: boolean;
  /** Called with what earlier exports lose, before they lose it. */
  readonly onReplace?: (replaced: Replaced) => void;
  /** Whether to store the understood export; absent: yes. */
  readonly agree?: (understood: UnderstoodDemand) => Promise<boolean>;
}

/** The meaning of an export, before any of it is stored. */
export interface UnderstoodDemand extends RowEdges {
  readonly planned: AddedDemand;
  readonly replaced: Replaced;
}

/**
 * Adds the rows of an export to the ranking performance of a project, in one transaction. An export whose rows are
 * still in place is not added again.
 *
 * For rows by day and URL, a day contains the rows of one export. A later export replaces its days, unless their
 * existing rows have more dimensions. Totals of a period replace all totals of the same search engine and days.
 *
 * @throws CrawlhouseError `rejected_values` for a bad row if `onReject` is `fail`; `usage` for a project whose ranking
 *   performance has other fields, or if all pages are of other hosts; Refusal `resource_not_found`
 */
export async function addDemand(
  { resources, rows }: ServiceData,
  projectId: string,
  { source, onReject, hosts = [], keep = false, onReplace, agree = async () => true }: DemandToAdd,
  signal: AbortSignal,
): Promise<AddedDemand> {
  const { start_url } = find(resources, 'projects', projectId);
  const isOwnHost = ownHosts(ownUrl(String(start_url)).origin, hosts);
  refuseOtherFields(resources, projectId);
  const tables = demandTables(projectId);
  const added = await rows.use(async (connection): Promise<AddedDemand> => {
    await makeDemandTables(connection, tables, resources.dataset(projectId, RANKING) === undefined);
    const [known] = await connection.rows(
      `SELECT summary FROM ${tables.exports} WHERE hash = $1 AND hash IN (SELECT ${EXPORT} FROM ${tables.rows})
         AND ($2 OR hash NOT IN (SELECT ${EXPORT} FROM ${tables.replacedRows} WHERE ${IS_KEPT_OUT}))`,
      [source.hash, keep],
    );
    if (known !== undefined)
      return { ...summaryOf(String(known.summary)), status: 'unchanged', changed: null };
    try {
      const { edges, ...staged } = await stageDemand(connection, source, { onReject, isOwnHost }, signal);
      const ask = (planned: AddedDemand, replaced: Replaced) => agree({ planned, replaced, ...edges });
      const sums = await sumDemand(connection, source);
      signal.throwIfAborted();
      return await connection.transaction(() =>
        storeDemand(connection, tables, { source, keep, onReplace, agree: ask }, { ...staged, ...sums }),
      );
    } catch (error) {
      if (error instanceof NotAgreed) return error.planned;
      throw error;
    } finally {
      await connection.run(`DROP TABLE IF EXISTS ${STAGED}`);
    }
  }, signal);
  if (added.status === 'planned') return added;
  resources.transaction(() => {
    const project = find(resources, 'projects', projectId);
    const features = [...new Set([...((project.features as readonly string[] | null) ?? []), RANKING])];
    const changed = { ...project, features, _ranking_performance_quota: QUOTA };
    resources.put('projects', workspaceOf(resources, projectId), changed);
    resources.putDataset(projectId, RANKING, { table: tables.name, columns: DEMAND_COLUMNS });
  });
  return added;
}

/**
 * Removes the exports of the given files from a project's ranking performance, in one transaction.
 *
 * @param isDryRun nothing is removed, only reported
 * @throws CrawlhouseError `usage` for a file that was not added, or that was added only together with others
 */
export async function removeAddedDemand(
  { resources, rows }: ServiceData,
  projectId: string,
  files: readonly NamedFile[],
  isDryRun = false,
): Promise<RemovedDemand[]> {
  if (resources.dataset(projectId, RANKING) === undefined)
    throw new CrawlhouseError('usage', 'no search data were added to the project');
  refuseOtherFields(resources, projectId);
  const tables = demandTables(projectId);
  return await rows.use(async (connection) => {
    await makeDemandTables(connection, tables, false);
    return await dryTransaction(connection, isDryRun, () => removeDemand(connection, tables, files));
  });
}

/** Returns the hashes of a project's exports that begin with a mark. */
export async function addedDemand(
  { resources, rows }: ServiceData,
  projectId: string,
  mark: string,
): Promise<string[]> {
  if (resources.dataset(projectId, RANKING) === undefined) return [];
  refuseOtherFields(resources, projectId);
  const { exports } = demandTables(projectId);
  const found = await rows.use((connection) =>
    connection.rows(`SELECT hash FROM ${exports} WHERE starts_with(hash, $1) ORDER BY hash`, [mark]),
  );
  return found.map(({ hash }) => String(hash));
}

/** A day that has Google's search results by URL. */
export interface DemandDay {
  /** ISO 8601. */
  readonly day: string;
  /** Clicks of anonymized queries, and all clicks; null if unknown: the day has no rows by query, or no total. */
  readonly anonymized: { readonly clicks: bigint; readonly of: bigint } | null;
}

/** Returns the days of a project that have Google's search results by URL, in order. */
export async function demandDays(
  { resources, rows }: ServiceData,
  projectId: string,
): Promise<readonly DemandDay[]> {
  if (resources.dataset(projectId, RANKING) === undefined) return [];
  refuseOtherFields(resources, projectId);
  const { rows: table } = demandTables(projectId);
  const [date, clicks, days] = ['date', 'clicks', 'period_days'].map(idOf);
  const named = `${idOf('query')} IS NOT NULL`;
  const found = await rows.use((connection) =>
    connection.rows(
      `SELECT day, CASE WHEN total < named THEN 0 ELSE total - named END AS anonymized, total
       FROM (
         SELECT
           CAST(${date} AS VARCHAR) AS day,
           count(*) FILTER (${days} IS NULL) AS by_url,
           CASE WHEN bool_or(${days} IS NULL AND contains(${ident(BY)}, 'query'))
             THEN coalesce(sum(${clicks}) FILTER (${days} IS NULL AND ${named}), 0) END AS named,
           -- An export without totals of days may have its anonymized queries as rows.
           coalesce(
             max(${clicks}) FILTER (${days} = 1 AND ${idOf('totals_by')} = 'all'),
             named + sum(${clicks}) FILTER (${days} IS NULL AND ${idOf('is_anonymized')})
           ) AS total
         FROM ${table} WHERE ${idOf('search_engine')} = 'google' GROUP BY ${date}
       )
       WHERE by_url > 0 ORDER BY day`,
    ),
  );
  return found.map(({ day, anonymized, total }) => ({
    day: String(day),
    anonymized:
      anonymized === null ? null : { clicks: BigInt(String(anonymized)), of: BigInt(String(total)) },
  }));
}

/** Returns the stored summary of an export, with its original amounts. */
function summaryOf(kept: string): AddedDemand {
  const { sums, differences, ...rest } = jsonOf(kept) as AddedDemand;
  return { ...rest, sums: sums.map(withBigints), differences: differences.map(withBigints) };
}

function withBigints<T extends object>(amounts: T): T {
  const entries = Object.entries(amounts).map(([name, value]) => [
    name,
    typeof value === 'number' ? BigInt(value) : value,
  ]);
  return Object.fromEntries(entries) as T;
}

/**
 * Refuses a project whose rows were imported or generated, because they have other fields and must not be changed here.
 */
function refuseOtherFields(resources: Resources, projectId: string): void {
  const known = resources.dataset(projectId, RANKING);
  if (known === undefined || JSON.stringify(known.columns) === JSON.stringify(DEMAND_COLUMNS)) return;
  throw new CrawlhouseError('usage', `the project ${projectId} has ranking performance of its own`, {
    hint: 'add the files in a separate project folder: crawlhouse init DIR',
  });
}
