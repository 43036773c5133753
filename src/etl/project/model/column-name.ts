import { hash } from 'node:crypto';
import { lookUp } from '../../../core/text/look-up.ts';
import { WIDE_WHOLE } from './field.ts';

/** Hexadecimal digits of the mark, and the digits that it grows by while its name is in use. */
const MARK = 6;

/**
 * Yields the names that the column of a field may have, preferred first: the field's own name, then the name with a
 * mark. The mark comes from the exact spelling and distinguishes names that are equal for DuckDB. If a field's own name
 * contains a mark, that mark is only part of the name, so there is always another name.
 *
 * @param isReserved whether the field's own name is reserved
 */
function* columnNames(field: string, isReserved = false): Generator<string> {
  if (!isReserved) yield field;
  const digest = hash('sha256', field);
  for (let digits = MARK; digits <= digest.length; digits += MARK)
    yield `${field}~${digest.slice(0, digits)}`;
}

/**
 * Returns a column for each of several fields. A lowercase field, as in the specification, keeps its own name in
 * preference to a field that differs only in case.
 *
 * @param isFree whether a name is still free; names assigned earlier are not
 */
export function nameColumns(
  fields: readonly string[],
  isFree: (name: string, field: string) => boolean,
  isReserved: (field: string) => boolean = () => false,
): Map<string, string> {
  const given = new Set<string>();
  const names = new Map<string, string>();
  const isLower = (field: string): boolean => field === field.toLowerCase();
  for (const field of [...fields.filter(isLower), ...fields.filter((field) => !isLower(field))]) {
    const name = columnNames(field, isReserved(field)).find(
      (name) => !given.has(name.toLowerCase()) && isFree(name, field),
    );
    if (name === undefined)
      throw new RangeError(`no name is left for the column of ${JSON.stringify(field)}`);
    given.add(name.toLowerCase());
    names.set(field, name);
  }
  return names;
}

/** The words by which variant columns name types. They are dlt's, with `_list` appended for the values of a list. */
const TYPE_WORDS: Readonly<Record<string, string>> = {
  BIGINT: 'bigint',
  [WIDE_WHOLE]: 'decimal',
  DOUBLE: 'double',
  BOOLEAN: 'bool',
  VARCHAR: 'text',
  DATE: 'date',
  'TIMESTAMP WITH TIME ZONE': 'timestamp',
  JSON: 'json',
};
const VARIANT = /^(.+)__v_(?:bigint|decimal|double|bool|text|date|timestamp|json)(?:_list)?(?:~[0-9a-f]+)?$/s;

/**
 * Returns the variant column of a field. It contains values whose type does not fit the field's column.
 *
 * @param base the field's column
 * @param type a type of DuckDB
 */
export function variantColumn(base: string, type: string, isFree: (name: string) => boolean): string {
  const isList = type.endsWith('[]');
  const word = lookUp(TYPE_WORDS, isList ? type.slice(0, -2) : type);
  const name = columnNames(`${base}__v_${word}${isList ? '_list' : ''}`).find(isFree);
  if (word === undefined || name === undefined) throw new RangeError(`${base} has no variant for ${type}`);
  return name;
}

/** Returns the base column that a variant's name contains; undefined for another name. */
export function variantOf(column: string): string | undefined {
  return VARIANT.exec(column)?.[1];
}

/** Returns the field's own column, from the column of its values: that column, or the one that it is a variant of. */
export function baseColumn(field: string, column: string): string {
  const base = column === field ? undefined : variantOf(column);
  return base === field || base?.startsWith(`${field}~`) ? base : column;
}

/** Returns a unit's name as a folder name: legible, and unique for each unit. */
export function folderName(unit: string): string {
  const plain = unit.replaceAll(/[^A-Za-z0-9_.-]/g, '_');
  return `${plain.slice(0, 120)}-${hash('sha256', unit).slice(0, 8)}`;
}
