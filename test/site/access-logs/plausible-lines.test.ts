import { expect, test } from 'vitest';
import { caddy, line, linesOf } from './lines-of.ts';

const on = (day: string): string => line('66.249.66.1').replace('10/Nov/2026', day);

test.for([
  ['10/Nov/2569', ['implausible_day']],
  ['10/Nov/1448', ['implausible_day']],
  ['10/Nov/0026', ['implausible_day']],
  ['31/Dec/1994', ['implausible_day']],
  ['01/Jan/1995', []],
  ['30/Nov/2026', []],
  ['01/Dec/2026', ['implausible_day']],
  ['31/Dec/9999', ['implausible_day']],
] as const)('a line of %s: %j', async ([day, reasons]) => {
  for (const log of [on(day), on(day).replace('"GET', '"get')]) {
    const { events, rejects, oddYear } = await linesOf(line('66.249.66.1') + log + line('66.249.66.1'));
    expect([events.length + rejects.length, rejects]).toEqual([3, [...reasons]]);
    expect(oddYear).toBe(reasons.length === 0 ? null : Number(day.slice(-4)));
  }
});

test.for([9_999_999_999, 9_999_999_999_999, 0.5e9, 253_402_300_799])(
  'a time of %s since 1970 is a reject',
  async (ts) => {
    const { events, rejects } = await linesOf(caddy({}) + caddy({ ts }));
    expect([events.length, rejects]).toEqual([1, ['implausible_day']]);
  },
);
