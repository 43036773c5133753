import fc from 'fast-check';
import { expect, test } from 'vitest';
import { robotsRules } from '../../../../src/site/crawler/robots/robots.ts';

/** What a robots.txt allows to a crawler. */
interface Case {
  readonly name: string;
  readonly file: string;
  readonly agent?: string;
  readonly allowed?: readonly string[];
  readonly denied?: readonly string[];
}

function isAllowed(file: string, agent: string, path: string): boolean {
  return robotsRules({ status: 'found', content: file }, agent.toLowerCase()).isAllowed(
    `http://foo.bar${path}`,
  );
}

const lines = (...all: readonly string[]): string => `${all.join('\n')}\n`;
const FOO = 'user-agent: FooBot';
const DENY = 'disallow: /';
const GROUPS = lines(
  'allow: /foo/bar/',
  '',
  FOO,
  DENY,
  'allow: /x/',
  'user-agent: BarBot',
  DENY,
  'allow: /y/',
  '',
  '',
  'allow: /w/',
  'user-agent: BazBot',
  '',
  FOO,
  'allow: /z/',
  DENY,
);
const LETTER_CASES = [
  'USER-AGENT: FooBot|ALLOW: /x/|DISALLOW: /',
  'user-agent: FooBot|allow: /x/|disallow: /',
  'uSeR-aGeNt: FooBot|AlLoW: /x/|dIsAlLoW: /',
];
const NAMES = ['FOO BAR', 'foo bar', 'FoO bAr'];
const FISH = [
  '/fish',
  '/fish.html',
  '/fish/salmon.html',
  '/fishheads',
  '/fishheads/yummy.html',
  '/fish.html?id=anything',
];
const NO_FISH = ['/bar', '/Fish.asp', '/catfish', '/?id=fish'];
const LONG = `/x/${'a'.repeat(16_649)}`;

/** Patterns and paths that mean the same (RFC 9309 §2.2.2). */
const SPELLINGS: readonly (readonly [pattern: string, path: string])[] = [
  ['/a b', '/a%20b'],
  ['/{x}', '/{x}'],
  ['/{x}', '/%7bx%7D'],
  ['/%7Bx%7D', '/{x}'],
  ['/"q"', '/"q"'],
  ['/"q"', '/%22q%22'],
  ['/<a>', '/%3Ca%3e'],
  ['/a|b', '/a%7cb'],
  ['/a^b`c', '/a%5Eb%60c'],
  ['/%7Eann', '/~ann'],
  ['/~ann', '/%7eann'],
  ['/%61bc', '/abc'],
  ['/caf%c3%a9', '/café'],
  ['/café', '/caf%C3%A9'],
  ['/*?q=é', '/x?q=%c3%a9'],
  ['/it%27s', "/it's"],
  ["/?it's", "/?it's"],
  ['/a$b', '/a$b'],
  ['/a$b$', '/a%24b'],
  ['/a%2fb', '/a%2Fb'],
];

