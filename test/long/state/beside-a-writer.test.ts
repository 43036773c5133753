import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lockState } from '../../../src/core/locks/state-lock.ts';
import { capture } from '../../app/cli/capture.ts';
import { pageWith, serveSite } from '../../support/crawl-site.ts';
import { projectFolder } from '../../support/project.ts';

const DEMAND = 'Top pages,Clicks,Impressions,CTR,Position\nhttps://a.example/,1,2,50%,3\n';

test('while one command writes, every other writing command names the holder, and changes nothing', async () => {
  const { origin } = await serveSite({ '/': pageWith('/a'), '/a': pageWith('/') });
  const folder = await projectFolder();
  await writeFile(join(folder, 'crawlhouse.yaml'), 'shipped_models: none\n');
  const [log, csv] = [join(folder, 'access.log'), join(folder, 'pages.csv')];
  await writeFile(
    log,
    '192.0.2.1 - - [01/Nov/2026:00:00:01 +0000] "GET /a HTTP/1.1" 200 12 "-" "Googlebot/2.1"\n',
  );
  await writeFile(csv, DEMAND);
  expect((await capture('crawl', `${origin}/`, '--project-dir', folder)).code).toBe(0);
  const hash = async (): Promise<string> =>
    createHash('sha256')
      .update(await readFile(join(folder, 'warehouse.duckdb')))
      .digest('hex');
  const before = await hash();
  const throughService: readonly (readonly string[])[] = [
    ['crawl', `${origin}/`],
    ['logs', 'add', log],
    ['demand', 'add', csv, '--from', '2026-10-01', '--to', '2026-11-01'],
  ];
  const others = [['transform'], ['drop', '--yes', '--project', new URL(origin).host]];
  for (const [held, writers] of [
    ['service', throughService],
    ['.', [...others, ['crawl', `${origin}/`]]],
  ] as const)
    for (const argv of writers) {
      using _lock = lockState(join(folder, '.crawlhouse', held), 'crawlhouse the-other');
      const { code, stderr } = await capture(...argv, '--project-dir', folder);
      const who = expect.stringContaining(`is in use by crawlhouse the-other (process ${process.pid} on `);
      expect([held, argv, code, stderr]).toEqual([held, argv, 6, who]);
    }
  expect(await hash()).toBe(before);
  // Nothing of what was refused is in the way of the next one.
  expect((await capture('crawl', '--resume', '--project-dir', folder)).code).toBe(0);
});
