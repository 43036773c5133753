import { setImmediate as breathe } from 'node:timers/promises';
import type { DuckDBAppender } from '@duckdb/node-api';
import type { Connection } from '../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { webUrl } from '../../core/net/web-url.ts';
import {
  type DemandExport,
  type DemandRow,
  dimensionsText,
  type RejectedRow,
} from '../../site/search-data/demand-row.ts';
import { leaveCovered, leaveRepeated, refuseOverflow, STAGED } from './repeated-demand.ts';

/** Milliseconds after which signals are checked, because rows in memory arrive without a pause. */
const MOST_BUSY = 100;
/** Rejected rows whose positions are stored. */
const MOST_PLACES = 100;

/** The facts about an export that were read in addition to the rows. */
export interface StagedDemand {
  readonly rejected: { readonly rows: number; readonly places: readonly RejectedRow[] };
  /** Rows of search types other than web search, by type. */
  readonly leftOut: Readonly<Record<string, number>>;
  /** Rows of pages of other hosts, which are left out, by host. */
  readonly otherHosts: Readonly<Record<string, number>>;
  /** Rows of sums, which are left out, and rows that only look like sums. Earlier versions had none. */
  readonly totalRows?: readonly TotalRow[];
  /** Rows that are repeated with the same figures, and count once. Earlier versions added them up. */
  readonly repeatedRows?: number;
  /** Rows of a property that another one of the export covers, by property. */
  readonly coveredRows?: Readonly<Record<string, number>>;
}

/** The first and the last row that is used; null if there is none. */
export interface RowEdges {
  readonly first: DemandRow | null;
  readonly last: DemandRow | null;
}

interface TotalRow {
  readonly place: string;
  readonly line: number;
  readonly is_left_out: boolean;
}

/**
 * Reads the rows of an export into a temporary table. For each row, `counted_by` names the dimensions of its table.
 *
 * @param isOwnHost whether a host is one of the website's
 * @throws CrawlhouseError `rejected_values` for the first bad row if `onReject` is `fail`, and for rows of one key with
 *   different figures; `usage` if all pages are of other hosts
 */
export async function stageDemand(
  connection: Connection,
  { tables, supersedes, format }: DemandExport,
  { onReject, isOwnHost }: { onReject: 'fail' | 'quarantine'; isOwnHost: (host: string) => boolean },
  signal: AbortSignal,
): Promise<StagedDemand & { readonly edges: RowEdges }> {
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE ${STAGED} (counted_by VARCHAR, date VARCHAR, url VARCHAR, query VARCHAR, device VARCHAR,
      country VARCHAR, clicks BIGINT, impressions BIGINT, position DOUBLE, is_anonymized BOOLEAN, given VARCHAR, property VARCHAR)`,
  );
  const places: RejectedRow[] = [];
  const totalRows: TotalRow[] = [];
  const [leftOut, otherHosts] = [new Map<string, number>(), new Map<string, number>()];
  let [rejected, pages] = [0, 0];
  const edges: { first: DemandRow | null; last: DemandRow | null } = { first: null, last: null };
  let rested = performance.now();
  const appender = await connection.inner.createAppender(STAGED, 'main', 'temp');
  try {
    for (const table of tables) {
      const by = dimensionsText(table.dimensions);
      for await (const record of table.records(signal)) {
        if (performance.now() - rested > MOST_BUSY) {
          await breathe();
          signal.throwIfAborted();
          rested = performance.now();
        }
        if ('other' in record) {
          const { searchType } = record.other;
          leftOut.set(searchType, (leftOut.get(searchType) ?? 0) + 1);
        } else if ('total' in record) totalRows.push({ ...record.total, is_left_out: true });
        else if ('reject' in record) {
          if (onReject === 'fail') throw refusal(record.reject);
          rejected += 1;
          if (places.length < MOST_PLACES) places.push(record.reject);
        } else {
          if (record.likeTotal !== undefined) totalRows.push({ ...record.likeTotal, is_left_out: false });
          const host = record.row.url === null ? null : (webUrl(record.row.url)?.hostname ?? '');
          if (host !== null && !isOwnHost(host)) otherHosts.set(host, (otherHosts.get(host) ?? 0) + 1);
          else {
            if (host !== null) pages += 1;
            appendRow(appender, by, record.row);
            edges.first ??= record.row;
            edges.last = record.row;
          }
        }
      }
    }
  } finally {
    appender.closeSync();
  }
  // A day of a sync may have pages of another host of its domain only.
  if (supersedes === undefined && pages === 0 && otherHosts.size > 0)
    throw foreign(otherHosts, tables[0]?.place ?? '');
  const place = tables[0]?.place ?? '';
  await refuseOverflow(connection, STAGED, place);
  const coveredRows = await leaveCovered(connection);
  // The bulk export has one row for each anonymized query.
  const repeatedRows = format === 'search_console_bulk' ? 0 : await leaveRepeated(connection, place);
  return {
    edges,
    coveredRows,
    repeatedRows,
    rejected: { rows: rejected, places },
    leftOut: Object.fromEntries(leftOut),
    totalRows,
    otherHosts: Object.fromEntries([...otherHosts].sort(([, a], [, b]) => b - a)),
  };
}

function foreign(hosts: ReadonlyMap<string, number>, place: string): CrawlhouseError {
  return new CrawlhouseError(
    'usage',
    `${place}: all pages are on hosts other than the website's (${[...hosts.keys()].slice(0, 3).join(', ')})`,
    { hint: `name the website of these pages: --site https://${[...hosts.keys()][0]}/` },
  );
}

function appendRow(appender: DuckDBAppender, by: string, row: DemandRow): void {
  for (const value of [by, row.date, row.url, row.query, row.device, row.country])
    if (value === null) appender.appendNull();
    else appender.appendVarchar(value);
  appender.appendBigInt(row.clicks);
  appender.appendBigInt(row.impressions);
  if (row.position === null) appender.appendNull();
  else appender.appendDouble(row.position);
  appender.appendBoolean(row.isAnonymized);
  for (const value of [row.given, row.property])
    if (value === undefined) appender.appendNull();
    else appender.appendVarchar(value);
  appender.endRow();
}

function refusal({ place, line, reason }: RejectedRow): CrawlhouseError {
  return new CrawlhouseError(
    'rejected_values',
    `${place}${line === null ? '' : `, line ${line}`}: ${reason}`,
    {
      hint: 'no rows of the export were added; correct the file, or set on_reject: quarantine to leave out such rows',
    },
  );
}
