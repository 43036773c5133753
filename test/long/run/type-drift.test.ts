import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Sandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { crawlhouse, projectFolder, runProject, sandboxFor } from '../../support/project.ts';
import { temporaryFolder } from '../../support/temporary.ts';

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

test('first crawls that models cannot read are refused, without blocking other crawls', async () => {
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
    expect.stringMatching(
      /^the field status_code has the type BIGINT\[\] \(natural\), but \S+ reads it as BIGINT$/,
    ),
    expect.stringMatching(
      /^the field status_code has the type VARCHAR \(string\), but \S+ reads it as BIGINT$/,
    ),
    expect.stringMatching(/^the unit has the field "Url" but not "url", which \S+ reads$/),
  ]);
  expect(first.report.models.every((model) => model.status === 'built')).toBe(true);

  await importCrawl(sandbox, 'good', 2, GOOD, good);
  await runProject(folder, sandbox, { pipelines: PIPELINES });
  const sql = 'SELECT url, status_code FROM mart.pages';
  const { stdout } = await crawlhouse(folder, null, ['query', sql, '--format', 'json']);
  expect(JSON.parse(stdout)).toEqual([{ url, status_code: 200 }]);
});

test('if a field that no model reads changes its type, every crawl is loaded, and one alert names the change', async () => {
  const sandbox = await sandboxFor({});
  const folder = await projectFolder();
  const page = { url, status_code: 200, depth: 0 };
  const run = async () => await runProject(folder, sandbox, { pipelines: PIPELINES });
  const incidents = async (): Promise<{ title: string; details: string[] }[]> => {
    const { stdout } = await crawlhouse(folder, sandbox, ['status', '--json']);
    const { incidents: open } = JSON.parse(stdout) as {
      incidents: { event: string; title: string; details: string[] }[];
    };
    return open.filter(({ event }) => event === 'schema').map(({ title, details }) => ({ title, details }));
  };
  await importCrawl(
    sandbox,
    'shop',
    1,
    { ...GOOD, rank: 'natural', tag: 'string', old: 'enum' },
    { ...page, rank: 7, tag: 'a', old: 'x' },
  );
  expect((await run()).exitCode).toBe(0);
  expect(await incidents()).toEqual([]);
  const later = { ...GOOD, rank: 'string', tag: 'string many', new: 'bool' };
  await importCrawl(sandbox, 'shop', 2, later, { ...page, rank: 'high', tag: ['b', 'c'], new: true });
  await importCrawl(sandbox, 'shop', 3, later, { ...page, rank: 'low', tag: ['d'], new: false });
  const second = await run();
  expect(second.exitCode).toBe(0);
  for (const { counts, dataset } of second.report.units)
    if (dataset === 'crawl_pages') expect(counts).toMatchObject({ reported: 1, loaded: 1, queryable: 1 });
  expect(await incidents()).toEqual([
    {
      title: 'shop: fields of crawl_pages changed',
      details: [
        'new is new (BOOLEAN)',
        'old is gone (enum)',
        'rank came as VARCHAR instead of BIGINT: 2 values in rank__v_text',
        'tag came as VARCHAR[] instead of VARCHAR: 2 values in tag__v_text_list',
      ],
    },
  ]);
  const sql = 'SELECT rank, rank__v_text, tag, tag__v_text_list FROM raw.crawl_pages ORDER BY _loaded_at';
  const { stdout } = await crawlhouse(folder, null, ['query', sql, '--format', 'json']);
  expect(JSON.parse(stdout)).toEqual([
    { rank: 7, rank__v_text: null, tag: 'a', tag__v_text_list: null },
    { rank: null, rank__v_text: 'high', tag: null, tag__v_text_list: ['b', 'c'] },
    { rank: null, rank__v_text: 'low', tag: null, tag__v_text_list: ['d'] },
  ]);
  await importCrawl(sandbox, 'shop', 4, { ...GOOD, new: 'bool' }, { ...page, new: true });
  await run();
  expect((await incidents())[0]?.details).toEqual([
    expect.stringMatching(/^rank is gone/),
    expect.stringMatching(/^tag is gone/),
  ]);
  await importCrawl(sandbox, 'shop', 5, { ...GOOD, new: 'bool' }, { ...page, new: true });
  await run();
  expect(await incidents()).toEqual([]);
});
