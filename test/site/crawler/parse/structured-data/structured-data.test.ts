import { expect, test } from 'vitest';
import { parsed } from '../../../../support/fetched-page.ts';

const jsonLd = (block: string): string => `<script type="application/ld+json">${block}</script>`;

test('each top-level item of JSON-LD is one record', () => {
  const { items, page } = parsed(
    [
      jsonLd(
        '{"@context":"https://schema.org","@type":"Product","name":"Shoe","offers":{"@type":"Offer","price":9.90}}',
      ),
      jsonLd('[{"@type":"Organization"},{"@type":["NewsArticle","Article"]}]'),
      jsonLd(
        '{"@context":"https://schema.org","@graph":[{"@type":"WebSite"},{"@type":"https://schema.org/Person"}]}',
      ),
    ].join(''),
  );
  expect(items.map(({ format, type, position, valid }) => [format, type, position, valid])).toEqual([
    ['json-ld', 'Product', 0, true],
    ['json-ld', 'Organization', 1, true],
    ['json-ld', 'NewsArticle', 2, true],
    ['json-ld', 'WebSite', 3, true],
    ['json-ld', 'Person', 4, true],
  ]);
  expect(page.semantic_item_count).toBe(5);
  expect(page.semantic_types).toEqual([
    'Product',
    'Offer',
    'Organization',
    'NewsArticle',
    'Article',
    'WebSite',
    'Person',
  ]);
});

test('an item is kept exactly as written', () => {
  const text = '{"@type":"Product","name":"Shoe","sku":12345678901234567890,"price":9.90}';
  expect(JSON.stringify(parsed(jsonLd(text)).items[0]?.item)).toBe(text);
});

test.each(['{"@type":"Product",}', '{"@type":"Product"', 'undefined'])('%s is an invalid item', (block) => {
  expect(parsed(jsonLd(block)).items).toMatchObject([
    { type: null, valid: false, missing_properties: null, item: null },
  ]);
});

test.each([
  '<!-- {"@type":"Thing"} -->',
  '//<![CDATA[\n{"@type":"Thing"}\n//]]>',
  '/*<![CDATA[*/{"@type":"Thing"}/*]]>*/',
])('text around a block is ignored: %s', (block) => {
  expect(parsed(jsonLd(block)).items).toMatchObject([{ type: 'Thing', valid: true }]);
});

test('blocks without an item yield none', () => {
  expect(parsed(jsonLd('') + jsonLd('[]') + jsonLd('"text"') + jsonLd('null')).items).toEqual([]);
});

test('an endlessly nested item is not kept', () => {
  const nested = (depth: number): string =>
    jsonLd(`{"@type":"Thing","a":${'['.repeat(depth)}${']'.repeat(depth)}}`);
  expect(parsed(nested(60)).items).toMatchObject([{ type: 'Thing', valid: true }]);
  expect(parsed(nested(100)).items).toMatchObject([{ type: 'Thing', valid: false, item: null }]);
  expect(parsed(nested(50_000)).items).toMatchObject([{ type: null, valid: false, item: null }]);
});

test.each<[string, readonly string[] | null]>([
  ['{"@type":"Product","name":"Shoe"}', ['offers|review|aggregateRating']],
  ['{"@type":"Product","name":"","review":[]}', ['name', 'offers|review|aggregateRating']],
  ...[
    'null',
    '[]',
    '""',
    '" "',
    '[null]',
    '[""]',
    '[[]]',
    '{"@value":null}',
    '{"@value":""}',
    '{"@list":[]}',
    '[{"@set":[null]}]',
  ].map((empty): [string, string[]] => [
    `{"@type":"Product","name":${empty},"offers":${empty}}`,
    ['name', 'offers|review|aggregateRating'],
  ]),
  ...['0', 'false', '9.90', '[null,"x"]', '{"@value":"x"}', '{"@id":"#y"}'].map((full): [string, null] => [
    `{"@type":"Product","name":${full},"offers":${full}}`,
    null,
  ]),
  ['{"@type":"Event","name":"x","startDate":"2026-11-22","location":"here"}', null],
  ...['{}', '[{}]', '{"@list":[{}]}'].map((part): [string, string[]] => [
    `{"@type":"Product","name":"x","offers":${part}}`,
    ['offers.price|priceSpecification.price'],
  ]),
  ['{"@type":"schema:QAPage"}', ['mainEntity']],
  ['{"@type":"Restaurant","name":"Inn"}', ['address']],
  ['{"@type":["Thing","SkiResort"]}', ['name', 'address']],
  [
    '{"@type":"WebApplication","name":"x","offers":[{"price":0}],"review":{"author":"y","reviewRating":{"ratingValue":5}}}',
    null,
  ],
  ['{"@type":"ProductGroup","name":"x"}', null],
  ['{"@type":"UserComments"}', null],
  ['{"@type":"constructor"}', null],
  ['{"@type":"__proto__"}', null],
])('missing properties of %s', (block, missing) => {
  expect(parsed(jsonLd(block)).items[0]?.missing_properties).toEqual(missing);
});

