import fc from 'fast-check';
import { Database } from '../../../src/core/duckdb/duckdb.ts';
import { AgentNumbers } from '../../../src/service/logs/agent-numbers.ts';
import { LogTables } from '../../../src/service/logs/log-tables.ts';
import { BotList } from '../../../src/site/access-logs/bots/bot-list.ts';
import { EventRows } from '../../../src/site/access-logs/event-rows.ts';
import { FORMAT_NAMES, formatOfName } from '../../../src/site/access-logs/formats/known-formats.ts';
import { LogTime } from '../../../src/site/access-logs/log-time.ts';
import { readAccessLog, type UnreadLine } from '../../../src/site/access-logs/read-access-log.ts';
import { recogniseFormat } from '../../../src/site/access-logs/recognise-format.ts';
import { ownHosts } from '../../../src/site/access-logs/request-parts.ts';
import { lineMarks, TextDigest } from '../../../src/site/access-logs/text-digest.ts';
import { fuzzFolder } from '../folder.ts';
import { type Check, called, Fault, same, type Target, type Verdict } from '../target.ts';
import { plainLogRow } from './plain-log-row.ts';

const ORIGIN = 'https://www.example.com';
const LIST = new BotList({
  bots: [
    {
      token: 'Googlebot',
      crawler: 'Googlebot',
      bot_class: 'search',
      engine: 'google',
      purpose: 'pages',
      reference: null,
      found_in: null,
      read_on: null,
    },
  ],
  checks: [],
  ranges: [],
});
/** Cells of a row. */
const WIDTH = 13;

async function openCheck(): Promise<{ check: Check; close: () => Promise<void> }> {
  const { folder, close } = fuzzFolder();
  const database = await Database.open({ memoryLimit: '200MB', threads: 1, tempDirectory: folder });
  const connection = await database.connect();
  // The local service keeps its rows in a database of this name.
  await connection.run("ATTACH ':memory:' AS sandbox");
  const tables = new LogTables('p');
  await tables.make(connection);
  const numbers = await AgentNumbers.read(connection, tables, LIST);
  return {
    check: (input, signal) => checkLog(input, numbers, signal),
    close: async () => {
      await database[Symbol.asyncDispose]();
      await close();
    },
  };
}

async function checkLog(input: Buffer, numbers: AgentNumbers, signal: AbortSignal): Promise<Verdict> {
  const text = input.toString('latin1');
  const known = await called(() => recogniseFormat('a.log', text, () => new LogTime('UTC')));
  const format = known?.value ?? FORMAT_NAMES[input.length % FORMAT_NAMES.length] ?? 'combined';
  const whole = await read([input], { format, numbers, signal });
  const { rows, rejects, tally } = whole;
  const ends = input.filter((byte) => byte === 10).length;
  const lines = ends + (input.length > 0 && input.at(-1) !== 10 ? 1 : 0);
  same(tally.lines, lines, 'lines of a log');
  same(rows.length + rejects.length + tally.skipped + tally.otherHosts, lines, 'the sum of the lines');
  const written = text.split('\n');
  for (const row of rows) {
    if (row.length !== WIDTH) throw new Fault('a row has other cells', row);
    const [, number, second, , path, status, bytes] = row;
    if (!/^-?\d+$/.test(second ?? '')) throw new Fault('a second is no number', row);
    if (!/^(?:\\N|[\x21-\x7e]+)$/.test(path ?? '')) throw new Fault('a path has bytes that no URL has', row);
    const plain = plainLogRow(format, (written[Number(number) - 1] ?? '').replace(/\r$/, ''));
    if (plain !== undefined) same([Number(second), status, bytes], plain, `a line of ${format}`);
  }
  const size = 1 + (input.length % 50);
  const pieces = Array.from({ length: Math.ceil(input.length / size) }, (_, at) =>
    input.subarray(at * size, (at + 1) * size),
  );
  if (pieces.length < 2000)
    same((await read(pieces, { format, numbers, signal })).rows, rows, 'a log in pieces');
  return rows.length > 0 ? 'taken' : 'refused';
}

interface Reading {
  readonly format: string;
  readonly numbers: AgentNumbers;
  readonly signal: AbortSignal;
}

async function read(pieces: readonly Buffer[], { format, numbers, signal }: Reading) {
  const rows = new EventRows({
    origin: ORIGIN,
    isOwnHost: ownHosts(ORIGIN, []),
    queryStrings: 'keep',
    isForwarded: false,
    agentOf: (agent) => numbers.agentOf(agent),
    originOf: (origin) => numbers.originOf(origin),
    clientOf: null,
    plausible: { first: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY },
  });
  const rejects: UnreadLine[] = [];
  const found: string[] = [];
  let count = 0;
  const tally = await readAccessLog(
    (async function* () {
      yield* pieces;
    })(),
    {
      format: formatOfName(format, new LogTime('UTC')),
      rows,
      isFinal: true,
      digest: TextDigest.keyed('k'),
      from: 0,
      markOf: lineMarks('k'),
      onReject: (reject) => rejects.push(reject),
      onRows: async () => {
        const taken = rows.take();
        count += taken.count;
        found.push(...taken.rows.toString('latin1').split('\n').slice(0, -1));
      },
    },
    signal,
  );
  same(found.length, count, 'rows of the events');
  return { rows: found.map((row) => row.split('\t')), rejects, tally };
}

