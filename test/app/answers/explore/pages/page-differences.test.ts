import { expect, test } from 'vitest';
import type { ComparedPair } from '../../../../../src/app/answers/explore/compare/page-comparison.ts';
import {
  changedPages,
  isOfColumn,
  pagesWithIssue,
  shownOfChange,
} from '../../../../../src/app/answers/explore/pages/page-differences.ts';

const PAIR = { since: '$since', issueChanges: 'SELECT 1', exceptions: 'SELECT 2' } as unknown as ComparedPair;

test('a change of a column is neither one of an issue nor one of whole pages', () => {
  expect(isOfColumn(undefined, 'title')).toBe(true);
  expect(isOfColumn('thin', 'title')).toBe(false);
  expect(isOfColumn(undefined, undefined)).toBe(false);
  expect(isOfColumn(undefined, 'added')).toBe(false);
});

test.each([
  [undefined, undefined, []],
  [undefined, 'changed', ['changed']],
  [undefined, 'title', ['before', 'after']],
  [undefined, 'moved', ['moved_to']],
  [undefined, 'removed', ['reason', 'moved_to']],
  [undefined, 'missing', ['reason']],
  [undefined, 'unseen', ['reason']],
  [undefined, 'added', []],
  ['thin', 'new', []],
  ['thin', 'missing', ['reason']],
])('of the issue %s and the change %s, %j is shown', (issue, change, columns) => {
  expect(shownOfChange(issue, change)).toEqual(columns);
});

test('pages with an issue are joined with its changes if two crawls are compared', () => {
  expect(pagesWithIssue(undefined, PAIR)).toMatchObject({ conditions: [], joins: [expect.any(String)] });
  expect(pagesWithIssue('new', null)).toMatchObject({ conditions: [], joins: [expect.any(String)] });
  expect(pagesWithIssue('missing', PAIR)).toMatchObject({
    columns: ['found.why', 'found.related_url', 'how.reason'],
    joins: [expect.any(String), expect.stringContaining('SELECT 1')],
    conditions: ["how.change = 'missing'"],
  });
});

test('changed pages are those of a change, or differ in a compared column', () => {
  const none = { columns: [], ofAnswers: new Set<string>() };
  expect(changedPages('removed', PAIR, none)).toMatchObject({
    columns: ['how.reason', 'how.moved_to'],
    conditions: ["how.change = 'removed'"],
  });
  const compared = { columns: ['title', 'depth'], ofAnswers: new Set(['title']) };
  const any = changedPages('changed', PAIR, compared);
  expect(any.columns[0]).toMatch(
    /^regexp_replace\(CASE WHEN .* THEN 'title, ' ELSE '' END \|\| CASE WHEN .* THEN 'depth, ' ELSE '' END, ', \$', ''\) AS changed$/,
  );
  expect(any.conditions[0]).toMatch(/^\(.*title.* AND other.status_code IS NOT DISTINCT .* OR .*depth.*\)$/);
  expect(any.conditions[0]?.match(/status_code IS NOT DISTINCT/g)).toHaveLength(1);
  expect(any.joins[0]).toContain('other.crawl_id = $since');
  expect(changedPages('changed', PAIR, none)).toMatchObject({
    columns: ["regexp_replace('', ', $', '') AS changed"],
    conditions: ['(false)'],
  });
  const one = changedPages('depth', PAIR, { columns: ['depth'], ofAnswers: new Set<string>() });
  expect(one.columns).toEqual([
    expect.stringMatching(/^CAST\(other\..*depth.* AS "before"$/),
    expect.stringMatching(/^CAST\(pages\..*depth.* AS "after"$/),
  ]);
});
