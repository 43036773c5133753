import { expect, test } from 'vitest';
import { crawlSite, serveSite } from '../../../support/crawl-site.ts';

const sent = (type: string, body: string) => ({ headers: { 'content-type': type }, body });

test('a crawl distinguishes files from pages by content, and ignores Cloudflare addresses', async () => {
  const files = {
    '/lift.jpg': sent('image/jpeg', 'x'),
    '/lift': sent('text/html', 'GIF89a'),
    '/price?id=5': sent('application/pdf', '%PDF-1.7'),
    '/feed/': sent('text/html', '<?xml version="1.0"?><rss version="2.0"/>'),
    '/dates': sent('text/calendar', 'BEGIN:VCALENDAR'),
    '/data': sent('text/html', '{"a": 1}'),
    '/gone.zip': { ...sent('application/zip', 'x'), status: 404 },
  };
  const links = [...Object.keys(files), '/cdn-cgi/l/email-protection#1a'].map(
    (to) => `<a href="${to}">x</a>`,
  );
  const site = await serveSite({ ...files, '/': `<title>Lifts</title>${links.join('')}` });
  const crawled = await crawlSite(site);
  expect(await crawled.rows('SELECT urlpath, content_kind, indexable FROM pages ORDER BY urlpath')).toEqual([
    { urlpath: '/', content_kind: 'html', indexable: true },
    { urlpath: '/data', content_kind: 'json', indexable: null },
    { urlpath: '/dates', content_kind: 'calendar', indexable: null },
    { urlpath: '/feed/', content_kind: 'feed', indexable: null },
    { urlpath: '/gone.zip', content_kind: 'archive', indexable: false },
    { urlpath: '/lift', content_kind: 'image', indexable: null },
    { urlpath: '/lift.jpg', content_kind: 'image', indexable: null },
    { urlpath: '/price', content_kind: 'pdf', indexable: true },
  ]);
  expect(site.hits.filter((path) => path.startsWith('/cdn-cgi'))).toEqual([]);
});
