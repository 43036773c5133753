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
      ...[
        'text/html',
        'TEXT/HTML',
        'text/html;',
        'text/html;charset',
        'text/html; charset="utf-8"',
        ' text/html ',
      ],
      ...['text/html, text/html; charset=utf-8', 'html', '*/*', 'text/', '/html', 'text', 'text/html/x', ''],
      ...[
        'unknown/unknown',
        'application/unknown',
        'application/xhtml+xml',
        'text/html, */*',
        'text/html;a=b;;',
      ],
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
  ...[
    '0; url=/target',
    '0;url=/target',
    '0;/target',
    '0; /target',
    '0,/target',
    '0 /target',
    '0 url=/target',
    '.5;/target',
  ],
  ...[
    "0;url='/target'",
    '0;url="/target"',
    `0;url="/target?a='b'"`,
    '0;url="/target',
    '0;URL = /target',
    '0; url=/target#a',
  ],
  ...['url=/target', ';/target', 'now;url=/target', '-1;/target', '0x;/target', '/target', '0/target', ''],
  ...['0.9.9;/target', ' \t0 ; url = /target', '0;ur=/target', '0;urlx', '00;/target', '0;url=//['],
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
  ...[
    '/target',
    'target',
    './target',
    '/a/../target',
    '//LOCALHOST_HOST/target',
    '/target#part',
    ' /target ',
    '\\target',
  ],
  ...[
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
  ],
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
  ...[
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
  ],
  ...[
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
  ],
  ...[
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
  ],
  ...[
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
  ],
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
  ...[
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
  ],
  ...[
    'http:/l',
    'http:l',
    'http:///other.example/l',
    'HTTP://OTHER.example/l',
    'http://other.example:80/l',
    'http://other.example:8080/l',
  ],
  ...[
    'http://user:word@other.example/l',
    'http://other.example',
    'http://other.example?l',
    'http://other.example./l',
    'http://[::1]/l',
  ],
  ...[
    'http://0x7f.1/l',
    'http://2130706433/l',
    'http://other.example:99999/l',
    'http://',
    'http://[',
    'http://a b/l',
    'http://%41.example/l',
  ],
  ...[
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
  ],
  ...[
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
  ],
  ...[
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
  ],
  ...[
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
  ],
];
const LINKS: Table = named(HREFS, (href) => html(page('', `<a href="${href}">x</a>`)));

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

const KINDS: readonly (readonly [kind: string, source: string, cases: Table])[] = [
  ['framing', 'node 6517, http-parser 289, crawlee 583; RFC 9112', FRAMING],
  ['coding', 'crawlee 976 and 1067, nocodb 14038; RFC 9110 §8.4', CODINGS],
  ['type', 'mimesniff 30; MIME Sniffing §7', TYPES],
  ['refresh', 'wpull 465; HTML, shared declarative refresh steps', REFRESH],
  ['refresh-header', 'surf 38; HTML, shared declarative refresh steps', HEADER_REFRESH],
  ['charset', 'HTML, encoding sniffing algorithm', CHARSETS],
  ['redirect', 'scrapy 1225; RFC 9110 §15.4; Fetch, location URL', REDIRECTS],
  ['cookie', 'scrapy 1225; RFC 6265bis §5', COOKIES],
  ['base', 'HTML, document base URL', [...BASES, ...MORE_BASES]],
  ['link', 'URL Standard; RFC 3986 §6.2.2; matomo 7209', LINKS],
  ['query', 'crawler4j 123; URL Standard, query state', QUERIES],
  ['markup', 'HTML, parsing', MARKUP],
];

export const ODDITIES: readonly Oddity[] = KINDS.flatMap(([kind, source, cases]) =>
  cases.map(([name, answer], index) => ({ kind, source, name, path: `/${kind}/${index}`, answer })),
);