const itemsOf = (...blocks: readonly string[]): unknown[][] =>
  parsed(blocks.map(jsonLd).join('')).items.map(({ type, missing_properties }) => [type, missing_properties]);

test.each<[string, readonly string[], unknown[][]]>([
  [
    'what several blocks say of one node is one item',
    [
      '{"@type":"Product","@id":"#shoe","name":"Shoe"}',
      '{"@type":"Thing","@id":"https://site.example/shop/shoes.html#shoe","offers":{"@type":"Offer","price":1}}',
    ],
    [['Product', null]],
  ],
  [
    'a node within another one is completed too',
    [
      '{"@graph":[{"@type":"WebPage","mainEntity":{"@id":"#inn","@type":"Restaurant"}},{"@id":"#inn","name":"Inn","address":"x"}]}',
    ],
    [
      ['WebPage', null],
      ['Restaurant', null],
    ],
  ],
  [
    'a reference is no item, and what it leads to is one item',
    [
      '{"@graph":[{"@id":"#a"},{"@type":"WebPage","mainEntity":{"@id":"#a"}},{"@type":"Event","@id":"#a","name":"x"}]}',
    ],
    [
      ['Event', ['startDate', 'location']],
      ['WebPage', null],
    ],
  ],
  [
    'a list of products is read, and the parts of a product are not',
    [
      '{"@type":"ItemList","itemListElement":{"@list":[{"@type":"ListItem","item":{"@type":"Product","name":"x","review":{"@type":"Review","author":"y","reviewRating":{"ratingValue":1}}}}]}}',
    ],
    [
      ['ItemList', null],
      ['Product', null],
    ],
  ],
  [
    'a property in reverse is one of the other node',
    [
      '{"@type":"Review","author":"x","itemReviewed":"y","reviewRating":1,"@reverse":{"review":{"@type":"Product","name":"Shoe"}}}',
      '{"@type":"Offer","@id":"#offer","price":1,"@reverse":{"offers":[{"@id":"#hat"}]}}',
      '{"@type":"Product","@id":"#hat","name":"Hat"}',
    ],
    [
      ['Review', null],
      ['Product', null],
      ['Offer', null],
      ['Product', null],
    ],
  ],
  [
    'lists within lists',
    ['[[[{"@type":"Person"}],null],[{"@type":"Thing"}]]'],
    [
      ['Person', null],
      ['Thing', null],
    ],
  ],
  [
    'graphs within graphs, and nodes beside a graph',
    [
      '{"@type":"WebSite","@graph":[{"@graph":[{"@type":"Recipe","name":"Soup"}]}],"@included":[{"@type":"Person"}]}',
    ],
    [
      ['WebSite', null],
      ['Recipe', ['image']],
      ['Person', null],
    ],
  ],
  [
    'nodes that name each other',
    ['[{"@id":"a","x":{"@id":"b"}},{"@id":"b","x":{"@id":"a"}}]'],
    [
      [null, null],
      [null, null],
    ],
  ],
])('%s', (_name, blocks, items) => {
  expect(itemsOf(...blocks)).toEqual(items);
});

