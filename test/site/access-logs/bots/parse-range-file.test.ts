import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CrawlhouseError } from '../../../../src/core/errors/errors.ts';
import { parseRangeFile } from '../../../../src/site/access-logs/bots/parse-range-file.ts';

const google = (prefixes: readonly unknown[], more: object = {}): string =>
  JSON.stringify({ creationTime: '2026-09-03T14:45:51.000000', prefixes, ...more });

test('the format of Google and Bing has a day and prefixes of both families, each once', () => {
  const prefixes = [
    { ipv6Prefix: '2001:4860:4801:10::/64' },
    { ipv4Prefix: '66.249.64.0/27', service: 'crawl' },
    { ipv4Prefix: '66.249.64.0/27' },
  ];
  expect(parseRangeFile(google(prefixes, { syncToken: 1 }), 'f')).toEqual({
    prefixes: ['2001:4860:4801:10::/64', '66.249.64.0/27'],
    published: '2026-09-03',
  });
});

test.each([
  ['one a line', '1.2.3.0/24\n2001:db8::/32\n'],
  [
    'with comments, empty lines and Windows line ends',
    '\uFEFF# ours\r\n\r\n1.2.3.0/24 # here\r\n2001:db8::/32',
  ],
  ['CSV with names of columns', 'prefix,country\n1.2.3.0/24,de\n"2001:db8::/32",us\n'],
  ['CSV with semicolons and without names', '1.2.3.0/24;de\n2001:db8::/32;us\n'],
])('%s is read as text', (_name, text) => {
  expect(parseRangeFile(text, 'f')).toEqual({ prefixes: ['1.2.3.0/24', '2001:db8::/32'], published: null });
});

test('a single address is a range of one', () => {
  expect(parseRangeFile('1.2.3.4\n2001:db8::1\n', 'f').prefixes).toEqual(['1.2.3.4/32', '2001:db8::1/128']);
});

test.each([
  ['an empty file', '', 'f: has no prefix'],
  ['names of columns alone', 'prefix,country\n', 'f: has no prefix'],
  ['a page', '<!doctype html>\n<html>', 'f:1: <!doctype is not a prefix'],
  ['a word among prefixes', '1.2.3.0/24\nevil.example\n', 'f:2: evil.example is not a prefix'],
  ['bits behind the length', '1.2.3.4/24\n', 'f:1: 1.2.3.4/24 is not a prefix'],
  ['all addresses', '1.2.3.0/24\n0.0.0.0/0\n', 'f:2: 0.0.0.0/0 is wider than /8'],
  ['all addresses of IPv6', '::/0\n', 'f:1: ::/0 is wider than /16'],
  ['broken JSON', '{"prefixes": [', 'f: is no JSON'],
  ['JSON of another shape', '{"ips": ["1.2.3.4"]}', 'f: has no list "prefixes"'],
  ['a list', '[]', 'f: has no list "prefixes"'],
  ['no prefixes', google([]), 'f: has no prefix'],
  [
    'null in the place of a prefix',
    google([null]),
    'f:prefixes[0]: must have exactly one of ipv4Prefix and ipv6Prefix',
  ],
  ['a number', google([{ ipv4Prefix: 1 }]), 'f:prefixes[0]: must have exactly one of'],
  [
    'two in one',
    google([{ ipv4Prefix: '1.2.3.0/24', ipv6Prefix: '2001:db8::/32' }]),
    'f:prefixes[0]: must have exactly',
  ],
  [
    'a wrong one behind others',
    google([{ ipv4Prefix: '1.2.3.0/24' }, { ipv4Prefix: '1.2.3.0/240' }]),
    'f:prefixes[1]: 1.2.3.0/240 is not a prefix',
  ],
  ['a long line', `${'x'.repeat(5_000)}/1\n`, `f:1: ${'x'.repeat(60)}… is not a prefix`],
])('%s is refused completely', (_name, text, message) => {
  let error: unknown;
  try {
    parseRangeFile(text, 'f');
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({ code: 'usage', message: expect.stringContaining(message) });
  expect((error as CrawlhouseError).hint).toContain('one prefix per line');
});

test.each([['2026-13-45T00:00:00'], ['soon'], [null], [5], [undefined]])(
  '%j contains no day',
  (creationTime) => {
    expect(
      parseRangeFile(google([{ ipv4Prefix: '1.2.3.0/24' }], { creationTime }), 'f').published,
    ).toBeNull();
  },
);

test('for any file, its prefixes are valid or it is refused', () => {
  const line = fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.constantFrom('1.2.3.0/24', 'prefix', '#', ''));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
      try {
        for (const prefix of parseRangeFile(lines.join('\n'), 'f').prefixes)
          expect(prefix).toMatch(/^[0-9a-f:.]+\/\d{1,3}$/i);
      } catch (error) {
        expect(error).toMatchObject({ code: 'usage' });
      }
    }),
  );
});
