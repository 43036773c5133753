import { zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readCrawlSettings } from '../../../../../src/site/crawler/crawl-settings.ts';
import { answerParser } from '../../../../../src/site/crawler/parse/threads/parse-answer.ts';
import type {
  Lines,
  ParseReply,
  ParseRequest,
  ParseThreadData,
} from '../../../../../src/site/crawler/parse/threads/parse-messages.ts';
import { fetched } from '../../../../support/fetched-page.ts';

const { scope } = readCrawlSettings({
  name: 'a',
  start_url: 'https://a.example/',
  user_agent: 'bot',
  max_speed: 1,
});
const FULL =
  '<title>T</title><meta name="description" content="D"><h1>H</h1><a href="/b">b</a><a href="/c" rel="nofollow">c</a><a href="https://b.example/">d</a>';
const DATA: ParseThreadData = {
  scope,
  robotName: 'bot',
  customFields: [],
  bytes: 10_000_000,
  most: 10_000_000,
  watched: null,
};

function parse(
  html: string | null,
  more: object = {},
  data: Partial<ParseThreadData> = {},
  request: object = {},
) {
  const body = html === null ? null : Buffer.from(html);
  const answer = { ...fetched(html ?? ''), url: 'https://a.example/', body, ...more };
  const asked = { answer, facts: { robots_txt_denied: false }, rendered: null, ...request };
  return answerParser({ ...DATA, ...data })(asked as unknown as ParseRequest);
}
const reply = (...options: Parameters<typeof parse>) => parse(...options) as ParseReply;
const records = ({ bytes, isCompressed }: Lines): Record<string, unknown>[] => {
  const text = new TextDecoder().decode(isCompressed ? zstdDecompressSync(bytes) : bytes);
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
};

test('a page has its record, its links, and the internal URLs that it leads to', () => {
  const { pages, links, targets, redirect, findings } = reply(FULL);
  expect(records(pages)).toMatchObject([{ title: 'T', indexable: true }]);
  expect(records(links)).toHaveLength(3);
  expect([targets, redirect, findings]).toEqual([['https://a.example/b'], null, []]);
});

test('a page lacks a title, a description or an H1, if it is indexable', () => {
  expect(reply('<p>x').findings).toEqual(['missing_title', 'missing_description', 'missing_h1']);
  expect(reply('<title>T</title>').findings).toEqual(['missing_description', 'missing_h1']);
  expect(reply('<meta name="robots" content="noindex">').findings).toEqual(['noindex']);
  expect(reply('<link rel="canonical" href="/other">').findings).toEqual(['canonicalised']);
  expect(reply('<p>x', { statusCode: 404 }).findings).toEqual([]);
  expect(reply('text', { headers: [['content-type', 'text/plain']] }).findings).toEqual([]);
});

test('a redirect is a target if the crawl admits it', () => {
  const to = (location: string) => {
    const { redirect, targets } = reply(null, { statusCode: 301, headers: [['location', location]] });
    return [redirect, targets];
  };
  expect(to('/next')).toEqual(['https://a.example/next', ['https://a.example/next']]);
  expect(to('https://b.example/')).toEqual([null, []]);
  expect(reply('<meta http-equiv="refresh" content="0; url=/later">').targets).toEqual([
    'https://a.example/later',
  ]);
  expect(reply('<meta http-equiv="refresh" content="0; url=https://b.example/">').targets).toEqual([]);
});

test('a page that robots.txt blocks has no content', () => {
  const facts = { robots_txt_denied: true };
  const { pages, links } = reply(FULL, {}, {}, { facts });
  expect([records(pages)[0]?.title, records(links)]).toEqual([null, []]);
});

test('a page larger than the thread accepts is for the other one', () => {
  const isLarge = (...options: Parameters<typeof parse>) => 'isLarge' in parse(...options);
  const size = Buffer.byteLength(FULL);
  expect(isLarge(FULL, {}, { most: size })).toBe(false);
  expect(isLarge(FULL, {}, { most: size - 1 })).toBe(true);
  expect(isLarge(FULL, {}, { most: size - 1, bytes: size - 1 })).toBe(false);
  const headers = [
    ['content-type', 'text/html'],
    ['content-length', '99999'],
  ];
  expect(isLarge(FULL, { headers, isTruncated: true }, { most: 5000 })).toBe(true);
  expect(isLarge(FULL, { headers }, { most: 5000 })).toBe(false);
});

test('content that cannot be decoded is a problem, and so is a page of which only the headers are read', () => {
  const headers = [
    ['content-type', 'text/html'],
    ['content-encoding', 'gzip'],
  ];
  const problem = (...options: Parameters<typeof parse>) =>
    records(reply(...options).pages)[0]?.content_problem;
  expect(problem('not gzip', { headers })).toBe('unreadable_content');
  expect(problem('not gzip', { headers: [...headers, ['location', '/b']], statusCode: 301 })).not.toBe(
    'unreadable_content',
  );
  expect(problem(FULL)).toBeNull();
  expect(problem(FULL, {}, {}, { most: 0 })).toBe('not_parsed');
  expect(records(reply(FULL, {}, {}, { most: 16 }).pages)[0]).toMatchObject({ title: 'T', h1: null });
});

test('links of a large page are compressed', () => {
  const many = `${FULL}${' '.repeat(500_001)}<a href="/last">l</a>`;
  const { links } = reply(many);
  expect([links.isCompressed, records(links).length]).toEqual([true, 4]);
  expect(reply(FULL).links.isCompressed).toBe(false);
});
