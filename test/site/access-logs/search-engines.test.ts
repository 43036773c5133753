import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isSearchResults, SEARCH_HOSTS } from '../../../src/site/access-logs/search-engines.ts';

/** Has results in the system's own search alone. */
const WITHOUT_PAGES = ['apple'];

test('a search engine with bots also has visits', () => {
  const rows = readFileSync('sql/seeds/bots.csv', 'utf8').split('\n').slice(1);
  const engines = rows.map((row) => row.split(',')).filter(([, , kind]) => kind === 'search');
  const named = new Set(engines.map(([, , , engine = '']) => engine));
  expect([...named].filter((one) => !Object.hasOwn(SEARCH_HOSTS, one))).toEqual(WITHOUT_PAGES);
});

test.for([
  'https://www.google.com/',
  'https://google.co.uk/search?q=a',
  'https://www.bing.com/search?q=a',

  'https://search.seznam.cz/?q=a',
  'https://search.yahoo.com/',
  'https://r.search.yahoo.com/_ylt=A',
  'https://ya.ru/',

  'https://kagi.com/',
  'https://www.sogou.com/web?query=a',
  'https://m.sogou.com',
  'https://www.so.com/s?q=a',

  'https://search.daum.net/search?q=a',
  'https://coccoc.com/search',
  'https://duckduckgo.com/',
  'https://go.mail.ru/search',

  'https://search.naver.com/search.naver',
  'https://yandex.ru/',
  'https://www.baidu.com/link?url=a',
  'https://m.search.yahoo.co.jp/',

  'https://www.startpage.com/',
  'https://search.brave.com/',
  'https://lite.qwant.com/',
  'https://www.ecosia.org/',
])('%s is a page of search results', (referer) => {
  expect(isSearchResults(referer)).toBe(true);
});

test.for([
  'https://docs.google.com/',
  'https://mail.google.com/',
  'https://google.com.evil.example/',
  'https://mail.yahoo.com/',

  'https://www.yahoo.com/',
  'https://notso.com/',
  'https://blog.daum.net/a',
  'https://kagi.com.example/',
  'https://www.example.com/?https://www.google.com/',
  'https://maya.ru/',
  'https://mail.ru/',
  'https://sm.cn.example/',
  '',
  '-',
])('%s is not a page of search results', (referer) => {
  expect(isSearchResults(referer)).toBe(false);
});
