import type { Oql, OqlValue } from '../../../src/client/oql/oql.ts';

/** A row of ranking performance as a test makes it. */
export interface RankingRow {
  readonly url: string;
  readonly date: string;
  readonly device: string | null;
  readonly clicks: number;
  readonly impressions: number;
  readonly position: number | null;
}

export interface PlainQuery {
  readonly fields: readonly (keyof RankingRow)[];
  readonly value: readonly {
    readonly field: keyof RankingRow;
    readonly method: string;
    readonly alias: string;
  }[];
  readonly oql: Oql | null;
  readonly post_aggs_oql: Oql | null;
  readonly sort: readonly { readonly field: string; readonly order: 'asc' | 'desc' }[];
  readonly limit: number;
  readonly offset: number;
}

type Value = string | number | null;
type Record_ = Readonly<Record<string, Value>>;

/** What a ranking query means, written down a second time and as plainly as can be: only for tests. */
export function plainRanking(rows: readonly RankingRow[], query: PlainQuery): Value[][] {
  const groups = new Map<string, RankingRow[]>();
  if (query.fields.length === 0) groups.set('[]', []);
  for (const row of rows.filter((one) => holds(query.oql, one as unknown as Record_))) {
    const key = JSON.stringify(query.fields.map((field) => row[field]));
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const names = [
    ...query.fields,
    ...(query.value.length > 0 ? query.value.map(({ alias }) => alias) : ['count']),
  ];
  const table = [...groups].map(([key, items]): Record_ => {
    const buckets = JSON.parse(key) as Value[];
    const metrics =
      query.value.length > 0
        ? query.value.map(({ field, method }) => metric(items, field, method))
        : [items.length];
    return Object.fromEntries([...buckets, ...metrics].map((value, index) => [names[index] ?? '', value]));
  });
  const order = [...query.sort, ...query.fields.map((field) => ({ field, order: 'asc' as const }))];
  return table
    .filter((row) => holds(query.post_aggs_oql, row))
    .sort(
      (a, b) =>
        order.map((by) => compare(a[by.field] ?? null, b[by.field] ?? null, by.order)).find(Boolean) ?? 0,
    )
    .slice(query.offset, query.offset + query.limit)
    .map((row) => names.map((name) => row[name] ?? null));
}

function metric(rows: readonly RankingRow[], field: keyof RankingRow, method: string): number | null {
  const total = (of: (row: RankingRow) => number): number => rows.reduce((sum, row) => sum + of(row), 0);
  if (method === 'sum') return total((row) => Number(row[field]));
  if (method === 'cardinality')
    return new Set(rows.map((row) => row[field]).filter((value) => value !== null)).size;
  const shown = total((row) => row.impressions);
  if (method === 'ctr') return shown === 0 ? null : total((row) => row.clicks) / shown;
  const placed = rows.filter((row) => row.position !== null);
  const weight = placed.reduce((sum, row) => sum + row.impressions, 0);
  // In tenths, as the rows are made: whole numbers, and so without an error of their own.
  const tenths = placed.reduce(
    (sum, row) => sum + row.impressions * Math.round(Number(row.position) * 10),
    0,
  );
  return weight === 0 ? null : Math.round((tenths / 10 / weight) * 1e6) / 1e6;
}

function holds(oql: Oql | null, row: Record_): boolean {
  if (oql === null) return true;
  if ('and' in oql) return oql.and.every((node) => holds(node, row));
  if ('or' in oql) return oql.or.some((node) => holds(node, row));
  const [name, filter, value] = oql.field;
  const given = row[name] ?? null;
  if (filter === 'not_equals') return given !== value;
  if (given === null) return false;
  const bound = (one: OqlValue): string | number => one as string | number;
  if (filter === 'between') {
    const [from, to] = value as readonly [string | number, string | number];
    return given >= from && given < to;
  }
  const tests: Readonly<Record<string, boolean>> = {
    equals: given === value,
    gt: given > bound(value),
    gte: given >= bound(value),
    lt: given < bound(value),
    lte: given <= bound(value),
  };
  return tests[filter] ?? false;
}

/** Nothing comes last, whatever the order. */
function compare(a: Value, b: Value, order: 'asc' | 'desc'): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return (a < b ? -1 : 1) * (order === 'asc' ? 1 : -1);
}
