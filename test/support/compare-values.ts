import { join } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import { type Connection, ident, text } from '../../src/core/duckdb/duckdb.ts';
import type { Field } from '../../src/etl/project/model/field.ts';
import type { Cell, ValueField } from './cell.ts';
import { type ParquetField, parquetCells } from './parquet-cells.ts';
import { type StagedValues, stageValues } from './stage-values.ts';
import { temporaryFolder } from './temporary.ts';
import { type Family, isLoaded } from './value-oracle.ts';

export interface Wire {
  readonly format: 'csv' | 'json' | 'parquet';
  /** A file of rows, whose values are written already; of Parquet its path. */
  readonly file: (
    fields: readonly ValueField[],
    rows: readonly (readonly string[])[],
  ) => string | Promise<string>;
  /** Line of the row that has this id. */
  readonly line: (id: number) => number;
  /** How a NULL is written. */
  readonly none: string;
}

export const CSV: Wire = {
  format: 'csv',
  none: '',
  line: (id) => id + 2,
  file: (fields, rows) =>
    ['id', ...fields.map(({ name }) => name)]
      .join(';')
      .concat('\n', rows.map((row, id) => `${[id, ...row].join(';')}\n`).join('')),
};

export const JSON_LINES: Wire = {
  format: 'json',
  none: 'null',
  line: (id) => id + 1,
  file: (fields, rows) =>
    rows
      .map((row, id) => `{"id":${id},${fields.map(({ name }, at) => `"${name}":${row[at]}`).join(',')}}\n`)
      .join(''),
};

/** Values are SQL. */
function parquet(connection: Connection): Wire {
  return {
    format: 'parquet',
    none: 'NULL',
    line: (id) => id + 1,
    file: async (fields, rows) => {
      const path = join(await temporaryFolder(), 'values.parquet');
      const columns = fields.map(({ name, column }, at) => `CAST(c${at} AS ${column}) AS ${ident(name)}`);
      const values = rows.map((row, id) => `(${[id, ...row].join(', ')})`);
      const names = ['id', ...fields.map((_field, at) => `c${at}`)].join(', ');
      await connection.run(
        `COPY (SELECT id::BIGINT AS id, ${columns.join(', ')} FROM (VALUES ${values.join(', ')}) AS t(${names}))
         TO ${text(path)} (FORMAT parquet)`,
      );
      return path;
    },
  };
}

/** Columns of a Parquet file at once: DuckDB takes long to plan hundreds of conversions. */
const PARQUET_COLUMNS = 60;

/** Compares 20 values of each of the columns. */
export async function compareParquet(
  connection: Connection,
  fields: readonly ParquetField[],
  seed: number,
  singles: number,
): Promise<void> {
  for (let at = 0; at < fields.length; at += PARQUET_COLUMNS) {
    const some = fields.slice(at, at + PARQUET_COLUMNS);
    const [rows = []] = fc.sample(parquetCells(some, 20), { numRuns: 1, seed });
    await compareValues(connection, parquet(connection), some, rows, singles);
  }
}

/** From so many rows on, each value is checked by itself, and not its row as a whole (`convertPart`). */
const MANY = 2048;

const ID: Field = { name: 'id', type: 'natural', arity: 'one' };

/**
 * Stages rows of values, once with those that must be rejects and once without, and a few of the rejects on their own:
 * each reject must be told with its place, and every other value must be loaded.
 *
 * @param singles rejects that are staged alone, where nothing else sends the part the slow way
 */
