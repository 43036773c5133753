import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { expect, test } from 'vitest';
import { writeSitemaps } from '../../../../src/app/cli/local/write-sitemaps.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

async function* pieces(...urls: readonly string[]) {
  yield urls.map((url) => ({ url, changed_at: null }));
}

/** The URLs of a sitemap, in its order. */
function urlsOf(path: string): string[] {
  const urls: string[] = [];
  const parser = new SaxesParser();
  let isLoc = false;
  parser.on('opentag', ({ name }) => {
    isLoc = name === 'loc';
  });
  parser.on('closetag', () => {
    isLoc = false;
  });
  parser.on('text', (text) => {
    if (isLoc) urls.push(text);
  });
  parser.write(gunzipSync(readFileSync(path)).toString()).close();
  return urls;
}

const MANY = ['a', 'b', 'c'].map((name) => `https://a.example/${name}`);

test('a full file is followed by the next, the index lists all files, and old files are removed', async () => {
  const folder = await temporaryFolder();
  const limits = { urls: 1, bytes: 1_000 };
  await writeSitemaps(folder, pieces(...MANY), limits);
  const { written } = await writeSitemaps(folder, pieces(...MANY), { ...limits, urls: 2 });
  const index = join(folder, 'a.example', 'sitemap-index.xml');
  expect(written).toEqual([{ origin: 'https://a.example', index, files: 2, urls: 3 }]);
  expect(readdirSync(join(folder, 'a.example')).sort()).toEqual([
    'sitemap-1.xml.gz',
    'sitemap-2.xml.gz',
    'sitemap-index.xml',
  ]);
  expect(readFileSync(index, 'utf8').match(/<loc>.*<\/loc>/g)).toEqual([
    '<loc>https://a.example/sitemap-1.xml.gz</loc>',
    '<loc>https://a.example/sitemap-2.xml.gz</loc>',
  ]);
  expect(urlsOf(join(folder, 'a.example', 'sitemap-2.xml.gz'))).toEqual(MANY.slice(2));
});

test('a sitemap file ends before it exceeds the limit', async () => {
  const folder = await temporaryFolder();
  const { written } = await writeSitemaps(folder, pieces(...MANY), { urls: 10, bytes: 100 });
  expect(written[0]?.files).toBe(2);
});

test('each scheme and host has its own folder, and URLs over the length limit are counted', async () => {
  const folder = await temporaryFolder();
  const long = `https://a.example/${'x'.repeat(2_040)}`;
  const { written, tooLong } = await writeSitemaps(
    folder,
    pieces('http://a.example/', 'https://a.example/', 'https://a.example:8443/', long),
  );
  expect(written.map(({ index }) => index.slice(folder.length + 1))).toEqual([
    'a.example-http/sitemap-index.xml',
    'a.example/sitemap-index.xml',
    'a.example_8443/sitemap-index.xml',
  ]);
  expect(tooLong).toBe(1);
});

test('written sitemaps can be read again, whatever their URLs', async () => {
  const folder = await temporaryFolder();
  const url = fc
    .webUrl({ withQueryParameters: true })
    .map((text) => new URL(text).href.replace(/^.*?:\/\/[^/]*/, 'https://a.example'));
  await fc.assert(
    fc.asyncProperty(fc.array(url, { minLength: 1, maxLength: 20 }), async (urls) => {
      await writeSitemaps(folder, pieces(...urls));
      expect(urlsOf(join(folder, 'a.example', 'sitemap-1.xml.gz'))).toEqual(urls);
    }),
    { numRuns: 30 },
  );
});
