import {
  brotliCompressSync,
  crc32,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';

/** An odd answer, at a path of its own. */
export interface Oddity {
  readonly kind: string;
  /** Where it was reported, or the section of a standard. */
  readonly source: string;
  readonly name: string;
  readonly path: string;
  readonly answer: Buffer;
}

type Table = readonly (readonly [name: string, answer: Buffer])[];

const LINE = '\r\n';
const OK = `HTTP/1.1 200 OK${LINE}`;
const HTML = `Content-Type: text/html; charset=utf-8${LINE}`;

function bytes(text: string | Buffer): Buffer {
  return typeof text === 'string' ? Buffer.from(text) : text;
}

/** A whole page. */
function page(head: string, body = '', title = 'A page'): string {
  return `<!doctype html><html lang=en><head><title>${title}</title>${head}</head><body><h1>Heading</h1><p>Words of a page</p>${body}</body></html>`;
}

function raw(head: string, body: string | Buffer = page('')): Buffer {
  return Buffer.concat([Buffer.from(`${head}${LINE}`, 'latin1'), bytes(body)]);
}

/** An answer with these header lines, and a body of its length. */
function answer(lines: string, body: string | Buffer = page(''), status = '200 OK'): Buffer {
  return raw(`HTTP/1.1 ${status}${LINE}${lines}Content-Length: ${bytes(body).length}${LINE}`, body);
}

const html = (body: string | Buffer): Buffer => answer(HTML, body);
const named = (names: readonly string[], make: (name: string) => Buffer): Table =>
  names.map((name) => [name, make(name)]);

const LENGTH = page('').length;
const chunked = (end: string): string => `${LENGTH.toString(16)}${end}${page('')}${end}0${end}${end}`;

const FRAMING: Table = [
  ['no length', raw(OK + HTML)],
  ['a length twice', raw(`${OK}${HTML}Content-Length: ${LENGTH}${LINE}Content-Length: ${LENGTH}${LINE}`)],
  ['a length twice in a line', raw(`${OK}${HTML}Content-Length: ${LENGTH}, ${LENGTH}${LINE}`)],
  ['lengths that differ', raw(`${OK}${HTML}Content-Length: ${LENGTH}${LINE}Content-Length: 9${LINE}`)],
  ['a length of words', raw(`${OK}${HTML}Content-Length: many${LINE}`)],
  ['a length with a sign', raw(`${OK}${HTML}Content-Length: +${LENGTH}${LINE}`)],
  ['a short length', raw(`${OK}${HTML}Content-Length: 60${LINE}`)],
  ['a long length', raw(`${OK}${HTML}Content-Length: 9999${LINE}`)],
  ['a long length and no body', raw(`${OK}${HTML}Content-Length: 9999${LINE}`, '')],
  [
    'a long length of a redirect',
    raw(`HTTP/1.1 302 Found${LINE}Location: /t${LINE}Content-Length: 99${LINE}`, ''),
  ],
  ['a long length of an error page', raw(`HTTP/1.1 404 Not Found${LINE}${HTML}Content-Length: 9999${LINE}`)],
  [
    'a long length of a part of gzip',
    raw(
      `${OK}${HTML}Content-Encoding: gzip${LINE}Content-Length: 9999${LINE}`,
      gzipSync(page('', '<p>more</p>'.repeat(99))).subarray(0, -20),
    ),
  ],
  [
    'chunks without a last one',
    raw(`${OK}${HTML}Transfer-Encoding: chunked${LINE}`, chunked(LINE).slice(0, -5)),
  ],
  [
    'a last chunk without its end',
    raw(`${OK}${HTML}Transfer-Encoding: chunked${LINE}`, chunked(LINE).slice(0, -2)),
  ],
  [
    'a chunk that breaks off',
    raw(`${OK}${HTML}Transfer-Encoding: chunked${LINE}`, chunked(LINE).slice(0, -20)),
  ],
  ['chunks', raw(`${OK}${HTML}Transfer-Encoding: chunked${LINE}`, chunked(LINE))],
  ['chunks without CR', raw(`${OK}${HTML}Transfer-Encoding: chunked${LINE}`, chunked('\n'))],
  [
    'chunks beside a length',
    raw(`${OK}${HTML}Content-Length: 9${LINE}Transfer-Encoding: chunked${LINE}`, chunked(LINE)),
  ],
  ['an unknown coding of the transfer', raw(`${OK}${HTML}Transfer-Encoding: other${LINE}`)],
  ['a line without colon', answer(`${HTML}Powered by nothing${LINE}`)],
  ['a line without name', answer(`${HTML}: nothing${LINE}`)],
  ['a name with a space', answer(`${HTML}X Powered: by${LINE}`)],
  ['a space before the colon', answer(`Content-Type : text/html${LINE}`)],
  ['no space behind the colon', answer(`Content-Type:text/html${LINE}`)],
  ['control characters', answer(`${HTML}X-A: a\x01\x7fb${LINE}`)],
  ['a NUL', answer(`${HTML}X-A: a\0b${LINE}`)],
  ['bytes beyond ASCII', answer(`${HTML}X-A: \xe9\xff${LINE}`)],
  ['lines without CR', Buffer.from(`HTTP/1.1 200 OK\nContent-Type: text/html\n\n${page('')}`)],
  [
    'a folded header',
    raw(`${OK}Content-Type: text/html;${LINE} charset=utf-8${LINE}X-A: b${LINE}\tc${LINE}`),
  ],
  ['no reason', raw(`HTTP/1.1 200${LINE}${HTML}`)],
  ['a long reason', raw(`HTTP/1.1 200 ${'very '.repeat(200)}well${LINE}${HTML}`)],
  ['another case', raw(`http/1.1 200 OK${LINE}${HTML}`)],
  ['HTTP/1.0', raw(`HTTP/1.0 200 OK${LINE}${HTML}`)],
  [
    'an informational answer before',
    raw(`HTTP/1.1 103 Early Hints${LINE}Link: </x>${LINE}${LINE}${OK}${HTML}`),
  ],
  ['78 KB of cookies', answer(HTML + `Set-Cookie: a=${'x'.repeat(3_900)}${LINE}`.repeat(20))],
  ['300 KB of headers', answer(HTML + `X-A: ${'x'.repeat(3_900)}${LINE}`.repeat(77))],
  ['another protocol', Buffer.from('SSH-2.0-OpenSSH_9.6\r\n')],
];

const PACKED: Readonly<Record<string, Buffer>> = {
  gzip: gzipSync(page('')),
  deflate: deflateSync(page('')),
  zstd: zstdCompressSync(page('')),
  br: brotliCompressSync(Buffer.from(page(''))),
};

function withByte(packed: Buffer, at: number): Buffer {
  const other = Buffer.from(packed);
  other[at] = (other[at] ?? 0) ^ 0xff;
  return other;
}

/** Gzip with optional parts of its header (RFC 1952 §2.3), and a wrong sum at its end. */
function withHeader(part: string): Buffer {
  const has = (name: string): boolean => part === name || part === 'all';
  const flags =
    (has('sum') ? 2 : 0) + (has('extra') ? 4 : 0) + (has('name') ? 8 : 0) + (has('comment') ? 16 : 0);
  const head = Buffer.from([0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 3]);
  const parts = [
    ...(has('extra') ? [Buffer.from([3, 0, 0, 8, 0])] : []),
    ...(has('name') ? [Buffer.from('page.html\0')] : []),
    ...(has('comment') ? [Buffer.from('a comment\0')] : []),
  ];
  const before = Buffer.concat([head, ...parts]);
  const sum = Buffer.alloc(has('sum') ? 2 : 0);
  if (has('sum')) sum.writeUInt16LE(crc32(before) & 0xffff);
  return Buffer.concat([before, sum, deflateRawSync(page('')), Buffer.alloc(8)]);
}

const CODINGS: Table = [
  ...named(
    ['UTF-8', 'none', 'aws-chunked', 'binary', '8bit', 'text/html', 'identity', 'gzip, utf-8', ''],
    (coding) => answer(`${HTML}Content-Encoding: ${coding}${LINE}`),
  ),
  ...named(['gzip', 'deflate', 'x-gzip'], (coding) => answer(`${HTML}Content-Encoding: ${coding}${LINE}`)),
  ['gzip of gzip', answer(`${HTML}Content-Encoding: gzip${LINE}`, gzipSync(page('')))],
  ['GZIP', answer(`${HTML}Content-Encoding: GZIP${LINE}`, gzipSync(page('')))],
  [
    'gzip by two lines',
    answer(`${HTML}Content-Encoding: gzip${LINE}Content-Encoding: gzip${LINE}`, gzipSync(gzipSync(page('')))),
  ],
  ['deflate with a header', answer(`${HTML}Content-Encoding: deflate${LINE}`, deflateSync(page('')))],
  ['deflate without', answer(`${HTML}Content-Encoding: deflate${LINE}`, deflateRawSync(page('')))],
  ['zstd', answer(`${HTML}Content-Encoding: zstd${LINE}`, zstdCompressSync(page('')))],
  ['br', answer(`${HTML}Content-Encoding: br${LINE}`, brotliCompressSync(Buffer.from(page(''))))],
  ...Object.entries(PACKED).flatMap(([coding, packed]): Table => {
    const odd = (body: Buffer): Buffer => answer(`${HTML}Content-Encoding: ${coding}${LINE}`, body);
    return [
      // Chromium refuses them behind zstd alone.
      ...(coding === 'zstd'
        ? []
        : named(['<!-- served by x -->', '\0\0\0'], (more) =>
            odd(Buffer.concat([packed, Buffer.from(more)])),
          ).map(([more, body]) => [`${coding} and ${JSON.stringify(more)}`, body] as const)),
      [`${coding} with another sum`, odd(withByte(packed, packed.length - 6))],
      [`${coding} with another end`, odd(withByte(packed, packed.length - 1))],
      [`${coding} without its end`, odd(packed.subarray(0, -5))],
      [`${coding} twice, one behind the other`, odd(Buffer.concat([packed, packed]))],
    ];
  }),
  ...named(['name', 'extra', 'comment', 'sum', 'all'], (part) =>
    answer(`${HTML}Content-Encoding: gzip${LINE}`, withHeader(part)),
  ),
];

const TYPES: Table = [
  ...named(
    [
      'text/html',
      'TEXT/HTML',
      'text/html;',
      'text/html;charset',
      'text/html; charset="utf-8"',
      ' text/html ',
      'text/html, text/html; charset=utf-8',
      'html',
      '*/*',
      'text/',
      '/html',
      'text',
      'text/html/x',
      '',

      'unknown/unknown',
      'application/unknown',
      'application/xhtml+xml',
      'text/html, */*',
      'text/html;a=b;;',
    ],
    (type) =>
      answer(
        `Content-Type: ${type}${LINE}`,
        `<!doctype html>${page('').replace('<!doctype html>', '').replace('lang=en', 'lang="en" xmlns="http://www.w3.org/1999/xhtml"')}`,
      ),
  ),
  ['two lines', answer(`Content-Type: text/plain${LINE}Content-Type: text/html${LINE}`)],
  ...named(
    [
      '<h1>One</h1>',
      '<p>One',
      '<a href="/x">x</a>',
      ' \n<div>x</div>',
      '<!-- x --><p>x',
      '<table>',
      '<b>x</b>',
      '<script></script><title>x</title>',
    ],
    (start) => answer('', `${start}<title>A page</title>`),
  ),
];

const REFRESHES = [
  '0; url=/target',
  '0;url=/target',
  '0;/target',
  '0; /target',
  '0,/target',
  '0 /target',
  '0 url=/target',
  '.5;/target',

  "0;url='/target'",
  '0;url="/target"',
  `0;url="/target?a='b'"`,
  '0;url="/target',
  '0;URL = /target',
  '0; url=/target#a',
  'url=/target',
  ';/target',
  'now;url=/target',
  '-1;/target',
  '0x;/target',
  '/target',
  '0/target',
  '',
  '0.9.9;/target',
  ' \t0 ; url = /target',
  '0;ur=/target',
  '0;urlx',
  '00;/target',
  '0;url=//[',
];
const REFRESH: Table = [
  ...named(REFRESHES, (content) =>
    html(page(`<meta http-equiv=refresh content="${content.replaceAll('"', '&quot;')}">`)),
  ),
];
const HEADER_REFRESH: Table = [
  ...named(REFRESHES, (content) => answer(`${HTML}Refresh: ${content}${LINE}`)),
  ['beside a base', answer(`${HTML}Refresh: 0; r${LINE}`, page('<base href="/b/">'))],
];

const LATIN = Buffer.from(page('', '', 'Caf\xe9'), 'latin1');
const CYRILLIC = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]);
const around = (before: string, title: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`<!doctype html><head>${before}<title>`),
    title,
    Buffer.from('</title><body><p>Words'),
  ]);
