import { expect, test } from 'vitest';
import { crawlIssues, wrongIssues } from '../oddities/crawl-issues.ts';
import { MEASURED_PAGES } from '../oddities/rendered-issue-pages.ts';
import { CHROMIUM, MISSING } from './chromium.ts';

if (CHROMIUM === undefined) console.warn(MISSING);

test.skipIf(CHROMIUM === undefined)(
  'each web vitals issue is found on its test page of a real crawl, and not on the similar page',
  async () => {
    const options = { flags: ['--vitals', '2'], settings: 'vitals: {loads: 1}\n' };
    const found = await crawlIssues(MEASURED_PAGES, options);
    expect(wrongIssues(MEASURED_PAGES, found)).toEqual([]);
  },
);
