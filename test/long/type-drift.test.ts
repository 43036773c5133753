import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Sandbox } from '../../src/service/local/sandbox/start-sandbox.ts';
import { crawlhouse, projectFolder, runProject, sandboxFor } from '../support/project.ts';
import { temporaryFolder } from '../support/temporary.ts';

type Fields = Readonly<Record<string, string>>;

const GOOD: Fields = { url: 'string', status_code: 'natural', depth: 'natural' };

/** A crawl of a site that ended on a day of March 2026, with a page and a link. */
async function importCrawl(
  sandbox: Sandbox,
  site: string,
  day: number,
  fields: Fields,
  page: object,
): Promise<void> {
  const dir = join(await temporaryFolder(), `${site}-2026-03-${String(day).padStart(2, '0')}`);
  await mkdir(dir);
  const described = Object.entries(fields).map(([name, type]) => {
    const [own, arity = 'one'] = type.split(' ');
    return { name, type: own, arity };
  });
  await writeFile(join(dir, 'pages.fields.json'), JSON.stringify({ fields: described }));
  await writeFile(join(dir, 'pages.jsonl'), `${JSON.stringify(page)}\n`);
  const response = await fetch(`${sandbox.baseUrl}/_sandbox/import`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ dir }),
  });
  if (!response.ok) throw new Error(await response.text());
}

const PIPELINES = ['workspaces', 'projects', 'crawls', 'crawl_pages', 'crawl_links'];
const url = 'https://example.com/';

test('first crawls that the models can not read are refused, and stand in the way of nothing else', async () => {
  const sandbox = await sandboxFor({});
  const folder = await projectFolder();
  const good = { url, status_code: 200, depth: 0 };
  await importCrawl(sandbox, 'text', 1, { ...GOOD, status_code: 'string' }, { ...good, status_code: '200' });
  await importCrawl(
    sandbox,
    'list',
    1,
    { ...GOOD, status_code: 'natural many' },
    { ...good, status_code: [200] },
  );
  const { url: _url, ...others } = GOOD;
  await importCrawl(
    sandbox,
    'case',
    1,
    { Url: 'string', ...others },
    { Url: url, status_code: 200, depth: 0 },
  );
  const first = await runProject(folder, sandbox, { pipelines: PIPELINES });
  expect(first.exitCode).toBe(4);
  const refused = first.report.units.filter((unit) => unit.status === 'refused');
  expect(refused.map(({ error }) => error?.message.replace(/^\S+: /, '')).sort()).toEqual([
    expect.stringMatching(/^the field "Url" came without "url", which \S+ reads$/),
    expect.stringMatching(
      /^the field status_code came as BIGINT\[\] \(natural\), but \S+ reads it as BIGINT$/,
    ),
    expect.stringMatching(/^the field status_code came as VARCHAR \(string\), but \S+ reads it as BIGINT$/),
  ]);
  expect(first.report.models.every((model) => model.status === 'built')).toBe(true);

  await importCrawl(sandbox, 'good', 2, GOOD, good);
  await runProject(folder, sandbox, { pipelines: PIPELINES });
  const sql = 'SELECT url, status_code FROM mart.pages';
  const { stdout } = await crawlhouse(folder, null, ['query', sql, '--format', 'json']);
  expect(JSON.parse(stdout)).toEqual([{ url, status_code: 200 }]);
});