const CHARSETS: Table = [
  ...named(
    [
      'iso-8859-1',
      'latin1',
      'windows-1252',
      'ISO8859-1',
      'ascii',
      'x-cp1252',
      'utf-8',
      'utf8',
      'utf-99',
      '"latin1"',
    ],
    (label) => answer(`Content-Type: text/html; charset=${label}${LINE}`, LATIN),
  ),
  ...named(
    ['windows-1251', 'cp1251', 'x-cp1251', 'koi8-r', 'iso-8859-5', 'ibm866', 'macintosh', 'x-mac-cyrillic'],
    (label) => answer(`Content-Type: text/html${LINE}`, around(`<meta charset="${label}">`, CYRILLIC)),
  ),
  ...named(['windows-1251', 'koi8-r', 'x-user-defined', 'utf-16'], (label) =>
    answer(
      `Content-Type: text/html${LINE}`,
      around(`<meta http-equiv="content-type" content="text/html; charset=${label}">`, CYRILLIC),
    ),
  ),
  [
    'a meta behind 2 KB',
    answer(
      `Content-Type: text/html${LINE}`,
      around(`<style>${' '.repeat(2_000)}</style><meta charset=windows-1251>`, CYRILLIC),
    ),
  ],
  [
    'a meta behind the head',
    answer(`Content-Type: text/html${LINE}`, around('</head><body><meta charset=windows-1251>', CYRILLIC)),
  ],
  [
    'a meta in the body behind 2 KB',
    answer(
      `Content-Type: text/html${LINE}`,
      around(
        `</head><body>${' '.repeat(2_000)}<meta charset=windows-1251>`,
        Buffer.from('Caf\xe9', 'latin1'),
      ),
    ),
  ],
  [
    'a meta behind 2 KB and the title',
    answer(
      `Content-Type: text/html${LINE}`,
      Buffer.concat([
        Buffer.from('<!doctype html><title>'),
        CYRILLIC,
        Buffer.from(`</title>${' '.repeat(2_000)}<meta charset=windows-1251><p>Words`),
      ]),
    ),
  ],
  [
    'a meta behind 70 KB of head',
    answer(
      `Content-Type: text/html${LINE}`,
      around(`<style>${' '.repeat(70_000)}</style><meta charset=windows-1251>`, CYRILLIC),
    ),
  ],
  [
    'a meta in a script behind 2 KB',
    answer(
      `Content-Type: text/html${LINE}`,
      around(
        `<script>${' '.repeat(2_000)}"<meta charset=windows-1251>"</script>`,
        Buffer.from('Caf\xe9', 'latin1'),
      ),
    ),
  ],
  [
    'a word of a body in a script behind 2 KB',
    answer(
      `Content-Type: text/html${LINE}`,
      around(`<script>"<body"${' '.repeat(2_000)}</script><meta charset=windows-1251>`, CYRILLIC),
    ),
  ],
  [
    'two metas',
    answer(
      `Content-Type: text/html${LINE}`,
      around('<meta charset=koi8-r><meta charset=windows-1251>', CYRILLIC),
    ),
  ],
  [
    'a meta of an unknown name first',
    answer(
      `Content-Type: text/html${LINE}`,
      around('<meta charset=none><meta charset=windows-1251>', CYRILLIC),
    ),
  ],
  [
    'a meta in noscript',
    answer(
      `Content-Type: text/html${LINE}`,
      around('<noscript><meta charset=windows-1251></noscript>', CYRILLIC),
    ),
  ],
  [
    'a meta in a comment',
    answer(
      `Content-Type: text/html${LINE}`,
      around('<!-- <meta charset=windows-1251> --><meta charset=koi8-r>', CYRILLIC),
    ),
  ],
  [
    'a mark of UTF-8',
    answer(`Content-Type: text/html; charset=latin1${LINE}`, `\uFEFF${page('', '', 'Café')}`),
  ],
  [
    'a mark of UTF-16',
    answer(`Content-Type: text/html${LINE}`, Buffer.from(`\uFEFF${page('', '', 'Café')}`, 'utf16le')),
  ],
  [
    'Shift_JIS',
    answer(
      `Content-Type: text/html; charset=shift_jis${LINE}`,
      around('', Buffer.from([0x93, 0xfa, 0x96, 0x7b])),
    ),
  ],
  [
    'EUC-JP',
    answer(
      `Content-Type: text/html; charset=euc-jp${LINE}`,
      around('', Buffer.from([0xc6, 0xfc, 0xcb, 0xdc])),
    ),
  ],
  [
    'GB2312',
    answer(
      `Content-Type: text/html; charset=gb2312${LINE}`,
      around('', Buffer.from([0xd6, 0xd0, 0xce, 0xc4])),
    ),
  ],
  [
    'Big5',
    answer(`Content-Type: text/html; charset=big5${LINE}`, around('', Buffer.from([0xa4, 0xa4, 0xa4, 0xe5]))),
  ],
  ['EUC-KR', answer(`Content-Type: text/html; charset=euc-kr${LINE}`, around('', Buffer.from([0xc7, 0xd1])))],
];

