import { expect, test } from 'vitest';
import { readScopeNotes } from '../../../../src/app/answers/questions/question-scope.ts';
import { CrawlhouseError } from '../../../../src/core/errors/errors.ts';
import type { CatalogReader } from '../../../../src/etl/state/catalog/catalog.ts';

const asked = { parameters: new Map([['project', 'p1']]), isQuestion: true };
const { signal } = new AbortController();
const answering = (rows: CatalogReader['rows']): CatalogReader => ({ rows });
const failing = (code: 'bad_query' | 'nothing_published'): CatalogReader =>
  answering(async () => {
    throw new CrawlhouseError(code, 'no');
  });

test('each crawl with a limit is named with it', async () => {
  const row = { crawl_id: 'c1', crawl_number: null, ended_at: null, scope_note: 'ended early' };
  const rows = [
    { ...row, project_name: 'Shop' },
    { ...row, project_name: null },
  ];
  const notes = await readScopeNotes(
    asked,
    answering(async () => rows),
    signal,
  );
  expect(notes).toEqual([
    expect.stringMatching(/^Shop, .*: ended early$/),
    expect.stringMatching(/^A project, .*: ended early$/),
  ]);
});

test('without the shipped models there are no notes; any other error stays one', async () => {
  expect(await readScopeNotes(asked, failing('bad_query'), signal)).toEqual([]);
  await expect(readScopeNotes(asked, failing('nothing_published'), signal)).rejects.toThrow('no');
});

test('SQL of one’s own, and a question about no project, have no notes', async () => {
  const reader = failing('nothing_published');
  expect(await readScopeNotes({ ...asked, isQuestion: false }, reader, signal)).toEqual([]);
  expect(await readScopeNotes({ ...asked, parameters: new Map() }, reader, signal)).toEqual([]);
});
