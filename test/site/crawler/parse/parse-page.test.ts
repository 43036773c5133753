import { expect, test } from 'vitest';
import { parsePage } from '../../../../src/site/crawler/parse/parse-page.ts';
import { fetched, PAGE_URL, parsed, RULES } from '../../../support/fetched-page.ts';

const WHOLE = `<!DOCTYPE html><html lang="en-GB"><head>
  <title> Red   shoes
  &amp; boots </title>
  <meta name="Description" content="  All about &quot;shoes&quot; ">
  <meta property="og:title" content="Shoes!"><meta property="og:type" content="product"><meta name="twitter:card" content="summary">
  <meta property="og:title" content="Second">
  </head><body>
  <header><nav><a href="/">Home</a></nav></header>
  <main><h1></h1><h1>Red <em>shoes</em></h1><h2>Sizes</h2><h2><img alt="Colours"></h2><h3> </h3>
  <p>Our shoes are red, and don't pinch. Low-cost!</p><img src=a.png alt=""><img src=b.png></main>
  <footer><a href="https://other.example/">Partner</a></footer></body></html>`;

test('a page has the facts of its response and the texts of its HTML', () => {
  const { page } = parsed(WHOLE);
  expect(page).toMatchObject({
    url: PAGE_URL,
    fetched: true,
    fetch_status: 'fetched_2xx',
    fetch_date: '2026/11/22 07:08:09 UTC',
    status_code: 200,
    load_time: 42,
    weight: 1,
    parsed_html: true,
    title: 'Red shoes & boots',
    title_length: 17,
    meta_description: 'All about "shoes"',
    description_length: 17,
    h1: 'Red shoes',
    h2: ['Sizes', 'Colours'],
    h3: null,
    num_h1: 1,
    num_h2: 2,
    num_h3: 1,
    num_h4: 0,
    num_img: 3,
    num_img_alt: 2,
    num_missing_alt: 1,
    language: 'en',
    word_count: 13,
    ogp_title: 'Shoes!',
    ogp_type: 'product',
    ogp_card: { 'og:title': 'Shoes!', 'og:type': 'product' },
    twc_card: { 'twitter:card': 'summary' },
    semantic_item_count: 0,
    semantic_types: null,
  });
});

test('the text ratio counts characters of visible text', () => {
  expect(
    parsed('<p>1234567890</p><script>const ten = 10;</script><style>p{}</style>').page.text_to_code,
  ).toBe(0.1493);
  expect(parsed('').page.text_to_code).toBe(0);
});

test('without a response there is only the error', () => {
  const { page, links } = parsePage(
    fetched('', { statusCode: null, error: 'timeout', body: null, headers: [] }),
    RULES,
  );
  expect(page).toMatchObject({
    fetched: false,
    fetch_status: 'unfetched_exception',
    fetch_error: 'timeout',
    status_code: null,
    load_time: null,
    weight: null,
    meta_robots_index: null,
  });
  expect(links).toEqual([]);
});

test.each([
  ['/new#part', 'https://site.example/new'],
  ['https://other.example/x', 'https://other.example/x'],
  ['mailto:a@b.example', null],
  ['http://[', null],
])('a redirect to %s', (location, expected) => {
  const { page, links } = parsed('<title>Moved</title><a href=/x>x</a>', {
    statusCode: 302,
    headers: [
      ['content-type', 'text/html'],
      ['location', location],
    ],
  });
  expect(page).toMatchObject({
    fetch_status: 'fetched_3xx',
    redirect_location: expected,
    parsed_html: false,
    title: null,
  });
  expect(links).toEqual([]);
});

test('an error page has its title, but no links and no structured data', () => {
  const html =
    '<title>Not found</title><a href=/x>x</a><script type=application/ld+json>{"@type":"Thing"}</script>';
  const { page, links, items } = parsed(html, { statusCode: 404 });
  expect(page).toMatchObject({
    fetch_status: 'fetched_4xx',
    title: 'Not found',
    parsed_html: true,
    semantic_item_count: null,
  });
  expect([links, items]).toEqual([[], []]);
});

test.each([
  ['text/plain', false],
  ['application/xhtml+xml; charset=utf-8', true],
  ['TEXT/HTML', true],
  [null, true],
])('a body of type %s is HTML: %s', (type, isHtml) => {
  const { page } = parsed('<!doctype html><title>t', {
    headers: type === null ? [] : [['content-type', type]],
  });
  expect(page.parsed_html).toBe(isHtml);
});

test('a body without a type and without a tag at its beginning is not HTML', () => {
  expect(parsed('GIF89a', { headers: [] }).page.parsed_html).toBe(false);
});

test.each([
  ['<html lang="fr">', 'fr'],
  ['<html lang="FR_ca">', 'fr'],
  ['<html lang="eng">', 'en'],
  ['<html lang="xx">', null],
  ['<html lang="">', null],
  ['<html><meta http-equiv=content-language content="de, en">', 'de'],
])('the declared language of %s is %s', (html, language) => {
  expect(parsed(html).page.language).toBe(language);
});

