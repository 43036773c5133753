import { expect, test } from 'vitest';
import { checkSpeed, readCrawlSettings } from '../../../src/site/crawler/crawl-settings.ts';
import { refuseUnmetHosts } from '../../../src/site/crawler/host-overrides.ts';

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

test('null selects the default', () => {
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
])('an invalid configuration is refused with the name of its setting: %j', (wrong, message) => {
  expect(() => readCrawlSettings({ ...CONFIG, ...wrong })).toThrow(message);
});

test('only the owner of a site, or a site on this machine, allows more than 5 URLs per second', () => {
  expect(() => checkSpeed(10, false, {})).toThrow('max_speed');
  expect(() => checkSpeed(5, false, {})).not.toThrow();
  expect(() => checkSpeed(10, true, {})).not.toThrow();
  expect(() => checkSpeed(10, false, { iOwnThisSite: true })).not.toThrow();
});

test.each([
  ['bücher.example', 'xn--bcher-kva.example'],
  ['https://Bücher.example/path', 'xn--bcher-kva.example'],
  [' BÜCHER.example. ', 'xn--bcher-kva.example'],
  ['xn--bcher-kva.example:443', 'xn--bcher-kva.example'],
  ['//bücher.example:8080', 'xn--bcher-kva.example:8080'],
])('an override names its host in any spelling: %s', (host, spelled) => {
  const [name = ''] = spelled.split(':');
  const settings = readCrawlSettings({
    ...CONFIG,
    start_url: `https://${spelled}/`,
    robots_txt: [{ host, content: 'x' }],
    dns: [{ host, ips: ['127.0.0.1'] }],
  });
  expect([...settings.robots.keys()]).toEqual([spelled]);
  expect([...settings.hosts.dns.keys()]).toEqual([name]);
  expect(() => refuseUnmetHosts(settings)).not.toThrow();
});

test.each(['', ' ', 'a b', '*.site.example', 'http://', 'mailto:a@site.example'])(
  'an override of %j, which is not a host, is refused with its place',
  (host) => {
    expect(() => readCrawlSettings({ ...CONFIG, robots_txt: [{ host, content: '' }] })).toThrow('robots_txt');
  },
);

test('an override of a host outside of the crawl is refused', () => {
  const of = (more: object) => readCrawlSettings({ ...CONFIG, ...more });
  const robots_txt = [{ host: 'www.sight.example', content: '' }];
  const problem = 'robots_txt: www.sight.example is not a host of the crawl';
  expect(() => refuseUnmetHosts(of({ robots_txt }))).toThrow(problem);
  expect(() => refuseUnmetHosts(of({ dns: [{ host: 'sight.example', ips: ['10.0.0.1'] }] }))).toThrow(
    'dns: ',
  );
  expect(() => refuseUnmetHosts(of({ robots_txt, js_rendering: true }))).not.toThrow();
  expect(() => refuseUnmetHosts(of({ robots_txt }), { others: ['http://sight.example/'] })).not.toThrow();
  expect(() => refuseUnmetHosts(of({ robots_txt }), { meetsAnyHost: true })).not.toThrow();
});
