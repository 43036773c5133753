import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '../../../core/logs/logger.ts';
import type { DatasetName } from '../catalogue/catalogue-of.ts';
import { kindOfField } from '../catalogue/column.ts';
import type { Dataset } from '../resources/resources.ts';
import type { ServiceRows } from '../rows/row-store.ts';
import { checkRows } from './check-rows.ts';
import { importRows } from './import-rows.ts';
import { readFields } from './read-fields.ts';

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
