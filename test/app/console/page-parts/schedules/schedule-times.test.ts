import { expect, test } from 'vitest';
import {
  cronOf,
  timesOf,
  timesText,
} from '../../../../../src/app/console/page-parts/schedules/schedule-times.ts';

test.for([
  ['0 6 * * *', 'every day at 06:00'],
  ['5 18 * * 1', 'every Monday at 18:05'],
  ['0 0 31 * *', 'day 31 of each month at 00:00'],
  ['0 6 1 * 1', '0 6 1 * 1'],
  ['*/5 * * * *', '*/5 * * * *'],
  ['0 6,18 * * *', '0 6,18 * * *'],
  ['0 6 * jan *', '0 6 * jan *'],
] as const)('%s is shown as "%s", and its fields reproduce it', ([cron, text]) => {
  expect(timesText(cron)).toBe(text);
  expect(cronOf(new URLSearchParams({ ...timesOf(cron) }))).toBe(cron);
});
