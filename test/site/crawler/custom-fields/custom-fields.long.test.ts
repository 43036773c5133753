import fc from 'fast-check';
import { parse } from 'parse5';
import { expect, test } from 'vitest';
import { readCustomFields } from '../../../../src/site/crawler/custom-fields/custom-field.ts';
import { type Extracted, extractor } from '../../../../src/site/crawler/custom-fields/extractor.ts';
import { answerParser } from '../../../../src/site/crawler/parse/threads/parse-answer.ts';
import { textOf } from '../../../../src/site/crawler/parse/threads/parse-messages.ts';
import { crawlSite, serveSite } from '../../../support/crawl-site.ts';
import { fetched } from '../../../support/fetched-page.ts';

const PAGE = `<!doctype html><html><head><title>Kettle</title><meta itemprop="price" content="12.50"></head><body>
  <p class="price">EUR <b>1,234.50</b></p><p class="price">no price</p><p class="price">7</p>
  <time datetime="2026-11-05T08:00:00+01:00">last week</time><span data-stock="yes">3 left</span>
  <svg><title>drawing</title></svg><!-- built 2026-10-01 --><script>var sku = "K-17"; var sku = "K-18";</script></body></html>`;

function read(html: string, ...rules: readonly Record<string, unknown>[]): Extracted {
  const checked = readCustomFields(
    rules.map((rule) => ({ name: 'it', ...rule })),
    false,
  );
  if (!('fields' in checked)) throw new Error(`${checked.place}: ${checked.problem}`);
  return extractor(checked.fields)({ html, root: parse(html, { scriptingEnabled: false }) });
}

test.each([
  [{ css: 'p.price' }, 'EUR 1,234.50'],
  [{ css: 'p.price', many: true }, ['EUR 1,234.50', 'no price', '7']],
  [{ css: 'p.price', type: 'number', many: true }, [1234.5, 7]],
  [{ css: '.price:nth-of-type(2)', type: 'number' }, undefined],
  [{ css: '.none' }, undefined],
  [{ css: '.price', take: 'count' }, 3],
  [{ css: '.none', take: 'count' }, 0],
  [{ css: '.none', take: 'exists' }, false],
  [{ css: 'p b', take: 'html' }, '<b>1,234.50</b>'],
  [{ css: '[itemprop=price]', attribute: 'content', type: 'number' }, 12.5],
  [{ css: 'time', take: 'attribute', attribute: 'datetime', type: 'date' }, '2026-11-05'],
  [{ css: '[data-stock]', attribute: 'data-stock', type: 'boolean' }, true],
  [{ css: 'p:has(b) + p' }, 'no price'],
  [{ xpath: '//p[@class="price"][b]/b' }, '1,234.50'],
  [{ xpath: '//p', many: true }, ['EUR 1,234.50', 'no price', '7']],
  [{ xpath: '//meta/@content', type: 'number' }, 12.5],
  [{ xpath: 'count(//p)', type: 'number' }, 3],
  [{ xpath: 'normalize-space(//p[1])' }, 'EUR 1,234.50'],
  [{ xpath: '//svg/title' }, 'drawing'],
  [{ xpath: '//p[last()]/preceding-sibling::p[1]' }, 'no price'],
  [{ xpath: '//comment()' }, 'built 2026-10-01'],
  [{ xpath: '//P', take: 'count' }, 3],
  [{ xpath: '//p/b', take: 'html' }, '<b>1,234.50</b>'],
  [{ regex: 'sku = "([^"]+)"' }, 'K-17'],
  [{ regex: 'sku = "([^"]+)"', many: true }, ['K-17', 'K-18']],
  [{ regex: 'K-\\d+', take: 'count' }, 2],
])('%j extracts %j', (rule, expected) => {
  expect(read(PAGE, rule)).toEqual({
    values: expected === undefined ? {} : { custom_it: expected },
    problems: [],
  });
});

test.each([
  ['$1,234.50', '.', 1234.5],
  ['1.234,50 €', ',', 1234.5],
  ['1 234,5', ',', 1234.5],
  ["CHF 1'234.-", '.', 1234],
  ['-3', '.', -3],
  ['−3.5 °C', '.', -3.5],
  ['₹1,23,456.00', '.', 123_456],
  ['1,00,00,000', '.', 10_000_000],
  ['1e3', '.', 1000],
  ['2.5E-3 mol', '.', 0.0025],
  ['1e3x', '.', 1],
  ['12,34', '.', null],
  ['12,50', '.', null],
  ['1.2.3', '.', null],
  ['H2O', '.', null],
  ['from 5 to 9', '.', 5],
  ['none', '.', null],
] as const)('%s with the decimal sign %s is the number %s', (text, decimal, expected) => {
  const { values } = read(`<p>${text}</p>`, { css: 'p', type: 'number', decimal });
  expect(values.custom_it ?? null).toBe(expected);
});

