import { parseJson, parseJsonAsWritten } from '../../core/text/json.ts';
import type { ParameterTexts } from './parameters.ts';
import type { PagedStatement } from './query-warehouse.ts';
import type { RowsPage } from './result/page-of-rows.ts';
import type { TextOptions, Write } from './result/write-result.ts';

export const NO_PARAMETERS: ParameterTexts = new Map();

export interface TypedRows {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
}

/** Each row by the names of its columns. */
export function recordsOf({ columns, rows }: TypedRows): Record<string, unknown>[] {
  return rows.map((row) => Object.fromEntries(columns.map(({ name }, place) => [name, row[place]])));
}

export type WriteOptions = TextOptions & { readonly page?: RowsPage };

/** The published warehouse, for statements that read, one at a time, within limits. In whatever engine its rows are. */
export abstract class Warehouse implements AsyncDisposable {
  /** Takes a sentence to the person who asks; absent where nobody reads it. */
  say?: (sentence: string) => void;

  /**
   * Writes the rows of one statement as text.
   *
   * @returns the number of rows
   * @throws CrawlhouseError `bad_query`, `query_limit`; `usage` for parameters
   */
  abstract write(
    sql: string,
    options: WriteOptions,
    write: Write,
    signal: AbortSignal,
    parameters?: ParameterTexts,
  ): Promise<number>;

  /**
   * Writes the rows of one SELECT as a Parquet file (zstd) to the `output` that it was opened with.
   *
   * @returns the number of rows
   * @throws CrawlhouseError as `write`
   */
  abstract writeParquet(
    sql: string,
    output: string,
    signal: AbortSignal,
    parameters?: ParameterTexts,
  ): Promise<number>;

  /** The rows of one statement, or the first of them, as JSON values; for small results. */
  async rows(
    sql: string,
    signal: AbortSignal,
    parameters = NO_PARAMETERS,
    firstRows = Number.POSITIVE_INFINITY,
  ): Promise<Record<string, unknown>[]> {
    let text = '';
    const collect: Write = async (piece) => {
      text += piece;
    };
    await this.write(sql, { format: 'json', firstRows }, collect, signal, parameters);
    return parseJson(text) as Record<string, unknown>[];
  }

  /** Some rows of a statement's answer, with its columns. Numbers keep their digits as raw JSON. */
  async page({ sql, parameters, page }: PagedStatement, signal: AbortSignal): Promise<TypedRows> {
    const lines: string[] = [];
    let rest = '';
    const collect: Write = async (piece) => {
      const parts = (rest + piece).split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts);
    };
    const firstRows = page.limit === undefined ? {} : { firstRows: page.limit };
    await this.write(sql, { format: 'typed', ...firstRows, page }, collect, signal, parameters);
    const [names, types, ...rows] = lines.map(parseJsonAsWritten) as unknown[][];
    const columns = (names ?? []).map((name, index) => ({
      name: String(name),
      type: String(types?.[index]),
    }));
    return { columns, rows: rows ?? [] };
  }

  abstract [Symbol.asyncDispose](): Promise<void>;
}
