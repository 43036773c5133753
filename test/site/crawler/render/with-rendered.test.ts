import { expect, test } from 'vitest';
import { parsePage } from '../../../../src/site/crawler/parse/parse-page.ts';
import type { Rendered, Resource } from '../../../../src/site/crawler/render/rendered.ts';
import { withRendered } from '../../../../src/site/crawler/render/with-rendered.ts';
import { fetched as fetchedOf, RULES } from '../../../support/fetched-page.ts';

const HTML = `<title>Loading</title><link rel="canonical" href="/old"><meta name="robots" content="noindex">
  <body><noscript>Switch on scripts</noscript><a href="/a">a</a><a href="/b">b</a>`;
const DOM = `<title>Shoes</title><link rel="canonical" href="/shoes"><body><noscript>Switch on scripts</noscript>
  <h1>Shoes</h1><a href="/b">b</a><a href="/c">c</a><a href="/c">c again</a>
  <script type="application/ld+json">{"@type": "Product", "name": "Shoes"}</script>`;
const RESOURCE: Resource = {
  url: 'https://site.example/js/app.js?v=1',
  type: 'script',
  status: 200,
  content_type: 'text/javascript',
  size: 1500,
  robots_txt_denied: false,
  error: null,
};
const RENDERED: Rendered = { html: DOM, scriptRedirect: null, resources: [], warnings: [] };

function pageOf(rendered: Partial<Rendered>, watched: readonly string[] | null = null) {
  const fetched = fetchedOf(HTML);
  const plain = parsePage(fetched, RULES);
  return withRendered(plain, { ...RENDERED, ...rendered }, { fetched, rules: RULES, watched });
}

test('a rendered page has its own fields, next to those of its HTML', () => {
  const { page, links, items } = pageOf({ scriptRedirect: 'https://site.example/next#part' });
  expect(page).toMatchObject({
    rendered: true,
    title: 'Shoes',
    unrendered_title: 'Loading',
    h1: 'Shoes',
    unrendered_h1: null,
    rel_canonical: 'https://site.example/shoes',
    unrendered_rel_canonical: 'https://site.example/old',
    meta_robots_index: true,
    unrendered_meta_robots_index: false,
    word_count: 3,
    unrendered_word_count: 1,
    unrendered_outlinks: 2,
    outlinks_only_rendered: 2,
    outlinks_only_unrendered: 1,
    semantic_types: ['Product'],
    unrendered_semantic_types: null,
    script_redirect: 'https://site.example/next',
    render_warnings: null,
    resources: null,
  });
  expect(links.map(({ target }) => new URL(target).pathname)).toEqual(['/b', '/c', '/c']);
  expect(items).toHaveLength(1);
});

test('a back-to-top link added by a script is not a link that only rendering shows', () => {
  const html = `${HTML.replace('</body>', '')}<a href="#top">Top</a><a href="#">^</a>`;
  expect(pageOf({ html }).page.outlinks_only_rendered).toBe(0);
});

test('open shadow trees count as browsers show them, and other templates do not', () => {
  const { page, links } = pageOf({
    html: `<title>x</title><body><my-box><template shadowrootmode="open"><h1>In the <b-c>
      <template shadowrootmode="open">shadow</template></b-c></h1><a href="/deep">deep</a></template> light</my-box>
      <template><h2>not here</h2></template>`,
  });
  expect(page).toMatchObject({ h1: 'In the shadow', num_h2: 0, word_count: 5 });
  expect(links.map(({ target }) => new URL(target).pathname)).toEqual(['/deep']);
});

test('a page that could not be rendered keeps the content of its HTML, and shows the reason', () => {
  const { page, links } = pageOf({ html: null, warnings: ['render_timeout'] });
  expect(page).toMatchObject({
    rendered: false,
    title: 'Loading',
    unrendered_title: null,
    render_warnings: ['render_timeout'],
    num_resources: null,
  });
  expect(links).toHaveLength(2);
});

test('resources are counted, and listed if a pattern matches their URL', () => {
  const resources: Resource[] = [
    RESOURCE,
    { ...RESOURCE, url: 'https://cdn.example/a.png', status: null, size: null, error: 'not_loaded' },
    { ...RESOURCE, url: 'https://cdn.example/api', status: 404, size: 10 },
    { ...RESOURCE, url: 'https://cdn.example/slow.js', status: null, size: null, error: 'timeout' },
    { ...RESOURCE, url: 'https://cdn.example/x.js', status: null, size: null, robots_txt_denied: true },
  ];
  expect(pageOf({ resources }).page).toMatchObject({
    num_resources: 5,
    num_resources_denied: 1,
    num_resources_failed: 2,
    resources_weight: 2,
    resources: null,
  });
  const listed = (...watched: string[]): unknown =>
    pageOf({ resources }, watched).page.resources?.map(({ url }) => URL.parse(url)?.pathname);
  expect(listed()).toHaveLength(5);
  expect(listed('cdn.*.js')).toEqual(['/slow.js', '/x.js']);
  expect(listed('/js/*?v=')).toEqual(['/js/app.js']);
  expect(listed('JS', 'a.png')).toEqual(['/a.png']);
});

test('images have the sizes of loaded ones, and the largest is reported', () => {
  const image = (name: string, size: number, more: Partial<Resource> = {}): Resource => ({
    ...RESOURCE,
    url: `https://site.example/${name}`,
    type: 'image',
    content_type: 'image/png',
    size,
    ...more,
  });
  const { page } = pageOf({
    html: '<img src="/a.png#part" alt="A"><img src="/gone.png"><img src="/late.png">',
    resources: [
      image('a.png', 2000),
      image('gone.png', 900_000, { status: 404 }),
      { ...image('late.png', 0), status: null, size: null, error: 'not_loaded' },
      // Of a style sheet.
      image('background.png', 5000),
      { ...RESOURCE, size: 9_000_000 },
    ],
  });
  expect(page.images?.map(({ url, size }) => [url, size])).toEqual([
    ['https://site.example/a.png', 2000],
    ['https://site.example/gone.png', null],
    ['https://site.example/late.png', null],
  ]);
  expect(page.largest_img_weight).toBe(5);
  expect(pageOf({}).page.largest_img_weight).toBeNull();
});

test('addresses resolve against the document base at reading time; a bare fragment is the page', () => {
  const html =
    '<a href="lamp">a</a><a href="/b">b</a><a href="#top">c</a><a href=" ">d</a><a href="?p=2">e</a>';
  const targets = (place?: Rendered['place']): string[] =>
    pageOf({ html, ...(place === undefined ? {} : { place }) }).links.map(({ target }) => target);
  const own = fetchedOf(HTML).url;
  const shop = 'https://site.example/shop/?tab=1';
  expect(targets({ url: shop, base: shop })).toEqual([
    'https://site.example/shop/lamp',
    'https://site.example/b',
    own,
    own,
    'https://site.example/shop/?p=2',
  ]);
  // A base element leads a fragment elsewhere, as in browsers.
  expect(targets({ url: own, base: 'https://site.example/base/' })[2]).toBe('https://site.example/base/');
  expect(targets({ url: own, base: own })).toEqual(targets());
});
