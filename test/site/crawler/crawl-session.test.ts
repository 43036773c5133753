import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CrawlSession } from '../../../src/site/crawler/crawl-session.ts';
import { readCrawlSettings } from '../../../src/site/crawler/crawl-settings.ts';
import { Scope } from '../../../src/site/crawler/frontier/scope.ts';
import { testSeed } from '../../support/random.ts';

const URL_OF_SITE = new URL('https://site.example/');

/** The cookies that are sent after an answer with this header. */
function sentAfter(value: string): string | null {
  const config = { name: 'x', start_url: URL_OF_SITE.href, user_agent: 'testbot', max_speed: 1 };
  const settings = readCrawlSettings(config);
  const session = new CrawlSession(settings, new Scope(settings.scope));
  session.received(URL_OF_SITE, [['set-cookie', value]]);
  return session.cookiesFor(URL_OF_SITE);
}

test.each([
  ['a=b', 'a=b'],
  ['a=', 'a='],
  ['=b', 'b'],
  ['b', 'b'],
  ['', ''],
  ['=', ''],
  [' = ', ''],
  ['; path=/', ''],
  ['=; path=/', ''],
  [`a=${'x'.repeat(4_095)}`, `a=${'x'.repeat(4_095)}`],
  [`a=${'x'.repeat(4_096)}`, ''],
  [`${'n'.repeat(4_096)}=`, `${'n'.repeat(4_096)}=`],
  [`${'n'.repeat(4_097)}=`, ''],
  [`a=${'é'.repeat(2_048)}`, ''],
  [`a=b; path=/${'x'.repeat(5_000)}`, ''],
])('a Set-Cookie of %j is stored as in browsers', (value, sent) => {
  expect(sentAfter(value)).toBe(sent);
});

test('a cookie of 1 to 4,096 bytes of name and value is stored (RFC 6265bis §5.6)', () => {
  const length = fc.oneof(
    fc.nat(3),
    fc.integer({ min: 2_040, max: 2_056 }),
    fc.integer({ min: 4_090, max: 4_100 }),
  );
  fc.assert(
    fc.property(length, length, (name, value) => {
      const isKept = name + value > 0 && name + value <= 4_096;
      expect(sentAfter(`${'n'.repeat(name)}=${'v'.repeat(value)}`) !== '').toBe(isKept);
    }),
    { seed: testSeed(), numRuns: 200 },
  );
});