const LOCATIONS = [
  '/target',
  'target',
  './target',
  '/a/../target',
  '//LOCALHOST_HOST/target',
  '/target#part',
  ' /target ',
  '\\target',

  '/target?a b',
  '/target?%c3%a9',
  '/%74arget',
  '/target?{x}',
  "/target?it's",
  '/tar\tget',
  '/target?é',
  '?x=target',
  '',
  ' ',
  '#part',
  '?',
];
const REDIRECTS: Table = [
  ...named(['301 Moved', '302 Found', '303 See Other', '307 Temporary', '308 Permanent'], (status) =>
    answer(`Location: /target${LINE}`, '', status),
  ),
  ...named(['300 Choices', '304 Not Modified', '305 Use Proxy', '306 Unused', '399 Odd'], (status) =>
    answer(`${HTML}Location: /target${LINE}`, '', status),
  ),
  ...named(LOCATIONS, (location) =>
    raw(
      `HTTP/1.1 302 Found${LINE}Location: ${Buffer.from(location).toString('latin1')}${LINE}Content-Length: 0${LINE}`,
      '',
    ),
  ),
  ['no location', answer('', '', '302 Found')],
  ['an empty location before another', answer(`Location:${LINE}Location: /target${LINE}`, '', '302 Found')],
  ['an empty location behind another', answer(`Location: /target${LINE}Location: ${LINE}`, '', '302 Found')],
  ['one location twice', answer(`Location: /target${LINE}Location: /target${LINE}`, '', '302 Found')],
  ['two locations', answer(`Location: /target${LINE}Location: /other${LINE}`, '', '302 Found')],
];

/** Doors that open by a cookie: `@` is what its value ends with, by which the site knows it again. */
const COOKIES: Table = [
  'a=@',
  'a = @ ',
  'a="@"; Path=/',
  'a="@',
  '=@',
  '@',
  'a=b=@',
  'a=@; Path=/cookie',
  'a=@; Path=/cookie/',
  'a=@; Path=/cook',
  'a=@; Path=/elsewhere',
  'a=@; Path=cookie',
  'a=@; Path="/"',

  'a=@; Secure',
  'a=@; HttpOnly',
  'a=@; SameSite=Strict',
  'a=@; SameSite=None',
  'a=@; SameSite=None; Secure',
  'a=@; Domain=127.0.0.1',
  'a=@; Domain=.127.0.0.1',
  'a=@; Domain=example.com',
  'a=@; Domain=',
  'a=@; Partitioned',

  'a=@; Max-Age=60',
  'a=@; Max-Age=0',
  'a=@; Max-Age=-1',
  'a=@; Max-Age=soon',
  'a=@; Max-Age="60"',
  'a=@; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
  'a=@; Expires=Wednesday, 09-Nov-99 23:12:40 GMT',
  'a=@; Expires=Fri, 31-Dec-2066 23:59:59 GMT',
  'a=@; Expires=2066-12-31',
  'a=@; Expires=0',
  'a=@; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=60',

  '__Host-a=@; Path=/; Secure',
  '__Host-a=@; Path=/',
  '__Secure-a=@',
  'a=é@',
  'a b=@',
  'a,b=@',
  'a{}=@',
  'a=x\x01@',
  'a=x\x7f@',
  'a=x\t@',
  'a=x,y@',
  'a=x y@',
  ';a=@',
  'a=@;;;',
  'A=@; path=/; PATH=/elsewhere',
].map((cookie, index) => [
  cookie,
  answer(
    `Location: /cookie/${index}${LINE}Set-Cookie: ${cookie.replace('@', `x/cookie/${index}-`)}${LINE}`,
    '',
    '302 Found',
  ),
]);

const BASES: Table = named(
  [
    '/b/',
    'b/',
    '/b',
    '//other.example/b/',
    'https://other.example/',
    '?q',
    '#f',
    '',
    'data:text/plain,x',
    'javascript:x',
    'http://[',
    ' /b/ ',
    '/b/?x#y',
    'mailto:x@y',
  ],
  (base) => html(page(`<base href="${base}">`, '<a href="link">x</a>')),
);
const MORE_BASES: Table = [
  ['two bases', html(page('<base href="/a/"><base href="/b/">', '<a href="link">x</a>'))],
  ['a base without href first', html(page('<base target=x><base href="/b/">', '<a href="link">x</a>'))],
  ['a base in the body', html(page('', '<a href="link">x</a><base href="/b/">'))],
];

const HREFS = [
  '/l',
  'l',
  './l',
  '../l',
  '../../../l',
  '?l',
  '#l',
  '',
  ' /l ',
  '/l\n/m',
  '/l\tm',
  '\\l',
  '\\\\other.example\\l',
  '//other.example/l',

  'http:/l',
  'http:l',
  'http:///other.example/l',
  'HTTP://OTHER.example/l',
  'http://other.example:80/l',
  'http://other.example:8080/l',

  'http://user:word@other.example/l',
  'http://other.example',
  'http://other.example?l',
  'http://other.example./l',
  'http://[::1]/l',

  'http://0x7f.1/l',
  'http://2130706433/l',
  'http://other.example:99999/l',
  'http://',
  'http://[',
  'http://a b/l',
  'http://%41.example/l',

  '/l%',
  '/l%2',
  '/l%zz',
  '/%c3%a9',
  '/%C3%A9',
  '/é',
  '/%7El',
  '/~l',
  '/l%2e%2E/m',
  '/%2e%2e/l',
  '/a/%2E/l',
  '/l%00',
  '/l|m',
  '/l[m]',
  '/l{m}',

  '/l"m'.replace('"', '&quot;'),
  '/l<m',
  '/l^m',
  '/l`m',
  "/l'm",
  '/l m',
  '/l;m=1',
  '/l,m',
  '/l:m',
  ':l',
  'l:m',
  '/l@m',
  '/l//m',
  '//',
  '///l',
  '/l/./m',
  '/l/../m',

  '?l=é',
  '?l=%c3%a9',
  '?l=%7e',
  "?l='",
  '?l=a+b',
  '?l=a b',
  '?l={}',
  '?l#m',
  '?#',
  '#?l',
  '?l=1&amp;m=2',
  '?l=1&m=2',
  '?l=1&copy=2',
  '/l?m?n',

  'mailto:a@b',
  'tel:1',
  'javascript:x',
  'data:,x',
  'ftp://other.example/l',
  'https://other.example:443/l',
  'xn--l/m',
  'http://bücher.example/l',
  'http://xn--bcher-kva.example/l',
  '日本',
  '/%E6%97%A5',
];
const MORE_HREFS = [
  'http://1.2.3/l',
  'http://127.1:1/l',
  'http://0300.168.0.1/l',
  'http://256.1.1.1/l',
  'http://1.2.3.4.5/l',
  'http://0x100000000/l',

  'http://[::ffff:127.0.0.1]/l',
  'http://[1::2%25eth0]/l',
  'http://☃.example/l',
  'http://OTHER。example/l',
  'http://faß.example/l',

  'http://a_b.example/',
  'http://-a.example/',
  'http://xn--/l',
  'http://xn--a/l',
  'http://a..b/l',
  'http://.a/l',
  'http://a%2eb/l',

  'http://a%00b/l',
  'http://ot\u00ader.example/l',
  'http://ｏther.example/l',
  'http://other.example:/l',
  'http://other.example:0/l',

  'http://other.example:080/l',
  'http://other.example:65536/l',
  'http://other.example:8a/l',
  'http://@other.example/l',
  'http://:@other.example/l',

  'http://a@b@other.example/l',
  'https:l',
  'https:/l',
  'https:\\\\other.example/l',
  'http:\\l',
  'http:?l',
  'http:#l',
  'HtTp:l',

  'ht\ttp://other.example/l',
  '&#1;/l',
  '/l&#1;',
  '\u00a0/l',
  '\u3000/l',
  '\u2028/l',
  '/l\u00a0m',
  '/l\u200bm',
  '/l\u00ad',
  '/%u0041',

  '?%u0041',
  '/l%ED%A0%80',
  '/l&#xD800;',
  '?\\m',
  '/l\\m',
  '?a#b#c',
  '#a b',
  '/c:/x',
  'file:///l',
  '//user@other.example',

  '/l/..',
  '/l/.',
  '/..l',
  '/...',
  '/l/%2e',
  '/l/%2E%2E/',
  '/.%2e/l',
  '/l;/../m',
  '?/../m',
  '/l//../m',
  '?',
  '?&amp;',
  '?=',
  '#',
  '.',
  '..',

  '/.',
  '/..',
  './/l',
  './/.//l',
  '/l??',
  '&l',
  '=l',
  '+l',
  '*l',
  "/l'm?n'o",
  '/%2F',
  '/%5C',
  '/%25',
  '/%252e',
  '/l%0am',
  '?q=%0a',

  '/l&#10;m',
  '/l&#x20;',
  '&sol;l',
  '&#47;l',
  '?a=1&lang=1',
  '?a&lang;b',
  '?a&not=1',
  '?a&reg',
  '?a&amp',
  '?a&notit;',
  '?a&#x80;b',
  '?😀',
  '/😀',

  'http://😀.example/l',
  'view-source:http://other.example',
  'wss://other.example/l',
  'feed:http://other.example/l',
  'HTTP://[::1]:80/l',

  '/l%7',
  '/%%37%45',
  '/%e9',
  '?%e9',
  '/l?a=%2f%3a',
  '/%41%2d%2e%5f%7e',
  '/l!$&amp;()*+,;=:@',
  "?!$'()*+,;=:@/?",
  '/l%20',
  '/l%09',
  `/${'l'.repeat(2_000)}`,
];
const LINKS: Table = named([...HREFS, ...MORE_HREFS], (href) => html(page('', `<a href="${href}">x</a>`)));

