import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectFolder } from '../../../support/project.ts';
import { capture } from '../capture.ts';

const PAGES = 'Top pages,Clicks,Impressions,CTR,Position\nhttps://e.example/,1,2,50%,1\n';

test.for([
  [[], 'no file named'],
  [['nowhere.csv'], 'there is no file'],
  [['pages.csv'], 'no table by date shows the days'],
  [['pages.csv', '--from', '2026-10-01'], '--from needs --to, and --to needs --from'],
  [
    ['pages.csv', '--from', '2026-10-01', '--to', '2026-10-01'],
    '--from 2026-10-01 is not before --to 2026-10-01',
  ],
  [['pages.csv', '--from', 'may', '--to', '2026-10-01'], '--from: may is not a date'],
  [
    ['pages.csv', '--from', '2569-10-01', '--to', '2569-10-29'],
    '--from, --to: 2569-10-01 is not from 1995-01-01',
  ],
  [
    ['pages.csv', '--dimensions', 'date,site'],
    '--dimensions date,site: each of date, page, query, country, device once',
  ],
  [['pages.csv', '--from', '2026-10-01', '--to', '2026-10-29'], 'this project folder has no crawled website'],
] as const)('demand add %j is a usage error with a message', async ([argv, words]) => {
  const folder = await projectFolder();
  writeFileSync(join(folder, 'pages.csv'), PAGES);
  const files = argv.map((one) => (one.endsWith('.csv') ? join(folder, one) : one));
  const { code, stderr } = await capture('demand', 'add', ...files, '--project-dir', folder);
  expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
});

test('a pipeline of an earlier version, in which totals would count as days, is refused before adding', async () => {
  const folder = await projectFolder();
  const pipeline = join(folder, 'pipelines', 'ranking_performance.yaml');
  writeFileSync(
    pipeline,
    readFileSync(pipeline, 'utf8').replace(/ +(period_days|totals_by|search_engine): .*\n/g, ''),
  );
  const file = join(folder, 'pages.csv');
  writeFileSync(file, PAGES);
  const period = ['--from', '2026-10-01', '--to', '2026-10-29', '--site', 'https://e.example/'];
  const { code, stderr } = await capture('demand', 'add', file, ...period, '--project-dir', folder);
  expect(code).toBe(2);
  expect(stderr).toContain(
    'pipelines/ranking_performance.yaml does not request period_days, totals_by, search_engine',
  );
  expect(stderr).toContain('add to its columns: period_days: { type: natural, optional: true }');
});
