import { expect, test } from 'vitest';
import { guessedFormat } from '../../../../src/site/access-logs/formats/guessed-format.ts';
import { LogLine } from '../../../../src/site/access-logs/log-line.ts';
import { LogTime } from '../../../../src/site/access-logs/log-time.ts';
import { errorOf } from '../../../support/error-of.ts';
import { AGENT, line, linesOf } from '../lines-of.ts';

const AKAMAI =
  '#Fields: date time cs-ip cs-method cs-uri sc-status sc-bytes time-taken cs(Referer) cs(User-Agent) cs(Cookie)';
const akamai = (uri: string, referer = '-'): string =>
  `${AKAMAI}\n2026-11-10\t12:00:00\t66.249.66.1\tGET\t${uri}\t200\t36\t0\t"${referer}"\t"${AGENT} %20+"\t"-"\n`;

test.for([
  ['https://www.example.com/a%2Fb?c=%2520d', '/www.example.com/a%2Fb?c=%2520d'],
  ['https://shop.example.com/', '/shop.example.com/'],
  ['https://www.example.com/index.php/a', '/www.example.com/index.php/a'],
  ['https://www.example.com/assets/a.js', '/assets/a.js'],
] as const)(
  'an Akamai log has the host in its path, and encodes nothing twice: %s of %s',
  async ([url, uri]) => {
    const { name, events, rejects } = await linesOf(akamai(uri, 'https://g.example/?q=a"b'));
    expect([name, rejects, events]).toEqual([
      'w3c',
      [],
      [{ url, status: '200', verdict: 'verified', referer: 'https://g.example/?q=a%22b' }],
    ]);
  },
);

const NAMED = '#Fields: time c-ip cs-method cs-uri-stem sc-status';
const TIMES = ['23:59:59', '00:00:01', '12:00:00', '13:00:00'];
const SECONDS = [10, 11, 11, 11].map((day, index) => Date.parse(`2026-11-${day}T${TIMES[index]}Z`) / 1000);

test('a time column without a date uses the day of #Date:, and the next day after midnight', () => {
  const lines = [
    '#Date: 2026-11-10 23:50:00',
    NAMED,
    ...TIMES.map((time) => `${time} 66.249.66.1 GET /a 200`),
  ];
  // Reading may go on from any line.
  for (let stop = 2; stop <= lines.length; stop++) {
    let state = '';
    const seconds = [lines.slice(0, stop), lines.slice(stop)].flatMap((part) => {
      const format = guessedFormat('w3c', new LogTime('UTC'), state);
      const read = part.map((text) => {
        const one = new LogLine();
        return format.read(text, 0, text.length, one) === 'event' ? one.second : null;
      });
      state = format.state ?? '';
      return read.filter((one) => one !== null);
    });
    expect(seconds).toEqual(SECONDS);
  }
});

const ROWS = TIMES.map((time) => `${time} 66.249.66.1 GET /a 200`).join('\n');
const ERROR =
  '2026/11/10 12:00:00 [error] 31#31: *46 open() "/a" failed (2: No such file or directory), client: 1.2.3.4';
