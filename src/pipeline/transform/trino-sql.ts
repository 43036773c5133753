import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { table } from '../../core/duckdb.ts';
import { readText } from '../../core/read-text.ts';
import { isCode, nameOf, sqlTokens, textOf } from '../../core/sql-tokens.ts';
import { badModel, type SqlPlace } from './bad-model.ts';
import type { Inspected } from './inspect-model.ts';
import type { Model, TrinoSql } from './model.ts';
import { completedSource, type SourceTables } from './source-tables.ts';
import type { SqlFolder } from './sql-folders.ts';

/** The end of the name of a file with a model's SELECT in Trino's own SQL: `sql/<folder>/<name>.trino.sql`. */
export const TRINO_SQL = '.trino.sql';

/** The same with its tables as names of a WITH: `"raw.crawl_pages"`. */
export interface PlannedTrinoSql extends TrinoSql {
  /** DuckDB's SELECT of each table, with NULLs for what it lacks. */
  readonly tables: ReadonlyMap<string, string>;
}

/** Reads the file beside that of a model: `crawl_pages/links.sql`; null where there is none. */
export async function readTrinoSql({ path, shown }: SqlFolder, model: string): Promise<TrinoSql | null> {
  const name = model.replace(/\.sql$/, TRINO_SQL);
  if (!existsSync(join(path, name))) return null;
  const sql = await readText(join(path, name));
  return { sql: sql.replace(/^\uFEFF/, '').replace(/;\s*$/, ''), file: `${shown}/${name}` };
}

/**
 * Puts names of a WITH in the place of tables, so that it can give each its present rows.
 *
 * @param seen what the model's own SQL reads: by that the order of models and what has changed are known
 * @throws CrawlhouseError `bad_model` for a table that the model's own SQL does not read
 */
export function planTrinoSql(model: Model, seen: Inspected, present: SourceTables): PlannedTrinoSql | null {
  const { trinoSql: own } = model;
  if (own === null) return null;
  const tables = new Map<string, string>();
  const tokens = sqlTokens(own.sql);
  const said = (from: number, step: 1 | -1): number => {
    let at = from + step;
    for (let token = tokens[at]; token !== undefined && !isCode(token); token = tokens[at]) at += step;
    return at;
  };
  let sql = '';
  for (let at = 0; at < tokens.length; at++) {
    const [schema = '', dot] = [nameOf(tokens[at])?.toLowerCase(), said(at, 1)];
    const last = said(dot, 1);
    const name = nameOf(tokens[last])?.toLowerCase();
    const isTable = name !== undefined && tokens[dot]?.text === '.';
    if (!isTable || !/^(raw|mart|ops|store|work)$/.test(schema)) {
      sql += tokens[at]?.text;
      continue;
    }
    const place = { file: own.file, line: sql.split('\n').length };
    const relation = `${schema}.${name}`;
    const isPart = tokens[said(at, -1)]?.text === '.';
    if (isPart || !(seen.sources.has(relation) || seen.models.has(relation)))
      throw unknownTable(place, `${isPart ? '…' : ''}${relation}`, model, seen);
    const declared = model.reads.get(relation) ?? new Map<string, string>();
    const completed =
      schema === 'mart' ? undefined : completedSource(relation, declared, present.get(relation));
    tables.set(relation, completed ?? `SELECT * FROM ${table(schema, name)}`);
    // Lines stay where they are, so that errors name them.
    const between = textOf(tokens.slice(at, last)).split('\n').length - 1;
    sql += `"${relation}"${'\n'.repeat(between)}`;
    at = last;
  }
  return { ...own, sql, tables };
}

function unknownTable(place: SqlPlace, relation: string, model: Model, seen: Inspected): Error {
  const hint = `tables of ${model.file}: ${[...seen.sources, ...seen.models].join(', ')}; an alias has another name than raw, mart or ops`;
  return badModel(place, `reads ${relation}, which ${model.file} does not read`, hint);
}
