import { expect, test } from 'vitest';
import { crawlSite, pageWith, serveSite } from '../../../support/crawl-site.ts';

const XML = { 'content-type': 'text/xml' };

test('several domains are crawled as one site: their links are internal, and their sitemaps are read', async () => {
  const german = await serveSite({
    '/robots.txt': 'Sitemap: /s.xml\nUser-agent: *\nDisallow: /denied',
    '/s.xml': { headers: XML, body: '<urlset><url><loc>/lonely</loc></url></urlset>' },
    '/': pageWith('/a', '/denied'),
    '/a': 'x',
    '/lonely': 'x',
  });
  const english = await serveSite({ '/': pageWith(`${german.origin}/`) });
  const crawled = await crawlSite(english, {}, { sites: [german.origin] });
  expect(crawled).toMatchObject({ endReason: 'ok', fetchedUrls: 4 });
  const depths = await crawled.rows('SELECT url, depth FROM pages WHERE fetched ORDER BY depth, url');
  expect(depths).toEqual([
    { url: `${english.origin}/`, depth: 0n },
    { url: `${german.origin}/`, depth: 1n },
    { url: `${german.origin}/a`, depth: 2n },
    { url: `${german.origin}/lonely`, depth: null },
  ]);
  expect(await crawled.rows('SELECT DISTINCT intern FROM links')).toEqual([{ intern: true }]);
  const files = await crawled.rows(`SELECT url, kind FROM requests WHERE kind <> 'target' ORDER BY url`);
  expect(files.map(({ url }) => url).sort()).toEqual(
    [`${english.origin}/robots.txt`, `${german.origin}/robots.txt`, `${german.origin}/s.xml`].sort(),
  );
  expect(german.hits).not.toContain('/denied');
});
