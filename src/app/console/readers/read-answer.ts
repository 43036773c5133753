import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';
import { durationText } from '../../../core/text/amounts.ts';
import { MOST_WAITED_SECONDS } from '../../answers/query/open-warehouse.ts';
import { queryLimitError } from '../../answers/query/query-limits.ts';
import type { PagedStatement } from '../../answers/query/query-warehouse.ts';
import type { RowsFilter, RowsPage } from '../../answers/query/result/page-of-rows.ts';
import { recordsOf, type TypedRows, type Warehouse } from '../../answers/query/warehouse.ts';
import type { WarehousePool } from '../../answers/query/warehouse-pool.ts';
import { explainEmpty } from '../../answers/questions/explain-empty.ts';
import { readScopeNotes } from '../../answers/questions/question-scope.ts';
import { resolvedStatement, type Statement } from './statement.ts';

export const PAGE_ROWS = 100;
const MOST_POINTS = 2000;
/** Time limit for counting the rows of the whole answer. */
const COUNT_MS = 2000;

export interface View {
  readonly filter: RowsFilter | null;
  readonly sort: { readonly column: string; readonly descending: boolean } | null;
  /** From 1. */
  readonly page: number;
  /** Whether the caller counts the rows, by `readCount`. */
  readonly isCounted?: true;
  /** A statement for the rows of a page with less work than the answer needs; without a filter and a sort. */
  readonly part?: (limit: number, offset: number) => string;
}

export interface AskedAnswer extends TypedRows {
  /** Whether more rows follow. */
  readonly more: boolean;
  /** Rows of the whole filtered answer; null: counting took too long. */
  readonly total: number | null;
  readonly seconds: number;
  /** Why a question has no rows on any page, without filter; null if it has some, or if unknown. */
  readonly why: string | null;
  /** What the crawls of the answer do not cover, as sentences. */
  readonly scope: readonly string[];
}

interface ChartRows {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** Whether more rows follow. */
  readonly cut: boolean;
}

/**
 * Reads one page of the result of a statement.
 *
 * @throws CrawlhouseError `bad_query`, `query_limit`, `usage`
 */
export function readAnswer(
  warehouses: WarehousePool,
  statement: Statement,
  { filter, sort, page, isCounted, part }: View,
  signal: AbortSignal,
): Promise<AskedAnswer> {
  return warehouses.use(async (warehouse) => {
    const bound = await resolvedStatement(statement, warehouse, signal);
    const begun = performance.now();
    const offset = (page - 1) * PAGE_ROWS;
    const filtered = { ...keptIf(statement), ...(filter && { filter }) };
    // One extra row shows whether more follow.
    const limit = PAGE_ROWS + 1;
    const wanted: RowsPage = { ...filtered, ...(sort && { sort }), limit, offset };
    const asked =
      part === undefined
        ? { ...bound, page: wanted }
        : { ...bound, sql: part(limit, offset), page: { limit, offset: 0 } };
    const { columns, rows } = await limited(signal, (until) => warehouse.page(asked, until));
    const seconds = (performance.now() - begun) / 1000;
    const more = rows.length > PAGE_ROWS;
    const known = !more && (rows.length > 0 || page === 1);
    const total = known
      ? offset + rows.length
      : isCounted
        ? null
        : await countRows(warehouse, { ...bound, page: { ...filtered, count: true } }, signal);
    const isEmpty = total === 0 && filter === null;
    const why = isEmpty ? await explainEmpty(bound, warehouse, signal) : null;
    const scope = await readScopeNotes(
      { ...bound, isQuestion: statement.question !== null },
      warehouse,
      signal,
    );
    return { columns, rows: rows.slice(0, PAGE_ROWS), more, total, seconds, why, scope };
  });
}

/** A question reads many rows for few; one's own SQL may return all rows of a table, and its first page needs few. */
const keptIf = ({ question }: Statement): Pick<RowsPage, 'isKept'> =>
  question === null ? {} : { isKept: true };

export function readChartRows(
  warehouses: WarehousePool,
  statement: Statement,
  wanted: RowsPage,
  signal: AbortSignal,
): Promise<ChartRows> {
  return warehouses.use(async (warehouse) => {
    const bound = await resolvedStatement(statement, warehouse, signal);
    const page = { ...wanted, ...keptIf(statement), limit: MOST_POINTS + 1 };
    const { columns, rows } = await limited(signal, (until) => warehouse.page({ ...bound, page }, until));
    const shown = recordsOf({ columns, rows: rows.slice(0, MOST_POINTS) });
    return { rows: shown, cut: rows.length > MOST_POINTS };
  });
}

/** Returns the value of a statement that counts; null if that takes too long. */
export function readCount(
  warehouses: WarehousePool,
  statement: Omit<PagedStatement, 'page'>,
  signal: AbortSignal,
): Promise<number | null> {
  return warehouses.use((warehouse) =>
    countRows(warehouse, { ...statement, page: { limit: 1, offset: 0 } }, signal),
  );
}

async function countRows(
  warehouse: Warehouse,
  statement: PagedStatement,
  signal: AbortSignal,
): Promise<number | null> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(COUNT_MS)]);
  try {
    const { rows } = await warehouse.page(statement, patience);
    return Number(rows[0]?.[0]);
  } catch (thrown) {
    signal.throwIfAborted();
    if (patience.aborted || toCrawlhouseError(thrown).code === 'query_limit') return null;
    throw thrown;
  }
}

/** Ends a query after the user has left. The error at a limit of this page suggests a place with larger limits. */
async function limited<T>(signal: AbortSignal, work: (until: AbortSignal) => Promise<T>): Promise<T> {
  const late = AbortSignal.timeout(MOST_WAITED_SECONDS * 1000);
  try {
    return await work(AbortSignal.any([signal, late]));
  } catch (thrown) {
    signal.throwIfAborted();
    const error = late.aborted
      ? queryLimitError(`it took longer than ${durationText(MOST_WAITED_SECONDS)}`, 'query_timeout')
      : thrown;
    if (!(error instanceof CrawlhouseError) || error.code !== 'query_limit') throw error;
    throw new CrawlhouseError('query_limit', error.message, {
      cause: error,
      hint: 'request fewer rows or columns, or download the whole result; the limits in the settings apply to downloads',
    });
  }
}