const QUERIES: Table = named(
  [
    'windows-1252',
    'windows-1251',
    'iso-8859-2',
    'koi8-r',
    'utf-8',
    'utf-16',
    'shift_jis',
    'gb18030',
    'big5',
    'euc-kr',
    'x-user-defined',
  ],
  (charset) =>
    answer(
      `Content-Type: text/html; charset=${charset}${LINE}`,
      page('', '<a href="/l&eacute;?q=caf&eacute;&#26085;&#x41f;#&eacute;">x</a>'),
    ),
);

const MARKUP: Table = [
  ['no title', '<!doctype html><p>Words'],
  ['an empty title', page('', '', '')],
  ['two titles', page('<title>Another</title>')],
  ['a title in the body', '<!doctype html><body><p>Words<title>Late</title>'],
  ['a title in SVG first', '<!doctype html><body><svg><title>Drawn</title></svg><p>x<title>Late</title>'],
  ['a title with entities', page('', '', 'a &amp; b &copy &#128; &notin; &nosuch;')],
  ['a title with tags', page('', '', 'a <b>b</b>')],
  ['a title with white space', page('', '', ' a \n b\t c ')],
  ['a title without end', '<title>A page<p>Words'],
  [
    'a title in a template',
    page('', '<template><title>x</title></template>').replace('<title>A page</title>', ''),
  ],
  ['a head that a p ends', '<head><p>x</p><title>Late</title><link rel=canonical href=/c></head>'],
  ['no head', '<title>A page</title><link rel=canonical href=/c><p>Words'],
  ['a canonical', page('<link rel=canonical href=/c>')],
  ['a canonical among others', page('<link rel="x CANONICAL y" href=" /c ">')],
  ['a canonical of a fragment', page('<link rel=canonical href="/c#x">')],
  ['a canonical of its own query', page('<link rel=canonical href="?">')],
  ['an unquoted link', page('', '<a href=/l>x</a>')],
  ['an area', page('', '<map><area href="/l"></map>')],
  ['a nested link', page('', '<a href="/l">x<a href="/m">y</a></a>')],
  ['a link in a template', page('', '<template><a href="/l">x</a></template>')],
  ['a link in a comment', page('', '<!-- <a href="/l">x</a> -->')],
  ['a link in noscript', page('', '<noscript><a href="/l">x</a></noscript>')],
  ['a link in a textarea', page('', '<textarea><a href="/l">x</a></textarea>')],
  ['a link in SVG', page('', '<svg><a href="/l"><text>x</text></a></svg>')],
  ['a link of XLink in SVG', page('', '<svg><a xlink:href="/l"><text>x</text></a></svg>')],
  ['two addresses of a link in SVG', page('', '<svg><a xlink:href="/l" href="/m"><text>x</text></a></svg>')],
  ['a link of HTML in SVG', page('', '<svg><foreignObject><p><a href="/l">x</a></p></foreignObject></svg>')],
  ['a link in MathML', page('', '<math><mtext href="/l"><a href="/m">x</a></mtext></math>')],
  [
    'an SVG within a link',
    page('', '<a href="/l"><svg><title>x</title><a href="/m"><text>y</text></a></svg></a>'),
  ],
  ['a link in a canvas', page('', '<canvas><a href="/l">x</a></canvas>')],
  ['a link in an object', page('', '<object data="/o"><a href="/l">x</a></object>')],
  ['a link in a video', page('', '<video><a href="/l">x</a></video>')],
  ['a link in a frame', page('', '<iframe><a href="/l">x</a></iframe>')],
  ['a link in a selection', page('', '<select><option><a href="/l">x</a></option></select>')],
  [
    'a link in a shadow tree',
    page('', '<div><template shadowrootmode=open><a href="/l">x</a></template></div>'),
  ],
  ['a link in a title', page('', '<svg><title><a href="/l">x</a></title></svg>')],
  ['a link of its own prefix', page('', '<a xlink:href="/l">x</a>')],
  ['a button with an address', page('', '<button href="/l">x</button><form action="/m"></form>')],
  ['a link of an empty href', page('', '<a href>x</a>')],
  ['a link that is hidden', page('', '<a href="/l" hidden></a><div inert><a href="/m"></a></div>')],
  ['an attribute twice', page('', '<a href="/l" href="/m">x</a>')],
  ['an attribute in capitals', page('', '<A HREF="/l">x</A>')],
  ['a link in a table', page('', '<table><a href="/l">x</a><tr><td>y</table>')],
  ['a NUL', page('', '<a href="/l\0m">x\0</a>')],
  ['frames', '<html><head><title>A page</title></head><frameset><frame src="/l"></frameset></html>'],
].map(([name = '', body = '']) => [name, html(body)] as const);

const STATUS: Table = [
  ...named(
    ['203 Other', '205 Reset', '206 Partial', '207 Multi', '226 Used', '299 Odd', '400 Bad', '410 Gone'],
    (status) => answer(HTML, page(''), status),
  ),
  ...named(['451 Law', '500 Error', '503 Busy', '520 Web', '599 Odd', '600 Odd', '999 Denied'], (status) =>
    answer(HTML, page(''), status),
  ),
  ...named(
    [
      'HTTP/1.1  200 OK',
      'HTTP/1.1\t200 OK',
      'HTTP/1.1 200OK',
      'HTTP/1.1 200 ',
      'HTTP/1 200 OK',
      'HTTP/2 200',
    ],
    (line) => raw(`${line}${LINE}${HTML}`),
  ),
  ...named(
    ['HTTP/2.0 200 OK', 'HTTP/1.2 200 OK', 'HTTP/0.9 200 OK', 'HTTP/1.1 200 \xe9t\xe9', 'HTTP/1.1 0200 OK'],
    (line) => raw(`${line}${LINE}${HTML}`),
  ),
  ...named(['HTTP/1.1 20 OK', 'HTTP/1.1 2000 OK', 'HTTP/1.1 OK', 'HTTP 200 OK', 'ICY 200 OK'], (line) =>
    raw(`${line}${LINE}${HTML}`),
  ),
  ...named(['\r\n', '\n', '\r\n\r\n', 'ab'], (before) =>
    Buffer.concat([Buffer.from(before), raw(`${OK}${HTML}`)]),
  ),
  ['204 with a body', answer(HTML, page(''), '204 None')],
  [
    'two informational answers',
    raw(`HTTP/1.1 100 Continue${LINE}${LINE}HTTP/1.1 102 P${LINE}${LINE}${OK}${HTML}`),
  ],
  [
    'chunks with extensions',
    raw(`${OK}${HTML}Transfer-Encoding: chunked${LINE}`, chunked(LINE).replace(LINE, `;a="b"${LINE}`)),
  ],
  [
    'chunks with a space behind their size',
    raw(`${OK}${HTML}Transfer-Encoding: chunked${LINE}`, chunked(LINE).replace(LINE, ` ${LINE}`)),
  ],
  [
    'chunks with zeros before their size',
    raw(`${OK}${HTML}Transfer-Encoding: chunked${LINE}`, `000${chunked(LINE)}`),
  ],
  [
    'chunks in capitals',
    raw(
      `${OK}${HTML}Transfer-Encoding: Chunked${LINE}`,
      chunked(LINE).replace(/^\w+/, (size) => size.toUpperCase()),
    ),
  ],
  [
    'chunks with a trailer',
    raw(`${OK}${HTML}Transfer-Encoding: chunked${LINE}`, `${chunked(LINE).slice(0, -2)}X-A: b${LINE}${LINE}`),
  ],
  [
    'chunks that are named twice',
    raw(`${OK}${HTML}Transfer-Encoding: chunked${LINE}Transfer-Encoding: chunked${LINE}`, chunked(LINE)),
  ],
  ['a transfer as it is', raw(`${OK}${HTML}Transfer-Encoding: identity${LINE}`)],
  [
    'chunks of HTTP/1.0',
    raw(`HTTP/1.0 200 OK${LINE}${HTML}Transfer-Encoding: chunked${LINE}`, chunked(LINE)),
  ],
];

