import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { gaps } from '../support/gaps.ts';
import { EXCEPTIONS, PAGES } from './issue-pages.ts';
import { MEASURED_PAGES, RENDERED_PAGES } from './rendered-issue-pages.ts';

const ISSUES = join(import.meta.dirname, '..', '..', 'sql', 'issues');
const MOST_EXCEPTIONS = 3;

test('each file of an issue has a page that has it, and one that is near', () => {
  const issues = readdirSync(ISSUES).map((file) => basename(file, '.sql'));
  const pages = [PAGES, RENDERED_PAGES, MEASURED_PAGES, EXCEPTIONS].flatMap((table) => Object.keys(table));
  const found = gaps(issues, pages, {
    adds: 'an issue',
    missing: (issue) =>
      `sql/issues/${issue}.sql has no page in test/oddities/issue-pages.ts (rendered-issue-pages.ts if it needs a browser)`,
    extra: (issue) => `test/oddities has a page for ${issue}, and there is no sql/issues/${issue}.sql`,
  });
  expect(found).toEqual([]);
  expect(pages.length, 'an issue has its page in one table').toBe(new Set(pages).size);
  expect(Object.keys(EXCEPTIONS).length).toBeLessThanOrEqual(MOST_EXCEPTIONS);
});
