import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { capture, type Outcome } from '../../app/cli/capture.ts';
import { pageWith, serveSite } from '../../support/crawl-site.ts';
import { projectFolder } from '../../support/project.ts';

async function crawled(...targets: readonly string[]): Promise<string> {
  const folder = await projectFolder();
  const site = await serveSite({ '/': pageWith(...targets), '/a': pageWith('/') });
  expect(await capture('crawl', site.origin, '--project-dir', folder)).toMatchObject({ code: 0 });
  return folder;
}

const VALUES = `SELECT 9007199254740993 AS large, CAST(NULL AS VARCHAR) AS nothing, 12.50 AS decimal, 0.1::DOUBLE + 0.2 AS sum,
  TIMESTAMPTZ '2026-03-01 12:00:00+02:00' AS at, [1, NULL] AS list, count(*) AS pages FROM mart.pages`;
const FIGURES = [['issue:client_error'], ['card:pages'], ['question:q05'], [VALUES]];

test('a proof is equal where the loads are, and names the loads that are missing where they are not', async () => {
  const folder = await crawled('/a', '/gone');
  const prove = (at: string, ...argv: readonly string[]): Promise<Outcome> =>
    capture('prove', ...argv, '--project-dir', at);
  const copy = await projectFolder();
  await cp(join(folder, 'warehouse.duckdb'), join(copy, 'warehouse.duckdb'));
  const other = await crawled('/a');
  const files: string[] = [];
  for (const [place, argv] of FIGURES.entries()) {
    const { code, stdout, stderr } = await prove(folder, ...argv);
    expect([code, stderr]).toEqual([0, '']);
    const file = join(folder, `${place}.json`);
    files.push(file);
    await writeFile(file, stdout);
    const proof = JSON.parse(stdout);
    expect(proof.loads).toContainEqual(
      expect.objectContaining({ dataset: 'crawl_pages', loaded: 3, queryable: 3, fingerprint: expect.any(String) }),
    );
    expect(proof.tables).toContain('raw.crawl_pages');
    expect(proof.publication.id).toEqual(expect.any(String));
    expect(await prove(copy, '--check', file)).toMatchObject({ code: 0, stdout: /^equal: \d+ rows?, \d+ loads?\n$/ });
  }
  const values = await readFile(files[3] ?? '', 'utf8');
  expect(values).toContain('9007199254740993');
  expect(JSON.parse(values).answer.rows[0].slice(1)).toEqual([
    null, 12.5, 0.1 + 0.2, '2026-03-01T10:00:00Z', [1, null], 3,
  ]);
  const { code, stdout } = await prove(other, '--check', files[3] ?? '', '--json');
  const { equal, differences } = JSON.parse(stdout);
  expect([code, equal, differences[0].what]).toEqual([4, false, 'answer']);
  expect(differences).toContainEqual({ what: 'load', unit: expect.stringMatching(/^crawl_pages\//), state: 'missing' });
  const changed = join(folder, 'changed.json');
  await writeFile(changed, values.replace(/"fingerprint": "\d+"/, '"fingerprint": "1"'));
  expect(await prove(copy, '--check', changed)).toMatchObject({ code: 4, stdout: /^load \S+: changed\n$/ });
});
