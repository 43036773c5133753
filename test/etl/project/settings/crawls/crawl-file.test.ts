import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  changedCrawlText,
  checkCrawlText,
  crawlFileOf,
  crawlFileText,
  stampOf,
  writeCrawlFile,
} from '../../../../../src/etl/project/settings/crawls/crawl-file.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';

const SITE = 'https://www.example.com/de/';

test.for([
  [SITE, 'crawls/www.example.com.yaml'],
  ['http://127.0.0.1:8099', 'crawls/127.0.0.1_8099.yaml'],
  ['http://[::1]:80/', 'crawls/[__1].yaml'],
  ['https://BÜCHER.example/', 'crawls/xn--bcher-kva.example.yaml'],
] as const)('the settings of %s are in %s', ([url, file]) => {
  expect(crawlFileOf(url)).toBe(file);
});

test.for([
  ['max_url: many', 'x.yaml:1: max_url: '],
  ['# ours\n\nmax_urls: 5', 'x.yaml:3: unknown key max_urls'],
  ['robots_txt:\n  - host: a\n    contents: b', 'x.yaml:3: unknown key robots_txt.0.contents'],
  ['sites: [ftp://a/]', 'x.yaml:1: sites.0: an http or https URL is expected'],
  ['vitals: some', 'x.yaml:1: vitals: a number or all is expected'],
  ['max_url: 5\nmax_url: 6', 'x.yaml:2: '],
  ['- max_url', 'x.yaml:1: expected keys with values'],
] as const)('%j is refused with file, line and key', ([text, message]) => {
  expect(() => checkCrawlText(text, 'x.yaml')).toThrow(message);
});

test('a change keeps comments, other keys and their order', () => {
  const text = `# ours
max_url: 500 # as agreed
name: weekly
http_auth:
  # staging
  username: ada
  password: "1234"
  scheme: Basic
custom_fields: []
`;
  const changed = changedCrawlText(text, [
    [['max_url'], 1000],
    [['custom_fields'], undefined],
    [['user_agent'], 'a: "b" # c'],
    [['http_auth', 'realm'], 'CORP'],
    [['max_depth'], undefined],
  ]);
  expect(changed).toBe(`# ours
max_url: 1000 # as agreed
name: weekly
http_auth:
  # staging
  username: ada
  password: "1234"
  scheme: Basic
  realm: CORP
user_agent: 'a: "b" # c'
`);
});

test('removing the last key of an object removes the object, and the file stays', () => {
  const file = '# ours\nhttp_auth: { username: ada }\nmax_url: 5\n';
  const empty = changedCrawlText(file, [
    [['max_url'], undefined],
    [['http_auth', 'username'], undefined],
  ]);
  expect(checkCrawlText(empty, 'x.yaml').keys).toEqual({});
  expect(empty).toContain('# ours');
  const again = changedCrawlText(empty, [[['max_url'], 5]]);
  expect(checkCrawlText(again, 'x.yaml').keys).toEqual({ max_url: 5 });
  expect(changedCrawlText('http_auth: null\n', [[['http_auth', 'username'], 'ada']])).toBe(
    'http_auth:\n  username: ada\n',
  );
});

test('a file that changed meanwhile is not overwritten', async () => {
  const folder = await temporaryFolder();
  expect(await crawlFileText(folder, SITE)).toBe(null);
  await writeCrawlFile(folder, SITE, 'max_url: 5\n', stampOf(null));
  await expect(writeCrawlFile(folder, SITE, 'max_url: 6\n', stampOf(null))).rejects.toThrow(
    'crawls/www.example.com.yaml has changed since this form was opened',
  );
  const path = join(folder, 'crawls', 'www.example.com.yaml');
  expect([existsSync(path), readFileSync(path, 'utf8')]).toEqual([true, 'max_url: 5\n']);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await writeCrawlFile(folder, SITE, 'max_url: 6\n', stampOf('max_url: 5\n'));
  expect(await crawlFileText(folder, SITE)).toBe('max_url: 6\n');
});
