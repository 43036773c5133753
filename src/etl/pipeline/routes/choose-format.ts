import { type Field, typeFamily } from '../../project/model/field.ts';
import type { ChosenRoute, RouteOption } from './route.ts';

/** Maximum names that a message lists. */
const MOST_NAMES = 2;

/**
 * A header line that begins like this may be a page or an error. A control character or byte order mark might not
 * survive in a CSV file.
 */
const UNSAFE_NAME = /^\s*[<{]|[\p{Cc}\ufeff]/u;

/** Chooses the format of one unit on its route, by the requested fields. The reason explains the choice. */
export function chooseFormat(option: RouteOption, fields: readonly Field[]): ChosenRoute {
  const { cheaper, past, seconds, ...chosen } = option;
  if (cheaper === undefined) return chosen;
  const need = needsJson(fields);
  const format = need === null ? cheaper : chosen.format;
  const why = need ?? 'each field fits in it';
  return { ...chosen, format, reason: `${chosen.reason}; ${format.toUpperCase()}, because ${why}` };
}

/**
 * Returns why rows of these fields need JSON instead of CSV: differences between values that a CSV cell cannot
 * represent (docs/decisions/staging.md). Null if CSV represents them all. Depends only on the fields, never on their
 * values.
 */
export function needsJson(fields: readonly Field[]): string | null {
  // A row whose only value is null would be a blank line, which is not a row.
  if (fields.length < 2) return 'CSV with one field has no row for null';
  const lost = fields.filter(({ name, type, arity }) => {
    return arity === 'many' || typeFamily(type) === 'json' || UNSAFE_NAME.test(name);
  });
  if (lost.length === 0) return null;
  const names = lost.slice(0, MOST_NAMES).map(({ name }) => JSON.stringify(name));
  const more = lost.length > MOST_NAMES ? `, and ${lost.length - MOST_NAMES} more` : '';
  return `CSV loses differences in ${lost.length} of ${fields.length} fields (${names.join(', ')}${more})`;
}
