import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../../../src/app/settings/load-settings.ts';
import { capture } from '../../app/cli/capture.ts';
import { type Site, serveSite } from '../../support/crawl-site.ts';
import { openConsole } from '../../support/open-console.ts';
import { projectFolder } from '../../support/project.ts';

/** A website: each page by its links and the number of its words. */
const PAGES: Readonly<Record<string, { readonly links: readonly string[]; readonly words: number }>> = {
  '/': { links: ['/p/1', '/p/2', '/blog/a', '/gone'], words: 20 },
  '/p/1': { links: ['/p/2', '/', '/blog/a?from=1'], words: 20 },
  '/p/2': { links: ['/p/3'], words: 400 },
  '/p/3': { links: [], words: 20 },
  '/blog/a': { links: ['/p/1', '/blog/b'], words: 400 },
  '/blog/a?from=1': { links: ['/blog/b'], words: 400 },
  '/blog/b': { links: ['/'], words: 20 },
};
const ERRORS = ['/gone'];
const THIN = 300;

const FILE = `# yaml-language-server: $schema=schemas/segments.schema.json
segmentations:
  - name: template
    projects: [HOST]
    segments:
      - { name: variant, url: '*?from=' }
      - { name: product, oql: { field: [urlpath, contains, '^/p/\\d+$', { regex: true }] } }
      - { name: article, sql: url_first_path = '/blog/' }
    else: other
  - name: line
    projects: [HOST]
    segments: [{ name: shop, url: /p/ }]
    else: other
  - name: elsewhere
    projects: [nobody.example]
    segments: [{ name: all, url: / }]
`;

/** The segment of a page of the first segmentation, in plain code. */
function segmentOf(path: string): string {
  if (path.includes('?from=')) return 'variant';
  if (/^\/p\/\d+$/.test(path)) return 'product';
  return path.startsWith('/blog/') ? 'article' : 'other';
}

/** Clicks from the start, by a search in breadth. */
function depths(): ReadonlyMap<string, number> {
  const found = new Map([['/', 0]]);
  for (const path of found.keys())
    for (const next of PAGES[path]?.links ?? [])
      if (!found.has(next)) found.set(next, (found.get(path) ?? 0) + 1);
  return found;
}

const body = ({ links, words }: { readonly links: readonly string[]; readonly words: number }): string =>
  `<!doctype html><title>t</title><main><p>${'word '.repeat(words)}</p>${links.map((to) => `<a href="${to}">l</a>`).join('')}</main>`;

const serve = (): Promise<Site> =>
  serveSite(Object.fromEntries(Object.entries(PAGES).map(([path, page]) => [path, body(page)])));

/** How many of some things there are of each kind. */
const counts = (keys: readonly string[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(keys, (key) => key)].map(([key, all]) => [key, all.length]));

