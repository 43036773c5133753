import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DemandRow } from '../../../../src/site/search-data/demand-row.ts';
import { unnamedRows } from '../../../../src/site/search-data/search-console/sync-day.ts';
import { runs } from '../../../support/runs.ts';

const EMPTY = { date: '2026-11-01', query: null, country: null, isAnonymized: false } as const;

test('rows by query and the rest of each page add up to the page, with its position', () => {
  const shown = fc.record({
    url: fc.constantFrom('https://e.example/a', 'https://e.example/b'),
    device: fc.constantFrom('mobile', 'desktop'),
    query: fc.option(fc.constantFrom('tea', 'green tea'), { nil: null }),
    clicks: fc.integer({ min: 0, max: 50 }),
    impressions: fc.integer({ min: 50, max: 99 }),
    position: fc.integer({ min: 1, max: 40 }),
  });
  fc.assert(
    fc.property(fc.array(shown, { maxLength: 12 }), (all) => {
      const grouped = (rows: typeof all, key: (row: (typeof all)[number]) => string): DemandRow[] =>
        [...Map.groupBy(rows, key).values()].map((group) => {
          const [first] = group;
          const impressions = group.reduce((sum, one) => sum + one.impressions, 0);
          const weighed = group.reduce((sum, one) => sum + one.position * one.impressions, 0);
          const clicks = group.reduce((sum, one) => sum + one.clicks, 0);
          const { url = '', device = '' } = first ?? {};
          return {
            ...EMPTY,
            url,
            device,
            clicks: BigInt(clicks),
            impressions: BigInt(impressions),
            position: weighed / impressions,
          };
        });
      const named = grouped(
        all.filter(({ query }) => query !== null),
        (one) => `${one.url} ${one.device} ${one.query}`,
      );
      const whole = grouped(all, (one) => `${one.url} ${one.device}`);
      const records = (rows: readonly DemandRow[]) => rows.map((row) => ({ row }));
      const rest = unnamedRows(records(named), records(whole)).flatMap((one) =>
        'row' in one ? [one.row] : [],
      );
      const unnamed = grouped(
        all.filter(({ query }) => query === null),
        (one) => `${one.url} ${one.device}`,
      );
      const short = (rows: readonly DemandRow[]) =>
        rows
          .map(({ url, device, clicks, impressions }) => `${url} ${device} ${clicks} ${impressions}`)
          .sort();
      expect(short(rest)).toEqual(short(unnamed));
      for (const row of rest) {
        expect(row.isAnonymized).toBe(true);
        const own = unnamed.find(({ url, device }) => url === row.url && device === row.device);
        expect(row.position).toBeCloseTo(Number(own?.position), 5);
      }
    }),
    { numRuns: runs(300) },
  );
});

test('rows beyond the total of their page leave no rest, and no position below 1', () => {
  const row = { ...EMPTY, url: 'u', device: 'd', clicks: 3n, impressions: 10n, position: 2 };
  expect(unnamedRows([{ row }], [{ row: { ...row, clicks: 2n } }])).toEqual([]);
  const [rest] = unnamedRows([{ row: { ...row, impressions: 9n, position: 3 } }], [{ row }]);
  expect(rest).toMatchObject({ row: { clicks: 0n, impressions: 1n, position: null } });
});
