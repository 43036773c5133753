import { expect, test } from 'vitest';
import {
  draftOf,
  draftOfWritten,
  hiddenDraft,
  refusalOfDraft,
  writtenOf,
} from '../../../../src/app/console/page-parts/segment-draft.ts';
import { CrawlhouseError } from '../../../../src/core/errors/errors.ts';

const FORM = new URLSearchParams([
  ['at', '2'],
  ['stamp', 's'],
  ['name', ' kind '],
  ['projects', 'p1\n p2 \n'],
  ['segment', ' blog '],
  ['kind', 'url'],
  ['condition', '/blog/*\r\n/news/*'],
  ['segment', 'deep'],
  ['kind', 'oql'],
  ['condition', '{ field: [depth, gt, 5] }'],
  ['segment', ''],
  ['kind', 'sql'],
  ['condition', ' '],
  ['segment', 'long'],
  ['kind', 'other'],
  ['condition', ''],
  ['rest', ' other '],
]);
const DRAFT = {
  at: 2,
  stamp: 's',
  name: 'kind',
  projects: 'p1\n p2 \n',
  rules: [
    { segment: 'blog', kind: 'url', condition: '/blog/*\n/news/*' },
    { segment: 'deep', kind: 'oql', condition: '{ field: [depth, gt, 5] }' },
    { segment: 'long', kind: 'url', condition: '' },
  ],
  rest: 'other',
};

test('a form is read without its empty rules, and its hidden fields restore it', () => {
  expect(draftOf(FORM)).toEqual(DRAFT);
  const hidden = hiddenDraft(draftOf(FORM)).map(({ text }): [string, string] => {
    const [, name = '', value = ''] = /name="([^"]*)" value="([^"]*)"/.exec(text) ?? [];
    return [name, value];
  });
  expect(draftOf(new URLSearchParams(hidden))).toEqual(DRAFT);
  for (const at of ['', 'x', '1234567']) expect(draftOf(new URLSearchParams({ at })).at).toBeNull();
  expect(hiddenDraft(draftOf(new URLSearchParams())).map(({ text }) => text)[0]).toContain(
    'name="at" value=""',
  );
});

test('a draft is written as the file has it, and read back', () => {
  const written = writtenOf({ ...draftOf(FORM), rules: draftOf(FORM).rules.slice(0, 2) });
  expect(written).toEqual({
    name: 'kind',
    projects: ['p1', 'p2'],
    segments: [
      { name: 'blog', url: ['/blog/*', '/news/*'] },
      { name: 'deep', oql: { field: ['depth', 'gt', 5] } },
    ],
    else: 'other',
  });
  expect(draftOfWritten(0, 's', written).rules).toEqual([
    { segment: 'blog', kind: 'url', condition: '/blog/*\n/news/*' },
    { segment: 'deep', kind: 'oql', condition: '{"field":["depth","gt",5]}' },
  ]);
  const sql = { segment: 'a', kind: 'sql', condition: 'depth > 1' } as const;
  const one = { segment: 'b', kind: 'url', condition: '/b' } as const;
  const plain = writtenOf({ at: null, stamp: '', name: 'n', projects: '', rules: [sql, one], rest: '' });
  expect(plain).toEqual({
    name: 'n',
    segments: [
      { name: 'a', sql: 'depth > 1' },
      { name: 'b', url: '/b' },
    ],
  });
  expect(draftOfWritten(1, 's', plain)).toMatchObject({ projects: '', rest: '', rules: [sql, one] });
});

test.each(['{', 'text', '[1]'])('the filter %s is refused', (condition) => {
  const rules = [{ segment: 'a', kind: 'oql', condition } as const];
  expect(() => writtenOf({ ...draftOf(FORM), rules })).toThrow(/^segment a: the filter cannot be read: /);
});

test('a refused draft is shown in the form, other errors end the page', () => {
  const refused = new CrawlhouseError('bad_segments', 'no', { hint: 'h' });
  expect(refusalOfDraft(refused)).toEqual({ message: 'no', hint: 'h' });
  expect(refusalOfDraft(new CrawlhouseError('usage', 'no')).message).toBe('no');
  expect(() => refusalOfDraft(new CrawlhouseError('connection', 'no'))).toThrow('no');
});
