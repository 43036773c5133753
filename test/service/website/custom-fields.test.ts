import { expect, test } from 'vitest';
import { serveSite } from '../../support/crawl-site.ts';
import { refusal } from '../crawls/living.ts';
import { Websites } from './websites.ts';

const PAGES = {
  '/': '<title>Shop</title><a href="/kettle">k</a>',
  '/kettle': '<title>Kettle</title><p class="price">1,250.00</p><p class="price">7</p><i>2026-11-05</i>',
};
const RULES = [
  { name: 'price', css: '.price', type: 'number' },
  { name: 'prices', css: '.price', type: 'number', many: true },
  { name: 'texts', css: '.price', many: true },
  { name: 'seen', xpath: '//i', type: 'date' },
  { name: 'has_price', css: '.price', take: 'exists' },
  { name: 'qsdd', regex: '<title>(.*?)</title>' },
];

test('scraped fields appear in the fields, rows, filters, aggregates and exports of the service', async () => {
  const site = await serveSite(PAGES);
  const it = await Websites.open(site);
  const id = await it.launch(await it.config(site, { custom_fields: RULES }));
  await it.ended(id);
  const fields = await it.client.call('crawlFields', { crawl_id: id, data_type: 'pages' });
  const scraped = Object.fromEntries(
    fields
      .filter(({ name }) => name.startsWith('custom_'))
      .map(({ name, type, arity }) => [name, `${type} ${arity}`]),
  );
  expect(scraped).toEqual({
    custom_qsdd: 'string one',
    custom_price: 'float one',
    custom_prices: 'float many',
    custom_texts: 'string many',
    custom_seen: 'date one',
    custom_has_price: 'bool one',
  });
  const found = await it.service.search(id, 'pages', {
    fields: ['url', ...Object.keys(scraped)],
    oql: { and: [{ field: ['custom_price', 'gt', 1000] }, { field: ['custom_seen', 'gte', '2026-11-01'] }] },
  });
  const kettle = {
    url: `${site.origin}/kettle`,
    custom_qsdd: 'Kettle',
    custom_price: 1250,
    custom_prices: [1250, 7],
    custom_texts: ['1,250.00', '7'],
    custom_seen: '2026-11-05',
    custom_has_price: true,
  };
  expect(found.json.urls).toEqual([kettle]);
  const counted = await it.service.api(`/data/crawl/${id}/pages/aggs`, {
    body: { aggs: [{ fields: [{ name: 'custom_has_price' }], value: 'custom_price:max' }] },
  });
  expect(JSON.parse(counted.text)).toEqual({
    aggs: [
      {
        cols: ['custom_has_price', 'custom_price:max'],
        rows: [
          [false, null],
          [true, 1250],
        ],
      },
    ],
  });
  const { text } = await it.service.export(id, 'pages', 'json', {
    body: { fields: ['custom_price', 'custom_qsdd'] },
  });
  expect(text).toContain('1250');
});

test('an invalid rule is refused when the configuration is created, with its position', async () => {
  const site = await serveSite(PAGES);
  const it = await Websites.open(site);
  const wrong = await refusal(it.config(site, { custom_fields: [RULES[0] ?? {}, { name: 'a', css: 'p[' }] }));
  expect(wrong.code).toBe('invalid_request');
  expect(wrong.message).toContain('custom_fields[1].css');
});
