import { ident } from '../../core/duckdb/duckdb.ts';

/** The key of a partition as DuckDB writes it: a JSON list of texts. */
export function partitionKey(by: readonly string[]): string {
  return `json_format(CAST(ARRAY[${by.map((column) => `CAST(${ident(column)} AS varchar)`).join(', ')}] AS JSON))`;
}