const TYPE_CHARSETS: Table = [
  ...named(
    [
      'charset=',
      'charset',
      "charset='koi8-r'",
      'charset =koi8-r',
      'charset= koi8-r',
      'charset="koi8-r',

      'charset="koi8\\-r"',
      'charset=" koi8-r "',
      'charset=koi8-r;charset=utf-8',
      'charset=none;charset=koi8-r',

      'a="b;charset=utf-8";charset=koi8-r',
      'CHARSET=KOI8-R',
      ';;charset=koi8-r',
      'charset=koi8-r;',
      'charset=koi8-r x',

      'a=b charset=koi8-r',
      'charset:koi8-r',
      'charset=;charset=koi8-r',
      'charset="";charset=koi8-r',
      'x-charset=koi8-r',

      'charset=koi8-r, text/html',
      'charset=koi8-r, text/html; charset=windows-1251',
      'charset=koi8-r, text/html; charset=none',

      'charset=koi8-r, x',
      'charset=koi8-r,',
      'charset="koi8-r, text/html"',
      'charset=koi8-r"',
      'charset=koi8_r',
      'charset=%6boi8-r',
    ],
    (rest) =>
      answer(`Content-Type: text/html;${rest}${LINE}`, around('<meta charset=windows-1251>', CYRILLIC)),
  ),
  ...named(
    ['text/html charset=koi8-r', 'text/html, charset=koi8-r', 'text/plain;charset=koi8-r, text/html'],
    (type) => answer(`Content-Type: ${type}${LINE}`, around('<meta charset=windows-1251>', CYRILLIC)),
  ),
];
const SNIFFED: Table = named(
  [
    '<!DOCTYPE HTML>',
    '<!doctype html SYSTEM "x">',
    '<HTML>',
    '<html/>',
    '<html\n>',
    '<head>',
    '<iframe src=x></iframe>',

    '<style></style>',
    '<title>x</title>',
    '<body>',
    '<br>',
    '<br/>',
    '<font>',
    '<tr>',
    '<ul>',
    '<h2>',
    '<p class=x>',

    '\uFEFF<html>',
    'Text <html>',
    '<?xml version="1.0"?><html>',
    '\f<html>',
    '</html>',
    '<!-',
    '<img>',
    '<center>',
  ],
  (start) => answer('', `${start}<title>A page</title><p>Words`),
);
const MORE_CHARSETS: Table = [
  ...named(
    [
      'gbk',
      'gb18030',
      'gb_2312-80',
      'hz-gb-2312',
      'iso-2022-kr',
      'iso-2022-cn',
      'utf-7',
      'unicode',
      'utf-16be',
      'ucs-2',

      'us-ascii',
      'iso-8859-8-i',
      'logical',
      'visual',
      'iso-8859-16',
      'iso-8859-17',
      'tis-620',
      'windows-874',
      'windows-1255',

      'utf-32',
      'cesu-8',
      'big5-hkscs',
      'ks_c_5601-1987',
      'x-x-big5',
      'csisolatin2',
      'l5',
      'l9',
      'x-sjis',
      'windows-31j',

      'iso-2022-jp',
      'x-mac-roman',
      'unicode-1-1-utf-8',
      'x-unicode20utf8',
      'replacement',
      'cp1252',
      'cp65001',
    ],
    (label) =>
      answer(
        `Content-Type: text/html; charset=${label}${LINE}`,
        around('<meta charset=windows-1251>', CYRILLIC),
      ),
  ),
  ...named(
    [
      '<meta charset=" windows-1251 ">',
      '<META CHARSET=WINDOWS-1251>',
      '<meta/charset=windows-1251>',
      '<meta charset = "windows-1251" />',
      '<meta content="text/html; charset=windows-1251" http-equiv="Content-Type">',
      '<meta http-equiv=content-type content="text/html; charset=&quot;windows-1251&quot;">',
      '<meta http-equiv=content-type content=\'text/html; charset="windows-1251"\'>',
      "<meta http-equiv=content-type content='text/html; charset=\"windows-1251'><meta charset=koi8-r>",
      '<meta http-equiv=content-type content="charset x charset = windows-1251;">',
      '<meta http-equiv=content-type content="text/html; charset=windows-1251 x">',
      '<meta http-equiv=content-type content="windows-1251"><meta charset=koi8-r>',
      '<meta http-equiv=" content-type " content="charset=windows-1251"><meta charset=koi8-r>',
      '<meta name=content-type content="text/html; charset=windows-1251"><meta charset=koi8-r>',
      '<meta charset=koi8-r http-equiv=content-type content="text/html; charset=windows-1251">',
      '<meta http-equiv=content-type content="text/html; charset=windows-1251" charset=koi8-r>',
      '<meta charset=koi8-r charset=windows-1251>',
      '<a title="<meta charset=koi8-r>"></a><meta charset=windows-1251>',
      '<!--><meta charset=windows-1251>-->',
      '<!---><meta charset=windows-1251>-->',
      '<!-- > --><meta charset=windows-1251>',
      '</meta charset=koi8-r><meta charset=windows-1251>',
      '<!meta charset=koi8-r><meta charset=windows-1251>',
      '<?meta charset=koi8-r><meta charset=windows-1251>',
      '<metax charset=koi8-r><meta charset=windows-1251>',
      '<script>"<meta charset=koi8-r>"</script><meta charset=windows-1251>',
      '<style><meta charset=koi8-r></style><meta charset=windows-1251>',
      '<meta\ncharset\n=\nwindows-1251\n>',
      "<meta charset='windows-1251>'><meta charset=koi8-r>",
      '<template><meta charset=windows-1251></template>',
      '<svg><meta charset=windows-1251></svg>',
      `<!--${' '.repeat(960)}--><meta charset=windows-1251>`,
      `<!--${' '.repeat(985)}--><meta charset=windows-1251>`,
      `<style>${' '.repeat(2_000)}</style><meta http-equiv=content-type content="text/html;charset=windows-1251">`,
      `<style>${' '.repeat(2_000)}</style><meta http-equiv=content-type content='charset=windows-1251"'>`,
      `<style>${' '.repeat(2_000)}</style><meta http-equiv=content-type content="charset x; charset=windows-1251">`,
      `<style>${' '.repeat(2_000)}</style><meta charset=none><meta charset=windows-1251>`,
      `<style>${' '.repeat(2_000)}</style><meta charset=utf-16><meta charset=windows-1251>`,
    ],
    (before) => answer(`Content-Type: text/html${LINE}`, around(before, CYRILLIC)),
  ),
  ...named(
    [
      '<?xml version="1.0" encoding="windows-1251"?>',
      "<?xml version='1.0' encoding='windows-1251'?>",
      '<?xml version="1.0" encoding = "windows-1251" ?>',
      '<?xml encoding="utf-16"?><meta charset=windows-1251>',
      '<?xml version="1.0" encoding="koi8-r"?><meta charset=windows-1251>',
      ' <?xml version="1.0" encoding="koi8-r"?><meta charset=windows-1251>',
      '<?xml version="1.0" encoding="none"?><meta charset=windows-1251>',
      '<?XML version="1.0" encoding="koi8-r"?><meta charset=windows-1251>',
    ],
    (before) =>
      answer(
        `Content-Type: text/html${LINE}`,
        Buffer.concat([Buffer.from(`${before}<title>`), CYRILLIC, Buffer.from('</title><p>Words')]),
      ),
  ),
  [
    'a mark of UTF-8 and a meta',
    answer(`Content-Type: text/html${LINE}`, `\uFEFF<meta charset=koi8-r>${page('', '', 'Café')}`),
  ],
  [
    'a mark of UTF-16, big end first',
    answer(
      `Content-Type: text/html; charset=utf-8${LINE}`,
      Buffer.from(`\uFEFF${page('', '', 'Café')}`, 'utf16le').swap16(),
    ),
  ],
  [
    'UTF-16 without a mark',
    answer(`Content-Type: text/html; charset=utf-16${LINE}`, Buffer.from(page('', '', 'Café'), 'utf16le')),
  ],
  ['UTF-8 with an octet that is none', answer(`Content-Type: text/html; charset=utf-8${LINE}`, LATIN)],
  [
    'ISO-2022-JP by a meta',
    answer(
      `Content-Type: text/html${LINE}`,
      around('<meta charset=iso-2022-jp>', Buffer.from('\x1b$BF|K\\\x1b(B')),
    ),
  ],
  [
    'GBK by a meta',
    answer(
      `Content-Type: text/html${LINE}`,
      around('<meta charset=gbk>', Buffer.from([0xd6, 0xd0, 0xce, 0xc4])),
    ),
  ],
];