/** The facts that Google's public parser is tested by (https://github.com/google/robotstxt), and those of our decisions. */
const CASES: readonly Case[] = [
  ...SPELLINGS.map(
    ([pattern, path]): Case => ({
      name: `${pattern} is ${path} in another spelling`,
      file: lines(FOO, `disallow: ${pattern}`),
      denied: [path],
    }),
  ),
  {
    name: 'an encoded star or dollar is no wildcard and no end',
    file: lines(FOO, 'disallow: /a%2Ab', 'disallow: /c%24'),
    denied: ['/a*b', '/a%2ab', '/c$d', '/c%24'],
    allowed: ['/axb', '/c'],
  },
  { name: 'an empty file allows all', file: '', allowed: ['/', '/a'] },
  { name: 'a crawler without a name is nobody’s', file: lines(FOO, DENY), agent: '', allowed: ['/'] },
  { name: 'a line is a key, a colon and a value', file: lines(FOO, DENY), denied: ['/x/y'] },
  { name: 'other keys say nothing', file: lines('foo: FooBot', 'bar: /'), allowed: ['/x/y'] },
  {
    name: 'two words without a colon are a key and its value',
    file: lines('user-agent FooBot', 'disallow /'),
    denied: ['/x/y'],
  },
  {
    name: 'three words without a colon are nothing',
    file: lines(FOO, 'disallow / please'),
    allowed: ['/x/y'],
  },
  {
    name: 'groups of one name are one group',
    file: GROUPS,
    allowed: ['/x/b', '/z/d'],
    denied: ['/y/c', '/foo/bar/'],
  },
  {
    name: 'a blank line ends no group',
    file: GROUPS,
    agent: 'BarBot',
    allowed: ['/y/c', '/w/a'],
    denied: ['/z/d', '/foo/bar/'],
  },
  {
    name: 'names that follow each other share a group',
    file: GROUPS,
    agent: 'BazBot',
    allowed: ['/z/d'],
    denied: ['/foo/bar/'],
  },
  ...['FooBot', 'BarBot'].flatMap((agent): Case[] => [
    {
      name: `a sitemap ends no group, to ${agent}`,
      agent,
      file: lines('User-agent: BarBot', 'Sitemap: https://foo.bar/sitemap', 'User-agent: *', 'Disallow: /'),
      denied: ['/'],
    },
    {
      name: `an unknown line ends no group, to ${agent}`,
      agent,
      file: lines('User-agent: FooBot', 'Unknown: line', 'User-agent: *', 'Disallow: /'),
      denied: ['/'],
    },
  ]),
  ...LETTER_CASES.map(
    (text): Case => ({
      name: `keys in any case: ${text}`,
      file: text.replaceAll('|', '\n'),
      allowed: ['/x/y'],
      denied: ['/a/b'],
    }),
  ),
  ...NAMES.flatMap((name) =>
    ['Foo', 'foo'].map(
      (agent): Case => ({
        name: `${name} speaks to ${agent}`,
        agent,
        file: lines(`User-Agent: ${name}`, 'Allow: /x/', 'Disallow: /'),
        allowed: ['/x/y'],
        denied: ['/a/b'],
      }),
    ),
  ),
  {
    name: 'a name ends at the first space',
    agent: 'Foo',
    file: lines('User-Agent: *', 'Disallow: /', 'User-Agent: Foo Bar', 'Allow: /x/', 'Disallow: /'),
    allowed: ['/x/y'],
  },
  {
    name: 'a crawler’s name has no space',
    agent: 'Foo Bar',
    file: lines('User-Agent: *', 'Disallow: /', 'User-Agent: Foo Bar', 'Allow: /x/', 'Disallow: /'),
    denied: ['/x/y'],
  },
  {
    name: 'ours: a version is no part of the name',
    file: lines('User-agent: FooBot/2.1', 'Disallow: /'),
    denied: ['/'],
  },
  {
    name: 'ours: a name with digits is met whole',
    agent: 'Bot360',
    file: lines('User-agent: Bot360', 'Disallow: /'),
    denied: ['/'],
  },
  {
    name: 'a longer name is another one',
    file: lines('User-agent: FooBot-News', 'Disallow: /'),
    allowed: ['/'],
  },
  {
    name: 'without a group of its name, the star counts',
    agent: 'BarBot',
    file: lines('user-agent: *', 'allow: /', FOO, DENY),
    allowed: ['/x/y'],
  },
  {
    name: 'a group of its name counts alone',
    file: lines('user-agent: *', 'allow: /', FOO, DENY),
    denied: ['/x/y'],
  },
  {
    name: 'groups of others say nothing',
    agent: 'QuxBot',
    file: lines(FOO, 'allow: /', 'user-agent: BarBot', DENY, 'user-agent: BazBot', DENY),
    allowed: ['/x/y'],
  },
  {
    name: 'an own group without rules allows all',
    file: lines('user-agent: *', DENY, FOO, 'disallow:'),
    allowed: ['/x/y'],
  },
  { name: 'paths have their case: the same', file: lines(FOO, 'disallow: /x/'), denied: ['/x/y'] },
  { name: 'paths have their case: another', file: lines(FOO, 'disallow: /X/'), allowed: ['/x/y'] },
  {
    name: 'the longest denial counts',
    file: lines(FOO, 'disallow: /x/page.html', 'allow: /x/'),
    denied: ['/x/page.html'],
  },
  {
    name: 'the longest allowance counts',
    file: lines(FOO, 'allow: /x/page.html', 'disallow: /x/'),
    allowed: ['/x/page.html'],
    denied: ['/x/'],
  },
  { name: 'empty rules allow', file: lines(FOO, 'disallow: ', 'allow: '), allowed: ['/x/page.html'] },
  {
    name: 'of equal rules the allowance counts: all',
    file: lines(FOO, DENY, 'allow: /'),
    allowed: ['/x/page.html'],
  },
  {
    name: 'of equal rules the allowance counts: a page',
    file: lines(FOO, 'disallow: /x/page.html', 'allow: /x/page.html'),
    allowed: ['/x/page.html'],
  },
  {
    name: 'of equal rules the allowance counts: a folder',
    file: lines(FOO, 'allow: /folder', 'disallow: /folder'),
    allowed: ['/folder/page'],
  },
  {
    name: 'a slash is one character more',
    file: lines(FOO, 'disallow: /x', 'allow: /x/'),
    allowed: ['/x/'],
    denied: ['/x'],
  },
  {
    name: 'a star counts for the length: denied',
    file: lines(FOO, 'allow: /page', 'disallow: /*.html'),
    allowed: ['/page'],
    denied: ['/page.html'],
  },
  {
    name: 'a star counts for the length: allowed',
    file: lines(FOO, 'allow: /x/page.', 'disallow: /*.html'),
    allowed: ['/x/page.html'],
    denied: ['/x/y.html'],
  },
  {
    name: 'the length decides, not the end',
    file: lines(FOO, 'allow: /page', 'disallow: /*.htm'),
    denied: ['/page.htm'],
  },
  {
    name: 'a group of its name adds nothing of the star’s',
    file: lines('User-agent: *', 'Disallow: /x/', FOO, 'Disallow: /y/'),
    allowed: ['/x/page'],
    denied: ['/y/page'],
  },
  {
    name: 'queries count',
    file: lines(FOO, DENY, 'Allow: /foo/bar?qux=taz&baz=http://foo.bar?tar&par'),
    allowed: ['/foo/bar?qux=taz&baz=http://foo.bar?tar&par'],
  },
  {
    name: 'other scripts are percent-encoded',
    file: lines(FOO, DENY, 'Allow: /foo/bar/ツ'),
    allowed: ['/foo/bar/%E3%83%84', '/foo/bar/%e3%83%84'],
  },
  {
    name: 'what is percent-encoded stays so',
    file: lines(FOO, DENY, 'Allow: /foo/bar/%E3%83%84'),
    allowed: ['/foo/bar/%E3%83%84'],
  },
  // Google's caller must encode; this crawler spells URLs as browsers do, so a bare character is the same URL.
  {
    name: 'ours: a bare character of a URL is encoded first',
    file: lines(FOO, DENY, 'Allow: /foo/bar/%e3%83%84'),
    allowed: ['/foo/bar/ツ'],
  },
  {
    name: 'encoded letters are the letters, as RFC 9309 §2.2.2 says; Google’s parser leaves them',
    file: lines(FOO, DENY, 'Allow: /foo/bar/%62%61%7A'),
    allowed: ['/foo/bar/%62%61%7A', '/foo/bar/baz'],
  },
  {
    name: 'a star is any text',
    file: lines(FOO, 'Disallow: /foo/bar/quz', 'Allow: /foo/*/qux'),
    allowed: ['/foo/quz', '/foo//quz', '/foo/bax/quz'],
    denied: ['/foo/bar/quz'],
  },
  {
    name: 'a dollar is the end',
    file: lines(FOO, 'Disallow: /foo/bar$', 'Allow: /foo/bar/qux'),
    allowed: ['/foo/bar/qux', '/foo/bar/', '/foo/bar/baz'],
    denied: ['/foo/bar'],
  },
  {
    name: 'a hash begins a comment',
    file: lines(FOO, '# Disallow: /', 'Disallow: /foo/quz#qux', 'Allow: /'),
    allowed: ['/foo/bar'],
    denied: ['/foo/quz'],
  },
  {
    name: 'an index.html that is allowed is its directory',
    file: lines('User-Agent: *', 'Allow: /allowed-slash/index.html', 'Disallow: /'),
    allowed: ['/allowed-slash/', '/allowed-slash/index.html'],
    denied: ['/allowed-slash/index.htm', '/anyother-url'],
  },
  {
    name: 'a long line is cut, and what is left counts',
    file: lines(FOO, `disallow: ${LONG}/qux`),
    allowed: ['/fux'],
    denied: [`${LONG}/fux`],
  },
  {
    name: 'long lines that allow are cut alike',
    file: lines(FOO, DENY, `allow: ${LONG}aaa/qux`, `allow: ${LONG.replaceAll('a', 'b')}bbb/qux`),
    allowed: [`${LONG}aaa/qux`, `${LONG.replaceAll('a', 'b')}bbb/fux`],
    denied: ['/'],
  },
  { name: '/fish', file: lines(FOO, DENY, 'allow: /fish'), allowed: FISH, denied: NO_FISH },
  {
    name: '/fish* is /fish',
    file: lines(FOO, DENY, 'allow: /fish*'),
    allowed: FISH,
    denied: [...NO_FISH, '/Fish.bar'],
  },
  {
    name: '/fish/ is the folder',
    file: lines(FOO, DENY, 'allow: /fish/'),
    allowed: ['/fish/', '/fish/salmon', '/fish/?salmon', '/fish/salmon.html', '/fish/?id=anything'],
    denied: ['/bar', '/fish', '/fish.html', '/Fish/Salmon.html'],
  },
  {
    name: '/*.php',
    file: lines(FOO, DENY, 'allow: /*.php'),
    allowed: [
      '/filename.php',
      '/folder/filename.php',
      '/folder/filename.php?parameters',
      '//folder/any.php.file.html',
      '/filename.php/',
      '/index?f=filename.php/',
    ],
    denied: ['/bar', '/php/', '/index?php', '/windows.PHP'],
  },
  {
    name: '/*.php$',
    file: lines(FOO, DENY, 'allow: /*.php$'),
    allowed: ['/filename.php', '/folder/filename.php'],
    denied: [
      '/bar',
      '/filename.php?parameters',
      '/filename.php/',
      '/filename.php5',
      '/php/',
      '/filename?php',
      '/aaaphpaaa',
      '//windows.PHP',
    ],
  },
  {
    name: '/fish*.php',
    file: lines(FOO, DENY, 'allow: /fish*.php'),
    allowed: ['/fish.php', '/fishheads/catfish.php?parameters'],
    denied: ['/bar', '/Fish.PHP'],
  },
  { name: '/p beside /', file: lines(FOO, 'allow: /p', DENY), allowed: ['/page'] },
  {
    name: '/$ is the start page',
    file: lines(FOO, 'allow: /$', DENY),
    allowed: ['/'],
    denied: ['/page.html'],
  },
  ...['\n', '\r\n', '\r'].map(
    (end): Case => ({
      name: `lines end with ${JSON.stringify(end)}`,
      file: ['User-Agent: foo', 'Allow: /some/path', 'User-Agent: FooBot', '', '', 'Disallow: /'].join(end),
      denied: ['/a'],
    }),
  ),
  {
    name: 'lines end in several ways',
    file: 'User-Agent: foo\nAllow: /some/path\r\nUser-Agent: FooBot\n\r\n\nDisallow: /',
    denied: ['/a'],
  },
  { name: 'a byte order mark is skipped', file: `\uFEFF${lines(FOO, DENY)}`, denied: ['/a'] },
  {
    name: 'a part of a byte order mark is skipped',
    file: new TextDecoder().decode(Buffer.concat([Buffer.from([0xef, 0xbb]), Buffer.from(lines(FOO, DENY))])),
    denied: ['/a'],
  },
  {
    name: 'one byte of a byte order mark is skipped',
    file: new TextDecoder().decode(Buffer.concat([Buffer.from([0xef]), Buffer.from(lines(FOO, DENY))])),
    denied: ['/a'],
  },
  {
    name: 'a wrong byte order mark spoils its line',
    file: new TextDecoder().decode(
      Buffer.concat([Buffer.from([0xef, 0x11, 0xbf]), Buffer.from(lines(FOO, DENY))]),
    ),
    allowed: ['/a'],
  },
  {
    name: 'ours: a byte order mark elsewhere is white space, so that no denial is lost',
    file: lines(FOO, `\uFEFF${DENY}`),
    denied: ['/a'],
  },
  ...['dissallow', 'dissalow', 'disalow', 'diasllow', 'disallaw'].map(
    (key): Case => ({
      name: `${key} is disallow`,
      file: lines(FOO, `${key}: /a`),
      allowed: ['/'],
      denied: ['/a'],
    }),
  ),
  ...['useragent', 'user agent'].map(
    (key): Case => ({ name: `${key} is user-agent`, file: lines(`${key}: FooBot`, DENY), denied: ['/a'] }),
  ),
  { name: 'a misspelt allow is none', file: lines(FOO, DENY, 'alow: /a'), denied: ['/a'] },
];

