import type { FieldEntry, FieldOrigin, FieldType } from '../../../client/fields/field-entry.ts';
import { PAGE_FIELD_ENTRIES } from '../../../client/fields/page-fields.ts';

/** Names of columns, in order, with their DuckDB types: what `read_json(columns = …)` takes. */
export type TableColumns = Readonly<Record<string, string>>;

/** A column: its type in DuckDB, and the type of its values here. */
export interface RecordColumn<T> {
  readonly type: string;
  readonly isOptional: boolean;
  readonly value?: T;
}
export type RowOf<C> = { readonly [K in keyof C]: C[K] extends RecordColumn<infer T> ? T : never };

export function column<T>(type: string): RecordColumn<T> {
  return { type, isOptional: false };
}

export function optional<T>(type: string): RecordColumn<T | null> {
  return { type, isOptional: true };
}

export const text = column<string>('VARCHAR');
export const textOrNull = optional<string>('VARCHAR');
export const flag = column<boolean>('BOOLEAN');
export const flagOrNull = optional<boolean>('BOOLEAN');
export const wholeOrNull = optional<number>('BIGINT');
export const whole = column<number>('BIGINT');
export const textsOrNull = optional<readonly string[]>('VARCHAR[]');
export const texts = column<readonly string[]>('VARCHAR[]');

export function typesOf(columns: Readonly<Record<string, RecordColumn<unknown>>>): TableColumns {
  return Object.fromEntries(Object.entries(columns).map(([name, { type }]) => [name, type]));
}

const SQL_TYPES: Readonly<Record<FieldType, string>> = {
  natural: 'BIGINT',
  integer: 'BIGINT',
  float: 'DOUBLE',
  percentage: 'DOUBLE',
  ratio: 'DOUBLE',
  bool: 'BOOLEAN',
  string: 'VARCHAR',
  enum: 'VARCHAR',
  hash: 'VARCHAR',
  date: 'VARCHAR',
  datetime: 'VARCHAR',
  object: 'JSON',
  nested: 'JSON',
};

/** Returns the type of a field's column: lists for many-valued texts, JSON for other many-valued fields. */
export function columnType({ type, arity }: Pick<FieldEntry, 'type' | 'arity'>): string {
  const item = SQL_TYPES[type];
  if (arity === 'one') return item;
  return item === 'VARCHAR' ? 'VARCHAR[]' : 'JSON';
}

/** Returns the columns of the page fields from one origin. */
export function fieldColumns(from: FieldOrigin): Readonly<Record<string, RecordColumn<unknown>>> {
  const entries = PAGE_FIELD_ENTRIES.filter(([, entry]) => entry.from === from);
  return Object.fromEntries(
    entries.map(([name, entry]) => [
      name,
      { type: columnType(entry), isOptional: entry.isRequired !== true },
    ]),
  );
}
