import { expect, test } from 'vitest';
import { type TryOptions, tryStart } from '../../../src/site/crawler/try-start.ts';
import { type SiteRoute, serveSite } from '../../support/crawl-site.ts';

const redirect = (location: string, more: Readonly<Record<string, string>> = {}): SiteRoute => ({
  status: 302,
  headers: { location, ...more },
});
const ROUTES: Readonly<Record<string, SiteRoute>> = {
  '/': 'x',
  '/old': redirect('/new'),
  '/new': 'x',
  '/loop': redirect('/loop'),
  '/cookie': (request, response) => {
    const isKnown = request.headers.cookie === 'a=1';
    response
      .writeHead(isKnown ? 200 : 302, isKnown ? {} : { location: '/cookie', 'set-cookie': 'a=1' })
      .end();
  },
  ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [`/hop/${n}`, redirect(`/hop/${n + 1}`)])),
  '/hop/7': 'x',
  '/locked': { status: 403 },
  '/password': { status: 401 },
  '/teapot': { status: 418 },
  '/busy': { status: 429 },
  '/broken': { status: 500 },
  '/silent': (request) => request.socket.destroy(),
  '/closed': 'x',
};
const ROBOTS = 'User-agent: *\nDisallow: /closed\n';

async function trying(
  path: string,
  {
    robots = ROBOTS,
    ...config
  }: Readonly<Record<string, unknown>> & { readonly robots?: SiteRoute | null } = {},
  options: TryOptions = {},
) {
  const site = await serveSite(robots === null ? ROUTES : { ...ROUTES, '/robots.txt': robots });
  const steps: string[] = [];
  const start_url = path.startsWith('http') ? path : `${site.origin}${path}`;
  const whole = { name: 'x', start_url, user_agent: 'testbot', max_speed: 5, ...config };
  const onStep = (step: string, result: string) =>
    void steps.push(`${step}: ${result.replace(site.origin, '')}`);
  const result = await tryStart(whole, { robotsWaits: [], onStep, ...options }).then(
    ({ startUrl, isLoopback }) => `${startUrl.replace(site.origin, '')} ${isLoopback}`,
    ({ code, message, hint }) => `${code}: ${message.replaceAll(site.origin, '')}${hint ? ` (${hint})` : ''}`,
  );
  return { site, result, steps };
}

const REACHED = ['dns: 127.0.0.1', 'connection: not encrypted', 'robots: allows the start URL'];

test.for([
  ['/', '/ true', ['redirects: none', 'answer: status 200']],
  ['/old', '/old true', ['redirects: to /new', 'answer: status 200']],
  ['/cookie', '/cookie true', ['redirects: none', 'answer: status 200']],
  ['/hop/2', '/hop/2 true', ['redirects: to /hop/7', 'answer: status 200']],
  [
    '/hop/1',
    'start_refused: /hop/1: redirects more than 5 times, at last to /hop/7 (use the final address in a browser)',
    [],
  ],
  ['/loop', 'start_refused: /loop: redirects to itself (use the final address in a browser)', []],
  [
    '/teapot',
    'start_refused: /teapot: the site answers 418 (check the address in a browser)',
    ['redirects: none'],
  ],
  ['/busy', 'start_unreachable: /busy: the site answers 429 (try again later)', ['redirects: none']],
  ['/broken', 'start_unreachable: /broken: the site answers 500 (try again later)', ['redirects: none']],
] as const)('the start URL %s: %s', async ([path, expected, further]) => {
  const { result, steps, site } = await trying(path);
  expect([result, steps]).toEqual([expected, [...REACHED, ...further]]);
  expect(site.requests.filter(({ url }) => url === '/robots.txt')).toHaveLength(1);
});

