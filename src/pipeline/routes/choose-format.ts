import type { Field } from '../../project/model/field.ts';
import { needsJson } from './needs-json.ts';
import type { ChosenRoute, RouteOption } from './route.ts';

/** The format of one unit on its route, by the fields that are requested. The reason says which and why. */
export function chooseFormat(option: RouteOption, fields: readonly Field[]): ChosenRoute {
  const { cheaper, past, seconds, ...chosen } = option;
  if (cheaper === undefined) return chosen;
  const need = needsJson(fields);
  const format = need === null ? cheaper : chosen.format;
  const why = need ?? 'each field fits in it';
  return { ...chosen, format, reason: `${chosen.reason}; ${format.toUpperCase()}, because ${why}` };
}
