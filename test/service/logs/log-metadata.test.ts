import fc from 'fast-check';
import { expect, test } from 'vitest';
import { WEEK_DEFINITIONS, type WeekDefinition } from '../../../src/client/resources/log-monitoring.ts';
import type { Connection } from '../../../src/core/duckdb/duckdb.ts';
import { daysOf, periodSql } from '../../../src/service/logs/log-metadata.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

async function labels(
  connection: Connection,
  days: readonly string[],
  weeks: WeekDefinition,
): Promise<Record<string, string>[]> {
  const sql = `SELECT ${periodSql('days', 'day', weeks)} AS days, ${periodSql('weeks', 'day', weeks)} AS weeks, ${periodSql('months', 'day', weeks)} AS months
    FROM (SELECT unnest(string_split($1, ' '))::DATE AS day)`;
  return (await connection.rows(sql, [days.join(' ')])) as Record<string, string>[];
}

test('near New Year, the year of a week can differ from the calendar year', async () => {
  const days = [
    '2024-12-29',
    '2024-12-30',
    '2025-01-01',
    '2025-01-04',
    '2025-01-05',
    '2021-01-03',
    '2022-12-31',
  ];
  const connection = await temporaryConnection(await temporaryFolder());
  const weeks = async (definition: WeekDefinition) =>
    (await labels(connection, days, definition)).map((label) => label.weeks);
  expect(await weeks('iso')).toEqual([
    '2024-W52',
    '2025-W01',
    '2025-W01',
    '2025-W01',
    '2025-W01',
    '2020-W53',
    '2022-W52',
  ]);
  expect(await weeks('sunday_start')).toEqual([
    '2025-W01',
    '2025-W01',
    '2025-W01',
    '2025-W01',
    '2025-W02',
    '2021-W02',
    '2022-W53',
  ]);
});

test('every day is within the days of its labels, and its week starts as defined', async () => {
  const connection = await temporaryConnection(await temporaryFolder());
  const day = fc
    .integer({ min: 0, max: 40_000 })
    .map((n) => new Date(n * 86_400_000).toISOString().slice(0, 10));
  await fc.assert(
    fc.asyncProperty(
      fc.array(day, { minLength: 1, maxLength: 40 }),
      fc.constantFrom(...WEEK_DEFINITIONS),
      async (days, weeks) => {
        const found = await labels(connection, days, weeks);
        for (const [index, label] of found.entries()) {
          const given = days[index] ?? '';
          for (const granularity of ['days', 'weeks', 'months'] as const) {
            const span = daysOf(granularity, label[granularity] ?? '', weeks);
            expect(
              span && span.from <= given && given <= span.to,
              `${given} in ${JSON.stringify(span)}`,
            ).toBe(true);
          }
          const week = daysOf('weeks', label.weeks ?? '', weeks);
          const start = new Date(week?.from ?? '');
          expect(start.getUTCDay()).toBe(weeks === 'iso' ? 1 : 0);
          expect(Date.parse(week?.to ?? '') - start.getTime()).toBe(6 * 86_400_000);
        }
      },
    ),
    { numRuns: 40 },
  );
});

test('an invalid label has no days', () => {
  expect(daysOf('weeks', '2025-01', 'iso')).toBeUndefined();
  expect(daysOf('months', '2025-W01', 'iso')).toBeUndefined();
  expect(daysOf('days', 'yesterday', 'iso')).toBeUndefined();
});