test.each([
  ['2026-02-28', '2026-02-28'],
  ['2026-02-30', null],
  ['28.02.2026', null],
  ['2026-02-28T99', null],
])('%s is the date %s', (text, expected) => {
  const { values } = read(`<p>${text}</p>`, { css: 'p', type: 'date' });
  expect(values.custom_it ?? null).toBe(expected);
});

test('numbers with groups and a fraction are parsed again', () => {
  const number = fc
    .double({ min: -1e9, max: 1e9, noNaN: true })
    .map((value) => Math.round(value * 100) / 100);
  fc.assert(
    fc.property(number, fc.constantFrom('en-US', 'de-DE'), (value, locale) => {
      const text = value.toLocaleString(locale, { maximumFractionDigits: 2 });
      const decimal = locale === 'en-US' ? '.' : ',';
      const { values } = read(`<p>x ${text} y</p>`, { css: 'p', type: 'number', decimal });
      expect(values.custom_it).toBe(value + 0);
    }),
  );
});

test('a rule is either refused with its place, or reads any page without an error', () => {
  const rule = fc.record(
    {
      css: fc.string(),
      xpath: fc.string(),
      regex: fc.string(),
      take: fc.constantFrom('text', 'html', 'attribute', 'count', 'exists', 'all'),
      attribute: fc.string(),
      type: fc.constantFrom('string', 'number', 'date', 'boolean', 'money'),
      many: fc.boolean(),
      from: fc.constantFrom('raw', 'rendered'),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(rule, fc.string(), (given, html) => {
      const checked = readCustomFields([{ name: 'it', ...given }], true);
      if ('problem' in checked) expect(checked.place).toMatch(/^custom_fields\[0\]/);
      else extractor(checked.fields)({ html, root: parse(html) });
    }),
    { numRuns: 500 },
  );
});

test('an endless regular expression ends soon with a warning, and other rules continue', () => {
  const html = `<p>${'a'.repeat(50)}!</p>`;
  const begun = performance.now();
  const { values, problems } = read(
    html,
    { name: 'slow', regex: '(a+)+$' },
    { name: 'quick', css: 'p', take: 'count' },
  );
  expect(performance.now() - begun).toBeLessThan(5_000);
  expect(problems).toEqual(['custom_slow: timeout']);
  expect(values).toEqual({ custom_quick: 1 });
});

test('an endless selector is refused at its check', () => {
  const xpath = `//*${'/ancestor-or-self::node()/descendant-or-self::node()'.repeat(7)}`;
  expect(readCustomFields([{ name: 'slow', xpath }], false)).toMatchObject({
    place: 'custom_fields[0].xpath',
    problem: 'is not valid: it takes too long',
  });
});

test.each([
  [[{ name: 'Price', css: 'p' }], 'custom_fields[0].name', 'lower case'],
  [[{ name: 'a' }], 'custom_fields[0]', 'one of css, xpath and regex'],
  [[{ name: 'a', css: 'p', xpath: '//p' }], 'custom_fields[0]', 'one of css, xpath and regex'],
  [[{ name: 'a', css: 'p[' }], 'custom_fields[0].css', 'is not valid'],
  [[{ name: 'a', css: 'p:nowhere' }], 'custom_fields[0].css', 'is not valid'],
  [[{ name: 'a', xpath: '//p[' }], 'custom_fields[0].xpath', 'is not valid'],
  [[{ name: 'a', xpath: 'nothing(//p)' }], 'custom_fields[0].xpath', 'is not valid'],
  [[{ name: 'a', regex: '(' }], 'custom_fields[0].regex', 'is not valid'],
  [[{ name: 'a', css: 'p', take: 'attribute' }], 'custom_fields[0].attribute', 'needs it'],
  [
    [{ name: 'a', css: 'p', take: 'count', type: 'number' }],
    'custom_fields[0].take',
    'does not work with type',
  ],
  [[{ name: 'a', regex: 'a', take: 'html' }], 'custom_fields[0].take', 'text, count, exists'],
  [[{ name: 'a', css: 'p', from: 'rendered' }], 'custom_fields[0].from', 'needs js_rendering'],
  [[{ name: 'a', css: 'p', decimal: ',' }], 'custom_fields[0].decimal', 'type: number'],
  [
    [
      { name: 'a', css: 'p' },
      { name: 'a', css: 'b' },
    ],
    'custom_fields[1].name',
    'appears twice',
  ],
  [[{ name: 'a', css: 'p', headers: {} }], 'custom_fields[0]', 'headers'],
])('%j is refused', (rules, place, words) => {
  expect(readCustomFields(rules, false)).toMatchObject({ place, problem: expect.stringContaining(words) });
});

test('an expression that matches each character of a large page affects neither the page nor its thread', async () => {
  const site = await serveSite({ '/': `<title>Large</title><p>${'a '.repeat(100_000)}` });
  const custom_fields = [
    { name: 'characters', regex: '.', take: 'count' },
    { name: 'words', regex: 'a', many: true },
  ];
  const crawled = await crawlSite(site, { custom_fields });
  const sql = 'SELECT title, custom_characters, len(custom_words) AS words FROM pages';
  expect(await crawled.rows(sql)).toEqual([{ title: 'Large', custom_characters: 200_023n, words: 1000n }]);
});

test.each([
  ['a page that was rendered', '<p>after<p>', { page: 'after', raw: 'before', rendered: 'after' }],
  ['a page that could not be rendered', null, { page: 'before', raw: 'before' }],
  ['a page of a crawl that renders none', undefined, { page: 'before', raw: 'before' }],
])('%s has the fields of its HTML and of its document', (_, html, expected) => {
  const rules = [
    { name: 'page', css: 'p' },
    { name: 'raw', css: 'p', from: 'raw' },
    { name: 'rendered', css: 'p', from: 'rendered' },
    { name: 'slow', regex: '(a+)+$', from: 'raw' },
  ];
  const checked = readCustomFields(rules, true);
  if (!('fields' in checked)) throw new Error(checked.problem);
  const scope = { startUrl: 'https://site.example/', alternateStartUrls: [], crawlSubdomains: false };
  const queries = { allowQueryParams: true, filterQueryParams: false, queryParams: [], isWhitelist: false };
  const parse = answerParser({
    scope: { ...scope, ...queries },
    robotName: 'testbot',
    customFields: checked.fields,
    bytes: 1e6,
    most: 1e6,
    watched: null,
  });
  const reply = parse({
    answer: { ...fetched(`<p>before</p>${'a'.repeat(50)}!`), error: null, isBrokenOff: false },
    facts: { depth: 0, sources: ['crawler'], robots_txt_denied: false },
    rendered: html === undefined ? null : { html, scriptRedirect: null, resources: [], warnings: [] },
  });
  if (!('pages' in reply)) throw new Error('no records');
  const { custom, custom_problems } = JSON.parse(textOf(reply.pages)) as Record<string, unknown>;
  const named = Object.entries(expected).map(([name, value]) => [`custom_${name}`, value]);
  expect(custom).toEqual(Object.fromEntries(named));
  expect(custom_problems).toEqual(['custom_slow: timeout']);
});

test('scraped fields are typed columns of a crawl', async () => {
  const site = await serveSite({
    '/': `${PAGE}<a href="/b">b</a><a href="/c.txt">c</a>`,
    '/b': 'none',
    '/c.txt': { headers: { 'content-type': 'text/plain' }, body: 'K-19' },
  });
  const custom_fields = [
    { name: 'qsdd', css: 'title' },
    { name: 'price', css: '.price', type: 'number', many: true },
    { name: 'seen', css: 'time', attribute: 'datetime', type: 'date' },
    { name: 'skus', regex: 'K-\\d+', take: 'count' },
    { name: 'slow', regex: '(a+)+$' },
  ];
  const crawled = await crawlSite(site, { custom_fields });
  const rows = await crawled.rows(
    'SELECT urlpath, custom_qsdd, CAST(custom_price AS VARCHAR) AS price, custom_seen, custom_skus, custom_slow FROM pages ORDER BY url',
  );
  expect(rows).toEqual([
    {
      urlpath: '/',
      custom_qsdd: 'Kettle',
      price: '[1234.5,7]',
      custom_seen: '2026-11-05',
      custom_skus: 2n,
      custom_slow: null,
    },
    { urlpath: '/b', custom_qsdd: null, price: null, custom_seen: null, custom_skus: 0n, custom_slow: null },
    {
      urlpath: '/c.txt',
      custom_qsdd: null,
      price: null,
      custom_seen: null,
      custom_skus: null,
      custom_slow: null,
    },
  ]);
});