const AGENT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const COMBINED = `203.0.113.7 - frank [10/Oct/2026:13:55:36 -0700] "GET /a?b=c HTTP/1.1" 200 2326 "https://x.example/" "${AGENT}"\n`;
const text = fc.string({
  unit: fc.constantFrom('a', '/', '\\', '"', ' ', 'é', '\\x22', '%', '?', '\t'),
  maxLength: 8,
});
const combined = fc
  .record({
    day: fc.integer({ min: 0, max: 32 }),
    path: text,
    status: fc.constantFrom('200', '404', '-', '99', '1000'),
    bytes: fc.constantFrom('0', '-', '9007199254740993', '123456789012345678901'),
    agent: text,
  })
  .map(({ day, path, status, bytes, agent }) => {
    const date = String(day).padStart(2, '0');
    return `1.2.3.4 - - [${date}/Feb/2026:23:59:60 +0130] "GET /${path} HTTP/1.1" ${status} ${bytes} "-" "${agent}"`;
  });
const caddy = fc
  .record({
    ts: fc.constantFrom(1791665736.25, 1791665736999999999n, '2026-10-10T20:55:36Z', 'x', null),
    request: fc.record({
      host: fc.constantFrom('www.example.com', 'a.example.com:443', 'x y.example.com', 'other.example'),
      uri: text.map((one) => `/${one}`),
      method: fc.constantFrom('GET', 'get', 'A B'),
      headers: fc.record({
        'User-Agent': fc.array(text, { maxLength: 2 }),
        Referer: fc.array(text, { maxLength: 1 }),
      }),
    }),
    status: fc.constantFrom(200, 404, 200.5, '200'),
    size: fc.constantFrom(0, 9007199254740993n, -1, 1e21),
  })
  .map((record) =>
    JSON.stringify(record, (_, one) => (typeof one === 'bigint' ? { raw: String(one) } : one)).replaceAll(
      /\{"raw":"(\d+)"\}/g,
      '$1',
    ),
  );

/** Lines of access logs in every format. */
export const accessLogs: Target = {
  name: 'access-logs',
  seeds: [
    COMBINED,
    `www.example.com:443 ${COMBINED}`,
    COMBINED.replace('\n', ' "198.51.100.1, 10.0.0.1"\n'),
    COMBINED.replace(/ "https.*"\n/, '\n'),
    '#Version: 1.0\n#Fields: date time cs-method cs-uri-stem cs-uri-query c-ip cs(User-Agent) cs(Referer) sc-status cs-host\n2026-10-10 20:55:36 GET /a b=c 203.0.113.7 Mozilla/5.0+(X11) - 404 www.example.com\n',
    'https 2026-10-10T20:55:36.186641Z app/lb/50d 203.0.113.7:46532 10.0.0.1:80 0.086 0.048 0.037 200 200 0 57 "GET https://www.example.com:443/a HTTP/2.0" "curl/7.46.0" ECDHE\n',
    '{"ClientIP":"203.0.113.7","ClientRequestHost":"www.example.com","ClientRequestMethod":"GET","ClientRequestURI":"/a?b=c","ClientRequestScheme":"https","EdgeResponseStatus":200,"EdgeResponseBytes":812,"EdgeStartTimestamp":1791665736000000000,"ClientRequestUserAgent":"Mozilla","ClientRequestReferer":"https://x.example/\\u010a"}\n',
    `{"level":"info","ts":1791665736.25,"request":{"remote_ip":"203.0.113.7","method":"GET","host":"www.example.com","uri":"/\\u00e9","headers":{"User-Agent":["${AGENT}"]},"tls":{"proto":"h2"}},"status":200,"size":812}\n`,
  ],
  words: [
    '"',
    '\\"',
    '\\x22',
    '\\u010a',
    '\\u0109',
    '\\u000a',
    '[',
    ']',
    '- -',
    'GET ',
    ' HTTP/1.1',
    '#Fields:',
    'Googlebot',
    '\t',
    '\n',
    '.example.com',
    'http://',
    'https://www.example.com',
    '%0a',
    '+0000',
    ':60 ',
    '{"',
    '"}',
  ],
  grammar: fc
    .array(fc.oneof(combined, caddy), { minLength: 1, maxLength: 4 })
    .map((lines) => lines.join('\n')),
  shortRound: 500,
  open: openCheck,
};
