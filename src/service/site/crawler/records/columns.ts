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
