import { expect, test } from 'vitest';
import { headerLinks } from '../../../../src/site/crawler/parse/headers.ts';
import { PAGE_URL, parsed, parsedWith } from '../../../support/fetched-page.ts';

test('the canonical in the head is absolute and without a fragment', () => {
  const { page } = parsed('<head><link rel="Canonical" href=" /shop/#top "></head>');
  expect(page).toMatchObject({
    rel_canonical: 'https://site.example/shop/',
    canonicals: ['https://site.example/shop/'],
  });
});

test('an address is resolved against the first base element', () => {
  const { page } = parsed('<base href="/en/"><base href="/fr/"><link rel=canonical href=shoes>');
  expect(page.rel_canonical).toBe('https://site.example/en/shoes');
});

test('conflicting canonicals are void, and all are kept', () => {
  const { page } = parsedWith(
    '<link rel=canonical href=/a><link rel=canonical href=/b><link rel=canonical href=/a>',
    ['link', '</c>; rel=canonical'],
  );
  expect(page).toMatchObject({ rel_canonical: null, declared_canonical: '/a' });
  expect(parsed('<link rel=canonical href=/a><link rel=canonical href=/A/../a>').page.rel_canonical).toBe(
    'https://site.example/a',
  );
  expect(page.canonicals).toEqual(['/a', '/b', '/c'].map((path) => `https://site.example${path}`));
});

test.each([
  ['in the body', '<p>text<link rel=canonical href=/evil>'],
  ['without an address', '<link rel=canonical href="">'],
  ['of another scheme', '<link rel=canonical href="javascript:void(0)">'],
  ['that is no address', '<link rel=canonical href="https://[">'],
  ['of a language', '<link rel="alternate canonical" hreflang=de href=/de/>'],
  ['in a language', '<link rel=canonical lang=de href=/de/>'],
  ['of a medium', '<link rel=canonical media="(max-width: 640px)" href=/m/>'],
  ['of a type', '<link rel=canonical type=application/pdf href=/a.pdf>'],
])('a canonical %s is ignored', (_, html) => {
  expect(parsed(html).page).toMatchObject({ rel_canonical: null, canonicals: null });
});

test('a body element in the head ends the head, as in browsers', () => {
  const { page } = parsed('<head><div>oops</div><link rel=canonical href=/a></head>');
  expect(page).toMatchObject({ rel_canonical: null, canonical_outside_head: 'https://site.example/a' });
});

test('next and previous are read', () => {
  const { page } = parsed('<link rel=next href="?page=3"><link rel="prev nofollow" href="?page=1">');
  expect(page.rel_next).toBe('https://site.example/shop/shoes.html?page=3');
  expect(page.rel_prev).toBe('https://site.example/shop/shoes.html?page=1');
});

test('language versions of elements and headers keep their order', () => {
  const { page } = parsedWith(
    '<link rel=alternate hreflang=EN-gb href=/gb/><link rel=alternate hreflang=x-default href=/><link rel=alternate type=application/rss+xml href=/feed>',
    [
      'link',
      '<https://site.example/fr/>; rel="alternate"; hreflang="fr", </de/>; rel=alternate; hreflang=de',
    ],
  );
  expect(page.hreflang_langs).toEqual(['en-gb', 'x-default', 'fr', 'de']);
  expect(page.hreflang_hrefs).toEqual(
    ['/gb/', '/', '/fr/', '/de/'].map((path) => `https://site.example${path}`),
  );
  expect(page.hreflang_sources).toEqual(['html', 'html', 'header', 'header']);
  expect(page.relative_hreflangs).toEqual(['/gb/', '/']);
});

test('Link headers may hold commas and semicolons in addresses and quoted texts', () => {
  const value =
    '<https://a.example/x,y;z>; rel="canonical"; title="a, b; \\"c\\"", <b>;rel="Next prev";hreflang=en , <c>';
  expect(
    headerLinks(
      [
        ['link', value],
        ['link', 'nonsense'],
        ['x', '<d>; rel=next'],
      ],
      PAGE_URL,
    ),
  ).toEqual([
    { href: 'https://a.example/x,y;z', rel: ['canonical'], hreflang: null },
    { href: 'b', rel: ['next', 'prev'], hreflang: 'en' },
    { href: 'c', rel: [], hreflang: null },
  ]);
});

/** RFC 8288: addresses and relation types. */
test.each<[string, Record<string, readonly string[]>]>([
  ['<a>; rel=canonical; anchor="/other"', {}],
  ['<a>; rel=canonical; anchor="#part", <b>; rel=next', { b: ['next'] }],
  [`<a>; rel=canonical; anchor="${PAGE_URL}"`, { a: ['canonical'] }],
  ['<a>; rel=canonical; anchor=""', { a: ['canonical'] }],
  ['<a>; rev=canonical', { a: [] }],
  ['<a>; rel=next; rel=canonical; REL=prev', { a: ['next'] }],
  ['<a>;rel = "next"; title = x y ;hreflang=de', { a: ['next'] }],
  ['<a>; rel="next, <b>; rel=prev', { a: ['next,', '<b>;', 'rel=prev'] }],
  ['<a>; title="<b>; rel=prev"; rel=next', { a: ['next'] }],
  ['<a>; title="x\\"; rel=prev, <b>"; rel=next', { a: ['next'] }],
  ['a; rel=next, <b>; rel=prev', { b: ['prev'] }],
  ['<a> x; rel=next, , ,<b>;;;rel=prev;', { a: [], b: ['prev'] }],
  ['<>; rel=next', { '': ['next'] }],
  ['<a; rel=next', {}],
  ['<,'.repeat(100_000), {}],
  [`${'<'.repeat(100_000)}>;rel=next`, { ['<'.repeat(99_999)]: ['next'] }],
  [`<a>;${' '.repeat(100_000)}x${'="'.repeat(50_000)}`, { a: [] }],
])('a Link header %j', { timeout: 2_000 }, (value, links) => {
  const read = headerLinks([['link', value]], PAGE_URL);
  expect(Object.fromEntries(read.map(({ href, rel }) => [href, rel]))).toEqual(links);
});

test('addresses in headers ignore the base element', () => {
  const headers = [
    ['content-type', 'text/html'],
    ['link', '<c>; rel=canonical'],
    ['refresh', '0; r'],
  ] as const;
  expect(parsed('<base href="/x/"><link rel=next href=n>', { headers }).page).toMatchObject({
    rel_canonical: 'https://site.example/shop/c',
    header_canonical: 'https://site.example/shop/c',
    meta_refresh_location: 'https://site.example/shop/r',
    rel_next: 'https://site.example/x/n',
  });
});

test.each([
  ['<link rel=canonical href="/a?b#c">', '/a?b#c', 'https://site.example/a?b'],
  ['<base href="/x/"><link rel=canonical href="y">', 'y', 'https://site.example/x/y'],
  [
    '<link rel=canonical href="mailto:a@b.example"><link rel=canonical href="/b">',
    '/b',
    'https://site.example/b',
  ],
  ['<title>x</title>', null, null],
  ['<link rel=canonical href="mailto:a@b.example">', 'mailto:a@b.example', null],
  ['<link rel=canonical href="https://">', 'https://', null],
])('the canonical of %s is also kept as written', (html, declared_canonical, rel_canonical) => {
  expect(parsed(html).page).toMatchObject({ declared_canonical, rel_canonical });
});
