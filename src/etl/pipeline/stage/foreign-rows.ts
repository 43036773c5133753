import { ident } from '../../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { Shown } from '../../project/model/download.ts';
import type { Field } from '../../project/model/field.ts';
import type { PackageColumn } from '../../project/model/manifest.ts';

/** Maximum names that a message lists. */
const MOST_NAMES = 5;

/**
 * Compares the names in a file with the requested fields. A file with columns always contains them. Rows of JSON may
 * omit fields without a value.
 *
 * @throws CrawlhouseError `contract_broken` if the file is not the requested one
 */
export function refuseForeignNames(
  names: readonly string[],
  fields: readonly Field[],
  shown: Shown,
  { name, hasColumns }: { readonly name: string; readonly hasColumns: boolean },
): void {
  if (shown === 'unknown' || fields.length === 0 || names.length === 0) return;
  const there = new Set(names);
  const lacking = fields.filter((field) => !there.has(field.name));
  const due = hasColumns ? lacking.filter(({ required }) => required || shown === 'every') : [];
  if (lacking.length < fields.length && due.length === 0) return;
  const what =
    lacking.length === fields.length
      ? `none of the ${fields.length} requested fields is there`
      : `${listed(due.map((field) => field.name))} of the requested fields ${due.length === 1 ? 'is' : 'are'} missing`;
  throw new CrawlhouseError('contract_broken', `${name}: ${what}; it has ${listed(names)}`);
}

/**
 * Returns SQL that is true for a row of a converted part that cannot be a requested row: it lacks a required field, or,
 * if none is required, has no value at all. Null if every row is possible.
 */
export function foreignRowSql(columns: readonly PackageColumn[], fields: readonly Field[]): string | null {
  const columnOf = (name: string): string | undefined => columns.find(({ field }) => field === name)?.column;
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  const names = (required.length > 0 ? required : fields.map(({ name }) => name)).flatMap((name) => {
    const column = columnOf(name);
    return column === undefined ? [] : [ident(column)];
  });
  if (names.length === 0) return null;
  return required.length > 0
    ? names.map((name) => lacksSql(name)).join(' OR ')
    : names.map((name) => `${name} IS NULL`).join(' AND ');
}

/**
 * Returns SQL that is true where a required value is missing. CSV does not distinguish an empty text from a missing
 * one.
 */
export function lacksSql(source: string): string {
  return `coalesce(CAST(${source} AS VARCHAR), '') = ''`;
}

/** Why a row without a required value is invalid. */
export const LACKS_REASON = 'is missing, and every row has one';

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).map((name) => JSON.stringify(name.slice(0, 200)));
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}