test('lengths count characters, not code units', () => {
  expect(parsed('<title>👟👟 é</title>').page.title_length).toBe(4);
});

test.each([
  ['unclosed elements', '<title>T<body><h1>One<p>two<li>three'],
  ['a document without anything', ''],
  ['text in front of the doctype', 'oops <!DOCTYPE html><title>T</title>'],
  ['nested forms and tables', '<table><a href=/x>x<tr><td><form><form><table><td>y'],
  ['NUL and surrogates', '<p>\0 \ud800 &#xD800; &#0;'],
])('broken HTML is read like in browsers: %s', (_, html) => {
  expect(parsed(html).page.parsed_html).toBe(true);
});

test('a title within SVG is not the page title', () => {
  expect(parsed('<svg><title>icon</title></svg><title>Page</title>').page.title).toBe('Page');
});

/** Elements without a text of the page, whose inside is in the document all the same, as Chromium has it. */
test.each(['video', 'audio', 'canvas', 'object', 'svg><foreignObject'])(
  'content in <%s>, or after one that never ends, belongs to the page, but is not text',
  (start) => {
    const { page, items } = parsed(
      `text <${start}>no text<h2>A heading</h2><img src=/i alt=x><meta name=robots content=noindex>
      <script type="application/ld+json">{"@type":"Thing"}</script><div itemscope itemtype="https://schema.org/Place"></div>`,
    );
    expect(page).toMatchObject({
      word_count: 1,
      h2: ['A heading'],
      num_img: 1,
      num_img_alt: 1,
      meta_robots_index: false,
    });
    expect(items.map(({ type }) => type)).toEqual(['Thing', 'Place']);
  },
);

test('elements nested deeper than the stack are read', () => {
  const { page, links } = parsed(`${'<div>'.repeat(20_000)}<a href=/deep>deep</a>`);
  expect(page.word_count).toBe(1);
  expect(links).toHaveLength(1);
});

test('soft hyphens and zero-width characters are not text', () => {
  const { page } = parsed(
    '<title>Donau\u00addampf\u2060schiff\ufeff</title><h1>\u200b</h1><p>Donau\u00addampf\u200bschiff',
  );
  expect(page).toMatchObject({ title: 'Donaudampfschiff', title_length: 16, h1: null, word_count: 2 });
});

test('invisible content is not text', () => {
  const html =
    '<body>one<script>two</script><style>three</style><template>four</template><textarea>five</textarea><select><option>six</select><svg><text>seven</text></svg><noscript>eight<img src=/pixel><a href=/nine>nine</a></noscript>';
  const { page, links } = parsed(html);
  expect(page).toMatchObject({ word_count: 1, num_img: 0, num_missing_alt: 0 });
  expect(links).toEqual([]);
});

test('elements named like object properties are ordinary elements', () => {
  const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];
  const html = names.map((name) => `<${name} itemprop=a role=${name}><a href="/x">x</a></${name}>`).join('');
  const { page, links } = parsed(`<title>T</title><div itemscope>${html}</div>`);
  expect(page.title).toBe('T');
  expect(links).toHaveLength(4);
});

test.each([
  [
    'name=description property="og:description"',
    { meta_description: 'x', ogp_card: { 'og:description': 'x' } },
  ],
  ['property="og:title twitter:title"', { ogp_title: 'x', twc_card: { 'twitter:title': 'x' } }],
  ['name="" property="og:title"', { ogp_title: 'x' }],
  ['name="twitter:title" property="og:title"', { ogp_title: 'x', twc_card: { 'twitter:title': 'x' } }],
  ['property=description', { meta_description: null, num_descriptions: 0 }],
  ['http-equiv=description', { meta_description: null, num_descriptions: 0 }],
  ['itemprop=description', { meta_description: null, num_descriptions: 0 }],
])('a meta by %s', (attributes, fields) => {
  expect(parsed(`<meta ${attributes} content=x>`).page).toMatchObject(fields);
});

test.each([
  ['name=robots', false],
  ['NAME=" Robots "', false],
  ['property=robots', true],
  ['http-equiv=robots', true],
  ['name=robot', true],
])('noindex by %s: the page is indexable: %s', (attributes, isIndexable) => {
  expect(parsed(`<meta ${attributes} content=noindex>`).page.meta_robots_index).toBe(isIndexable);
});

test.each([
  [203, true],
  [204, false],
  [205, false],
  [206, true],
  [404, true],
])('a response with the status %i is a page: %s', (statusCode, isPage) => {
  expect(parsed('<title>x</title>', { statusCode }).page.parsed_html).toBe(isPage);
});

test('a page in an unsafe encoding is not read', () => {
  const headers = [['content-type', 'text/html; charset=iso-2022-kr']] as const;
  expect(parsed('<title>x</title>', { headers }).page).toMatchObject({
    encoding: 'replacement',
    title: null,
  });
});
