import { expect, test } from 'vitest';
import { daysWords } from '../../../../src/app/answers/presentation/days-words.ts';

const DAYS = {
  ranking_from_date: '2026-11-01',
  ranking_to_date: '2026-11-07',
  log_from_date: '2026-11-02',
  log_to_date: '2026-11-08',
};
const row = (clicks: number | null, search_bot_hits: number | null) => ({ clicks, search_bot_hits });

test.each([
  [
    [row(null, null), row(0, 0)],
    DAYS,
    'Clicks: 2026-11-01 to 2026-11-07. Bot hits: requests of search engines, 2026-11-02 to 2026-11-08.',
  ],
  [
    [row(null, null)],
    DAYS,
    'Clicks are unknown: no search results for the days of this crawl have clicks by page. Bot hits are unknown: the log files do not identify bots.',
  ],
  [
    [row(1, null)],
    { ...DAYS, log_from_date: null },
    'Clicks: 2026-11-01 to 2026-11-07. Bot hits are unknown: there are no log files for the days of this crawl.',
  ],
])('the days of %j are described', (rows, days, words) => {
  expect(daysWords(days, rows)).toBe(words);
});