const refreshing = (metas: string, body = ''): Buffer => html(page(metas, body));
const MORE_REFRESHES: Table = [
  ...named(
    [
      '0;url==/target',
      '0;;/target',
      '0; url=\n/target',
      '+0;url=/target',
      '1e0;/target',
      '0,url=/target',
      '0;url=/tar\nget',

      '0;u=/target',
      '0;url',

      '0;url=?x',
      '0;url=#x',
      "0;'/target'",
      '0;"/target" x',
      '0;url="/target" x',

      '0;url=javascript:x',
      '0;url=/a;b',
      '0;url=/a,b',
      '\u00a00;url=/target',
      '0\u00a0;url=/target',
      '٠;url=/target',
      '0;url=\u00a0/target',

      '0;url=\\target',
      '0;url=http:/target',
      '0;uRl=/target',
      '0.;/target',
      '0..5;/target',
      '0;url = "/target',
      '0\f;\furl=/target',
    ],
    (content) => refreshing(`<meta http-equiv=refresh content="${content.replaceAll('"', '&quot;')}">`),
  ),
  [
    'two',
    refreshing('<meta http-equiv=refresh content="0;/target"><meta http-equiv=refresh content="0;/other">'),
  ],
  [
    'none first',
    refreshing('<meta http-equiv=refresh content="x"><meta http-equiv=refresh content="0;/other">'),
  ],
  [
    'empty first',
    refreshing('<meta http-equiv=refresh content=""><meta http-equiv=refresh content="0;/other">'),
  ],
  ['in the body', refreshing('', '<meta http-equiv=refresh content="0;/target">')],
  ['in noscript', refreshing('<noscript><meta http-equiv=refresh content="0;/target"></noscript>')],
  ['in a template', refreshing('<template><meta http-equiv=refresh content="0;/target"></template>')],
  ['in SVG', refreshing('', '<svg><meta http-equiv=refresh content="0;/target"></svg>')],
  ['white space about its name', refreshing('<meta http-equiv=" refresh " content="0;/target">')],
  ['in capitals', refreshing('<META HTTP-EQUIV=REFRESH CONTENT="0;/target">')],
  ['by another attribute', refreshing('<meta name=refresh content="0;/target">')],
  ['beside a name', refreshing('<meta name=x http-equiv=refresh content="0;/target">')],
  ['beside a base', refreshing('<base href="/b/"><meta http-equiv=refresh content="0;target">')],
  ['before a base', refreshing('<meta http-equiv=refresh content="0;target"><base href="/b/">')],
  [
    'beside a header',
    answer(`${HTML}Refresh: 0;/other${LINE}`, page('<meta http-equiv=refresh content="0;/target">')),
  ],
  ['two headers', answer(`${HTML}Refresh: 0;/target${LINE}Refresh: 0;/other${LINE}`)],
  ['a header of none before another', answer(`${HTML}Refresh: x${LINE}Refresh: 0;/other${LINE}`)],
  ['of an error page', answer(HTML, page('<meta http-equiv=refresh content="0;/target">'), '404 Missing')],
  ['a header of an error page', answer(`${HTML}Refresh: 0;/target${LINE}`, page(''), '404 Missing')],
];

const MORE_REDIRECTS: Table = [
  ...named(
    [
      'data:text/html,x',
      'javascript:x',
      'mailto:a@b',
      'http:target',
      'http:/target',
      '/./target',
      '/%2e/target',
      '/a%2fb',

      '/target%',
      '/target?%',
      '/target\\x',
      '/target?\\',
      '/日本',
      '/target;a',
      '"/target"',
      '</target>',
      'URL=/target',
      '/target?a=1&amp;b=2',

      '/target, /other',
      '//',
      '///target',
      '/target?a=b c',
      '/target?q="x"',
      '/target?q=<x>',
      '/target^x',
      '/target`x',
      '/tar%09get',

      '.',
      '..',
      '/target#a#b',
      '\t/target',
      '/target\t',
      '/😀',
      'target?x=/../y',
      '/target/..',
      '/target/.',
      ':target',
      'x:target',
    ],
    (location) =>
      raw(
        `HTTP/1.1 302 Found${LINE}Location: ${Buffer.from(location).toString('latin1')}${LINE}Content-Length: 0${LINE}`,
        '',
      ),
  ),
  ...named(['/caf\xe9', '/?caf\xe9', '/\xa0target', '/\xff\xfe'], (location) =>
    raw(`HTTP/1.1 302 Found${LINE}Location: ${location}${LINE}Content-Length: 0${LINE}`, ''),
  ),
  ...named(['200 OK', '201 Created', '202 Accepted', '404 Missing', '503 Busy'], (status) =>
    answer(`${HTML}Location: /target${LINE}`, page(''), status),
  ),
  ['a location in capitals', answer(`LOCATION: /target${LINE}`, '', '301 Moved')],
  ['a folded location', answer(`Location:${LINE} /target${LINE}`, '', '301 Moved')],
  ['a space before the colon of a location', answer(`Location : /target${LINE}`, '', '301 Moved')],
  ['a content location', answer(`${HTML}Content-Location: /target${LINE}`, page('', '<a href="l">x</a>'))],
  [
    'a redirect and a refresh',
    answer(`${HTML}Location: /target${LINE}Refresh: 0;/other${LINE}`, page(''), '302 Found'),
  ],
  [
    'a broken coding of a redirect',
    answer(`${HTML}Location: /target${LINE}Content-Encoding: gzip${LINE}`, 'x', '302 Found'),
  ],
  ['a redirect without a length', raw(`HTTP/1.1 302 Found${LINE}Location: /target${LINE}`, '')],
  ['a redirect of HTTP/1.0', raw(`HTTP/1.0 302 Found${LINE}Location: /target${LINE}`, '')],
];

const LAST_BASES: Table = [
  ...named(
    [
      '/b/#x',
      '../b/',
      './',
      'b',
      '/b/%2e%2e/',
      'http:b/',
      'file:///x/',
      'blob:x',
      'about:blank',
      'javascript:',
      ' ',

      '\\b\\',
      '/b\t/c/',
      'ws://other.example/b/',
      '/b//',
      '/b/..',
      'DATA:,x',
      ' data:,x',
      'ftp://other.example/b/',
      '/b/;x/',
      '/é/',
      '?é',
    ],
    (base) => html(page(`<base href="${base}">`, '<a href="link">x</a><a href="?q">y</a><a href="#f">z</a>')),
  ),
  ['a base behind a canonical', html(page('<link rel=canonical href=c><base href="/b/">'))],
  ['a base in noscript', html(page('<noscript><base href="/b/"></noscript>', '<a href="link">x</a>'))],
  ['a base in a template', html(page('<template><base href="/b/"></template>', '<a href="link">x</a>'))],
  ['a base in SVG', html(page('', '<svg><base href="/b/"></svg><a href="link">x</a>'))],
  ['a base in a paragraph', html(page('', '<p><base href="/b/"></p><a href="link">x</a>'))],
  [
    'a base of data before another',
    html(page('<base href="data:,x"><base href="/b/">', '<a href="link">x</a>')),
  ],
  ['an empty base before another', html(page('<base href=""><base href="/b/">', '<a href="link">x</a>'))],
  ['a base in a frame', html(page('', '<iframe srcdoc="<base href=/b/>"></iframe><a href="link">x</a>'))],
  ['a base of XML', html(page('', '<div xml:base="/b/"><a href="link">x</a></div>'))],
];

