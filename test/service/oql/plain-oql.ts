import type { Oql, OqlLeaf, OqlOptions } from '../../../src/client/oql/oql.ts';
import type { FieldRecord } from '../../../src/client/resources/fields.ts';
import type { RandomRow } from './random-rows.ts';

/** A number by its text, a string, a boolean. */
export type Cell = { readonly number: string } | string | boolean;

/** The values that a row has in a field; of a list its elements, nulls left out. */
export function cellsOf(row: RandomRow, name: string): Cell[] {
  const json = row[name];
  if (json === undefined) return [];
  const revive = (_key: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === 'number' ? { number: context?.source } : value;
  const value = JSON.parse(json, revive as (key: string, value: unknown) => unknown) as Cell | Cell[] | null;
  return (Array.isArray(value) ? value : [value]).filter((one) => one !== null);
}

/** OQL as api-spec.md §2.1 tells it, written only to hold the sandbox's SQL against. */
export function matches(oql: Oql, row: RandomRow, fields: readonly FieldRecord[]): boolean {
  if ('and' in oql) return oql.and.every((node) => matches(node, row, fields));
  if ('or' in oql) return oql.or.some((node) => matches(node, row, fields));
  const field = fields.find((one) => one.name === oql.field[0]);
  if (field === undefined) throw new Error(`no field ${oql.field[0]}`);
  return leafMatches(oql.field, cellsOf(row, field.name), field.type);
}

function leafMatches(
  [, filter, value, options = {}]: OqlLeaf,
  cells: readonly Cell[],
  type: string,
): boolean {
  const any = (test: (cell: Cell) => boolean): boolean => cells.some(test);
  const order = (bound: unknown) => (cell: Cell) => compare(cell, bound, type);
  switch (filter) {
    case 'has_value':
      return cells.length > 0;
    case 'has_no_value':
      return cells.length === 0;
    case 'gt':
      return any((cell) => order(value)(cell) > 0);
    case 'gte':
      return any((cell) => order(value)(cell) >= 0);
    case 'lt':
      return any((cell) => order(value)(cell) < 0);
    case 'lte':
      return any((cell) => order(value)(cell) <= 0);
    case 'between': {
      const [from, to] = value as readonly unknown[];
      return any((cell) => order(from)(cell) >= 0 && order(to)(cell) < 0);
    }
    case 'not_equals':
      return !any((cell) => isEqual(cell, value, type, {}));
    case 'equals':
      return any((cell) => isEqual(cell, value, type, options));
    default:
      return any((cell) => textMatches(filter, textOf(cell), String(value), options));
  }
}

function isEqual(cell: Cell, value: unknown, type: string, options: OqlOptions): boolean {
  if (type === 'bool') return String(cell) === String(value);
  if (type === 'string' || type === 'enum' || type === 'hash')
    return textMatches('equals', textOf(cell), String(value), options);
  return compare(cell, value, type) === 0;
}

function textMatches(filter: string, cell: string, value: string, { ci, regex }: OqlOptions): boolean {
  if (regex) {
    const source =
      { equals: `^(?:${value})$`, startswith: `^(?:${value})`, endswith: `(?:${value})$` }[filter] ?? value;
    return new RegExp(source, ci ? 'iu' : 'u').test(cell);
  }
  const [left, right] = ci ? [cell.toLowerCase(), value.toLowerCase()] : [cell, value];
  if (filter === 'contains') return left.includes(right);
  if (filter === 'startswith') return left.startsWith(right);
  if (filter === 'endswith') return left.endsWith(right);
  return left === right;
}

/** Below, at or above the bound; NaN where the two have no order. */
function compare(cell: Cell, bound: unknown, type: string): number {
  if (type === 'date' || type === 'datetime') {
    const [left, right] = [instant(String(cell)), instant(String(bound))];
    return left - right;
  }
  if (typeof cell !== 'object') return Number.NaN;
  return compareNumbers(cell.number, bound as number | bigint);
}

function compareNumbers(text: string, bound: number | bigint): number {
  const isWhole = /^-?\d+$/.test(text) && (typeof bound === 'bigint' || Number.isInteger(bound));
  const [left, right] = isWhole ? [BigInt(text), BigInt(bound)] : [Number(text), Number(bound)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function instant(text: string): number {
  const [day = '', time = '00:00:00'] = text.replace(' UTC', '').replaceAll('/', '-').split(' ');
  return Date.parse(`${day}T${time}Z`);
}

export function textOf(cell: Cell): string {
  return typeof cell === 'object' ? cell.number : String(cell);
}
