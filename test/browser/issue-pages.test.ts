import { expect, test } from 'vitest';
import { crawlIssues, wrongIssues } from '../oddities/crawl-issues.ts';
import { RENDERED_PAGES } from '../oddities/rendered-issue-pages.ts';
import { CHROMIUM, MISSING } from './chromium.ts';

if (CHROMIUM === undefined) console.warn(MISSING);

test.skipIf(CHROMIUM === undefined)(
  'each issue of rendered pages is found on its test page of a real crawl, and not on the similar page',
  async () => {
    const options = { flags: ['--render'], settings: 'rendering: {media: true}\n' };
    const found = await crawlIssues(RENDERED_PAGES, options);
    expect(wrongIssues(RENDERED_PAGES, found)).toEqual([]);
  },
);
