import { expect, test } from 'vitest';
import { capture } from '../people/cli/capture.ts';
import { pageWith, serveSite } from '../support/crawl-site.ts';
import { projectFolder, published, sandboxFor } from '../support/project.ts';
import { temporaryConnection, temporaryFolder } from '../support/temporary.ts';

const XML = { 'content-type': 'text/xml' };

async function rowsOf(folder: string, sql: string) {
  return published(await temporaryConnection(await temporaryFolder()), folder, sql);
}

test('the requests of a crawl besides its pages are loaded and counted', async () => {
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
});

test('a service whose crawls do not list them is not asked for them', async () => {
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
