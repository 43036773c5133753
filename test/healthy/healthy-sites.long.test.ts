import { expect, test } from 'vitest';
import { crawlHealthy } from './crawl-healthy.ts';
import { TEMPLATES } from './templates.ts';

/** What a site is found to have that needs a browser and is not rendered. */
const SHELL = ['needs_rendering'];

test.for(Object.entries(TEMPLATES))(
  'a healthy site of %s has no issue of medium or high severity',
  async ([name, template]) => {
    const { pages, faults } = await crawlHealthy(template);
    expect(pages).toBeGreaterThanOrEqual(name === 'nextApp' ? 26 : 15);
    expect(faults.map((line) => (name === 'spa' ? line.replace(/:.*/, '') : line))).toEqual(
      name === 'spa' ? SHELL : [],
    );
  },
);
