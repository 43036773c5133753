import { type Field, typeFamily } from '../../project/model/field.ts';
import type { ChosenRoute, RouteOption } from './route.ts';

/** Names that a message lists before it only counts. */
const MOST_NAMES = 2;

/** A header line that begins so may be a page or an error; a control character or byte order mark may not survive in it. */
const UNSAFE_NAME = /^\s*[<{]|[\p{Cc}\ufeff]/u;

/** The format of one unit on its route, by the fields that are requested. The reason says which and why. */
export function chooseFormat(option: RouteOption, fields: readonly Field[]): ChosenRoute {
  const { cheaper, past, seconds, ...chosen } = option;
  if (cheaper === undefined) return chosen;
  const need = needsJson(fields);
  const format = need === null ? cheaper : chosen.format;
  const why = need ?? 'each field fits in it';
  return { ...chosen, format, reason: `${chosen.reason}; ${format.toUpperCase()}, because ${why}` };
}

/**
 * Why rows of these fields come by JSON where CSV would do: the differences between values that a cell of CSV can't
 * carry (docs/decisions/staging.md). Null if CSV carries them all. Depends on the fields alone, never on their values.
 */
export function needsJson(fields: readonly Field[]): string | null {
  // A row whose only value is null would be a blank line, which is no row.
  if (fields.length < 2) return 'a CSV of one field has no row for null';
  const lost = fields.filter(({ name, type, arity }) => {
    return arity === 'many' || typeFamily(type) === 'json' || UNSAFE_NAME.test(name);
  });
  if (lost.length === 0) return null;
  const names = lost.slice(0, MOST_NAMES).map(({ name }) => JSON.stringify(name));
  const more = lost.length > MOST_NAMES ? `, and ${lost.length - MOST_NAMES} more` : '';
  return `CSV loses differences in ${lost.length} of ${fields.length} fields (${names.join(', ')}${more})`;
}