const MORE_MARKUP: Table = [
  ['a frame with a document', page('', '<iframe srcdoc="<a href=/l>x</a>"></iframe>')],
  ['plain text', page('', '<a href="/l">x</a><plaintext><a href="/m">y</a>')],
  ['an example', page('', '<xmp><a href="/l">x</a></xmp><a href="/m">y</a>')],
  ['a listing', page('', '<listing><a href="/l">x</a></listing>')],
  ['noembed', page('', '<noembed><a href="/l">x</a></noembed><noframes><a href="/m">x</a></noframes>')],
  ['a textarea without end', page('', '<a href="/l">x</a><textarea><a href="/m">y</a>')],
  ['a comment without end', page('', '<a href="/l">x</a><!-- <a href="/m">y</a>')],
  ['a comment that ends at once', page('', '<!--><a href="/l">x</a>--><!---><a href="/m">y</a>')],
  ['a comment with another end', page('', '<!-- x --!><a href="/l">x</a> -->')],
  ['a comment in a comment', page('', '<!-- <!-- --><a href="/l">x</a> -->')],
  ['CDATA', page('', '<![CDATA[<a href="/l">x</a>]]><a href="/m">y</a>')],
  ['CDATA in SVG', page('', '<svg><![CDATA[<a href="/l">x</a>]]></svg><a href="/m">y</a>')],
  ['an instruction', page('', '<?php echo "<a href=/l>x</a>" ?><a href="/m">y</a>')],
  ['a link with slashes', page('', '<a/href="/l"/>x</a>')],
  ['an unquoted link with a slash at its end', page('', '<a href=/l/>x</a>')],
  ['an unquoted link with a quote', page('', '<a href=/l"m>x</a>')],
  ['an attribute without end', page('', '<a href="/l">x</a><a href="/m>y</a><a href="/n">z</a>')],
  ['no space between attributes', page('', '<a title="x"href="/l"rel="y">x</a>')],
  ['lines in a tag', page('', '<a\n\thref\n=\n"/l"\n>x</a\n>')],
  ['an equals sign first', page('', '<a =href="/l" href="/m">x</a>')],
  ['a tag within a tag', page('', '<a href="/l" <b>x</b></a>')],
  ['a link without address', page('', '<a name=x>x</a><a>y</a>')],
  ['a block in a link', page('', '<p><a href="/l">x<div>y</div><p>z</a>')],
  ['links in a link with blocks', page('', '<a href="/l"><div>x<a href="/m">y</a></div></a>')],
  ['a link in a cell in a link', page('', '<a href="/l"><table><tr><td><a href="/m">y</a></table>z</a>')],
  ['a link between rows', page('', '<table><tr><a href="/l">x</a><td><a href="/m">y</a></table>')],
  ['a link without end', page('', '<p><a href="/l">x<p>y<p>z')],
  ['links in SVG in each other', page('', '<svg><a href="/l"><a href="/m"><text>x</text></a></a></svg>')],
  ['a paragraph in SVG', page('', '<svg><p><a href="/l">x</a></svg>')],
  ['a style in SVG', page('', '<svg><style><a href="/l">x</a></style></svg>')],
  ['a description in SVG', page('', '<svg><desc><a href="/l">x</a></desc></svg>')],
  ['SVG in capitals', page('', '<SVG><A XLINK:HREF="/l"><TEXT>x</TEXT></A></SVG>')],
  [
    'an annotation of MathML',
    page('', '<math><annotation-xml encoding="text/html"><a href="/l">x</a></annotation-xml></math>'),
  ],
  ['an area without map', page('', '<area href="/l"><map><p><area href="/m" shape=default></map>')],
  ['an image in old spelling', page('', '<image src="/i"><a href="/l">x</a>')],
  [
    'a dialog and details',
    page('', '<dialog><a href="/l">x</a></dialog><details><a href="/m">y</a></details>'),
  ],
  [
    'a script with a comment',
    page('', '<script><!-- <script> </script> <a href="/l">x</a> --></script><a href="/m">y</a>'),
  ],
  ['a script with its end in a text', page('', '<script>"</script><a href=/l>x</a>"</script>')],
  ['a second body', page('', '</body><body lang=de><a href="/l">x</a></body></html><a href="/m">y</a>')],
  ['a second head', page('', '<head><title>Another</title><link rel=canonical href=/c></head>')],
  [
    'a title of SVG in a foreign object',
    '<!doctype html><body><svg><foreignObject><title>Late</title></foreignObject></svg>',
  ],
  ['a title in noscript', '<!doctype html><noscript><title>No</title></noscript><title>Yes</title>'],
  ['a title that closes itself', '<!doctype html><title/>A page</title><p>Words'],
  ['a title with an end of another', '<!doctype html><title>A </titl>page</title ><p>Words'],
  ['a title with a comment', page('', '', 'a <!-- b --> c')],
  ['a title with references', page('', '', 'a &ampb &lt;c&gt; &#0; &#xD800; &#x110000; &#150; &hellip')],
  ['a title with breaks', page('', '', '\r\na\fb\rc\r\n')],
  ['an empty title before another', '<!doctype html><title></title><title>Another</title><p>Words'],
  ['a title in a frame set', '<html><frameset><title>No</title></frameset><title>Late</title></html>'],
  ['a title in a list', '<!doctype html><ul><li><title>Late</title></ul>'],
  ['a title in MathML', '<!doctype html><math><mi><title>Late</title></mi></math>'],
  ['a title with a NUL', page('', '', 'a\0b')],
  ...named(
    [
      '<noscript><img src=/i></noscript>',
      '<noscript><p>x</p></noscript>',
      '<div></div>',
      '<img>',
      '<iframe></iframe>',
      '<object></object>',

      '<custom-tag></custom-tag>',
      '<svg></svg>',
      'x',
      '&nbsp;',
      '\uFEFF',
      '<template><div></div></template>',
      '</p>',
      '</br>',
      '<style></style>',

      '<!-- x -->',
      '</head>',
      '</head><body>',
      '<input type=hidden>',
      '<script></script>',
      '<bgsound>',
      '<basefont>',
      '</div>',
      '<head>',
      '<html x>',
      '<a>',

      '<meta>',
      '<title>x</title>',
      '<noframes></noframes>',
      '<frameset>',
      '\f',
      '\0',
      '</template>',
      '<![CDATA[x]]>',
      '<?x?>',
      '</html>',
    ],
    (before) =>
      html(`<!doctype html><head><title>A page</title>${before}<link rel=canonical href=/c></head><p>Words`),
  ).map(
    ([before, at]) =>
      [`a canonical behind ${JSON.stringify(before)}`, at.toString().split('\r\n\r\n')[1] ?? ''] as const,
  ),
  ...named(
    [
      'rel=canonical,',
      'rel="canonical&nbsp;x"',
      'REL=CANONICAL',
      'rel=canonical rel=next',
      'rel="alternate canonical"',
      'rel="&#9;canonical&#10;"',

      'rel=canonical hidden',
      'rev=canonical',
      'rel=canonicals',
      'property=canonical',
      'name=canonical',
      'rel="\u200bcanonical"',
      'rel="cano nical"',
    ],
    (attributes) => html(page(`<link ${attributes} href=/c>`)),
  ).map(
    ([attributes, at]) => [`a canonical by ${attributes}`, at.toString().split('\r\n\r\n')[1] ?? ''] as const,
  ),
  ...named(
    [
      '//[',
      'c',
      '//other.example/c',
      'https://other.example',
      '/c?a=1&amp;b=2',
      '/c d',
      '/c\td',
      '\\c',
      'data:,x',
      'mailto:x@y',
      '&#10;/c&#10;',
      '/%63',
      '/c/../d',
      'HTTP://OTHER.EXAMPLE:80/C',
      '.',
      '#',
      '\u00a0/c',
    ],
    (href) => html(page(`<link rel=canonical href="${href}">`)),
  ).map(
    ([href, at]) =>
      [`a canonical of ${JSON.stringify(href)}`, at.toString().split('\r\n\r\n')[1] ?? ''] as const,
  ),
].map(([name = '', body = '']) => [name, html(body)] as const);

const TREE = '<a href="/l">x</a>';
const declared = (attributes: string, content = TREE): string =>
  `<template ${attributes}>${content}</template>`;
const OPEN = declared('shadowrootmode=open');

const SHADOWS: Table = [
  ...named(
    [
      'shadowrootmode=OPEN',
      'shadowrootmode=bogus',
      'shadowrootmode',
      'shadowroot=open',
      'ShadowRootMode="open"',

      'shadowrootmode="open "',
      'shadowrootmode=open shadowrootdelegatesfocus',
      'shadowrootmode=open shadowrootclonable',
    ],
    (attributes) => html(page('', `<div>${declared(attributes)}</div>`)),
  ),
  ...named(
    [
      'my-box',
      'article',
      'aside',
      'blockquote',
      'footer',
      'h2',
      'header',
      'main',
      'nav',
      'p',
      'section',
      'span',

      'ul',
      'li',
      'a',
      'button',
      'form',
      'table',
      'label',
      'em',
      'details',
      'dialog',
      'figure',
      'font-face',
      'pre',
    ],
    (host) => html(page('', `<${host}>${OPEN}<i>light</i></${host}>`)),
  ),
  [
    'two in one host',
    html(page('', `<div>${OPEN}${declared('shadowrootmode=open', '<a href="/m">y</a>')}</div>`)),
  ],
  ['one in another', html(page('', `<x-a>${declared('shadowrootmode=open', `<x-b>${OPEN}</x-b>`)}</x-a>`))],
  ['in a template', html(page('', `<template><div>${OPEN}</div></template>`))],
  [
    'with a slot',
    html(page('', `<div>${declared('shadowrootmode=open', `${TREE}<slot></slot>`)}<a href="/m">y</a></div>`)),
  ],
  ['in the head', html(page(OPEN))],
  ['at the end of the body', html(page('', OPEN))],
  ['in SVG', html(page('', `<svg><g>${OPEN}</g></svg>`))],
  [
    'with a title and a canonical',
    html(
      page(
        '',
        `<div>${declared('shadowrootmode=open', '<title>u</title><link rel=canonical href=/c>')}</div>`,
      ),
    ),
  ],
  ['never closed', html(page('', `<div><template shadowrootmode=open>${TREE}</div>`))],
];