test.for(['/locked', '/password'])('%s is refused with what lets the crawler in', async (path) => {
  expect((await trying(path)).result).toMatch(
    /^start_refused: .* answers 40[13] \(set http_auth or extra_headers in/,
  );
});

test('a start URL that closes the connection is unreachable, and another start URL may begin the crawl', async () => {
  const { result, steps } = await trying('/silent');
  expect(result).toMatch(/^start_unreachable: \/silent: the connection .*\(check the address/);
  expect(steps).toEqual([...REACHED, 'redirects: none']);
  const alternate = await trying('/teapot', { alternate_start_urls: ['http://127.0.0.1/b'] });
  expect([alternate.result, alternate.steps.at(-1)]).toEqual(['/teapot true', 'answer: status 418']);
  const sitemap = await trying('/broken', { sitemaps: ['http://127.0.0.1/sitemap.xml'] });
  expect(sitemap.result).toBe('/broken true');
});

test.for([
  ['/', null, 'robots: none: everything is allowed', '/ true'],
  ['/', 'User-agent: *\nCrawl-delay: 2', 'robots: allows the start URL, every 2 s', '/ true'],
  [
    '/closed',
    ROBOTS,
    undefined,
    /^start_refused: \/closed: robots.txt blocks it for testbot \(if you own the site, set/,
  ],
  [
    '/',
    { status: 503 },
    undefined,
    /^start_unreachable: \/robots.txt: status 503 \(without it, nothing may be fetched/,
  ],
] as const)('%s with the robots.txt %j: %s', async ([path, robots, step, expected]) => {
  const { result, steps, site } = await trying(path, { robots });
  expect(steps[2]).toBe(step);
  expect(result).toMatch(expected);
  expect(site.hits).toEqual(typeof expected === 'string' ? ['/'] : []);
});

test('robots.txt of the configuration replaces that of its host, with and without the port', async () => {
  const robots_txt = [{ host: '127.0.0.1', content: 'User-agent: *\nDisallow: /new' }];
  const { result, site } = await trying('/old', { robots_txt });
  expect(result).toMatch(/^start_refused: \/new: robots.txt blocks it/);
  expect(site.requests.map(({ url }) => url)).toEqual(['/old']);
});

test('an unreachable host is reported before its address, and so is an override for another host', async () => {
  const closed = 'http://127.0.0.1:1/';
  const { result, steps } = await trying(closed);
  expect(result).toMatch(/^start_unreachable: http:\/\/127.0.0.1:1\/: the connection .*\(check the address/);
  expect(steps).toEqual(['dns: 127.0.0.1']);
  const robots_txt = [{ host: 'other.example', content: '' }];
  const unmet = 'bad_settings: crawl configuration: robots_txt: other.example is not a host of the crawl';
  for (const start of [closed, '/']) expect((await trying(start, { robots_txt })).result).toContain(unmet);
  const further = { others: ['http://other.example/'] };
  for (const options of [further, { others: null }, { hasVitals: false, ...further }])
    expect((await trying('/', { robots_txt }, options)).result).toBe('/ true');
});

test('a private start address is refused if only public ones are allowed', async () => {
  const { result, steps, site } = await trying('/', {}, { publicOnly: true });
  expect([result.split(': ')[0], steps, site.requests]).toEqual(['start_refused', [], []]);
});

test('the target of a redirect to another host replaces the start URL', async () => {
  const away = await serveSite({ '/': 'x' });
  const target = `http://inside.example:${away.port}/`;
  const moved = await serveSite({ '/': redirect(target) });
  const dns = [{ host: 'inside.example', ips: ['127.0.0.1'] }];
  const { result, steps } = await trying(`${moved.origin}/`, { dns });
  expect([result, steps.at(-2)]).toEqual([`${target} true`, `redirects: to ${target}`]);
});

test('a list of URLs is not fetched, and is on this machine if all of its URLs are', async () => {
  const { result, site } = await trying('/', {}, { list: ['http://127.0.0.1/a', 'http://localhost/b'] });
  expect([result, site.requests]).toEqual(['/ true', []]);
  expect((await trying('/', {}, { list: ['http://localhost/', 'http://other.example/'] })).result).toBe(
    '/ false',
  );
});

test('an aborted try ends with the reason of its signal', async () => {
  const reason = new Error('stop');
  const controller = new AbortController();
  const robots: SiteRoute = () => controller.abort(reason);
  const { result } = await trying('/', { robots }, { signal: controller.signal });
  expect(result).toContain('stop');
});
