import { expect, test } from 'vitest';
import { drawTest } from '../../../../src/app/console/crawl-settings/draw-test.ts';
import { testedUrl, type UrlTest } from '../../../../src/app/console/crawl-settings/test-url.ts';

const HOP: UrlTest['hops'][number] = {
  ...{ url: 'https://shop.example/', state: 'fetched', rule: null, status: 200, error: null },
  ...{ content_type: 'text/html', bytes: 12_345, milliseconds: 30 },
};
const PAGE: NonNullable<UrlTest['page']> = {
  ...{ title: 'Shop', canonical: null, meta_robots: ['noindex', 'nofollow'], is_indexable: true },
  ...{ not_indexable: null, warnings: [], scraped: [] },
};
const drawn = (given: Partial<UrlTest>): string =>
  drawTest({ url: HOP.url, problem: null, hops: [], page: null, ...given })
    .text.replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');

test('each request is shown with its rule of robots.txt', () => {
  expect(drawn({ hops: [HOP] })).toMatch(/fetched 200 allowed: no rule matches text\/html 12,345 30/);
  const rule = { line: 2, text: 'Disallow: /a' };
  expect(drawn({ hops: [{ ...HOP, rule }] })).toContain('allowed by line 2: Disallow: /a');
  const denied = { ...HOP, state: 'denied', rule, status: null, bytes: null } as const;
  expect(drawn({ hops: [denied] })).toContain('blocked by robots.txt');
  expect(drawn({ hops: [denied] })).toContain('blocked by line 2');
  expect(drawn({ hops: [{ ...HOP, state: 'failed', error: 'timeout' }] })).toContain('no answer (timeout)');
  for (const state of ['outside', 'left_out', 'no_robots'] as const)
    expect(drawn({ hops: [{ ...HOP, state, rule }] }), state).not.toMatch(/allowed|blocked/);
});

test('the page is shown with whether it may be indexed, and why not', () => {
  const page = (more: Partial<typeof PAGE>): string => drawn({ page: { ...PAGE, ...more } });
  expect(page({})).toContain('Title Shop');
  expect(page({})).toMatch(/Robots directives noindex, nofollow Indexable yes/);
  expect(page({ is_indexable: false, not_indexable: 'status' })).toContain(
    'Indexable no: its status is not 200',
  );
  expect(page({ is_indexable: false, not_indexable: 'other' })).toContain('Indexable no: other');
  expect(page({ is_indexable: false })).toMatch(/Indexable no(?!:)/);
  expect(page({ is_indexable: null })).toContain('Indexable unknown: not a page');
  expect(page({})).not.toContain('warning');
  expect(page({ warnings: ['a', 'b'] })).toContain('2 warnings a, b');
  const scraped = [
    { field: 'price', value: '"7"' },
    { field: 'color', value: null },
  ];
  expect(page({ scraped })).toMatch(/price &quot;7&quot; color no value/);
});

test('a test without a result shows why, and nothing else', () => {
  const text = drawn({ problem: 'The host is unknown.' });
  expect(text).toContain('The test ended without a result. The host is unknown.');
  expect(text).not.toMatch(/Requests|Page/);
  expect(drawn({ hops: [HOP] })).not.toContain('without a result');
});

test('the tested URL is that of the form, without credentials; no text is no test', () => {
  const of = (test?: string) => testedUrl(new URLSearchParams(test === undefined ? {} : { test }));
  expect([of(), of(' '), of(' https://shop.example/a ')]).toEqual([null, null, 'https://shop.example/a']);
  for (const text of ['lamp', 'ftp://shop.example/', 'https://ops:secret-1@shop.example/'])
    expect(() => of(text), text).toThrow(/^URL to test: (?!.*secret-1)/);
});
