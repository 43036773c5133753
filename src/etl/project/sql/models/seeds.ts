import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { CsvError } from 'csv-parse/sync';
import { ident, text } from '../../../../core/duckdb/duckdb.ts';
import { readText } from '../../../../core/files/read-text.ts';
import { parseCsv } from '../../../../core/text/parse-csv.ts';
import { badModel } from '../text/bad-model.ts';
import type { SqlFolder } from './sql-folders.ts';

/** The folder of `sql/` with the rows of seeds: `<name>.csv` for `mart.<name>`. */
const SEEDS_FOLDER = 'seeds';

/** The declarations of a seed about its rows. */
export interface SeedShape {
  readonly columns: readonly string[];
  /** The columns that distinguish the rows of one file. */
  readonly grain: readonly string[];
  /** Rows of a later folder replace all rows of an earlier one with the same values in these columns. */
  readonly replaces: readonly string[];
  /** Columns that a file may omit; their values are then NULL. */
  readonly optional: readonly string[];
}

/** Returns the seed files in a folder, by the name of their model. */
export async function seedFiles({ path }: SqlFolder): Promise<string[]> {
  const folder = join(path, SEEDS_FOLDER);
  if (!existsSync(folder)) return [];
  const files = (await readdir(folder)).filter((name) => name.endsWith('.csv'));
  return files.map((name) => basename(name, '.csv')).sort();
}

/** Returns the file of a seed as errors show it. */
export function seedFile({ shown }: SqlFolder, name: string): string {
  return `${shown}/${SEEDS_FOLDER}/${name}.csv`;
}

/** A row of a seed: the text of each column, NULL for an empty value. */
export type SeedRow = Readonly<Record<string, string | null>>;

/**
 * Returns a seed's rows from the files in the given folders, except rows that a later folder replaces.
 *
 * @throws CrawlhouseError `bad_model` naming file and line
 */
export async function seedRows(
  folders: readonly SqlFolder[],
  name: string,
  shape: SeedShape,
): Promise<SeedRow[]> {
  let rows: SeedRow[] = [];
  for (const folder of folders) {
    if (!(await seedFiles(folder)).includes(name)) continue;
    const file = seedFile(folder, name);
    const content = await readText(join(folder.path, SEEDS_FOLDER, `${name}.csv`));
    const own = readRows(file, content, shape);
    const replaced = new Set(own.map((row) => keyOf(row, shape.replaces)));
    rows = [...rows.filter((row) => !replaced.has(keyOf(row, shape.replaces))), ...own];
  }
  return rows;
}

/**
 * Returns the SELECT of a seed. Its rows are text, with NULL for empty values.
 *
 * @throws CrawlhouseError `bad_model` naming file and line
 */
export async function seedSelect(
  folders: readonly SqlFolder[],
  name: string,
  shape: SeedShape,
): Promise<string> {
  const rows = await seedRows(folders, name, shape);
  const columns = shape.columns.map((column) => `CAST(${ident(column)} AS VARCHAR) AS ${ident(column)}`);
  const names = shape.columns.map(ident).join(', ');
  if (rows.length === 0) {
    return `SELECT ${columns.join(', ')} FROM (SELECT ${shape.columns.map((column) => `NULL AS ${ident(column)}`).join(', ')}) AS seed WHERE false`;
  }
  const values = rows.map((row) => `(${shape.columns.map((column) => valueSql(row[column])).join(', ')})`);
  return `SELECT ${columns.join(', ')}\nFROM (VALUES\n${values.join(',\n')}\n) AS seed(${names})`;
}

function valueSql(value: string | null | undefined): string {
  return value === null || value === undefined ? 'NULL' : text(value);
}

function keyOf(row: SeedRow, columns: readonly string[]): string {
  return columns.map((column) => row[column] ?? '').join(', ');
}

function readRows(file: string, content: string, { columns, grain, optional }: SeedShape): SeedRow[] {
  const [header, ...lines] = records(file, content);
  const names = header?.record ?? [];
  const wrong = [
    ...names.filter((name, index) => !columns.includes(name) || names.indexOf(name) < index),
    ...columns.filter((name) => !names.includes(name) && !optional.includes(name)),
  ];
  if (wrong.length > 0) {
    throw badModel(
      { file, line: 1 },
      `the columns are ${names.join(', ')}`,
      `the columns of this seed: ${columns.join(', ')}`,
    );
  }
  const keys = new Set<string>();
  return lines.map(({ record, info }) => {
    const row = Object.fromEntries(columns.map((name) => [name, record[names.indexOf(name)] || null]));
    const key = keyOf(row, grain);
    if (keys.has(key)) {
      throw badModel({ file, line: info.lines }, `a second row of ${grain.join(', ')} ${key}`, 'remove one');
    }
    keys.add(key);
    return row;
  });
}

function records(file: string, content: string): ReturnType<typeof parseCsv> {
  try {
    return parseCsv(content, { bom: true });
  } catch (error) {
    const { lines, message } = error as CsvError & { lines?: number };
    throw badModel({ file, line: lines ?? 1 }, `is not CSV: ${message}`, undefined, error);
  }
}
