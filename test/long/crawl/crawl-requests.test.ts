import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LocalService } from '../../../src/app/cli/local/local-service.ts';
import { loadSettings } from '../../../src/app/settings/load-settings.ts';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import { capture } from '../../app/cli/capture.ts';
import { pageWith, type SiteRoute, serveSite } from '../../support/crawl-site.ts';
import { projectFolder, published, sandboxFor } from '../../support/project.ts';
import { STREAMED, sameByAll } from '../../support/same-by-all.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

const XML = { 'content-type': 'text/xml' };

async function rowsOf(folder: string, sql: string) {
  return published(await temporaryConnection(await temporaryFolder()), folder, sql);
}

test('requests other than pages are loaded and counted, the same by each route', async () => {
  const folder = await projectFolder();
  const site = await serveSite({
    '/robots.txt': 'Sitemap: /s.xml\nUser-agent: *\nDisallow: /"x"; y\n',
    '/s.xml': { headers: XML, body: '<urlset><url><loc>/a</loc></url></urlset>' },
    '/': pageWith('/a'),
    '/a': 'x',
  });
  const { code, stderr } = await capture('crawl', site.origin, '--project-dir', folder);
  expect([code, stderr]).toEqual([0, '']);
  const counts = await rowsOf(
    folder,
    `SELECT reported, received, staged, rejected, loaded, queryable FROM ops.loads WHERE dataset = 'crawl_requests'`,
  );
  expect(counts).toEqual([
    { reported: '2', received: '2', staged: '2', rejected: '0', loaded: '2', queryable: '2' },
  ]);
  const files = 'SELECT url, kind, is_read, num_urls, content FROM mart.crawl_files ORDER BY url';
  const expected = [
    {
      url: `${site.origin}/robots.txt`,
      kind: 'robots_txt',
      is_read: true,
      num_urls: null,
      content: 'Sitemap: /s.xml\nUser-agent: *\nDisallow: /"x"; y\n',
    },
    { url: `${site.origin}/s.xml`, kind: 'sitemap', is_read: true, num_urls: '1', content: null },
  ];
  expect(await rowsOf(folder, files)).toEqual(expected);
  const logger = silentLogger;
  await using service = await LocalService.start(await loadSettings(folder, {}), {
    allowPrivate: false,
    logger,
  });
  const { baseUrl, accessToken } = service.handle;
  const stores = await sandboxFor({ generate: ['projects=1,crawls=1,pages=1'] });
  await sameByAll({ ...stores, baseUrl, accessToken }, ['crawl_requests'], STREAMED);
});

test('a service whose crawls list no requests returns 404 for them', async () => {
  const sandbox = await sandboxFor({ generate: ['projects=1,crawls=1,pages=5,columns=20'] });
  const headers = { authorization: `Bearer ${sandbox.accessToken}`, 'content-type': 'application/json' };
  const list = await fetch(`${sandbox.baseUrl}/api/v2/workspaces`, { headers });
  const { workspaces } = (await list.json()) as { workspaces: { id: string }[] };
  const crawls = await fetch(`${sandbox.baseUrl}/api/v2/workspaces/${workspaces[0]?.id}/crawls`, { headers });
  const { crawls: found } = (await crawls.json()) as { crawls: { id: string }[] };
  const path = `${sandbox.baseUrl}/api/v2/data/crawl/${found[0]?.id}/requests`;
  const answers = await Promise.all([
    fetch(path, { method: 'POST', headers, body: '{}' }),
    fetch(`${path}/fields`, { headers }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([404, 404]);
});

test('a second crawl requests missing known URLs again, with their clicks, and several domains are one project', async () => {
  const folder = await projectFolder();
  const routes: Record<string, SiteRoute> = {
    '/': pageWith('/a', '/b', '/c'),
    '/a': 'x',
    '/b': 'x',
    '/c': 'x',
    '/only-clicked': 'x',
  };
  const other = await serveSite({ '/': pageWith('/de'), '/de': 'x' });
  const site = await serveSite(routes);
  const crawl = () =>
    capture('crawl', '--site', site.origin, '--site', other.origin, '--project-dir', folder, '--json');
  expect((await crawl()).code).toBe(0);
  const file = join(folder, 'Pages.csv');
  writeFileSync(
    file,
    `Top pages,Clicks,Impressions,CTR,Position\n${site.origin}/only-clicked,5,9,55.5%,1\n${site.origin}/a,7,9,77.7%,1\n`,
  );
  const demand = ['--from', '2026-11-01', '--to', '2026-11-20', '--site', site.origin];
  const added = await capture('demand', 'add', file, ...demand, '--project-dir', folder);
  expect(added.code).toBe(0);
  routes['/'] = pageWith('/a');
  delete routes['/c'];
  expect((await crawl()).code).toBe(0);
  const states = await rowsOf(folder, 'SELECT url, state FROM mart.rechecks ORDER BY state, url');
  expect(states).toEqual([
    { url: `${site.origin}/c`, state: 'gone' },
    { url: `${site.origin}/b`, state: 'unlinked' },
    { url: `${site.origin}/only-clicked`, state: 'unlinked' },
  ]);
  const pages = 'SELECT project_id, count(DISTINCT url) AS pages FROM mart.pages GROUP BY 1';
  expect((await rowsOf(folder, pages)).map(({ pages }) => pages)).toEqual(['6']);
  const hits = site.hits.length;
  const without = await capture('crawl', site.origin, '--no-recheck', '--project-dir', folder, '--json');
  // The start URL is tried first.
  expect([without.code, site.hits.slice(hits)]).toEqual([0, ['/', '/', '/a']]);
});

test.for<[string[], string]>([
  [['--recheck', 'many'], '--recheck many: a number of URLs is expected'],
  [['--recheck', '5', '--no-recheck'], '--recheck 5: not possible with --no-recheck'],
  [['--site', 'http://['], '--site http://[: not a URL'],
])('crawl refuses %s', async ([flags, message]) => {
  const { code, stderr } = await capture(
    'crawl',
    'http://127.0.0.1:1',
    ...flags,
    '--project-dir',
    await projectFolder(),
  );
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});