export async function compareValues(
  connection: Connection,
  wire: Wire,
  fields: readonly ValueField[],
  rows: readonly (readonly Cell[])[],
  singles: number,
): Promise<void> {
  const stage = async (cells: readonly (readonly string[])[]): Promise<StagedValues> =>
    stageValues(connection, wire.format, await wire.file(fields, cells), [ID, ...fields]);
  const all = await stage(rows.map((row) => row.map(({ written }) => written)));
  const problems: string[] = [];
  for (const [id, row] of rows.entries()) {
    const told = all.rejects.get(wire.line(id));
    problems.push(...wrongRejects(fields, row, told, `line ${wire.line(id)}`));
    const loaded = all.rows.get(id);
    if (loaded) problems.push(...wrongLoads(fields, row, loaded));
    if ((told === undefined) === (loaded === undefined))
      problems.push(`row ${id}: neither staged nor rejected, or both`);
  }
  const good = rows.map((row) =>
    row.map((cell) => (isSure(cell) ? cell : { written: wire.none, verdict: { load: null } })),
  );
  const rest = await stage(good.map((row) => row.map(({ written }) => written)));
  for (const [id, row] of good.entries()) {
    const told = rest.rejects.get(wire.line(id));
    problems.push(...wrongRejects(fields, row, told, `good line ${wire.line(id)}`));
    problems.push(...wrongLoads(fields, row, rest.rows.get(id) ?? {}));
  }
  const broken = rows.flatMap((row) =>
    row.flatMap((cell, at) => (cell.verdict === 'reject' ? [{ cell, at }] : [])),
  );
  const step = Math.max(1, Math.floor(broken.length / Math.max(1, singles)));
  for (const { cell, at } of broken.filter((_one, index) => index % step === 0).slice(0, singles)) {
    const field = fields[at] as ValueField;
    for (const others of [0, MANY]) {
      const cells = [[cell.written], ...Array.from({ length: others }, () => [wire.none])];
      const { rows } = await stageValues(connection, wire.format, await wire.file([field], cells), [
        ID,
        field,
      ]);
      if (rows.has(0) || rows.size !== others)
        problems.push(
          `beside ${others} rows: ${describe(field, cell)} loaded as ${rows.get(0)?.[field.name]}`,
        );
    }
  }
  expect([...new Set(problems)].slice(0, 25)).toEqual([]);
}

/** Must the value be loaded? */
function isSure({ verdict }: Cell): boolean {
  return verdict !== 'reject' && verdict.either !== true;
}

function wrongRejects(
  fields: readonly ValueField[],
  row: readonly Cell[],
  told: StagedValues['rejects'] extends ReadonlyMap<number, infer T> ? T | undefined : never,
  where: string,
): string[] {
  // A word that is no JSON breaks the whole line.
  if (told?.has(null))
    return row.some(({ verdict }) => verdict === 'reject') ? [] : [`${where}: rejected as a whole`];
  return fields.flatMap((field, at) => {
    const cell = row[at] as Cell;
    const isTold = told?.has(field.name) ?? false;
    if (cell.verdict === 'reject') return isTold ? [] : [`${where}: ${describe(field, cell)} is no reject`];
    return isTold && isSure(cell) ? [`${where}: ${describe(field, cell)} was rejected`] : [];
  });
}

function wrongLoads(
  fields: readonly ValueField[],
  row: readonly Cell[],
  loaded: Readonly<Record<string, string | null>>,
): string[] {
  return fields.flatMap((field, at) => {
    const cell = row[at] as Cell;
    // A field that no row has is no column.
    const value = loaded[field.name] ?? null;
    if (cell.verdict === 'reject') return [`${describe(field, cell)} was loaded as ${value}`];
    const right =
      field.arity === 'one' || field.family === 'json'
        ? isLoaded(field.family, cell.verdict.load, value)
        : isListLoaded(field.family, cell.verdict.load, value);
    return right ? [] : [`${describe(field, cell)} was loaded as ${value}`];
  });
}

function isListLoaded(family: Family, load: string | null, loaded: string | null): boolean {
  if (load === null || loaded === null) return load === loaded;
  const [wanted, found] = [load, loaded].map((list) => JSON.parse(list) as (string | null)[]) as [
    (string | null)[],
    (string | null)[],
  ];
  return (
    wanted.length === found.length && wanted.every((one, at) => isLoaded(family, one, found[at] ?? null))
  );
}

function describe(field: ValueField, { written, verdict }: Cell): string {
  const wanted = verdict === 'reject' ? 'a reject' : verdict.load;
  return `${field.type} (${field.column ?? field.arity}) ${JSON.stringify(written)}, wanted ${wanted},`;
}
