import { CrawlhouseError } from '../../core/errors/errors.ts';
import { bytesOf } from '../../core/text/amounts.ts';

/** The longest wait of a Node.js timer, 24 days. */
export const MOST_SECONDS = 2_147_483;

/** The limits of one query. Sizes are texts such as `400MB`. */
export interface QueryLimits {
  readonly seconds: number;
  /** Memory of DuckDB; the process of the query is ended at `PROCESS_ALLOWANCE` more. */
  readonly memory: string;
  readonly temp: string;
  readonly rows: number;
  /** Bytes of printed text, or of a file. */
  readonly result: string;
}

/** Memory of the process that DuckDB does not count: Node.js, single values, rows in transit. */
const PROCESS_ALLOWANCE = 500_000_000;

/** Resident bytes at which the process that runs a query is ended. */
export function processLimit(limits: QueryLimits): number {
  return bytesOf(limits.memory) + PROCESS_ALLOWANCE;
}

export function queryLimitError(what: string, setting: string): CrawlhouseError {
  return new CrawlhouseError('query_limit', `the query was ended: ${what}`, {
    hint: `ask for less, or raise ${setting} in crawlhouse.yaml`,
  });
}
