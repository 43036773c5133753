import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type CsvError, parse } from 'csv-parse/sync';
import { ident, text } from '../../../core/duckdb.ts';
import { readText } from '../../../core/read-text.ts';
import { badModel } from '../text/bad-model.ts';
import type { SqlFolder } from './sql-folders.ts';

/** The folder of `sql/` that holds the rows of seeds: `<name>.csv` for `mart.<name>`. */
const SEEDS_FOLDER = 'seeds';

/** The declarations of a seed about its rows. */
export interface SeedShape {
  readonly columns: readonly string[];
  /** The columns by which a row of a later folder takes the place of one of an earlier folder. */
  readonly grain: readonly string[];
}

/** The files of seeds in a folder, by the name of their model. */
export async function seedFiles({ path }: SqlFolder): Promise<string[]> {
  const folder = join(path, SEEDS_FOLDER);
  if (!existsSync(folder)) return [];
  const files = (await readdir(folder)).filter((name) => name.endsWith('.csv'));
  return files.map((name) => basename(name, '.csv')).sort();
}

/** As errors show the file of a seed. */
export function seedFile({ shown }: SqlFolder, name: string): string {
  return `${shown}/${SEEDS_FOLDER}/${name}.csv`;
}

/**
 * The SELECT of a seed: its rows as they stand in the files of some folders, all of them texts, an empty value NULL.
 *
 * @throws CrawlhouseError `bad_model` naming file and line
 */
export async function seedSelect(
  folders: readonly SqlFolder[],
  name: string,
  shape: SeedShape,
): Promise<string> {
  const rows = new Map<string, string>();
  for (const folder of folders) {
    if (!(await seedFiles(folder)).includes(name)) continue;
    const file = seedFile(folder, name);
    const content = await readText(join(folder.path, SEEDS_FOLDER, `${name}.csv`));
    const own = new Set<string>();
    for (const { key, values, line } of readRows(file, content, shape)) {
      if (own.has(key)) {
        throw badModel({ file, line }, `a second row of ${shape.grain.join(', ')} ${key}`, 'remove one');
      }
      own.add(key);
      rows.set(key, values);
    }
  }
  const columns = shape.columns.map((column) => `CAST(${ident(column)} AS VARCHAR) AS ${ident(column)}`);
  const names = shape.columns.map(ident).join(', ');
  if (rows.size === 0) {
    return `SELECT ${columns.join(', ')} FROM (SELECT ${shape.columns.map((column) => `NULL AS ${ident(column)}`).join(', ')}) AS seed WHERE false`;
  }
  return `SELECT ${columns.join(', ')}\nFROM (VALUES\n${[...rows.values()].join(',\n')}\n) AS seed(${names})`;
}

interface SeedRow {
  readonly key: string;
  /** As SQL: `('a', NULL)`. */
  readonly values: string;
  readonly line: number;
}

function readRows(file: string, content: string, { columns, grain }: SeedShape): SeedRow[] {
  const [header, ...lines] = records(file, content);
  const names = header?.record ?? [];
  const wrong = [...names, ...columns].find((name) => !columns.includes(name) || !names.includes(name));
  if (wrong !== undefined || names.length !== columns.length) {
    throw badModel(
      { file, line: 1 },
      `the columns are ${names.join(', ')}`,
      `the columns of this seed: ${columns.join(', ')}`,
    );
  }
  return lines.map(({ record, info }) => {
    const value = (column: string): string => record[names.indexOf(column)] ?? '';
    return {
      key: grain.map(value).join(', '),
      values: `(${columns.map((column) => (value(column) === '' ? 'NULL' : text(value(column)))).join(', ')})`,
      line: info.lines,
    };
  });
}

interface CsvRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

function records(file: string, content: string): CsvRecord[] {
  try {
    return parse(content, { bom: true, info: true, skip_empty_lines: true }) as unknown as CsvRecord[];
  } catch (error) {
    const { lines, message } = error as CsvError & { lines?: number };
    throw badModel({ file, line: lines ?? 1 }, `is not CSV: ${message}`, undefined, error);
  }
}
