import { expect, test } from 'vitest';
import { checkSpeed, readCrawlSettings } from '../../../../src/service/site/crawler/crawl-settings.ts';

const CONFIG = {
  name: 'x',
  start_url: 'https://www.site.example',
  user_agent: 'My-Bot/2.1 (+info)',
  max_speed: 1,
};

test('a configuration is read with the defaults of the service', () => {
  expect(readCrawlSettings(CONFIG)).toMatchObject({
    scope: { startUrl: 'https://www.site.example/', allowQueryParams: true, crawlSubdomains: false },
    maxUrl: 1_000_000,
    maxDepth: 15,
    useCookies: true,
    robotName: 'my-bot',
    customFields: [],
  });
});

test('null stands for the default', () => {
  expect(readCrawlSettings({ ...CONFIG, http_auth: null }).auth).toBeNull();
});

test.each([
  [{ start_url: 'ftp://site.example/' }, 'start_url'],
  [{ max_speed: 3 }, 'max_speed'],
  [{ max_url: 0 }, 'max_url'],
  [{ unknown: 1 }, 'Unrecognized key'],
  [
    { alternate_start_urls: ['https://other.example/'] },
    'alternate_start_urls[0]: does not belong to the domain site.example',
  ],
  [{ dns: [{ host: 'a', ips: ['nowhere'] }] }, 'dns.0.ips.0'],
  [{ resource_checker: true }, 'resource_checker: needs js_rendering'],
])('a wrong configuration is refused by the name of its setting: %j', (wrong, message) => {
  expect(() => readCrawlSettings({ ...CONFIG, ...wrong })).toThrow(message);
});

test('only the owner of a site, or a site on this machine, allows more than 5 URLs per second', () => {
  expect(() => checkSpeed(10, false, {})).toThrow('max_speed');
  expect(() => checkSpeed(5, false, {})).not.toThrow();
  expect(() => checkSpeed(10, true, {})).not.toThrow();
  expect(() => checkSpeed(10, false, { iOwnThisSite: true })).not.toThrow();
});
