import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { textOf } from '../../../../../src/site/crawler/parse/threads/parse-messages.ts';
import { ParsePool } from '../../../../../src/site/crawler/parse/threads/parse-pool.ts';
import { fetched } from '../../../../support/fetched-page.ts';

const LIMIT = 10_000_000;
const scope = {
  startUrl: 'https://site.example/',
  alternateStartUrls: [],
  crawlSubdomains: false,
  allowQueryParams: true,
  filterQueryParams: false,
  queryParams: [],
  isWhitelist: false,
  isAjax: false,
};
const pool = new ParsePool({ scope, robotName: 'testbot', customFields: [], bytes: LIMIT, watched: null }, 1);
afterAll(() => pool[Symbol.asyncDispose]());

interface Read {
  readonly title: string | null;
  readonly weight: number | null;
  readonly word_count: number | null;
  readonly is_truncated: boolean;
  readonly content_problem: string | null;
}

/** What is read of a body, as the fetcher gives it: cut at its limit. */
async function read(body: Uint8Array, headers: readonly (readonly [string, string])[] = []): Promise<Read> {
  const cut = body.subarray(0, LIMIT);
  const type = ['content-type', 'text/html; charset=utf-8'] as const;
  const answer = { ...fetched(cut), error: null, isBrokenOff: false, headers: [type, ...headers] };
  let page: Read | undefined;
  const facts = { depth: 0, sources: ['crawler'], robots_txt_denied: false };
  await pool.parse(
    { answer: { ...answer, isTruncated: cut.length < body.length }, facts, rendered: null },
    (reply) => {
      page = JSON.parse(textOf(reply.pages)) as Read;
      return Promise.resolve();
    },
  );
  if (page === undefined) throw new Error('there is no record');
  return page;
}

const of = (piece: string, megabytes: number): string => piece.repeat((megabytes * 1_000_000) / piece.length);
const KINDS: Readonly<Record<string, (megabytes: number) => string>> = {
  'small elements': (size) => of('<b>x</b> ', size),
  links: (size) => of('<li><a href="/a/b">text</a>', size),
  'rows of a table': (size) => of('<tr><td>1<td>2', size),
  'one deep nest': (size) => of('<div>', size),
  'a nest of formats': (size) => of('<p><b><i>', size),
  'one script': (size) => `<script>${of('if (a < b) c = "é";', size)}</script>`,
  'one attribute': (size) => `<p class="${of('{&quot;a&quot;: 1},', size)}">`,
  'many attributes': (size) => `<p ${Array.from({ length: size * 110_000 }, (_, n) => `a${n}`).join(' ')}>`,
  'names of one property': (size) =>
    `<p itemscope><b itemprop="${Array.from({ length: size * 170_000 }, (_, n) => n.toString(36)).join(' ')}">`,
  'one text': (size) => of('word süß 漢字 ', size),
  'words of their own': (size) => Array.from({ length: size * 150_000 }, (_, n) => n.toString(36)).join(' '),
  'signs without end': (size) => of('< ', size),
  'JSON-LD': (size) => `<script type="application/ld+json">[${of('{"@type":"Thing"},', size)}{}]</script>`,
};

test.each(Object.keys(KINDS).flatMap((kind) => [9, 12, 16].map((size) => [kind, size] as const)))(
  'a page of %s of %i MB is read as far as memory allows',
  { timeout: 120_000 },
  async (kind, size) => {
    const body = Buffer.from(`<!doctype html><title>A page</title><h1>Heading</h1>${KINDS[kind]?.(size)}`);
    const page = await read(body);
    expect(page).toMatchObject({ title: 'A page', content_problem: null });
    expect(page.weight).toBe(Math.ceil(Math.min(body.length, LIMIT) / 1024));
    if (body.length > LIMIT) expect(page.is_truncated).toBe(true);
  },
);

test('concurrent pages are all read, even after a page ended its thread', async () => {
  const kinds = Object.keys(KINDS);
  const pages = await Promise.all(
    [...kinds, ...kinds].map((kind, at) =>
      read(
        Buffer.from(`<!doctype html><title>Page ${at}</title>${KINDS[kind]?.(at < kinds.length ? 0.45 : 1)}`),
      ),
    ),
  );
  expect(pages.map(({ title }) => title)).toEqual(pages.map((_, at) => `Page ${at}`));
});

test('a page that cannot be recorded completely is read in part, with a note', {
  timeout: 120_000,
}, async () => {
  const body = Buffer.from(`<title>${'x'.repeat(9_000_000)}`);
  const page = await read(body);
  expect(page).toMatchObject({ is_truncated: true, content_problem: null });
  expect(page.title).toMatch(/^x{2000000,4000000}$/);
  expect(page.weight).toBe(Math.ceil(body.length / 1024));
});

test('content that cannot be decoded has an unknown weight, not zero', async () => {
  const page = await read(Buffer.from('no gzip'), [['content-encoding', 'gzip']]);
  expect(page).toMatchObject({ weight: null, word_count: null, content_problem: 'unreadable_content' });
  const packed = gzipSync(`<title>A page</title>${of('<b>x</b> ', 9)}`);
  expect(await read(packed, [['content-encoding', 'gzip']])).toMatchObject({
    title: 'A page',
    is_truncated: true,
  });
});