test('segments.yaml divides the pages of a crawled site, and every question follows its changes', async () => {
  const folder = await projectFolder();
  const site = await serve();
  const command = async (...argv: readonly string[]): Promise<string> => {
    const { code, stderr, stdout } = await capture(...argv, '--project-dir', folder);
    expect(code, stderr).toBe(0);
    return stdout;
  };
  const ask = async (question: string, ...given: readonly string[]): Promise<Record<string, unknown>[]> =>
    JSON.parse(
      await command(
        'query',
        '--question',
        question,
        ...given.flatMap((one) => ['-p', one]),
        '--format',
        'json',
      ),
    );
  const file = join(folder, 'segments.yaml');
  writeFileSync(file, FILE.replaceAll('HOST', `127.0.0.1:${site.port}`));
  await command('crawl', site.origin);

  const depth = depths();
  const all = [...depth.keys()];
  const ok = all.filter((path) => !ERRORS.includes(path));
  const q10 = await ask('q10', 'segmentation=template');
  expect(counts(all.map((path) => `${depth.get(path)} ${segmentOf(path)}`))).toEqual(
    Object.fromEntries(q10.map((row) => [`${row.depth} ${row.segment}`, row.pages])),
  );
  const q20 = await ask('q20', 'segmentation=template');
  expect(q20.map(({ segment, pages, thin_percent }) => [segment, pages, thin_percent])).toEqual(
    ['article', 'other', 'product', 'variant'].map((segment) => {
      const own = ok.filter((path) => segmentOf(path) === segment);
      const thin = own.filter((path) => (PAGES[path]?.words ?? 0) < THIN);
      return [segment, own.length, Math.round((1000 * thin.length) / own.length) / 10];
    }),
  );
  const flows = ok.flatMap((from) =>
    (PAGES[from]?.links ?? []).map((to) => `${segmentOf(from)} ${segmentOf(to)}`),
  );
  const q29 = await ask('q29', 'segmentation=template');
  expect(
    Object.fromEntries(q29.map((row) => [`${row.origin_segment} ${row.target_segment}`, row.links])),
  ).toEqual(counts(flows));
  const q02 = await ask('q02', 'segment=product');
  expect(q02).toMatchObject([{ segmentation: 'template', segment: 'product' }]);
  expect(q02[0]?.links).toBe(flows.filter((flow) => flow.endsWith(' product')).length);
  expect(await ask('q16', 'segmentation=template')).toEqual([]);
  // Two segmentations have a segment of this name: it is named with its segmentation, or refused.
  for (const [name, pages] of [
    ['template:other', all.filter((path) => segmentOf(path) === 'other')],
    ['line:other', all.filter((path) => !path.startsWith('/p/'))],
  ] as const) {
    const segmentation = name.split(':')[0];
    expect(await ask('q21', `segment=${name}`)).toMatchObject([
      { segmentation, pages: pages.length, error_pages: 1 },
    ]);
    const listed = JSON.parse(await command('pages', '--segment', name, '--json'));
    expect(listed.rows.map((row: { url: string }) => row.url).sort()).toEqual(
      pages.map((path) => site.origin + path).sort(),
    );
  }
  for (const refused of [
    ['pages', '--segment', 'other'],
    ['issues', '--segment', 'other'],
    ['query', '--question', 'q21', '-p', 'segment=other'],
  ]) {
    const { code, stderr } = await capture(...refused, '--project-dir', folder);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/several segmentations have a segment other/)]);
    expect(stderr).toMatch(/line:other or .*template:other/);
  }

  const listed = JSON.parse(
    await command('pages', '--segment', 'product', '--segmentation', 'template', '--json'),
  );
  expect([listed.total, listed.rows.map((row: { url: string }) => row.url).sort()]).toEqual([
    3,
    ['/p/1', '/p/2', '/p/3'].map((path) => site.origin + path),
  ]);
  const { ask: open } = await openConsole(await loadSettings(folder, {}));
  const page = await (await open('/projects.json')).text();
  const [{ project_id }] = JSON.parse(page).projects;
  const project = JSON.parse(await (await open(`/projects/${project_id}.json`)).text());
  expect(project.segments.slice(0, 4)).toEqual([
    ...['other', 'shop'].map((segment) => ({ segmentation: 'line', segment })),
    ...['product', 'article'].map((segment) => ({ segmentation: 'template', segment })),
  ]);

  // A change makes the models with segments again, and nothing else.
  writeFileSync(
    file,
    FILE.replaceAll('HOST', site.origin.slice('http://'.length)).replace('product', 'item'),
  );
  const made = JSON.parse(await command('transform', '--json')) as {
    models: { name: string; status: string }[];
  };
  const built = made.models.filter(({ status }) => status === 'built').map(({ name }) => name);
  expect(built).toEqual(
    expect.arrayContaining(['mart.page_groups', 'mart.crawl_segments', 'mart.status_codes_by_segment']),
  );
  expect(built).not.toContain('mart.pages');
  expect((await ask('q20', 'segmentation=template')).map(({ segment }) => segment)).toEqual([
    'article',
    'item',
    'other',
    'variant',
  ]);
  const said = JSON.parse(await command('doctor', '--json')) as {
    checks: { name: string; message: string }[];
  };
  expect(said.checks.find(({ name }) => name === 'segments')).toMatchObject({
    status: 'warn',
    message:
      'segments.yaml: elsewhere: the warehouse has no project nobody.example, so the segmentation has no effect there',
  });

  // A condition that does not hold keeps what is published.
  writeFileSync(
    file,
    FILE.replaceAll('HOST', `127.0.0.1:${site.port}`).replace('url_first_path =', 'url_frist_path ='),
  );
  const wrong = await capture('transform', '--project-dir', folder);
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toMatch(/segments\.yaml:8: segmentations\.0\.segments\.2\.sql: .*url_frist_path/);
  const seen = await capture('doctor', '--project-dir', folder);
  expect(seen.code).toBe(2);
  expect(seen.stdout).toMatch(/^fail +segments +segments\.yaml:8: segmentations\.0\.segments\.2\.sql: /m);
  expect((await ask('q20', 'segmentation=template')).map(({ segment }) => segment)).toContain('item');
});
