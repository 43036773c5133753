import { hash } from 'node:crypto';

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

/** A unit's name as a folder: legible, and never two units in one. */
export function folderName(unit: string): string {
  const plain = unit.replaceAll(/[^A-Za-z0-9_.-]/g, '_');
  return `${plain.slice(0, 120)}-${hash('sha256', unit).slice(0, 8)}`;
}
