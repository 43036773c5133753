import { beforeAll, expect, test } from 'vitest';
import { silentLogger } from '../../../../../src/core/logs/logger.ts';
import type { Settings } from '../../../../../src/etl/project/settings/settings.ts';
import { loadModels } from '../../../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../../../src/etl/project/sql/models/sql-folders.ts';
import { loadSites, SQL } from '../../../../questions/sites/load-sites.ts';
import { consoleProject } from '../../../../support/console-project.ts';
import { openConsole } from '../../../../support/open-console.ts';
import { runModels } from '../../../../support/run-models.ts';
import { sharedFolder } from '../../../../support/temporary.ts';
import { STORY } from '../../../answers/explore/story-site.ts';

const folder = sharedFolder();
const PATH = '/projects/p-shop/structure';
let settings: Settings;

beforeAll(async () => {
  const models = await loadModels([sqlFolder(SQL)]);
  settings = await consoleProject(
    folder,
    async (connection) => {
      await loadSites(connection, STORY);
      await runModels({ connection, models, changed: 'all', runId: 'run', logger: silentLogger });
    },
    { withQuestions: true },
  );
});

type Rows = readonly Readonly<Record<string, unknown>>[];
interface Document {
  readonly folder: string;
  readonly folders: { readonly rows: Rows };
  readonly depths: { readonly rows: Rows };
}

async function reading(project = 'p-shop') {
  const { ask } = await openConsole(settings);
  const path = `/projects/${project}/structure`;
  return {
    ask,
    json: async (query = ''): Promise<Document> =>
      (await (await ask(`${path}.json?wait=1${query}`)).json()) as Document,
    page: async (query = ''): Promise<string> => (await ask(`${path}?wait=1${query}`)).text(),
  };
}

test('a level shows the sums of each folder, and the pages directly in it', async () => {
  const { json } = await reading();
  const { folders, depths } = await json();
  expect(folders.rows.map((row) => [row.folder, row.is_subfolder, row.pages, row.clicks])).toEqual([
    ['/lamps/', true, 4, 6],
    ['/', false, 2, 9],
    ['/de/', true, 1, 0],
  ]);
  expect(folders.rows[0]).toMatchObject({
    indexable_pages: 3,
    error_pages: 0,
    search_bot_hits: 3,
    folders: 3,
  });
  const lamps = await json('&folder=lamps');
  expect(lamps.folder).toBe('/lamps/');
  expect(lamps.folders.rows.map((row) => [row.folder, row.is_subfolder, row.pages])).toEqual([
    ['/lamps/', false, 4],
  ]);
  expect(depths.rows.filter(({ depth }) => depth === 2)).toEqual([
    { depth: 2, indexability: 'indexable', pages: 4 },
    { depth: 2, indexability: 'not indexable', pages: 1 },
  ]);
  expect(lamps.depths.rows.reduce((sum, { pages }) => sum + Number(pages), 0)).toBe(4);
});

test('links sort folders by a figure or by name', async () => {
  const { json, page } = await reading();
  const sorted = async (sort: string) => (await json(`&sort=${sort}`)).folders.rows.map((row) => row.folder);
  expect(await sorted('folder')).toEqual(['/', '/de/', '/lamps/']);
  expect(await sorted('-clicks')).toEqual(['/', '/lamps/', '/de/']);
  expect(await sorted('clicks')).toEqual(['/de/', '/lamps/', '/']);
  expect(await sorted('-nothing')).toEqual(['/lamps/', '/', '/de/']);
  const text = await page('&sort=-clicks');
  expect(text).toMatch(/aria-sort="descending"><a href="[^"]*sort=clicks">clicks</);
  expect(text).toContain(`<a href="${PATH}?wait=1&amp;sort=-clicks&amp;folder=%2Flamps%2F">lamps/</a>`);
});

test('each figure leads to its pages', async () => {
  const { ask, page } = await reading();
  const links = async (query: string) =>
    [...(await page(query)).matchAll(/<a href="([^"]*\/pages\?[^"]*)">([\d,]+)<\/a>/g)].map(
      ([, href = '', figure = '']) =>
        [href.replaceAll('&amp;', '&').replaceAll('&#39;', "'"), Number(figure)] as const,
    );
  const all = [...(await links('')), ...(await links('&folder=/lamps/'))];
  expect(all.length).toBeGreaterThan(12);
  for (const [href, figure] of all) {
    const { total } = (await (await ask(href.replace('/pages?', '/pages.json?'))).json()) as {
      total: number;
    };
    expect([href, total]).toEqual([href, figure]);
  }
});

test('values without a source are unknown', async () => {
  const { json, page } = await reading('p-blog');
  expect((await json()).folders.rows).toMatchObject([{ pages: 1, clicks: null, search_bot_hits: null }]);
  const text = await page();
  expect(text.match(/<span class="unknown">unknown<\/span>/g)).toHaveLength(2);
  expect(text).toContain('Clicks are unknown');
  expect(text).toContain('Bot hits are unknown');
});

test('an unknown project or folder is reported as missing', async () => {
  const { ask, page } = await reading();
  expect((await ask('/projects/nobody/structure')).status).toBe(404);
  expect(await page('&folder=/none/')).toContain('No page of the crawl is in /none/.');
});

test('the page of a URL suggests pages to link from', async () => {
  const { ask } = await openConsole(settings);
  const url = (path: string): string =>
    `/projects/p-shop/url?wait=1&${new URLSearchParams({ url: `https://shop.example${path}` })}`;
  const read = async (path: string) =>
    (await (await ask(url(path).replace('/url?', '/url.json?'))).json()) as {
      readonly suggestions: { readonly rows: Rows } | null;
    };
  const { suggestions } = await read('/lamps/blue');
  const found = suggestions?.rows.map((row) => [row.origin, row.is_similar, row.shared_segment]);
  expect(found).toEqual([
    ['https://shop.example/lamps/azure', true, '(directory):/lamps/'],
    ['https://shop.example/lamps/crimson', false, '(directory):/lamps/'],
  ]);
  expect((await read('/lamps/red')).suggestions).toBeNull();
  const page = await (await ask(url('/lamps/blue'))).text();
  expect(page).toContain('<figcaption>Where to link from</figcaption>');
  expect(page).toContain('similar, in (directory):/lamps/');
});
