import { expect, test } from 'vitest';
import { changedCases } from './changed-cases.ts';

test('a model has cases under test/golden, an issue has its own, and other files have none', () => {
  const files = ['sql/mart/urls.sql', 'test/golden/mart.urls.yaml', 'sql/crawl_links/links.sql'];
  const [models, issues, ...more] = changedCases([...files, 'sql/issues/thin.sql', 'sql/issues/slow.sql']);
  expect(models?.of).toEqual(['mart.links', 'mart.urls']);
  expect(issues?.of).toEqual(['slow', 'thin']);
  expect(more).toEqual([]);
  expect(changedCases(['sql/questions/q01.sql', 'sql/contract.yaml', 'sql/seeds/bots.csv', 'a.ts'])).toEqual(
    [],
  );
});

test('the pattern matches the tests of these models and issues only', () => {
  const [models, issues] = changedCases(['sql/crawl_pages/pages.sql', 'sql/issues/thin.sql']);
  const matches = (of: typeof models, name: string): boolean =>
    new RegExp(of?.arguments.at(-1) ?? '').test(name);
  expect(matches(models, 'mart.pages no rows')).toBe(true);
  expect(matches(models, 'mart.pages_wide no rows')).toBe(false);
  expect(matches(issues, 'thin: matches its cases, and no others')).toBe(true);
  expect(matches(issues, 'very_thin: matches its cases, and no others')).toBe(false);
});
