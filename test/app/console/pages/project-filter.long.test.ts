import { beforeAll, expect, test } from 'vitest';
import type { Settings } from '../../../../src/etl/project/settings/settings.ts';
import { buildModels, loadSites, SQL } from '../../../questions/sites/load-sites.ts';
import { at, type Crawl, dataset, pagesOf, type Row } from '../../../questions/sites/sites.ts';
import { consoleProject } from '../../../support/console-project.ts';
import { type OpenConsole, openConsole } from '../../../support/open-console.ts';
import { sharedFolder } from '../../../support/temporary.ts';

const page = pagesOf('https://shop.example');
const found = { depth: 1, nb_inlinks: 1, inrank_decimal: 2, inrank: 2, fetched: true, load_time: 90 };
const pot = { ...found, page_group_kind: 'pots' };

function crawl(id: string, day: string, pages: readonly Row[]): Crawl {
  return {
    id,
    projectId: 'p1',
    status: 'done',
    endReason: 'ok',
    endedAt: at(day),
    config: { id: 'k', name: 'weekly' },
    pages: dataset(pages),
  };
}

const SITES = {
  projects: [{ id: 'p1', name: 'Shop', startUrl: 'https://shop.example' }],
  crawls: [
    crawl('c1', '2026-03-01', [
      page('/', { ...found, depth: 0, title: 'Shop' }),
      page('/a/1', { ...pot, title: 'One' }),
      page('/a/gone', { ...pot, title: 'Gone' }),
      page('/b/1', { ...found, title: 'Former' }),
      page('/b/2', { ...pot, title: 'Two' }),
    ]),
    crawl('c2', '2026-03-08', [
      page('/', { ...found, depth: 0, title: 'Shop', load_time: 10, inrank_decimal: 9 }),
      page('/a/1', { ...pot, title: 'First' }),
      page('/a/2', { ...found, depth: 2, status_code: 404, load_time: 50 }),
      page('/b/1', { ...found, title: 'Present', depth: 3, load_time: 700, inrank_decimal: 1 }),
      page('/b/2', { ...pot, status_code: 301, depth: 2 }),
      page('/b/3', { ...pot, status_code: 500, depth: 4 }),
    ]),
  ],
};

const FIGURES = ['trend', 'statuses', 'changes', 'funnel', 'depths', 'findings'] as const;
const folder = sharedFolder();
let settings: Settings;

beforeAll(async () => {
  const fill: Parameters<typeof consoleProject>[1] = async (connection) => {
    await loadSites(connection, SITES);
    await buildModels(connection, SQL);
  };
  settings = await consoleProject(folder, fill, { withQuestions: true });
});

/** The figures and tables of a page by their titles, and its document. */
async function look(ask: OpenConsole['ask'], segment: string | null) {
  const query = `wait=1${segment === null ? '' : `&segment=${encodeURIComponent(segment)}`}`;
  const text = await (await ask(`/projects/p1?${query}`)).text();
  const document = JSON.parse(await (await ask(`/projects/p1.json?${query}`)).text());
  const pieces = text
    .split(/(?=<figure>|<h2>)/)
    .slice(1)
    .flatMap((piece): [string, string][] => {
      const title = /<(?:figcaption|h2)>([^<]*)/.exec(piece)?.[1] ?? '';
      // What asks the question names the segment anyway.
      const shown = piece.replace(/<details><summary>The question.*/s, '');
      return piece.startsWith('<figure>') || piece.includes('<table') ? [[title, shown]] : [];
    });
  return { text, document, pieces: new Map(pieces) };
}

test.each(['/a/', 'pots'])(
  'every figure of a project follows the segment %s, or says that it does not',
  async (segment) => {
    const { ask } = await openConsole(settings);
    const [all, chosen] = [await look(ask, null), await look(ask, segment)];
    expect([...all.pieces.keys()]).toEqual([
      'What to do first',
      'Pages',
      'Pages by status',
      'Indexability funnel',
      'Changes since the previous crawl',
      'Pages and average inrank by depth',
      'Depth and load time',
      'Crawls',
    ]);
    for (const [title, before] of all.pieces) {
      const after = chosen.pieces.get(title) ?? '';
      if (!after.includes('ignores the segment')) expect.soft(after, title).not.toBe(before);
      else expect(title).toBe('Crawls');
    }
    for (const name of FIGURES) {
      expect.soft(chosen.document[name], name).toMatchObject({ state: 'read', ignored: [] });
      expect.soft(chosen.document[name].rows.length, name).toBeGreaterThan(0);
    }
  },
);

test('the figures of a segment count only its pages', async () => {
  const { ask } = await openConsole(settings);
  const of = async (segment: string) => (await look(ask, segment)).document;
  const counts = (rows: readonly Row[], name: string) =>
    rows.map((row) => [row.crawl_id, row[name], row.pages]);
  const directory = await of('/a/');
  expect(counts(directory.statuses.rows, 'status_code_range')).toEqual([
    ['c1', 'ok', 2],
    ['c2', 'client_error', 1],
    ['c2', 'ok', 1],
  ]);
  expect(counts(directory.changes.rows, 'change')).toEqual([
    ['c2', 'added', 1],
    ['c2', 'missing', 1],
    ['c2', 'title', 1],
  ]);
  const own = await of('pots');
  expect(counts(own.statuses.rows, 'status_code_range')).toEqual([
    ['c1', 'ok', 3],
    ['c2', 'ok', 1],
    ['c2', 'redirect', 1],
    ['c2', 'server_error', 1],
  ]);
  expect(counts(own.changes.rows, 'change')).toEqual([
    ['c2', 'added', 1],
    ['c2', 'is_indexable', 1],
    // One is a redirect now, and its end is unknown.
    ['c2', 'missing', 2],
    ['c2', 'status_code', 1],
    // The page that is a redirect now has changed in its status alone.
    ['c2', 'title', 1],
  ]);
  expect(own.trend.rows.map(({ pages }: Row) => pages)).toEqual([3, 3]);
  expect(own.funnel.rows.map(({ known }: Row) => known)).toEqual([3, 3]);
});

test('a project page reports that the last crawl lacks the chosen segment', async () => {
  const { ask } = await openConsole(settings);
  expect((await look(ask, '/c/')).text).toContain('The last crawl has no segment /c/.');
});
