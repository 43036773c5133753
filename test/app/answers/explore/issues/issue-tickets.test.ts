import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type AskCrawls, asking } from '../../../../../src/app/answers/explore/chosen-crawls.ts';
import { ignoredCounts } from '../../../../../src/app/answers/explore/issues/ignored-pages.ts';
import { readChecked, ticketsByIssue } from '../../../../../src/app/answers/explore/issues/issue-tickets.ts';
import { CrawlhouseError } from '../../../../../src/core/errors/errors.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';
import { fakeWarehouse } from '../fake-warehouse.ts';

const AT = 'created_at: 2026-11-01T00:00:00Z, changed_at: 2026-11-01T00:00:00Z';
const PROJECT = { project_id: 'p', project: 'Shop' };
async function folderWith(...tickets: readonly string[]): Promise<string> {
  const folder = await temporaryFolder();
  const lines = tickets.map((ticket) => `  - { ${ticket}, crawl: c1, ${AT} }\n`);
  await writeFile(join(folder, 'tickets.yaml'), `tickets:\n${lines.join('')}`);
  return folder;
}
const checked = (ticket_id: string, changed_at: string) => {
  return { ticket_id, changed_at, effective_state: 'verified' };
};
const failing =
  (error: Error): AskCrawls =>
  async () => {
    throw error;
  };

test('tickets are grouped by issue, with the state of the last run that read them', async () => {
  const folder = await folderWith(
    'id: t1, project: Shop, issue: slow, state: done, owner: Ada',
    'id: t2, project: p, issue: slow, state: open',
    'id: t3, project: p, issue: thin, state: open',
    'id: t4, project: other, issue: slow, state: open',
  );
  const rows = [checked('t1', '2026-11-01T00:00:00.000Z'), checked('t2', '2026-10-31T00:00:00Z')];
  const ask = (async () => rows) as AskCrawls;
  expect(Object.fromEntries(await ticketsByIssue(PROJECT, folder, ask))).toEqual({
    slow: [
      { id: 't1', owner: 'Ada', state: 'done', effective_state: 'verified' },
      { id: 't2', owner: null, state: 'open', effective_state: null },
    ],
    thin: [{ id: 't3', owner: null, state: 'open', effective_state: null }],
  });
});

test('without tickets, nothing is read; before the first run of this version, nothing is known', async () => {
  const folder = await temporaryFolder();
  expect((await ticketsByIssue(PROJECT, folder, failing(new Error('not asked')))).size).toBe(0);
  for (const code of ['bad_query', 'nothing_published'] as const)
    expect(await readChecked(failing(new CrawlhouseError(code, 'no table')))).toEqual([]);
  for (const error of [new CrawlhouseError('disk', 'full'), new Error('a bug')])
    await expect(readChecked(failing(error))).rejects.toBe(error);
});

test('ignored pages are counted only if a ticket is ignored', async () => {
  const { signal } = new AbortController();
  const { warehouse, asked } = fakeWarehouse({ 'AS ignored': [{ issue: 'slow', pages: 3 }] });
  const open = await folderWith('id: t1, project: p, issue: slow, state: open');
  const site = { crawl_id: 'c2', segmentation: '(site)', segment: '(site)' };
  expect(await ignoredCounts(site, open, asking(warehouse, signal))).toBe(null);
  expect(asked).toEqual([]);
  const ignoring = await folderWith(
    'id: t1, project: p, issue: slow, state: open',
    'id: t2, project: p, issue: slow, state: ignored, until: 2027-01-01',
  );
  for (const own of [
    site,
    { ...site, segmentation: '(directory)', segment: '/a/' },
    { ...site, segmentation: 't', segment: 's' },
  ])
    expect(await ignoredCounts(own, ignoring, asking(warehouse, signal))).toEqual(new Map([['slow', 3]]));
  for (const { sql, parameters } of asked)
    expect(Object.keys(parameters).sort()).toEqual(
      [...new Set(sql.match(/\$\w+/g))].map((name) => name.slice(1)).sort(),
    );
});
