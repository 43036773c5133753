import { type Connection, table, text } from '../../src/core/duckdb/duckdb.ts';

/** Figures by where they stand: the screen or table, what tells the row, and the name. */
export type Figures = ReadonlyMap<string, unknown>;

/** A text that tells a row apart, not a figure that is written as one. */
const isKey = (value: unknown): boolean => typeof value === 'string' && !/^-?\d+(\.\d+)?$/.test(value);

/**
 * The numbers and the yes and no of rows, each by the row's key and its column.
 *
 * @param grain the columns of the key; without it all texts of the row
 */
export function figuresOfRows(
  name: string,
  rows: readonly Readonly<Record<string, unknown>>[],
  grain?: readonly string[],
): Figures {
  const found = new Map<string, unknown>();
  for (const row of rows) {
    const told = grain ?? Object.keys(row).filter((column) => isKey(row[column]));
    const key = JSON.stringify(told.map((column) => row[column]));
    for (const [column, value] of Object.entries(row))
      if (!told.includes(column)) found.set(`${name}|${column}|${key}`, value);
  }
  return found;
}

/** The figures of a document, each by its path; items of a list by their texts. */
export function figuresOfDocument(name: string, document: unknown): Figures {
  const found = new Map<string, unknown>();
  const walk = (value: unknown, path: string, key: string): void => {
    if (Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null)) {
      for (const one of value as Record<string, unknown>[])
        walk(one, `${path}[]`, key + JSON.stringify(Object.values(one).filter(isKey)));
    } else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [part, one] of Object.entries(value)) walk(one, path === '' ? part : `${path}.${part}`, key);
    } else found.set(`${name}|${path}|${key}`, value);
  };
  walk(document, '', '');
  return found;
}

/** Removes all rows of datasets, and their loads. */
export async function takeAway(connection: Connection, datasets: readonly string[]): Promise<void> {
  for (const dataset of datasets) {
    await connection.run(`DELETE FROM ${table('raw', dataset)}`);
    for (const loads of ['ops.loads', 'ops.unit_fields'])
      await connection.run(`DELETE FROM ${loads} WHERE dataset = ${text(dataset)}`);
  }
}
