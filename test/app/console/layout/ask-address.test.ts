import { expect, test } from 'vitest';
import { askAddress, askFields } from '../../../../src/app/console/layout/ask-address.ts';

const query = new URLSearchParams('sort=url&order=&param.day=2026-11-01&page=3&chart=bar');

test('an address keeps what the question needs, and nothing else', () => {
  expect(askFields(query)).toEqual([
    ['sort', 'url'],
    ['param.day', '2026-11-01'],
    ['chart', 'bar'],
  ]);
});

test('keys are changed, added and removed', () => {
  const changes = { sort: 'title', chart: null, x: 2 };
  expect(askAddress(query, changes)).toBe('/ask?param.day=2026-11-01&sort=title&x=2');
  expect(askAddress(new URLSearchParams(), {}, '/ask.csv')).toBe('/ask.csv?');
});
