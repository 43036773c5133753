import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openApiDocument } from '../../src/client/openapi/openapi.ts';
import { type Crawled, crawlSite, type Site, type SiteReply, serveSite } from '../support/crawl-site.ts';
import { unpackPackage } from '../support/node-packages.ts';
import { CHROMIUM, MISSING } from './chromium.ts';

if (CHROMIUM === undefined) console.warn(MISSING);

/** Published builds of single-page applications; both show an OpenAPI document, here that of our own service. */
const SWAGGER_UI = 'swagger-ui-dist@5.35.0';
const ELEMENTS = '@stoplight/elements@9.0.25';
const API = openApiDocument('https://api.example/v1');
const OPERATIONS = [...Object.values(API.paths), API.webhooks].flatMap((one) => Object.keys(one)).length;
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
};

/** A site that has the files of a package, then `own`; all other paths have the page `*`. */
async function serveApp(
  name: string,
  start: string,
  own: Readonly<Record<string, string | SiteReply>>,
): Promise<Site> {
  const folder = await unpackPackage(name);
  const files = [...start.matchAll(/(?:src|href)="\.?(\/[^"]+)"/g)].map(([, path = '']) => path);
  const routes = await Promise.all(
    files.map(async (path): Promise<[string, SiteReply]> => {
      const type = TYPES[extname(path)] ?? 'image/png';
      return [path, { headers: { 'content-type': type }, body: await readFile(join(folder, path)) }];
    }),
  );
  const api = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(API) };
  return await serveSite({ ...Object.fromEntries(routes), '/api.json': api, ...own });
}

async function both(
  site: Site,
  config: Readonly<Record<string, unknown>>,
): Promise<readonly [raw: Crawled, rendered: Crawled]> {
  const rendering = { browser: CHROMIUM, tabs: 2 };
  return [
    await crawlSite(site, config),
    await crawlSite(site, { js_rendering: true, ...config }, { rendering }),
  ];
}

async function startPage(crawled: Crawled): Promise<Record<string, unknown>> {
  const sql = `SELECT h1, word_count, internal_outlinks, custom_operations, rendered, unrendered_word_count,
    outlinks_only_rendered, processing_warnings FROM pages WHERE urlpath = '/'`;
  const [row = {}] = await crawled.rows(sql);
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]),
  );
}

const NOTHING = { h1: null, word_count: 0, internal_outlinks: 0, custom_operations: 0, rendered: null };

describe.skipIf(CHROMIUM === undefined)('a published single-page application', () => {
  test('Swagger UI: the plain HTML has no words and links, the rendered page every operation', async ({
    skip,
  }) => {
    const folder = await unpackPackage(SWAGGER_UI).catch((error: Error) => skip(error.message));
    const start = await readFile(join(folder, 'index.html'), 'utf8');
    const initializer = await readFile(join(folder, 'swagger-initializer.js'), 'utf8');
    const site = await serveApp(SWAGGER_UI, start, {
      '/': start,
      // The package shows a document of a public address; ours is here.
      '/swagger-initializer.js': {
        headers: { 'content-type': 'text/javascript' },
        body: initializer.replace(/url: "[^"]+"/, 'url: "/api.json"'),
      },
    });
    const operations = { name: 'operations', css: '.opblock', take: 'count' };
    const [raw, rendered] = await both(site, { custom_fields: [operations] });
    expect(await startPage(raw)).toMatchObject(NOTHING);
    const page = await startPage(rendered);
    expect(page).toMatchObject({
      h1: expect.stringMatching(/^Crawl analysis service/),
      custom_operations: OPERATIONS,
      rendered: true,
      unrendered_word_count: 0,
      processing_warnings: null,
    });
    expect(page.word_count).toBeGreaterThan(10 * OPERATIONS);
    expect(page.internal_outlinks).toBeGreaterThanOrEqual(OPERATIONS);
  });

  test('Stoplight Elements: without rendering it is one empty page, rendered it is a site', async ({
    skip,
  }) => {
    await unpackPackage(ELEMENTS).catch((error: Error) => skip(error.message));
    const start = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>API</title>
      <link rel="stylesheet" href="/styles.min.css"><script src="/web-components.min.js"></script></head>
      <body><elements-api apiDescriptionUrl="/api.json" router="history"></elements-api></body></html>`;
    const site = await serveApp(ELEMENTS, start, { '*': start });
    const operations = { name: 'operations', css: 'a[href^="/operations/"]', take: 'count' };
    const [raw, rendered] = await both(site, { custom_fields: [operations], max_url: 8 });
    expect(raw).toMatchObject({ fetchedUrls: 1, endReason: 'ok' });
    expect(await startPage(raw)).toMatchObject(NOTHING);
    expect(rendered).toMatchObject({ fetchedUrls: 8, endReason: 'max_url_reached' });
    const page = await startPage(rendered);
    expect(page).toMatchObject({ h1: 'Crawl analysis service', rendered: true, processing_warnings: null });
    expect(page.internal_outlinks).toBeGreaterThan(20);
    expect(page.outlinks_only_rendered).toBeGreaterThanOrEqual(Number(page.internal_outlinks));
    const pages = await rendered.rows(
      "SELECT count(DISTINCT h1) AS n FROM pages WHERE rendered AND word_count > 50 AND urlpath <> '/'",
    );
    expect(pages).toEqual([{ n: 7n }]);
  });

  test('a missing view that adds noindex equals the response for a missing page; a missing page does not', async () => {
    const shell = '<!doctype html><title>Shop</title><div id="app"></div><script src="/app.js"></script>';
    const site = await serveSite({
      '/app.js': {
        headers: { 'content-type': 'text/javascript' },
        body: `const views = { '/': '<h1>Shop</h1><a href="/gone">old</a> <a href="/hidden">new</a>', '/hidden': '<h1>Lamps</h1> of brass' };
          const view = views[location.pathname] ?? '<h1>Not found</h1> Sorry.';
          document.getElementById('app').innerHTML = view;
          if (location.pathname !== '/') document.head.insertAdjacentHTML('beforeend', '<meta name=robots content=noindex>');`,
      },
      '*': shell,
    });
    const [, rendered] = await both(site, {});
    const rows = await rendered.rows(
      "SELECT urlpath, like_missing_page AS alike, meta_robots_index AS index, is_app_shell AS shell FROM pages WHERE rendered AND urlpath <> '/app.js' ORDER BY 1",
    );
    expect(rows).toEqual([
      { urlpath: '/', alike: false, index: true, shell: false },
      { urlpath: '/gone', alike: true, index: false, shell: false },
      { urlpath: '/hidden', alike: false, index: false, shell: false },
    ]);
  });
});
