import type { SearchBody } from '../../api/search.ts';
import type { Column } from '../catalogue/column.ts';
import { invalidParameters, type OffendingField } from '../resources/refusal.ts';

/** The columns a request asks for, in its order; without `fields` every displayable one. */
export function selectColumns(
  columns: readonly Column[],
  names: readonly string[] | undefined,
): readonly Column[] {
  if (names === undefined) return columns.filter((column) => column.field.can_display !== false);
  const byName = new Map(columns.map((column) => [column.field.name, column]));
  const problems: OffendingField[] = [];
  const selected = names.flatMap((name, index) => {
    const column = byName.get(name);
    const problem = !column
      ? { type: 'unknown_field', message: `there is no field ${JSON.stringify(name)}` }
      : column.field.can_display === false
        ? { type: 'not_displayable', message: `${name} can't be displayed` }
        : names.indexOf(name) !== index
          ? { type: 'duplicate', message: `${name} stands twice` }
          : undefined;
    if (problem) problems.push({ name: `fields[${index}]`, ...problem });
    return column ? [column] : [];
  });
  if (problems.length > 0) throw invalidParameters(...problems);
  return selected;
}

/** SQL for the requested order. Rows that tie, or all rows without a sort, come in stored order. */
export function orderBy(columns: readonly Column[], sort: SearchBody['sort']): string {
  const byName = new Map(columns.map((column) => [column.field.name, column]));
  const problems: OffendingField[] = [];
  const terms = (sort ?? []).flatMap(({ field, order }, index) => {
    const column = byName.get(field);
    if (!column || column.field.can_sort === false) {
      const message = column ? `${field} can't be sorted by` : `there is no field ${JSON.stringify(field)}`;
      problems.push({
        name: `sort[${index}].field`,
        type: column ? 'not_sortable' : 'unknown_field',
        message,
      });
      return [];
    }
    return sortKeys(column).map((key) => `${key} ${order.toUpperCase()} NULLS LAST`);
  });
  if (problems.length > 0) throw invalidParameters(...problems);
  return terms.length === 0 ? '' : `ORDER BY ${[...terms, 'rowid'].join(', ')}`;
}

function sortKeys({ kind, id }: Column): string[] {
  if (kind !== 'json') return [id];
  const text = `json_extract_string(${id}, '$')`;
  // Whole numbers that are equal as DOUBLE still have an order.
  const whole = `CASE WHEN regexp_full_match(${text}, '-?[0-9]{1,38}') THEN CAST(${text} AS HUGEINT) END`;
  return [`TRY_CAST(${text} AS DOUBLE)`, whole, text];
}