test.each(CASES)('$name', ({ file, agent = 'FooBot', allowed = [], denied = [] }) => {
  expect(allowed.filter((path) => !isAllowed(file, agent, path))).toEqual([]);
  expect(denied.filter((path) => isAllowed(file, agent, path))).toEqual([]);
});

test('a sitemap line may be anywhere, and misspelled', () => {
  const { sitemaps } = robotsRules(
    {
      status: 'found',
      content: lines('Sitemap: http://foo.bar/1.xml', FOO, 'Allow: /a', 'site-map: http://foo.bar/2.xml'),
    },
    'foobot',
  );
  expect(sitemaps).toEqual(['http://foo.bar/1.xml', 'http://foo.bar/2.xml']);
});

test('Crawl-delay comes from the own group, else from the * group', () => {
  const content = lines(
    'User-agent: *',
    'Crawl-delay: 2',
    'Disallow: /a',
    FOO,
    'Crawl-delay: 5',
    'Disallow: /b',
  );
  expect(robotsRules({ status: 'found', content }, 'foobot').delayMs).toBe(5_000);
  expect(robotsRules({ status: 'found', content }, 'other').delayMs).toBe(2_000);
});

test('patterns match like equivalent regular expressions', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '/', '.'), maxLength: 12 });
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '/', '.', '*'), maxLength: 8 });
  fc.assert(
    fc.property(pattern, fc.boolean(), text, (body, isWhole, path) => {
      const source = `/${body}`.replaceAll('.', '\\.').replaceAll('*', '.*');
      const expected = !new RegExp(`^${source}${isWhole ? '$' : ''}`, 's').test(`/${path}`);
      const file = lines(FOO, `disallow: /${body}${isWhole ? '$' : ''}`);
      const { isAllowed: allows } = robotsRules({ status: 'found', content: file }, 'foobot');
      // URLs resolve dots themselves.
      fc.pre(new URL(`http://foo.bar/${path}`).pathname === `/${path}`);
      expect(allows(`http://foo.bar/${path}`)).toBe(expected);
    }),
    { numRuns: 1_000 },
  );
});

test('any file is read quickly', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 2_000 }), (content) => {
      robotsRules({ status: 'found', content }, 'foobot').isAllowed('http://foo.bar/a');
    }),
  );
  const stars = lines(FOO, ...Array.from({ length: 1_000 }, () => `disallow: /${'*a'.repeat(500)}b`));
  const begun = process.threadCpuUsage();
  expect(isAllowed(stars, 'FooBot', `/${'a'.repeat(2_000)}`)).toBe(true);
  expect(process.threadCpuUsage(begun).user).toBeLessThan(2_000_000);
});
