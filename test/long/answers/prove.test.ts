import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { capture, type Outcome } from '../../app/cli/capture.ts';
import { pageWith, serveSite } from '../../support/crawl-site.ts';
import { projectFolder } from '../../support/project.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const FIGURES = [
  'issue:client_error',
  'card:pages',
  'question:q05',
  'SELECT count(*) AS pages FROM mart.pages',
];

const prove = (folder: string, ...argv: readonly string[]): Promise<Outcome> =>
  capture('prove', ...argv, '--project-dir', folder);

test('a proof of a crawled site is equal in a copy, and names what another crawl or a removed one changes', async () => {
  const folder = await projectFolder();
  const site = await serveSite({ '/': pageWith('/a', '/gone'), '/a': pageWith('/') });
  const crawled = await capture('crawl', site.origin, '--project-dir', folder);
  expect(crawled).toMatchObject({ code: 0 });
  const copy = join(await temporaryFolder(), 'copy');
  await cp(folder, copy, { recursive: true });
  const files: string[] = [];
  for (const [place, figure] of FIGURES.entries()) {
    const { code, stdout, stderr } = await prove(folder, figure);
    expect([figure, code, stderr]).toEqual([figure, 0, '']);
    const file = join(folder, `proof-${place}.json`);
    files.push(file);
    await writeFile(file, stdout);
    const proof = JSON.parse(stdout);
    expect(proof.loads).toContainEqual(
      expect.objectContaining({
        ...{ dataset: 'crawl_pages', loaded: 3, queryable: 3, fingerprint: expect.any(String) },
      }),
    );
    expect(proof.tables).toContainEqual({ name: 'mart.pages', definition: expect.any(String) });
    expect(proof.publication.id).toEqual(expect.any(String));
    const { code: checked, stdout: equal } = await prove(copy, '--check', file);
    expect([figure, checked, equal]).toEqual([
      figure,
      0,
      expect.stringMatching(/^equal: .+: \d+ rows?, \d+ loads?\n$/),
    ]);
  }
  const [issue = '', , , pages = ''] = files;
  expect(JSON.parse((await prove(copy, 'issue:client_error')).stdout).answer.rows[0].slice(0, 2)).toEqual([
    'client_error',
    1,
  ]);
  expect(await prove(copy, 'card:page')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('there is no card page'),
  });
  const other = await projectFolder();
  const smaller = await serveSite({ '/': pageWith('/a'), '/a': pageWith('/') });
  expect(await capture('crawl', smaller.origin, '--project-dir', other)).toMatchObject({ code: 0 });
  const elsewhere = await prove(other, '--check', pages);
  expect([elsewhere.code, elsewhere.stdout]).toEqual([4, expect.stringMatching(/^value pages: 3; here 2$/m)]);
  expect(elsewhere.stdout).toMatch(/^load crawl_pages\/\S+: missing here$/m);
  const absent = await prove(other, '--check', issue);
  expect([absent.code, absent.stdout]).toEqual([
    4,
    expect.stringMatching(/^load crawl_pages\/\S+: missing here$/m),
  ]);
});
