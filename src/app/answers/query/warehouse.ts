import { parseJson, parseJsonAsWritten } from '../../../core/text/json.ts';
import type { ParameterTexts } from './parameters.ts';
import type { PagedStatement } from './query-warehouse.ts';
import type { RowsPage } from './result/page-of-rows.ts';
import type { TextOptions, Write } from './result/write-result.ts';

export const NO_PARAMETERS: ParameterTexts = new Map();

export interface TypedRows {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
}

export function recordsOf({ columns, rows }: TypedRows): Record<string, unknown>[] {
  return rows.map((row) => Object.fromEntries(columns.map(({ name }, place) => [name, row[place]])));
}

export type WriteOptions = TextOptions & { readonly page?: RowsPage };

/** The published warehouse in any engine, for read-only statements, one at a time, within limits. */
export abstract class Warehouse implements AsyncDisposable {
  /** Shows a sentence to the user; absent if no one reads it. */
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
   * Writes the rows of one SELECT as a Parquet file (zstd) to the `output` it was opened with.
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

  /** Returns the rows of one statement, or the first rows, as JSON values; for small results. */
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

  /** Returns some rows of a statement's answer, with its columns. Numbers keep their digits as raw JSON. */
  async page(asked: PagedStatement, signal: AbortSignal): Promise<TypedRows> {
    const rows: (readonly unknown[])[] = [];
    let columns: TypedRows['columns'] = [];
    const take = async (some: TypedRows): Promise<void> => {
      columns = some.columns;
      rows.push(...some.rows);
    };
    await this.each(asked, take, signal);
    return { columns, rows };
  }

  /**
   * Passes the rows of a statement's answer as they arrive, with its columns; at least once, even without rows. Numbers
   * keep their digits as raw JSON.
   *
   * @returns the number of rows
   * @throws CrawlhouseError as `write`
   */
  async each(
    { sql, parameters, page }: Omit<PagedStatement, 'page'> & Partial<PagedStatement>,
    take: (rows: TypedRows) => Promise<void>,
    signal: AbortSignal,
  ): Promise<number> {
    const head: unknown[][] = [];
    let columns: TypedRows['columns'] | null = null;
    let rest = '';
    const collect: Write = async (piece) => {
      const parts = (rest + piece).split('\n');
      rest = parts.pop() ?? '';
      const lines = parts.map((line) => parseJsonAsWritten(line) as unknown[]);
      if (columns === null) {
        head.push(...lines.splice(0, 2 - head.length));
        const [names, types] = head;
        if (types === undefined) return;
        columns = (names ?? []).map((name, index) => ({ name: String(name), type: String(types[index]) }));
      }
      await take({ columns, rows: lines });
    };
    const firstRows = page?.limit === undefined ? {} : { firstRows: page.limit };
    const options: WriteOptions = { format: 'typed', ...firstRows, ...(page && { page }) };
    return await this.write(sql, options, collect, signal, parameters);
  }

  abstract [Symbol.asyncDispose](): Promise<void>;
}
