import { expect, test } from 'vitest';
import { measurePage } from '../../../../src/site/crawler/vitals/measure-vitals.ts';
import { medians, type PageLoad, VITALS, type Vitals } from '../../../../src/site/crawler/vitals/vitals.ts';

const of = (value: number | null, more: Partial<Vitals> = {}): Vitals => ({
  ...(Object.fromEntries(VITALS.map((name) => [name, value])) as Record<keyof Vitals, number | null>),
  ...more,
});
const load = (value: number, isIncomplete = false): PageLoad => ({
  vitals: of(value),
  instrument: 'Lighthouse 13',
  isIncomplete,
});

/** Loads one after another; their number is counted. */
function loading(loads: readonly PageLoad[]) {
  const counted = { loads: 0 };
  const next = async (): Promise<PageLoad> => loads[counted.loads++] as PageLoad;
  return { counted, next };
}

test('the median of each figure counts, or the mean of the two middle values', () => {
  expect(medians([of(3), of(1, { cwv_lcp: 90 }), of(2)])).toEqual(of(2, { cwv_lcp: 3 }));
  expect(medians([of(1), of(4)])).toEqual(of(3, { cwv_cls: 2.5, cwv_performance_score: 2.5 }));
  expect(medians([of(1), of(null), of(7), of(2)])).toEqual(of(2));
  expect(medians([of(null)])).toEqual(of(null));
});

test('a page is loaded as often as configured, and its record shows the measuring conditions', async () => {
  const { counted, next } = loading([load(5), load(1), load(3)]);
  expect(await measurePage('https://site.example/', 3, next)).toEqual({
    url: 'https://site.example/',
    ...of(3),
    cwv_measurement: 'Lighthouse 13, median of 3 loads',
    warnings: [],
  });
  expect(counted.loads).toBe(3);
});

test('a failing page is not loaded again, and has no figures', async () => {
  const { counted, next } = loading([{ warning: 'vitals_timeout' }, load(1)]);
  expect(await measurePage('https://site.example/', 3, next)).toEqual({
    url: 'https://site.example/',
    ...of(null),
    cwv_measurement: null,
    warnings: ['vitals_timeout'],
  });
  expect(counted.loads).toBe(1);
});

test('loads before a failure count, and refused requests are reported', async () => {
  const { next } = loading([load(2, true), { warning: 'vitals_crashed' }]);
  expect(await measurePage('https://site.example/', 3, next)).toMatchObject({
    cwv_lcp: 2,
    cwv_measurement: 'Lighthouse 13, one load',
    warnings: ['vitals_incomplete'],
  });
});
