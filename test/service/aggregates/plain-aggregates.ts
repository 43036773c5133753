import type { AggRange, AggregateQuery } from '../../../src/client/resources/aggregates.ts';
import type { FieldRecord } from '../../../src/client/resources/fields.ts';
import { type Cell, cellsOf, matches, textOf } from '../oql/plain-oql.ts';
import type { RandomRow } from '../oql/random-rows.ts';

/** A number that additions of doubles come near to. */
interface Near {
  readonly near: number;
  readonly within: number;
}

/** What a table's row holds: keys as they are shown, then the metric: its exact text, a number to come near to, or null. */
export interface PlainRow {
  readonly keys: readonly string[];
  readonly value: string | Near | null;
}

/** An aggregate query worked out row by row, written only to hold the sandbox's SQL against (api-spec.md §4.1). */
export function aggregated(
  all: readonly RandomRow[],
  { oql, fields = [], value }: AggregateQuery,
  catalog: readonly FieldRecord[],
): PlainRow[] {
  const kept = all.filter((row) => !oql || matches(oql, row, catalog));
  const groups = new Map<string, { keys: string[]; rows: RandomRow[] }>();
  if (fields.length === 0) groups.set('', { keys: [], rows: [] });
  for (const row of kept) {
    const combinations = fields.reduce<string[][]>(
      (before, bucket) => before.flatMap((keys) => keysOf(row, bucket).map((key) => [...keys, key])),
      [[]],
    );
    for (const keys of combinations) {
      const group = groups.get(keys.join('\n')) ?? { keys, rows: [] };
      groups.set(keys.join('\n'), group);
      group.rows.push(row);
    }
  }
  return [...groups.values()].map(({ keys, rows }) => ({
    keys,
    value: value === undefined ? String(rows.length) : metric(rows, value, catalog),
  }));
}

/** The JSON texts of the buckets that a row falls under. */
function keysOf(
  row: RandomRow,
  { name, ranges }: { name: string; ranges?: readonly AggRange[] | undefined },
): string[] {
  const cells = cellsOf(row, name);
  if (ranges !== undefined) {
    return ranges
      .filter(({ from, to }) => cells.some((cell) => isWithin(cell, from, to)))
      .map((range) => JSON.stringify(range.name));
  }
  return cells.length === 0 ? ['null'] : [...new Set(cells.map(shown))];
}

function isWithin(cell: Cell, from: number | bigint | undefined, to: number | bigint | undefined): boolean {
  const leaf = (filter: 'gte' | 'lt', bound: number | bigint): boolean =>
    matches({ field: ['it', filter, bound] }, { it: textOf(cell) }, [IT]);
  return (from === undefined || leaf('gte', from)) && (to === undefined || leaf('lt', to));
}
const IT = { name: 'it', type: 'float', arity: 'one' };

/** A value as JSON; a number in one form for one value. */
function shown(cell: Cell): string {
  if (typeof cell !== 'object') return JSON.stringify(cell);
  return /^-?\d+$/.test(cell.number) ? cell.number : String(Number(cell.number));
}

function metric(
  rows: readonly RandomRow[],
  value: string,
  catalog: readonly FieldRecord[],
): PlainRow['value'] {
  const [name = '', method = ''] = value.split(':');
  const cells = rows.flatMap((row) => cellsOf(row, name));
  const type = catalog.find((field) => field.name === name)?.type;
  if (method === 'value_count') return String(cells.length);
  if (method === 'cardinality') return String(new Set(cells.map(shown)).size);
  if (type === 'date' || type === 'datetime') {
    const texts = cells.map(String).sort();
    const text = method === 'min' ? texts[0] : texts.at(-1);
    return text === undefined ? null : JSON.stringify(text);
  }
  const numbers = cells.map(textOf);
  const areWhole = numbers.every((text) => /^-?\d+$/.test(text));
  const thousandths = numbers.map((text) =>
    /^-?\d+$/.test(text) ? BigInt(text) * 1000n : BigInt(Math.round(Number(text) * 1000)),
  );
  const sum = thousandths.reduce((before, one) => before + one, 0n);
  const within = numbers.reduce((before, text) => before + Math.abs(Number(text)), 0) * 1e-14 + 1e-9;
  if (method === 'sum') return areWhole ? `${sum / 1000n}.0` : { near: Number(sum) / 1000, within };
  if (numbers.length === 0) return null;
  if (method === 'avg') return { near: Number(sum) / 1000 / numbers.length, within };
  const sorted = cells.toSorted((a, b) => (below(a, b) ? -1 : below(b, a) ? 1 : 0));
  const extreme = method === 'min' ? sorted[0] : sorted.at(-1);
  return extreme === undefined ? null : shown(extreme);
}

function below(a: Cell, b: Cell): boolean {
  const bound = /^-?\d+$/.test(textOf(b)) ? BigInt(textOf(b)) : Number(textOf(b));
  return isWithin(a, undefined, bound);
}
