import { expect, test } from 'vitest';
import { UNANSWERED } from '../../../../src/site/crawler/fetch/fetcher.ts';
import {
  fetchRobotsPatiently,
  type RobotsFile,
  robotsRules,
} from '../../../../src/site/crawler/robots/robots.ts';

const ORIGIN = 'https://site.example';
const rules = (content: string, status: RobotsFile['status'] = 'found') =>
  robotsRules({ status, content }, 'testbot');

test.each([
  ['User-agent: *\nDisallow: /a', '/a/b', false],
  ['User-agent: *\nDisallow: /a\nAllow: /a/b', '/a/b', true],
  ['User-agent: *\nDisallow: /*.pdf$', '/x.pdf', false],
  ['User-agent: *\nDisallow: /*.pdf$', '/x.pdf?y', true],
  ['User-agent: TestBot\nDisallow: /\n\nUser-agent: *\nAllow: /', '/', false],
  ['User-agent: *\nDisallow: /\n\nUser-agent: testbot\nDisallow:', '/', true],
  ['\uFEFFUser-agent: *\r\nDisallow: /a # why\r\n', '/a', false],
  ['User-agent: other\nUser-agent: testbot\nDisallow: /a', '/a', false],
  ['', '/a', true],
  ['<html>not found</html>', '/a', true],
])('%j and %s: %s', (content, path, isAllowed) => {
  expect(rules(content).isAllowed(ORIGIN + path)).toBe(isAllowed);
});

test('a missing file allows everything, and a failing server nothing', () => {
  expect(rules('', 'missing').isAllowed(`${ORIGIN}/a`)).toBe(true);
  expect(rules('', 'unavailable').isAllowed(`${ORIGIN}/a`)).toBe(false);
});

test('Crawl-delay is respected up to a minute', () => {
  expect(rules('User-agent: *\nCrawl-delay: 2.5').delayMs).toBe(2_500);
  expect(rules('User-agent: *\nCrawl-delay: 86400').delayMs).toBe(60_000);
  expect(rules('User-agent: *\nCrawl-delay: soon').delayMs).toBeNull();
});

test('announced sitemaps are returned', () => {
  expect(rules('Sitemap: https://site.example/s.xml').sitemaps).toEqual(['https://site.example/s.xml']);
});

test.each(['', '\r\n'])(
  'the last line of a truncated robots.txt is ignored, with %j before it',
  async (end) => {
    const body = Buffer.from(`User-agent: *\nDisallow: /a${end}\nDisallow: /`);
    const answer = {
      ...UNANSWERED,
      url: ORIGIN,
      error: null,
      refusal: null,
      fetchedAt: new Date(),
      statusCode: 200,
      body,
      isTruncated: true,
    };
    const { content } = await fetchRobotsPatiently(ORIGIN, () => Promise.resolve(answer), {});
    expect(['/a', '/b'].map((path) => rules(content).isAllowed(ORIGIN + path))).toEqual([false, true]);
  },
);

test.each([
  ['User-agent: Googlebot\nDisallow: /', '/', ['googlebot']],
  [
    'User-agent: *\nDisallow:\n\nUser-agent: bingbot\nUser-agent: Googlebot\nDisallow: /a',
    '/a',
    ['googlebot', 'bingbot'],
  ],
  ['User-agent: *\nDisallow:\n\nUser-agent: bingbot\nDisallow: /a', '/b', null],
  ['User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nAllow: /', '/', null],
  ['User-agent: *\nDisallow: /', '/', null],
  ['User-agent: Googlebot-News\nDisallow: /', '/', null],
  // The owner lets the crawler in alone.
  [
    'User-agent: testbot\nDisallow:\n\nUser-agent: *\nDisallow: /',
    '/',
    ['googlebot', 'bingbot', 'yandex', 'duckduckbot', 'applebot', 'baiduspider'],
  ],
])('%j denies %s to %j', (content, path, robots) => {
  expect(rules(content).deniedRobots(ORIGIN + path)).toEqual(robots);
});

test('a robot whose name the crawler uses is not another robot', () => {
  const file = { status: 'found', content: 'User-agent: Googlebot\nDisallow: /a' } as const;
  expect(robotsRules(file, 'googlebot').deniedRobots(`${ORIGIN}/a`)).toBeNull();
});
