import { writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { capture } from '../../app/cli/capture.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { serveTls, trustedIdentity, unknownIdentity } from '../../support/tls-server.ts';

const SAFE = {
  'content-type': 'text/html',
  'strict-transport-security': 'max-age=31536000',
  'content-security-policy': "default-src 'self'",
  'x-content-type-options': 'nosniff',
};
const PAGES: Readonly<Record<string, string>> = {
  '/good':
    '<img src="/lamp.png" alt="A lamp" width="10" height="20"><img src="data:image/gif;base64,AA" alt="">',
  '/mixed': '<img src="http://localhost/a.png" alt="">',
  '/form': '<form action="http://localhost/send"></form>',
  '/plain': 'without the header',
  '/old': 'over http',
  '/to-http': '<link rel="canonical" href="http://localhost/old">',
};
/** What the demo's site can't have: it is on http. */
const ISSUES = [
  'http_on_https_site',
  'insecure_form',
  'missing_hsts',
  'mixed_content',
  'no_http2',
  'old_tls',
  'canonical_to_http',
  'redirect_to_http',
  'no_secure_connection',
];

const answer: RequestListener = (request, response) => {
  const path = request.url ?? '';
  const { 'strict-transport-security': _, ...without } = SAFE;
  if (path === '/moved') return void response.writeHead(301, { location: 'http://localhost/old' }).end();
  const body = PAGES[path];
  response.writeHead(body === undefined ? 404 : 200, path === '/plain' ? without : SAFE);
  response.end(`<title>${path}</title>${body}`);
};

test('a crawl of a URL list over several hosts finds HTTPS faults', async () => {
  const identity = await trustedIdentity();
  const folder = join(await temporaryFolder(), 'site');
  const site = `localhost:${await serveTls(identity, 'http2', answer)}`;
  const slow = `localhost:${await serveTls(identity, 'http1', answer)}`;
  const unknown = `localhost:${await serveTls(await unknownIdentity(), 'http1', answer)}`;
  const old = `localhost:${await serveTls(identity, 'old_tls', answer)}`;
  const paths = ['/good', '/mixed', '/form', '/plain', '/to-http', '/moved'];
  const urls = [
    ...paths.map((path) => `https://${site}${path}`),
    `http://${site}/old`,
    `https://${slow}/good`,
    `https://${old}/good`,
    `https://${unknown}/good`,
  ];
  writeFileSync(`${folder}.txt`, urls.join('\n'));
  expect(await capture('init', folder)).toMatchObject({ code: 0 });
  const project = ['--project-dir', folder];
  const crawled = await capture('crawl', '--list', `${folder}.txt`, ...project);
  expect(crawled).toMatchObject({ code: 0, stderr: '' });
  const rowsOf = async (sql: string): Promise<Record<string, string>[]> => {
    const { stdout } = await capture('query', sql, '--json', ...project);
    return JSON.parse(
      stdout
        .replaceAll(site, 'site')
        .replaceAll(slow, 'slow')
        .replaceAll(old, 'old')
        .replaceAll(unknown, 'unknown'),
    );
  };
  const found = await rowsOf(`SELECT issue, url FROM mart.page_issues
    WHERE issue IN ('${ISSUES.join("', '")}') ORDER BY ALL`);
  expect(found.map(({ issue, url }) => [issue, url])).toEqual([
    ['canonical_to_http', 'https://site/to-http'],
    ['http_on_https_site', 'http://site/old'],
    ['insecure_form', 'https://site/form'],
    ['missing_hsts', 'https://site/plain'],
    ['mixed_content', 'https://site/mixed'],
    ['no_http2', 'https://slow/good'],
    ['no_secure_connection', 'https://unknown/good'],
    ['old_tls', 'https://old/good'],
    ['redirect_to_http', 'https://site/moved'],
  ]);
  expect(
    await rowsOf('SELECT DISTINCT http_version, tls_version, offers_http2 FROM mart.pages ORDER BY ALL'),
  ).toEqual([
    { http_version: '1.1', tls_version: 'TLSv1.3', offers_http2: false },
    { http_version: '1.1', tls_version: 'TLSv1.3', offers_http2: true },
    { http_version: '1.1', tls_version: null, offers_http2: null },
    { http_version: null, tls_version: null, offers_http2: null },
  ]);
  const images = `SELECT image->>'url' AS url, image->>'alt' AS alt, image->>'width' AS width
    FROM (SELECT unnest(CAST(images AS JSON[])) AS image FROM raw.crawl_pages WHERE url LIKE '%${site}/good')`;
  expect(await rowsOf(images)).toEqual([
    { url: 'https://site/lamp.png', alt: 'A lamp', width: '10' },
    { url: null, alt: '', width: null },
  ]);
});