test('microdata: properties, values by element, nested items, itemref', () => {
  const { items } = parsed(`
    <div itemscope itemtype="https://schema.org/Product" itemid="/id/1" itemref="more none">
      <h1 itemprop="name">Red
        shoe</h1><img itemprop=image src="a.png"><meta itemprop=sku content=" 12 ">
      <div itemprop=offers itemscope itemtype=https://schema.org/Offer>
        <data itemprop=price value=9.90>9,90 €</data><time itemprop=validFrom datetime=2026-11-22>today</time><time itemprop=validThrough>2027</time>
        <link itemprop=availability href=https://schema.org/InStock>
      </div>
      <span itemprop="colour color">red</span><span itemprop=colour>blue</span>
    </div>
    <p id=more><b itemprop=brand>Brand</b></p>`);
  expect(items).toMatchObject([
    {
      format: 'microdata',
      type: 'Product',
      valid: true,
      item: {
        '@type': 'https://schema.org/Product',
        '@id': 'https://site.example/id/1',
        name: 'Red shoe',
        image: 'https://site.example/shop/a.png',
        sku: ' 12 ',
        offers: {
          '@type': 'https://schema.org/Offer',
          price: '9.90',
          validFrom: '2026-11-22',
          validThrough: '2027',
          availability: 'https://schema.org/InStock',
        },
        colour: ['red', 'blue'],
        color: 'red',
        brand: 'Brand',
      },
    },
  ]);
});

test('a microdata item that contains itself ends', () => {
  const { items } = parsed(
    '<div itemscope id=a itemtype=https://schema.org/Thing itemref=b></div><div id=b itemprop=x itemscope itemref=b></div>',
  );
  expect(items).toHaveLength(1);
});

test('microdata items that share others many times are cut', () => {
  const levels = Array.from(
    { length: 40 },
    (_, n) =>
      `<div id=a${n}><p itemprop=x itemscope itemref=a${n + 1}></p><p itemprop=y itemscope itemref=a${n + 1}></p></div>`,
  );
  expect(
    parsed(`<div itemscope itemtype=https://schema.org/Thing itemref=a0></div>${levels.join('')}`).items,
  ).toHaveLength(1);
});

test('RDFa Lite: vocabulary, prefixes, values, nested items', () => {
  const { items, page } = parsed(`
    <div vocab="https://schema.org/" typeof="Product" resource="#shoe">
      <h1 property="name">Red shoe</h1><img property="image" src="a.png">
      <div property="offers" typeof="Offer"><span property="price" content="9.90">9,90</span></div>
      <time property="releaseDate" datetime="2026-11-22">today</time>
    </div>
    <p prefix="ex: https://example.com/ns#" typeof="ex:Thing schema:Place"><span property="ex:size">40</span></p>`);
  expect(items.map(({ format, type, valid, item }) => [format, type, valid, item])).toEqual([
    [
      'rdfa',
      'Product',
      true,
      {
        '@type': 'Product',
        '@id': 'https://site.example/shop/shoes.html#shoe',
        name: 'Red shoe',
        image: 'https://site.example/shop/a.png',
        offers: { '@type': 'Offer', price: '9.90' },
        releaseDate: '2026-11-22',
      },
    ],
    [
      'rdfa',
      'https://example.com/ns#Thing',
      true,
      { '@type': ['https://example.com/ns#Thing', 'Place'], 'https://example.com/ns#size': '40' },
    ],
  ]);
  expect(page.semantic_types).toEqual(['Product', 'Offer', 'https://example.com/ns#Thing', 'Place']);
});

test('OpenGraph is not an item', () => {
  expect(parsed('<meta property="og:title" content="x">').items).toEqual([]);
});

test.each([
  ['Product', undefined],
  ['/Product', undefined],
  ['//schema.org/Product', undefined],
  ['schema.org/Product', undefined],
  ['https://schema.org/Product', 'https://schema.org/Product'],
  ['Product https://schema.org/Product', 'https://schema.org/Product'],
])('itemtype=%s is a type if it is an absolute URL', (itemtype, type) => {
  const { items } = parsed(`<div itemscope itemtype="${itemtype}"><b itemprop=name>x</b></div>`);
  expect(items[0]?.item).toEqual({ ...(type === undefined ? {} : { '@type': type }), name: 'x' });
});
