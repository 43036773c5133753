import { expect, test } from 'vitest';
import { calendarDay } from '../../../src/core/time/calendar-day.ts';

test('among day-shaped texts, exactly the calendar days are days', () => {
  let days = 0;
  for (const year of ['2023', '2024', '1900', '2000', '9999'])
    for (let month = 0; month < 100; month++)
      for (let day = 0; day < 100; day++) {
        const text = [year, ...[month, day].map((one) => String(one).padStart(2, '0'))].join('-');
        const at = new Date(Date.UTC(Number(year), month - 1, day));
        const isDay = at.getUTCMonth() === month - 1 && at.getUTCDate() === day;
        expect(calendarDay(text), text).toBe(isDay ? at.getTime() : null);
        days += isDay ? 1 : 0;
      }
  expect(days).toBe(5 * 365 + 2);
});

test('text of another form is not a day', () => {
  for (const text of [
    '',
    '2026-1-1',
    '20260101',
    '2026-01-01T00:00:00Z',
    ' 2026-01-01',
    '2026-01-01\n',
    '２０２６-01-01',
  ])
    expect(calendarDay(text), text).toBeNull();
});
