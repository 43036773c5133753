import { expect, test } from 'vitest';
import { readRedirects } from '../../../../../src/app/answers/explore/rehearse/read-redirects.ts';

const read = (content: string, origin = () => 'https://shop.example') =>
  readRedirects({ given: 'moves.csv', content }, origin, new AbortController().signal);
const rules = async (content: string) =>
  [...(await read(content)).values()].map(({ source, target, status, line }) => [
    ...[source, target].map((url) => url.replace('https://shop.example', '')),
    ...[status, line],
  ]);

test.for([
  ['CSV', 'from,to\n/old,/new\n'],
  ['a byte order mark, CRLF and quotes', '\uFEFF"Source URL";"Target URL"\r\n\r\n"/old";"/new"\r\n'],
  ['tabs and an empty column', 'Old\tNew\t\n/old\t/new\t\n'],
  ['a declared delimiter', 'sep=;\nredirect_from_url;Redirect to (URL)\n/old;/new\n'],
  ['another order, and whole URLs', 'Status,New URL,Old URL\n,HTTPS://shop.example:443/new#top,/%6fld\n'],
  ['lines that end in CR', 'from,to\r/old,/new\r'],
])('redirects are read from %s', async ([, content = '']) => {
  const [rule, ...others] = await rules(content);
  expect([rule?.slice(0, 3), others]).toEqual([['/old', '/new', 301], []]);
});

test('a redirect has the status and the line of the file, and counts once', async () => {
  const content =
    'from,to,http status\n"/a,b",/new,308\n/c,//cdn.example/d,\n\n"/a,b","/new",308\n/e?x=1,/e\n';
  expect(await rules(content)).toEqual([
    ['/a,b', '/new', 308, 2],
    ['/c', 'https://cdn.example/d', 301, 3],
    ['/e?x=1', '/e', 301, 6],
  ]);
});

test.for([
  [
    'no header',
    '/old,/new\n',
    'line 1: /old is not a column; line 1: /new is not a column; line 1: the column from is',
  ],
  ['an unknown column', 'from,to,note\n', 'line 1: note is not a column'],
  ['two columns of one kind', 'from,source,to\n', 'line 1: two columns are named from'],
  ['one column', 'from\n/a\n', 'line 1: the column to is missing'],
  ['an empty cell', 'from,to\n/a,\n', 'line 2: to is empty'],
  ['a relative URL', 'from,to\n/a,b\nc,/d\n', 'line 2: b is not a URL; line 3: c is not a URL'],
  [
    'another scheme',
    'from,to\n/a,ftp://a.example/\n',
    'line 2: ftp://a.example/ has the scheme ftp, not http',
  ],
  ['a space', 'from,to\n/a b,/c\n', 'line 2: /a b has a space, which a URL writes as %20'],
  [
    'another status',
    'from,to,status\n/a,/b,410\n',
    'line 2: the status 410 is not 301, 302, 303, 307 or 308',
  ],
  ['a status that is no number', 'from,to,status\n/a,/b,301.0\n', 'line 2: the status 301.0 is not 301'],
  ['an unquoted comma', 'from,to\n/a,b,/c\n', 'line 2: there are more cells than columns'],
  [
    'itself',
    'from,to\n/a,/b\n/b,https://shop.example/b#top\n',
    'line 3: https://shop.example/b redirects to itself',
  ],
  [
    'a fragment of a source',
    'from,to\n/a#top,/b#top\n',
    'line 2: /a#top has a fragment, which servers do not receive',
  ],
  [
    'contradictions',
    'from,to\n/a,/b\n/c,/d\n/a,/c\n',
    'line 4: https://shop.example/a redirects to https://shop.example/c (301), but in line 2 to https://shop.example/b (301)',
  ],
  [
    'another status of one redirect',
    'old,new,code\n/a,/b,302\n/a,/b,\n',
    'line 3: https://shop.example/a redirects to https://shop.example/b (301), but in line 2 to https://shop.example/b (302)',
  ],
  ['many of them', `from,to\n${'a,b\n'.repeat(9)}`, /; line 4: a is not a URL; 13 more$/],
  ['an open quote', 'from,to\n"/a,/b\n', /line \d: Quote Not Closed/],
  ['no redirect', '\uFEFFfrom,to\n', 'has no redirect'],
  ['nothing', '', 'has no redirect'],
  ['UTF-16', Buffer.from('\uFEFFfrom,to\n/a,/b\n', 'utf16le').toString('utf8'), 'is not text in UTF-8'],
] as const)('%s is reported with file and line', async ([, content, problem]) => {
  const failure = read(content);
  await expect(failure).rejects.toMatchObject({ code: 'usage', hint: expect.any(String) });
  await expect(failure).rejects.toThrow(problem);
  await expect(failure).rejects.toThrow('--redirects moves.csv');
});

test('the origin of the website is only needed for paths', async () => {
  const origin = (): string => {
    throw new Error('the start page is unknown');
  };
  expect((await read('from,to\nhttps://a.example/,https://b.example/\n', origin)).size).toBe(1);
  await expect(read('from,to\n/a,/b\n', origin)).rejects.toThrow('the start page is unknown');
});
