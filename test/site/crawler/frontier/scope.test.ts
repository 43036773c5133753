import { expect, test } from 'vitest';
import { Scope, type ScopeRules } from '../../../../src/site/crawler/frontier/scope.ts';

const RULES: ScopeRules = {
  startUrl: 'https://www.site.example/',
  alternateStartUrls: [],
  crawlSubdomains: false,
  allowQueryParams: true,
  filterQueryParams: false,
  queryParams: [],
  isWhitelist: true,
};

test.each([
  ['https://www.site.example/a', true],
  ['http://www.site.example/a', true],
  ['https://site.example/', false],
  ['https://blog.site.example/', false],
  ['https://www.site.example:8443/', false],
  ['https://www.site.example.evil.example/', false],
])('%s belongs to the start host: %s', (url, isInternal) => {
  expect(new Scope(RULES).isInternal(new URL(url))).toBe(isInternal);
});

test.each([
  ['https://site.example/', true],
  ['https://a.blog.site.example/', true],
  ['https://othersite.example/', false],
  ['https://blog.site.example:8443/', false],
])('%s belongs to the subdomains: %s', (url, isInternal) => {
  expect(new Scope({ ...RULES, crawlSubdomains: true }).isInternal(new URL(url))).toBe(isInternal);
});

test('the hosts of alternate start URLs belong to the crawl', () => {
  const scope = new Scope({ ...RULES, alternateStartUrls: ['https://m.site.example/start'] });
  expect(scope.admit('https://m.site.example/x')).toBe('https://m.site.example/x');
});

test('an address has no subdomains', () => {
  const scope = new Scope({ ...RULES, startUrl: 'http://10.0.0.1/', crawlSubdomains: true });
  expect(scope.isInternal(new URL('http://evil.10.0.0.1.example/'))).toBe(false);
});

test('a URL is normalized without fragment and user name', () => {
  const scope = new Scope(RULES);
  expect(scope.spell(new URL('HTTPS://me:pw@WWW.site.example:443/a/../b?x=1#part'))).toBe(
    'https://www.site.example/b?x=1',
  );
});

test.each([
  [true, '?a=1&b=2&c', '?a=1'],
  [false, '?a=1&b=2&c', '?b=2&c'],
  [true, '?b=2', ''],
  [false, '?A=1&%61=2', '?A=1'],
])('parameters are filtered (whitelist: %s): %s becomes %s', (isWhitelist, query, kept) => {
  const scope = new Scope({ ...RULES, filterQueryParams: true, queryParams: ['a'], isWhitelist });
  expect(scope.spell(new URL(`https://www.site.example/p${query}`))).toBe(
    `https://www.site.example/p${kept}`,
  );
});

test('URLs of more than 8,192 characters and of other protocols are not followed', () => {
  const scope = new Scope(RULES);
  expect(scope.admit(`https://www.site.example/${'a'.repeat(8_200)}`)).toBeNull();
  expect(scope.admit('ftp://www.site.example/')).toBeNull();
  expect(scope.admit('/relative')).toBeNull();
});
