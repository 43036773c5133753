import type { DuckDBType } from '@duckdb/node-api';
import type { StreamedRows } from '../../../../core/duckdb/streamed-rows.ts';
import { valueToJson } from './value-json.ts';

/** The result of a statement as it arrives, from any engine. Values are as in JSON (`valueToJson`). */
export interface ResultRows {
  /** Unique. */
  readonly names: readonly string[];
  /** DuckDB's names of the types. */
  readonly types: readonly string[];
  chunks(): AsyncIterable<readonly (readonly unknown[])[]>;
}

export function jsonRows(result: StreamedRows): ResultRows {
  const { names, types } = result;
  return {
    names,
    types: types.map(typeName),
    async *chunks() {
      for await (const chunk of result.chunks())
        yield chunk
          .getRows()
          .map((row) => row.map((value, index) => valueToJson(value, types[index] as DuckDBType)));
    },
  };
}

export function typeName(type: DuckDBType): string {
  return type.alias ?? String(type);
}
