import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { bytesOf, bytesText } from '../../../core/text/amounts.ts';

/** The longest wait of a Node.js timer, 24 days. */
export const MOST_SECONDS = 2_147_483;

/** The limits of one query. Sizes are strings such as `400MB`. */
export interface QueryLimits {
  readonly seconds: number;
  /** Memory of DuckDB; the query process is ended at `PROCESS_ALLOWANCE` above it. */
  readonly memory: string;
  readonly temp: string;
  readonly rows: number;
  /** Bytes of printed text, or of a file. */
  readonly result: string;
}

/** Memory of the process that DuckDB does not count: Node.js, single values, rows in transit. */
const PROCESS_ALLOWANCE = 500_000_000;

/** Resident bytes at which the query process is ended. */
export function processLimit(limits: QueryLimits): number {
  return bytesOf(limits.memory) + PROCESS_ALLOWANCE;
}

export function queryLimitError(what: string, setting: string): CrawlhouseError {
  return new CrawlhouseError('query_limit', `the query was ended: ${what}`, {
    hint: `request less data, or raise ${setting} in crawlhouse.yaml`,
  });
}

/** Writes until the text exceeds the limit. */
export function withinResult(
  { result }: QueryLimits,
  write: (text: string) => Promise<void>,
): (text: string) => Promise<void> {
  const most = bytesOf(result);
  let bytes = 0;
  return async (text) => {
    bytes += Buffer.byteLength(text);
    if (bytes > most) throw queryLimitError(`it returned more than ${bytesText(most)}`, 'query_result_limit');
    await write(text);
  };
}
