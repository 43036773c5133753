import type { Json } from '@duckdb/node-api';
import type { Connection, Row, Values } from '../../core/duckdb/duckdb.ts';
import { referenceName } from '../project/sql/plan/inspect-model.ts';
import { replaceTables } from '../project/sql/text/replace-tables.ts';
import { type SqlReferences, sqlReferences } from '../project/sql/text/sql-references.ts';
import type { ModelQueries } from './model-engine.ts';

/** Returns SQL that reads relations under these names. */
export type SelectFrom = (nameOf: (relation: string) => string) => string;

/** Runs a SELECT in the engine's SQL on relations, whatever their names. */
type Run = <T>(selectFrom: SelectFrom, signal?: AbortSignal) => Promise<T[]>;

/** Answers portable SELECTs in an engine whose SQL differs from DuckDB's. */
export class PortableQueries implements ModelQueries {
  readonly #catalog: Connection;
  readonly #translate: (sql: string) => string;
  readonly #run: Run;

  /** @param catalog its parser finds the tables */
  constructor(catalog: Connection, translate: (sql: string) => string, run: Run) {
    this.#catalog = catalog;
    this.#translate = translate;
    this.#run = run;
  }

  async rows<T extends object = Row>(sql: string, _values: Values = [], signal?: AbortSignal): Promise<T[]> {
    const references = await sqlReferences(this.#catalog, sql, { file: 'a query', line: 1 });
    return this.#run<T>((nameOf) => this.#translate(renameTables(sql, references, nameOf)), signal);
  }

  async jsonRows<T extends object = Record<string, Json>>(
    sql: string,
    values: Values = [],
    signal?: AbortSignal,
  ): Promise<T[]> {
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
