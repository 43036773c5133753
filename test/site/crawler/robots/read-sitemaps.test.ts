import { expect, test } from 'vitest';
import { readCrawlSettings } from '../../../../src/site/crawler/crawl-settings.ts';
import { type FetchedAnswer, UNANSWERED } from '../../../../src/site/crawler/fetch/fetcher.ts';
import { Scope } from '../../../../src/site/crawler/frontier/scope.ts';
import { readSitemaps } from '../../../../src/site/crawler/robots/read-sitemaps.ts';

const SETTINGS = readCrawlSettings({
  name: 'c',
  start_url: 'https://site.example',
  user_agent: 'testbot',
  max_speed: 5,
});
const PAGE = 'https://site.example/é';
/** How a file is written, and whether that says so: what is read byte by byte is of the encoding that it declares. */
const WRITTEN: readonly (readonly [name: string, write: (text: string) => Buffer])[] = [
  ['UTF-8', (text) => Buffer.from(text)],
  ['UTF-8 with a mark', (text) => Buffer.from(`\uFEFF${text}`)],
  ['UTF-16LE', (text) => Buffer.from(text, 'utf16le')],
  ['UTF-16LE with a mark', (text) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
  ['UTF-16BE', (text) => Buffer.from(text, 'utf16le').swap16()],
  ['UTF-16BE with a mark', (text) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
];
const DECLARED = [
  'utf-16',
  'UTF-16',
  'UTF-16LE',
  'utf-16be',
  'unicode',
  'ISO-10646-UCS-2',
  'utf-8',
  'UTF8',
  'x-none',
  '',
];

async function urlsOf(body: Buffer): Promise<string[]> {
  const urls: string[] = [];
  const answer: FetchedAnswer = {
    ...UNANSWERED,
    url: 'https://site.example/sitemap.xml',
    error: null,
    refusal: null,
    fetchedAt: new Date(),
    statusCode: 200,
    body,
  };
  await readSitemaps([answer.url], {
    scope: new Scope(SETTINGS.scope),
    isStrict: false,
    fetch: () => Promise.resolve(answer),
    onRecords: (records) => urls.push(...records.map(({ url }) => url)),
  });
  return urls;
}

test.each(WRITTEN)('a sitemap in %s is read, whatever Unicode encoding it declares', async (name, write) => {
  const declared = name === 'UTF-8' ? DECLARED : [...DECLARED, 'ISO-8859-1', 'windows-1251'];
  const read = await Promise.all(
    declared.map((name) =>
      urlsOf(write(`<?xml version="1.0" encoding="${name}"?><urlset><url><loc>${PAGE}</loc></url></urlset>`)),
    ),
  );
  expect(read).toEqual(declared.map(() => [new URL(PAGE).href]));
});

test('a sitemap that declares ISO-8859-1 is read in it', async () => {
  const text = `<?xml version='1.0' encoding='ISO-8859-1'?><urlset><url><loc>${PAGE}</loc></url></urlset>`;
  expect(await urlsOf(Buffer.from(text, 'latin1'))).toEqual([new URL(PAGE).href]);
});
