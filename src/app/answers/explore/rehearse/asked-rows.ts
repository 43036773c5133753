import type { z } from 'zod';
import { text } from '../../../../core/duckdb/duckdb.ts';
import { sqlTokens } from '../../../../core/duckdb/sql-tokens.ts';
import { lookUp } from '../../../../core/text/look-up.ts';
import { type Typed, typedRows } from '../../../../core/text/typed-rows.ts';
import type { CatalogReader } from '../../../../etl/state/catalog/catalog.ts';

interface SomeRows {
  readonly columns: readonly { readonly name: string }[];
  readonly rows: readonly (readonly unknown[])[];
}

/** A warehouse that passes rows as they arrive, because a crawl has many links. */
export interface RehearsedWarehouse extends CatalogReader {
  each(
    asked: { readonly sql: string; readonly parameters: ReadonlyMap<string, string | null> },
    take: (some: SomeRows) => Promise<void>,
    signal: AbortSignal,
  ): Promise<number>;
}

interface Asked {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, string>>;
}

export interface AskedRows {
  /** Passes each row of a statement; the answer shows the statement under a name. */
  each<Schema extends z.ZodType>(
    name: string,
    schema: Schema,
    asked: Asked,
    take: (row: Typed<Schema>) => void,
  ): Promise<void>;
  rows<Schema extends z.ZodType>(
    name: string,
    schema: Schema,
    asked: Asked,
  ): Promise<readonly Typed<Schema>[]>;
  /** The statements so far, with their values. */
  readonly statements: readonly { readonly name: string; readonly sql: string }[];
}

export function askedRows(warehouse: RehearsedWarehouse, signal: AbortSignal): AskedRows {
  const statements: { name: string; sql: string }[] = [];
  const each: AskedRows['each'] = async (name, schema, { sql, parameters }, take) => {
    statements.push({ name, sql: withValues(sql, parameters) });
    await warehouse.each(
      { sql, parameters: new Map(Object.entries(parameters)) },
      async ({ columns, rows }) => {
        const records = rows.map((row) =>
          Object.fromEntries(columns.map(({ name: column }, place) => [column, plain(row[place])])),
        );
        for (const row of typedRows(schema, records)) take(row);
      },
      signal,
    );
  };
  const rows: AskedRows['rows'] = async (name, schema, asked) => {
    const found: Typed<typeof schema>[] = [];
    await each(name, schema, asked, (row) => found.push(row));
    return found;
  };
  return { each, rows, statements };
}

/** Returns a statement with the values of its parameters; a text that contains `$crawl` stays as it is. */
function withValues(sql: string, parameters: Asked['parameters']): string {
  const tokens = sqlTokens(sql);
  const valueAt = (at: number): string | undefined =>
    tokens[at - 1]?.text === '$' ? lookUp(parameters, tokens[at]?.text ?? '') : undefined;
  return tokens
    .map((token, at) => {
      const value = valueAt(at);
      if (value !== undefined) return text(value);
      return valueAt(at + 1) === undefined ? token.text : '';
    })
    .join('');
}

/** Returns a value without the spelling of its number. */
const plain = (value: unknown): unknown => (JSON.isRawJSON(value) ? Number(JSON.stringify(value)) : value);
