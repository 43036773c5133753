import type { Json } from '@duckdb/node-api';
import type { Connection, Row, Values } from '../core/duckdb/duckdb.ts';
import { referenceName } from '../project/sql/plan/inspect-model.ts';
import { replaceTables } from '../project/sql/text/replace-tables.ts';
import { type SqlReferences, sqlReferences } from '../project/sql/text/sql-references.ts';
import type { ModelQueries } from './model-engine.ts';

/** SQL from relations under these names. */
export type SelectFrom = (nameOf: (relation: string) => string) => string;

/** Runs a SELECT of the engine's from relations, whatever they are called. */
type Run = <T>(selectFrom: SelectFrom, signal?: AbortSignal) => Promise<T[]>;

/** Answers portable SELECTs in an engine that has another SQL than DuckDB. */
export class PortableQueries implements ModelQueries {
  readonly #catalogue: Connection;
  readonly #translate: (sql: string) => string;
  readonly #run: Run;

  /** @param catalogue whose parser says what is a table */
  constructor(catalogue: Connection, translate: (sql: string) => string, run: Run) {
    this.#catalogue = catalogue;
    this.#translate = translate;
    this.#run = run;
  }

  async rows<T extends Row = Row>(sql: string, _values: Values = [], signal?: AbortSignal): Promise<T[]> {
    const references = await sqlReferences(this.#catalogue, sql, { file: 'a query', line: 1 });
    return this.#run<T>((nameOf) => this.#translate(renameTables(sql, references, nameOf)), signal);
  }

  async jsonRows(sql: string, values: Values = [], signal?: AbortSignal): Promise<Record<string, Json>[]> {
    const rows = await this.rows(sql, values, signal);
    const plain = (_key: string, value: unknown): unknown =>
      typeof value === 'bigint' ? String(value) : value;
    return JSON.parse(JSON.stringify(rows, plain));
  }

  async scalar(sql: string, values: Values = [], signal?: AbortSignal): Promise<Row[string] | undefined> {
    const [row] = await this.rows(sql, values, signal);
    return row && Object.values(row)[0];
  }
}

export function renameTables(
  sql: string,
  references: SqlReferences,
  nameOf: (relation: string) => string,
): string {
  return replaceTables(sql, references, (reference) =>
    reference.schema === '' ? undefined : `SELECT * FROM ${nameOf(referenceName(reference))}`,
  );
}
