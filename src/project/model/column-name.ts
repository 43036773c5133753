import { hash } from 'node:crypto';
import { lookUp } from '../../core/text/look-up.ts';
import { WIDE_WHOLE } from './field.ts';

/** Hexadecimal digits of the mark, and by how many it grows where a name with it is taken too. */
const MARK = 6;

/**
 * The names that the column of a field may have, the preferred first: the field's own name, then the name with a mark.
 * The mark is made from its exact spelling, and distinguishes names that are equal for DuckDB. A mark that a field has
 * in its own name is only part of that name, so there is always one more.
 *
 * @param isReserved whether the field's own name is kept for others
 */
function* columnNames(field: string, isReserved = false): Generator<string> {
  if (!isReserved) yield field;
  const digest = hash('sha256', field);
  for (let digits = MARK; digits <= digest.length; digits += MARK)
    yield `${field}~${digest.slice(0, digits)}`;
}

/**
 * The columns of fields that come together, each by one of its names: one in lower case, as the specification's are,
 * keeps its own before one that differs from it only in case.
 *
 * @param isFree whether a name may be given; those given before are not free
 */
export function nameColumns(
  fields: readonly string[],
  isFree: (name: string, field: string) => boolean,
  isReserved: (field: string) => boolean = () => false,
): Map<string, string> {
  const given = new Set<string>();
  const names = new Map<string, string>();
  const isLower = (field: string): boolean => field === field.toLowerCase();
  for (const field of [...fields.filter(isLower), ...fields.filter((one) => !isLower(one))]) {
    const name = columnNames(field, isReserved(field)).find(
      (one) => !given.has(one.toLowerCase()) && isFree(one, field),
    );
    if (name === undefined)
      throw new RangeError(`no name is left for the column of ${JSON.stringify(field)}`);
    given.add(name.toLowerCase());
    names.set(field, name);
  }
  return names;
}

/** The words by which variant columns name types; dlt's, and `_list` after that of a list's values. */
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
 * The variant column of a field: it has the values that came as a type that the field's column has no room for.
 *
 * @param base the field's column
 * @param type DuckDB's
 */
export function variantColumn(base: string, type: string, isFree: (name: string) => boolean): string {
  const isList = type.endsWith('[]');
  const word = lookUp(TYPE_WORDS, isList ? type.slice(0, -2) : type);
  const name = columnNames(`${base}__v_${word}${isList ? '_list' : ''}`).find(isFree);
  if (word === undefined || name === undefined) throw new RangeError(`${base} has no variant for ${type}`);
  return name;
}

/** The column that a name says to be the variant of; undefined for another name. */
export function variantOf(column: string): string | undefined {
  return VARIANT.exec(column)?.[1];
}

/** The field's own column, by one that its values went to: that one, or the one that it is the variant of. */
export function baseColumn(field: string, column: string): string {
  const base = column === field ? undefined : variantOf(column);
  return base === field || base?.startsWith(`${field}~`) ? base : column;
}

/** A unit's name as a folder: legible, and never two units in one. */
export function folderName(unit: string): string {
  const plain = unit.replaceAll(/[^A-Za-z0-9_.-]/g, '_');
  return `${plain.slice(0, 120)}-${hash('sha256', unit).slice(0, 8)}`;
}
