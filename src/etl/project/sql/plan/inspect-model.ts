import type { Connection } from '../../../../core/duckdb/duckdb.ts';
import type { Model } from '../models/model.ts';
import { badModel, type SqlPlace } from '../text/bad-model.ts';
import { type SqlReferences, sqlReferences } from '../text/sql-references.ts';
import type { TableReference } from '../text/table-references.ts';
import type { SourceTables } from './source-tables.ts';

/** The models and tables that a model may read. */
export interface Surroundings {
  readonly present: SourceTables;
  readonly models: ReadonlyMap<string, Model>;
  /** Returns the result that an earlier plan had for the same inputs, or else does the work. */
  readonly remember: <T>(inputs: readonly unknown[], work: () => Promise<T>) => Promise<T>;
}

/** SQL and where it begins. */
export interface PlacedSql {
  readonly sql: string;
  readonly start: SqlPlace;
  /** Binds the SQL, or returns the earlier result for tables with the same columns. */
  readonly remember?: (work: () => Promise<OutputList>) => Promise<OutputList>;
}

/** The names and types of output columns in their order, even if two share a name. */
export type OutputList = readonly (readonly [name: string, type: string])[];

/** SQL and its sources, by `schema.table`. */
export interface Inspected extends PlacedSql {
  readonly references: SqlReferences;
  readonly sources: ReadonlySet<string>;
  readonly models: ReadonlySet<string>;
}

/**
 * Parses the SELECT of a model or of one of its tests, and separates the tables that it reads into sources and models.
 *
 * @throws CrawlhouseError `bad_model` with the line of an unknown table
 */
export async function inspectSql(
  connection: Connection,
  model: Model,
  { sql, start }: PlacedSql,
  around: Surroundings,
): Promise<Inspected> {
  const references = await around.remember(['names', sql], () => sqlReferences(connection, sql, start));
  const sources = new Set<string>();
  const models = new Set<string>();
  for (const reference of references.tables) {
    const before = Buffer.from(sql).subarray(0, reference.offset).toString();
    const place = { ...start, line: start.line + before.split('\n').length - 1 };
    const name = checkedName(reference, place);
    if (name.startsWith('mart.')) {
      if (!around.models.has(name)) {
        const hint = `models: ${[...around.models.keys()].join(', ')}`;
        throw badModel(place, `reads ${name}, which no model builds`, hint);
      }
      models.add(name);
    } else {
      checkSource(name, place, model, around);
      sources.add(name);
    }
  }
  return { sql, start, references, sources, models };
}

/** Returns `schema.table` in lowercase, as DuckDB resolves it. */
export function referenceName(reference: TableReference): string {
  return `${reference.schema}.${reference.name}`.toLowerCase();
}

function checkedName(reference: TableReference, place: SqlPlace): string {
  const { catalog, schema, name } = reference;
  if (catalog !== '') {
    const hint = `write ${schema}.${name}: the published warehouse may be attached under any name`;
    throw badModel(place, `reads ${catalog}.${schema}.${name}, which names a catalog`, hint);
  }
  if (schema === '') throw badModel(place, `reads ${name}, without a schema`, `raw.${name} or mart.${name}`);
  return referenceName(reference);
}

function checkSource(name: string, place: SqlPlace, model: Model, around: Surroundings): void {
  if (around.present.has(name)) return;
  if (!/^(raw|ops)\./.test(name)) {
    throw badModel(place, `reads ${name}, which does not exist`, 'a model reads tables of raw, ops and mart');
  }
  if (!model.reads.has(name)) {
    const hint = `declare its columns under reads: ${name}; then a missing table counts as empty`;
    throw badModel(place, `reads ${name}, which is not in the warehouse`, hint);
  }
}
