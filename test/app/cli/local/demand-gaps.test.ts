import { expect, test } from 'vitest';
import { demandGaps, gapsText } from '../../../../src/app/cli/local/demand-gaps.ts';
import { SearchConsole } from '../../../../src/site/search-data/search-console/search-console.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const signal = new AbortController().signal;

/** Search Console with results for the given days. */
class ShownDays extends SearchConsole {
  readonly #days: readonly string[];

  constructor(days: readonly string[]) {
    super('http://127.0.0.1:1', async () => ({}));
    this.#days = days;
  }

  override async *rows(): AsyncGenerator<{ keys: string[]; clicks: number; impressions: number }[]> {
    yield this.#days.map((day) => ({ keys: [day], clicks: 1, impressions: 1 }));
  }
}

function gaps(shown: readonly string[], stored: Readonly<Record<string, readonly [bigint, bigint] | null>>) {
  const demandDays = async () =>
    Object.entries(stored).map(([day, share]) => ({
      day,
      anonymized: share === null ? null : { clicks: share[0], of: share[1] },
    }));
  const work = { console: new ShownDays(shown), projectId: 'p', property: 'sc-domain:e.example', days: 500 };
  return demandGaps({ handle: { demandDays } }, work, signal, NOW);
}

test('missing days are spans, and the share of anonymized queries counts only the days for which it is known', async () => {
  const shown = ['2026-11-17', '2026-11-10', '2026-10-31', '2026-11-01', '2026-11-16'];
  const found = await gaps(shown, {
    '2026-11-10': [2n ** 60n, 2n ** 61n],
    '2026-11-16': null,
    '2026-11-18': [1n, 1n],
  });
  expect(found).toEqual({
    span: { from: '2026-10-31', to: '2026-11-17', days: 5 },
    missing: [
      { from: '2026-10-31', to: '2026-11-01', days: 2 },
      { from: '2026-11-17', to: '2026-11-17', days: 1 },
    ],
    anonymized: { clicks: 2n ** 60n, of: 2n ** 61n, days: 1, unknown_days: 1 },
  });
  expect(
    gapsText(found, NOW),
  ).toBe(`5 days with search results, 2026-10-31 to 2026-11-17; 2 stored, 3 missing.

missing from  to          days
2026-10-31    2026-11-01     2
2026-11-17    2026-11-17     1

To read the missing days: crawlhouse demand sync --days 22
Anonymized queries: 1,152,921,504,606,846,976 of 2,305,843,009,213,693,952 clicks (50 %) of 1 stored day.
The share of anonymized queries is unknown for 1 stored day (no rows by query, or no total).
`);
});

test('without a missing day, and without a day at all', async () => {
  expect(gapsText(await gaps(['2026-11-17'], { '2026-11-17': [0n, 0n] }), NOW)).toBe(
    '1 day with search results, 2026-11-17 to 2026-11-17; 1 stored, 0 missing.\n',
  );
  expect(gapsText(await gaps([], {}), NOW)).toBe('No day has final search results yet.\n');
});