test.for([
  [
    `${NAMED}\n${ROWS}`,
    'x.log: its columns lack the date: time c-ip cs-method cs-uri-stem sc-status',
    '#Date: 2026',
  ],
  [
    '#Fields: date time c-ip\n2026-11-10 12:00:00 1.2.3.4',
    'x.log: its columns lack the URL, the status: date time c-ip',
    'sc-status',
  ],
  [
    '2026-11-10 12:00:00 10.0.0.1 GET /a - 80 - 1.2.3.4 A - 200 0 0 5',
    'x.log: it has W3C columns, but no #Fields: line',
    '#Fields:',
  ],
  [ERROR, 'x.log: it is an error log of nginx', 'access_log'],
  [
    '[Tue Nov 10 12:00:00.203277 2026] [core:error] [pid 7:tid 1] [client 1.2.3.4:1] AH00126: Invalid URI',
    'x.log: it is an error log of Apache',
    'CustomLog',
  ],
  [
    '[#|2026-11-10T12:00:00.852-0400|INFO|glassfish|core|_ThreadID=13;|CORE5004|#]',
    "x.log: it is GlassFish's server log",
    'access',
  ],
  [
    'Nov 10 12:00:00 lb haproxy[9]: 1.2.3.4:5 [10/Nov/2026:12:00:00.1] in app/<NOSRV> -1/-1/0 0 SC 1/1/0/0/0 0/0',
    "x.log: it is HAProxy's log of connections, without their requests",
    'httplog',
  ],
  [
    '2026-11-10T12:00:00.1Z lb 1.2.3.4:2817 10.0.0.1:80 0.001 0.0 0.0 - - 82 305 "- - - " "-" - -',
    'x.log: it is a log of the connections of a load balancer, without their requests',
    'Application',
  ],
  [
    'tls 2.0 2026-11-10T12:00:00 net/lb/c6 g3d4 72.21.218.154:51341 172.100.100.185:443 5 2 98 246 - arn - ECDHE tlsv12 - lb.example.com',
    'x.log: it is a log of the connections of a load balancer, without their requests',
    'Application',
  ],
  [
    '1794312000.586    921 192.168.0.68 TCP_MISS/200 507 POST http://a.example/ - DIRECT/1.2.3.4 -',
    "x.log: it is Squid's native log",
    'combined',
  ],
  [
    '<Event xmlns="http://schemas.microsoft.com/win/2004/08/events/event">',
    'x.log: it is XML or HTML',
    'text',
  ],
  [
    'INFO:     127.0.0.1:5000 - "GET / HTTP/1.1" 200 OK',
    'x.log: it is the console of uvicorn, which has no time',
    'time',
  ],
  [
    '[10/Nov/2026:12:00:00 +0000] 1.2.3.4 TLSv1.2 ECDHE "GET /a HTTP/1.1" 1375',
    'x.log: its requests have no status',
    'combined',
  ],
] as const)(
  'a file that is not an access log is refused with its kind: %s',
  async ([text, message, hint]) => {
    const error = await errorOf(linesOf(text).catch((thrown: Error) => Promise.reject(thrown)));
    expect(error).toMatchObject({
      message: message.replace('x.log', 'a.log'),
      hint: expect.stringContaining(hint),
    });
  },
);

test('http:// without a port means any scheme, because Varnish writes no other', async () => {
  const varnish = (url: string): string => line('66.249.66.1', '', url);
  const { events, assumedScheme } = await linesOf(varnish('http://www.example.com/a'));
  expect([events.map(({ url }) => url), assumedScheme]).toEqual([['https://www.example.com/a'], true]);
  const named = await linesOf(varnish('http://www.example.com:80/a') + varnish('https://www.example.com/a'));
  expect([named.events.map(({ url }) => url), named.assumedScheme]).toEqual([
    ['http://www.example.com/a', 'https://www.example.com/a'],
    false,
  ]);
});

test.for([
  ['Okt', 10],
  ['Mär', 3],
  ['Mai', 5],
  ['févr.', 2],
  ['août', 8],
  ['dic', 12],
  ['paź', 10],
  ['окт.', 10],
] as const)('a month is read in the language in which Jetty writes it: %s', async ([month, number]) => {
  const text = (encoding: 'utf8' | 'latin1'): string =>
    Buffer.from(`10/${month}/2026:12:00:00 +0100`, encoding).toString('latin1');
  const second = Date.UTC(2026, number - 1, 10, 11) / 1000;
  expect(new LogTime('UTC').clf(text('utf8'))).toBe(second);
  if (!/[^\0-\xff]/.test(month)) expect(new LogTime('UTC').clf(text('latin1'))).toBe(second);
});

test('a month name that is ambiguous between languages is not a time', () => {
  expect(new LogTime('UTC').clf('10/lis/2026:12:00:00 +0100')).toBeNaN();
});
