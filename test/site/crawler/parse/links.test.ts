import { expect, test } from 'vitest';
import { parsed } from '../../../support/fetched-page.ts';
import { processorTime } from '../../../support/processor-time.ts';

test('links are absolute, with repetitions, in document order', () => {
  const { links } = parsed(
    '<a href="../a">One</a><a href="//site.example/a">Two</a><a href="?x=1#y">Three</a><a href="">Four</a><area href=/map alt=Map>',
  );
  expect(links.map(({ target, anchor }) => [target, anchor])).toEqual([
    ['https://site.example/a', 'One'],
    ['https://site.example/a', 'Two'],
    ['https://site.example/shop/shoes.html?x=1', 'Three'],
    ['https://site.example/shop/shoes.html', 'Four'],
    ['https://site.example/map', 'Map'],
  ]);
});

test.each([
  'mailto:a@b.example',
  'tel:1',
  'javascript:void(0)',
  'data:text/html,x',
  'ftp://a.example/',
  'https://[',
  'http://',
])('%s is not a link', (href) => {
  expect(parsed(`<a href="${href}">x</a>`).links).toEqual([]);
});

test('Cloudflare addresses without a page are not links; resized pictures are', () => {
  const { links } = parsed(
    `<a href="/cdn-cgi/l/email-protection">[email protected]</a><a href="/cdn-cgi/l/email-protection#c8a9">x</a>
    <a href="https://else.example/cdn-cgi/l/email-protection#1">x</a><a href="/cdn-cgi/image/width=80/a.png">x</a>
    <a href="/docs/cdn-cgi/l/x">x</a><a href="?q=/cdn-cgi/l/">x</a>`,
  );
  expect(links.map(({ target }) => target)).toEqual([
    'https://site.example/cdn-cgi/image/width=80/a.png',
    'https://site.example/docs/cdn-cgi/l/x',
    'https://site.example/shop/shoes.html?q=/cdn-cgi/l/',
  ]);
});

test('an address may contain spaces and line breaks', () => {
  expect(parsed('<a href=" /a\nb ">x</a>').links[0]?.target).toBe('https://site.example/ab');
});

test.each([
  ['nofollow', false, ['nofollow']],
  ['UGC noopener', false, ['ugc']],
  ['noopener,sponsored', false, ['sponsored']],
  ['sponsored nofollow', false, ['nofollow', 'sponsored']],
  ['noopener external', true, null],
])('rel="%s"', (rel, follow, qualifiers) => {
  expect(parsed(`<a href=/x rel="${rel}">x</a>`).links[0]).toMatchObject({ follow, rel: qualifiers });
});

test('a link within the site is internal, in any case of its host', () => {
  const { links } = parsed('<a href="https://SITE.example/x">a</a><a href="https://www.site.example/">b</a>');
  expect(links.map(({ intern }) => intern)).toEqual([true, false]);
});

test.each([
  ['<a href=/x> Read\n <b>more</b> </a>', 'Read more', false],
  ['<a href=/x><img alt=Shoe></a>', 'Shoe', true],
  ['<a href=/x><img></a>', null, true],
  ['<a href=/x><img alt=Shoe> Shoes</a>', 'Shoes', false],
  ['<a href=/x><div>One</div><div>Two</div></a>', 'One Two', false],
  ['<a href=/x><svg><text>icon</text></svg></a>', 'icon', false],
  ['<a href=/x></a>', null, false],
])('the anchor of %s', (html, anchor, isImage) => {
  expect(parsed(html).links[0]).toMatchObject({ anchor, is_image: isImage });
});

test('an unclosed link ends where the next begins', () => {
  expect(parsed('<a href=/1>one<a href=/2>two').links.map(({ anchor }) => anchor)).toEqual(['one', 'two']);
});

test.each([
  ['<nav><a href=/x>x</a></nav>', 'Navigation'],
  ['<header><a href=/x>x</a></header>', 'Header'],
  ['<header><nav><a href=/x>x</a></nav></header>', 'Navigation'],
  ['<nav>menu</nav><header></header><p><a href=/x>x</a>', 'Content'],
  ['<footer><a href=/x>x</a></footer>', 'Footer'],
  ['<article><header><a href=/x>x</a></header></article>', 'Content'],
  ['<aside><a href=/x>x</a></aside>', 'Aside'],
  ['<div role=navigation><a href=/x>x</a></div>', 'Navigation'],
  ['<nav role=presentation><a href=/x>x</a></nav>', 'Content'],
  ['<div role=contentinfo><main><a href=/x>x</a></main></div>', 'Content'],
])('the position of the link in %s is %s', (html, position) => {
  expect(parsed(html).links[0]?.link_position).toBe(position);
});

test('links in templates and frames are not links of the page', () => {
  expect(parsed('<template><a href=/x>x</a></template><iframe src=/y></iframe>').links).toEqual([]);
});

test.each([
  ['<a href=/l>x<table><tr><td><a href=/m>y</a></table>z</a>', ['x y z', 'y']],
  ['<a href=/l>x<table><tr><td><a name=m>y</a></table>z</a>', ['x y z']],
  [
    '<table><tr><td><a href=/l>x<table><tr><td><a>y</a><a href=/m>z</a></table>w</a></table>',
    ['x yz w', 'z'],
  ],
  ['<a href=/l>x<svg><a href="/m"><text>y</text></a></svg>z</a>', ['x z', 'y']],
  ['<a href=/l>x<object>o<a href=/m>y<video>v</video></a></object>z</a>', ['x z', 'yv']],
  ['<svg><a href=/l>x<a href=/m>y</a>z</a><area href=/n></svg>', ['xyz', 'y']],
])('in %s each link has its own text', (html, texts) => {
  expect(parsed(html).links.map(({ anchor }) => anchor)).toEqual(texts);
});

test.each([
  ['<h1>a<div><h2>b</h2></div>c</h1>', 'a b c', ['b']],
  ['<h1><div><h2>b</h2></div></h1>', 'b', ['b']],
  ['<h1>a<h2>b</h2>', 'a', ['b']],
  ['<h2>a<div><h1><img alt=x></h1></div>b</h2>', 'x', ['a b']],
])('in %s each heading has its own text', (html, h1, h2) => {
  expect(parsed(html).page).toMatchObject({ h1, h2 });
});

test('four times as many nested headings and links take about four times as long', () => {
  const nested = (many: number): number =>
    processorTime(() => {
      const deep = parsed('<h1>x<div>'.repeat(4 * many) + '<table><tr><td><a href=/l>x'.repeat(many));
      expect(deep.page.num_h1).toBe(4 * many);
      expect(deep.links).toHaveLength(many);
    });
  expect(nested(5_000)).toBeLessThan(10 * nested(1_250) + 100);
});

test.each(['<svg>', '<video>', '<svg><foreignObject>', '<object><canvas>'])(
  'four times as many nested links in %s take about four times as long',
  (start) => {
    const nested = (many: number): number =>
      processorTime(() => {
        const { links } = parsed(start + '<a href=/l>x<table><tr><td>'.repeat(many));
        expect(links.length).toBeGreaterThan(0);
      });
    expect(nested(10_000)).toBeLessThan(10 * nested(2_500) + 100);
  },
);
