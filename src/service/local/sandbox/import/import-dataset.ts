import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { readLines } from '../../../../core/files/read-lines.ts';
import type { Logger } from '../../../../core/logs/logger.ts';
import { kindOfField } from '../../fields/column.ts';
import type { DatasetName } from '../../fields/field-records-of.ts';
import type { Dataset } from '../../resources/resources.ts';
import type { ServiceRows } from '../../rows/row-store.ts';
import { importRows } from './import-rows.ts';
import { readFields } from './read-fields.ts';

interface RowsSummary {
  readonly rows: number;
  readonly unknownKeys: readonly string[];
}

/** Loads one data type of a folder: `<name>.fields.json` and, where there is one, `<name>.jsonl`. */
export async function importDataset(
  { rows, logger }: { readonly rows: ServiceRows; readonly logger: Logger },
  dir: string,
  owner: string,
  name: DatasetName,
): Promise<Dataset> {
  const fields = await readFields(join(dir, `${name}.fields.json`));
  const file = join(dir, `${name}.jsonl`);
  if (!existsSync(file)) {
    return {
      table: undefined,
      columns: fields.map((field, index) => ({ id: `c${index}`, kind: kindOfField(field), field })),
    };
  }
  const { unknownKeys } = await checkRows(file, new Set(fields.map((field) => field.name)));
  if (unknownKeys.length > 0) {
    logger.warn('keys that are no fields are left out', { file, keys: unknownKeys });
  }
  const table = `${name}_${owner}`;
  const columns = await rows.useForImport((connection) => importRows(connection, file, fields, table));
  return { table, columns };
}

/**
 * Reads a JSONL file once before DuckDB does. DuckDB accepts text that is not JSON (trailing commas, NaN), and counts
 * the lines of its errors differently.
 *
 * @throws CrawlhouseError `bad_project` with file and line
 */
async function checkRows(file: string, known: ReadonlySet<string>): Promise<RowsSummary> {
  const unknown = new Set<string>();
  let rows = 0;
  for await (const { line, number } of readLines(file)) {
    if (line.trim() === '') continue;
    rows += 1;
    for (const key of Object.keys(parseRow(line, file, number))) {
      if (!known.has(key)) unknown.add(key);
    }
  }
  return { rows, unknownKeys: [...unknown] };
}

function parseRow(line: string, file: string, number: number): object {
  let problem = 'is not a JSON object';
  try {
    const row: unknown = JSON.parse(line);
    if (typeof row === 'object' && row !== null && !Array.isArray(row)) return row;
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
  }
  throw new CrawlhouseError('bad_project', `${file}, line ${number}: ${problem}`, {
    hint: 'each line of a .jsonl file is one JSON object, a row',
  });
}
