import type { z } from 'zod';

export type ReadonlyDeep<T> = unknown extends T ? T : { readonly [K in keyof T]: ReadonlyDeep<T[K]> };

/** What a schema describes. */
export type Typed<Schema extends z.ZodType> = ReadonlyDeep<z.output<Schema>>;

let isChecked = false;

/** Makes `typedRows` check each row. Tests do. */
export function checkTypedRows(): void {
  isChecked = true;
}

/**
 * Returns the rows of any database, typed by a schema. Tests check each row against the schema.
 *
 * @throws ZodError in tests, for a row that differs
 */
export function typedRows<Schema extends z.ZodType>(
  schema: Schema,
  rows: readonly unknown[],
): readonly Typed<Schema>[] {
  if (isChecked) for (const row of rows) schema.parse(row);
  return rows as readonly Typed<Schema>[];
}

/** Returns columns of one type, as a part of a schema. */
export function columnsOf<const Name extends string, Schema extends z.ZodType>(
  names: readonly Name[],
  schema: Schema,
): Record<Name, Schema> {
  return Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, Schema>;
}