const XHTML = `Content-Type: application/xhtml+xml${LINE}`;
const XMLNS = 'xmlns="http://www.w3.org/1999/xhtml"';
const xhtml = (head: string, body = '', start = ''): Buffer =>
  answer(
    XHTML,
    `${start}<html ${XMLNS}><head>${head}<title>A page</title></head><body><p>Words</p>${body}</body></html>`,
  );

const XHTML_PAGES: Table = [
  ['plain', xhtml('', '<a href="/l">x</a>')],
  ['a script that closes itself', xhtml('<script src="/s.js"/>', '<a href="/l">x</a>')],
  ['a style that closes itself', xhtml('<style/>', '<a href="/l">x</a>')],
  ['a link that closes itself', xhtml('', '<a href="/l"/><a href="/m">y</a>')],
  ['a template that closes itself', xhtml('<template/>', '<a href="/l">x</a>')],
  ['names in upper case', xhtml('', '<A HREF="/l">x</A><a HREF="/m">y</a><a href="/n">z</a>')],
  [
    'a prefix',
    answer(
      XHTML,
      `<h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:head><h:title>A page</h:title></h:head><h:body><h:a href="/l">x</h:a></h:body></h:html>`,
    ),
  ],
  ['a canonical', xhtml('<link rel="canonical" href="/c"/>')],
  ['a base', xhtml('<base href="/d/"/>', '<a href="l">x</a>')],
  ['xml:base', xhtml('', '<div xml:base="/d/"><a href="l">x</a></div>')],
  ['CDATA', xhtml('', '<![CDATA[<a href="/m">y</a>]]><a href="/l">x</a>')],
  ['a comment in a script', xhtml('<script><!-- var a = "</title>"; --></script>', '<a href="/l">x</a>')],
  [
    'entities of a doctype',
    xhtml(
      '',
      '<a href="/l?a=1&amp;b=2">&nbsp;</a>',
      '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">',
    ),
  ],
  ['entities of its own', xhtml('', '<a href="/&path;">x</a>', '<!DOCTYPE html [<!ENTITY path "l">]>')],
  [
    'an encoding in its declaration',
    answer(
      XHTML,
      Buffer.from(
        `<?xml version="1.0" encoding="iso-8859-2"?><html ${XMLNS}><head><title>\u00b1</title></head><body><p>x</p></body></html>`,
        'latin1',
      ),
    ),
  ],
  ['a meta of another encoding', xhtml('<meta charset="koi8-r"/>', '<a href="/l">x</a>')],
  [
    'a link in SVG',
    xhtml(
      '',
      '<svg xmlns="http://www.w3.org/2000/svg" xmlns:k="http://www.w3.org/1999/xlink"><a k:href="/l"><text>x</text></a></svg>',
    ),
  ],
  ['a nested link', xhtml('', '<a href="/l">x<a href="/m">y</a></a>')],
  ['a paragraph in a paragraph', xhtml('', '<p><p><a href="/l">x</a></p></p>')],
  ['a shadow tree', xhtml('', '<div><template shadowrootmode="open"><a href="/l">x</a></template></div>')],
];

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const MP4 = Buffer.concat([
  Buffer.from('0000001c', 'hex'),
  Buffer.from('ftypisom\0\0\x02\0isomiso2mp41', 'latin1'),
]);
const ZIP = Buffer.concat([
  Buffer.from('PK\x03\x04\x14\0', 'latin1'),
  Buffer.alloc(20),
  Buffer.from('a.txt'),
]);
const DOCX = Buffer.concat([
  Buffer.from('PK\x03\x04\x14\0', 'latin1'),
  Buffer.alloc(20),
  Buffer.from('[Content_Types].xml'),
]);
const RSS =
  '<?xml version="1.0"?><rss version="2.0"><channel><title>A feed</title><link>/l</link></channel></rss>';
const ICAL = 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n';
const JSON_TEXT = '{"title": "<a href=/l>x</a>"}';
const file = (type: string, body: string | Buffer): Buffer => answer(`Content-Type: ${type}${LINE}`, body);

/** What is no page, by its type or by its bytes. */
const FILES: Table = [
  ['an image', file('image/png', PNG)],
  ['an image called HTML', file('text/html', PNG)],
  ['an image without a type', answer('', PNG)],
  [
    'a drawing',
    file('image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"><a href="/l"><text>x</text></a></svg>'),
  ],
  ['a video', file('video/mp4', MP4)],
  ['a video called HTML', file('text/html', MP4)],
  ['an archive', file('application/zip', ZIP)],
  ['an archive called HTML', file('text/html', ZIP)],
  ['an office file', file('application/vnd.openxmlformats-officedocument.wordprocessingml.document', DOCX)],
  ['an office file called HTML', file('text/html', DOCX)],
  ['a PDF called HTML', file('text/html', '%PDF-1.4\n1 0 obj\n<a href=/l>x</a>')],
  ['a feed', file('application/rss+xml', RSS)],
  ['a feed called XML', file('text/xml', RSS)],
  ['a calendar', file('text/calendar', ICAL)],
  ['JSON', file('application/json', JSON_TEXT)],
  ['JSON of a kind', file('application/ld+json', JSON_TEXT)],
  ['a script', file('text/javascript', 'var a = "<a href=/l>x</a>";')],
  ['a style sheet', file('text/css', 'a::after { content: "<a href=/l>x</a>"; }')],
  ['a font', file('font/woff2', Buffer.from('wOF2\0\x01\0\0', 'latin1'))],
  ['a page called octets', file('application/octet-stream', page('', '<a href=/l>x</a>'))],
  ['a page called an image', file('image/png', page('', '<a href=/l>x</a>'))],
  ['a page called a text', file('text/plain', page('', '<a href=/l>x</a>'))],
  ['a page called JSON', file('application/json', page('', '<a href=/l>x</a>'))],
];

const KINDS: readonly (readonly [kind: string, source: string, cases: Table])[] = [
  ['framing', 'node 6517, http-parser 289, crawlee 583; RFC 9112', FRAMING],
  ['coding', 'crawlee 976 and 1067, nocodb 14038; RFC 9110 §8.4', CODINGS],
  ['type', 'mimesniff 30; MIME Sniffing §7', [...TYPES, ...SNIFFED]],
  ['refresh', 'wpull 465; HTML, shared declarative refresh steps', [...REFRESH, ...MORE_REFRESHES]],
  ['refresh-header', 'surf 38; HTML, shared declarative refresh steps', HEADER_REFRESH],
  ['charset', 'HTML, encoding sniffing algorithm', [...CHARSETS, ...MORE_CHARSETS]],
  ['redirect', 'scrapy 1225; RFC 9110 §15.4; Fetch, location URL', [...REDIRECTS, ...MORE_REDIRECTS]],
  ['cookie', 'scrapy 1225; RFC 6265bis §5', COOKIES],
  ['base', 'HTML, document base URL', [...BASES, ...MORE_BASES, ...LAST_BASES]],
  ['link', 'URL Standard; RFC 3986 §6.2.2; matomo 7209', LINKS],
  ['query', 'crawler4j 123; URL Standard, query state', QUERIES],
  ['markup', 'HTML, parsing', [...MARKUP, ...MORE_MARKUP]],
  ['status', 'RFC 9112 §4 and §7', STATUS],
  ['type-charset', 'MIME Sniffing §4; Fetch, extract a MIME type', TYPE_CHARSETS],
  ['shadow', 'HTML, template shadowrootmode', SHADOWS],
  ['xhtml', 'HTML, parsing XHTML documents', XHTML_PAGES],
  ['file', 'MIME Sniffing §6 to §8', FILES],
];

export const ODDITIES: readonly Oddity[] = KINDS.flatMap(([kind, source, cases]) =>
  cases.map(([name, answer], index) => ({ kind, source, name, path: `/${kind}/${index}`, answer })),
);
