import { expect, test } from 'vitest';
import { samplePages } from '../../../../src/site/crawler/vitals/measure-vitals.ts';
import { crawlDatabase, page, redirect, SITE } from '../../../support/crawl-records.ts';

const shop = (n: number, depth: number | null = 2) => page(`/shop/${n}`, { depth });

async function sample(pages: Parameters<typeof crawlDatabase>[0]['pages'], most: number | 'all') {
  const connection = await crawlDatabase({ pages });
  const urls = await samplePages(connection, 'fetched_pages', most);
  return urls.map((url) => url.replace(SITE, ''));
}

test('the pages nearest to the start are sampled per template, the largest templates first', async () => {
  const pages = [
    page('/', { depth: 0 }),
    ...[4, 2, 3, 1].map((n) => shop(n)),
    shop(5, null),
    shop(9, 1),
    page('/about', { depth: 1 }),
    page('/blog/2026/first'),
  ];
  const first = ['/shop/9', '/', '/blog/2026/first'];
  expect(await sample(pages, 1)).toEqual(first);
  expect(await sample(pages, 2)).toEqual([...first, '/shop/1', '/about']);
  expect(await sample(pages.toReversed(), 2)).toEqual([...first, '/shop/1', '/about']);
  expect((await sample(pages, 'all')).toSorted()).toEqual(pages.map(({ urlpath }) => urlpath).toSorted());
  expect(await sample(pages, 0)).toEqual([]);
});

test('a template is host, first directory, number of directories, and presence of parameters', async () => {
  const other = page('/shop/1');
  const pages = [
    shop(1),
    page('/shop/a/1'),
    page('/shop/2?page=2'),
    page('/help/1'),
    { ...other, url: 'https://www.site.example/shop/1', url_host: 'www.site.example' },
  ];
  expect(await sample([...pages, shop(8), page('/help/2')], 1)).toHaveLength(pages.length);
});

test('only HTML pages with a status of 200 to 299 are measured', async () => {
  const pages = [
    redirect('/old', '/'),
    page('/gone', { status_code: 404 }),
    page('/a.pdf', { parsed_html: false }),
    page('/late', { status_code: null, fetched: false, parsed_html: false }),
  ];
  expect(await sample(pages, 'all')).toEqual([]);
});

test('a site with very many directories is measured by its 50 largest templates', async () => {
  const pages = Array.from({ length: 60 }, (_, n) => page(`/user${String(n).padStart(2, '0')}/profile`));
  const found = await sample([...pages, page('/user59/more')], 1);
  expect(found).toHaveLength(50);
  expect(found[0]).toBe('/user59/more');
  expect(await sample(pages, 'all')).toHaveLength(60);
});
