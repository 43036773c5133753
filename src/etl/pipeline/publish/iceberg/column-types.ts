import { ident, text } from '../../../../core/duckdb/duckdb.ts';

/** A column's type: DuckDB's in the Parquet file, and Iceberg's. */
export type ColumnType =
  | { readonly stored: string; readonly iceberg: string }
  | { readonly element: ColumnType }
  | { readonly key: ColumnType; readonly value: ColumnType }
  | { readonly fields: readonly (readonly [name: string, type: ColumnType])[] };

export type IcebergType =
  | string
  | { type: 'list'; 'element-id': number; element: IcebergType; 'element-required': false }
  | {
      type: 'map';
      'key-id': number;
      key: IcebergType;
      'value-id': number;
      value: IcebergType;
      'value-required': false;
    }
  | { type: 'struct'; fields: readonly IcebergField[] };

export interface IcebergField {
  readonly id: number;
  readonly name: string;
  readonly required: false;
  readonly type: IcebergType;
}

/** Iceberg has no unsigned whole numbers, and DuckDB writes HUGEINT as DOUBLE. */
const SCALARS: ReadonlyMap<string, ColumnType> = new Map(
  [
    ['BOOLEAN', 'boolean', 'BOOLEAN'],
    ['INTEGER', 'int', 'TINYINT', 'SMALLINT', 'INTEGER', 'UTINYINT', 'USMALLINT'],
    ['BIGINT', 'long', 'BIGINT', 'UINTEGER'],
    ['DECIMAL(20,0)', 'decimal(20,0)', 'UBIGINT'],
    ['DECIMAL(38,0)', 'decimal(38,0)', 'HUGEINT', 'UHUGEINT'],
    ['FLOAT', 'float', 'FLOAT'],
    ['DOUBLE', 'double', 'DOUBLE'],
    ['DATE', 'date', 'DATE'],
    ['TIMESTAMP', 'timestamp', 'TIMESTAMP', 'TIMESTAMP_S', 'TIMESTAMP_MS', 'TIMESTAMP_NS'],
    ['TIMESTAMP WITH TIME ZONE', 'timestamptz', 'TIMESTAMP WITH TIME ZONE'],
    ['BLOB', 'binary', 'BLOB'],
  ].flatMap(([stored = '', iceberg = '', ...types]) => types.map((type) => [type, { stored, iceberg }])),
);

/** Types that some engines lack become text: JSON, enums, times of day, UUIDs. */
function scalar(type: string): ColumnType {
  if (type.startsWith('DECIMAL(')) return { stored: type, iceberg: type.toLowerCase() };
  return SCALARS.get(type) ?? { stored: 'VARCHAR', iceberg: 'string' };
}

/** Parses a type in DuckDB's form: `STRUCT(a INTEGER, "b c" VARCHAR[])`. */
export function columnType(type: string): ColumnType {
  let at = 0;
  const takes = (word: string): boolean => {
    if (!type.startsWith(word, at)) return false;
    at += word.length;
    return true;
  };
  const match = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const [found = ''] = pattern.exec(type) ?? [];
    at += found.length;
    return found;
  };
  const name = (): string => {
    const written = match(/"(?:[^"]|"")*"|[^\s"]+/y);
    takes(' ');
    return written.startsWith('"') ? written.slice(1, -1).replaceAll('""', '"') : written;
  };
  const listOf = <T>(item: () => T): T[] => {
    const items = [item()];
    while (takes(', ')) items.push(item());
    takes(')');
    return items;
  };
  const one = (): ColumnType => {
    let read: ColumnType;
    if (takes('STRUCT(')) read = { fields: listOf(() => [name(), one()] as const) };
    else if (takes('MAP(')) {
      const [key = scalar(''), value = scalar('')] = listOf(one);
      read = { key, value };
    } else read = scalar(match(/(?:[^(),[]|\((?:'(?:[^']|'')*'|"(?:[^"]|"")*"|\([^()]*\)|[^()'"])*\))+/y));
    while (match(/\[\d*\]/y) !== '') read = { element: read };
    return read;
  };
  return one();
}

/** Returns the type as SQL, for a CAST. */
export function storedType(type: ColumnType): string {
  if ('stored' in type) return type.stored;
  if ('element' in type) return `${storedType(type.element)}[]`;
  if ('key' in type) return `MAP(${storedType(type.key)}, ${storedType(type.value)})`;
  return `STRUCT(${type.fields.map(([name, of]) => `${ident(name)} ${storedType(of)}`).join(', ')})`;
}

/** @param nextId numbers each field, also nested ones */
export function icebergType(type: ColumnType, nextId: () => number): IcebergType {
  if ('iceberg' in type) return type.iceberg;
  if ('element' in type) {
    const id = nextId();
    return {
      type: 'list',
      'element-id': id,
      element: icebergType(type.element, nextId),
      'element-required': false,
    };
  }
  if ('key' in type) {
    const ids = { 'key-id': nextId(), 'value-id': nextId() };
    const [key, value] = [icebergType(type.key, nextId), icebergType(type.value, nextId)];
    return { type: 'map', ...ids, key, value, 'value-required': false };
  }
  const fields = type.fields.map(([name, of]) => icebergField(name, of, nextId));
  return { type: 'struct', fields };
}

export function icebergField(name: string, type: ColumnType, nextId: () => number): IcebergField {
  return { id: nextId(), name, required: false, type: icebergType(type, nextId) };
}

/** Returns whether two types are equal except for the numbers of their fields. */
export function isSameType(one: IcebergType, other: IcebergType): boolean {
  const withoutIds = (type: IcebergType) =>
    JSON.stringify(type, (key, value) => (/^(?:\w+-)?id$/.test(key) ? undefined : value));
  return withoutIds(one) === withoutIds(other);
}

/** Returns the numbers of fields, for the option FIELD_IDS of DuckDB's COPY. */
export function fieldIds(fields: readonly IcebergField[]): string {
  return `{${fields.map(({ id, name, type }) => `${text(name)}: ${idsOf(id, type)}`).join(', ')}}`;
}

function idsOf(id: number, type: IcebergType): string {
  if (typeof type === 'string') return String(id);
  const own = `{__duckdb_field_id: ${id}, `;
  if (type.type === 'struct') return `${own}${fieldIds(type.fields).slice(1)}`;
  if (type.type === 'list') return `${own}element: ${idsOf(type['element-id'], type.element)}}`;
  return `${own}key: ${idsOf(type['key-id'], type.key)}, value: ${idsOf(type['value-id'], type.value)}}`;
}
