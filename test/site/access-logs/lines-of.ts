import { plausibleTime } from '../../../src/core/time/plausible-days.ts';
import { BotList } from '../../../src/site/access-logs/bots/bot-list.ts';
import { verifyBots } from '../../../src/site/access-logs/bots/verify-bots.ts';
import { EventRows } from '../../../src/site/access-logs/event-rows.ts';
import { guessedFormat } from '../../../src/site/access-logs/formats/guessed-format.ts';
import { formatOfName } from '../../../src/site/access-logs/formats/known-formats.ts';
import { LogTime } from '../../../src/site/access-logs/log-time.ts';
import { readAccessLog } from '../../../src/site/access-logs/read-access-log.ts';
import { recogniseFormat } from '../../../src/site/access-logs/recognise-format.ts';
import { ownHosts } from '../../../src/site/access-logs/request-parts.ts';
import { TextDigest } from '../../../src/site/access-logs/text-digest.ts';

const GOOGLEBOT = {
  token: 'Googlebot',
  crawler: 'Googlebot',
  bot_class: 'search',
  engine: 'google',
  purpose: 'pages',
  reference: null,
  found_in: null,
  read_on: null,
};
const LIST = new BotList({
  bots: [GOOGLEBOT],
  checks: [],
  ranges: [
    ...['66.249.64.0/19', '2001:4860:4801:10::/64'].map((prefix) => ({
      range_list: 'Googlebot',
      prefix,
      source: null,
      published: null,
      copied_from: null,
    })),
  ],
});
export const AGENT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
export const TIME = '10/Nov/2026:12:00:00 +0000';

interface Rules {
  readonly format?: string;
  readonly isForwarded?: boolean;
  readonly queryStrings?: 'keep' | 'drop' | readonly string[];
}

/** What is made of the lines of a log: of each event its URL, status, verdict and referrer; the others by their reasons. */
export async function linesOf(
  log: string,
  { format, isForwarded = false, queryStrings = 'keep' }: Rules = {},
) {
  const text = Buffer.from(log).toString('latin1');
  const makeTime = (): LogTime => new LogTime('UTC');
  const name = format ?? recogniseFormat('a.log', text, makeTime);
  const origins: string[] = [];
  const rows = new EventRows({
    origin: 'https://www.example.com',
    isOwnHost: ownHosts('https://www.example.com', []),
    queryStrings,
    isForwarded,
    clientOf: null,
    plausible: plausibleTime(Date.UTC(2026, 10, 28)),
    agentOf: (agent) => ({
      id: 1,
      isBot: agent === null ? null : agent !== 'Firefox',
      known: LIST.recognise(agent ?? '') ?? null,
    }),
    originOf: (origin) => origins.push(origin) - 1,
  });
  const rejects: string[] = [];
  /** Whether each event is a visit from search results: 1, 0, or \\N for unknown. */
  const searchVisits: string[] = [];
  const events: { url: string; status: string; verdict: string; referer: string }[] = [];
  const { signal } = new AbortController();
  const reading = {
    format: format === undefined ? guessedFormat(name, makeTime(), '') : formatOfName(name, makeTime()),
    rows,
    isFinal: true,
    digest: TextDigest.keyed('k'),
    from: 0,
    markOf: () => 0,
    onReject: ({ reason }: { reason: string }) => void rejects.push(reason),
    onRows: async () => {
      const taken = rows.take();
      const verdicts = await verifyBots(
        taken.claims.map(({ pair }) => pair),
        { list: LIST, signal },
      );
      let at = 0;
      const lines = taken.rows.toString('latin1').split('\n').slice(0, -1);
      for (const cells of lines.map((one) => one.split('\t'))) {
        const [, , , , path = '', status = '', , referer = '', , search = '', origin = ''] = cells;
        const claim = taken.claims.findIndex((one) => one.at === at);
        const url = path === '\\N' ? '' : `${origins[Number(origin)]}${path}`;
        searchVisits.push(search);
        events.push({ url, status, verdict: verdicts[claim] ?? '', referer });
        at += cells.join('\t').length + 1;
      }
    },
  };
  const tally = await readAccessLog(
    (async function* () {
      yield Buffer.from(text, 'latin1');
    })(),
    reading,
    signal,
  );
  return {
    name,
    events,
    rejects,
    searchVisits,
    assumedScheme: rows.assumedScheme,
    oddYear: rows.oddYear,
    ...tally,
  };
}

export const line = (address: string, more = '', path = '/a'): string =>
  `${address} - - [${TIME}] "GET ${path} HTTP/1.1" 200 9 "-" "${AGENT}"${more}\n`;
export const caddy = (more: object, request: object = {}): string =>
  `${JSON.stringify({
    level: 'info',
    ts: 1794312000.1,
    logger: 'http.log.access',
    msg: 'handled request',
    size: 1,
    request: {
      remote_ip: '66.249.66.1',
      proto: 'HTTP/2.0',
      method: 'GET',
      host: 'www.example.com',
      uri: '/a',
      headers: { 'User-Agent': [AGENT] },
      tls: { proto: 'h2' },
      ...request,
    },
    status: 200,
    ...more,
  })}\n`;
