import { plausibleTime } from '../../src/core/time/plausible-days.ts';
import { EventRows } from '../../src/site/access-logs/event-rows.ts';
import { guessedFormat } from '../../src/site/access-logs/formats/guessed-format.ts';
import { LogTime } from '../../src/site/access-logs/log-time.ts';
import { plainText } from '../../src/site/access-logs/plain-text.ts';
import { readAccessLog } from '../../src/site/access-logs/read-access-log.ts';
import { recogniseFormat } from '../../src/site/access-logs/recognise-format.ts';
import { TextDigest } from '../../src/site/access-logs/text-digest.ts';

/** What we make of a line of a log; null where it tells nothing. */
export interface LogEvent {
  readonly line: number;
  readonly second: number;
  readonly method: string | null;
  /** Empty for a request without one. */
  readonly url: string;
  readonly status: number | null;
  readonly bytes: number | null;
  readonly referer: string | null;
  readonly agent: string | null;
  readonly address: string;
}

/** The format and the events of a log of any hosts, whose times are UTC. */
export async function logEvents(name: string, log: Uint8Array) {
  const { signal } = new AbortController();
  const source = {
    name,
    version: null,
    isFinal: true,
    open: async function* () {
      yield log;
    },
  };
  const text = Buffer.concat(await Array.fromAsync(plainText(source, signal)));
  const makeTime = (): LogTime => new LogTime('UTC');
  const format = guessedFormat(recogniseFormat(name, text.toString('latin1'), makeTime), makeTime(), '');
  const [origins, agents]: [string[], (string | null)[]] = [[], []];
  const rows = new EventRows({
    origin: 'https://www.example.com',
    isOwnHost: () => true,
    queryStrings: 'keep',
    isForwarded: false,
    plausible: plausibleTime(Date.now()),
    agentOf: (agent) => ({ id: agents.push(agent) - 1, isBot: null, known: null }),
    originOf: (origin) => origins.push(origin) - 1,
    clientOf: (address) => address,
  });
  const events: LogEvent[] = [];
  const [rejects]: [number[]] = [[]];
  const told = (text = ''): string | null => (text === '\\N' ? null : text);
  const number = (text = ''): number | null => (text === '\\N' ? null : Number(text));
  const reading = {
    format,
    rows,
    digest: TextDigest.keyed('k'),
    from: 0,
    markOf: () => 0,
    isFinal: true,
    onReject: ({ line }: { readonly line: number }) => void rejects.push(line),
    onRows: async () => {
      for (const row of rows.take().rows.toString('latin1').split('\n').slice(0, -1)) {
        const [, line, second, method, path, status, bytes, referer, agent, , origin, address = ''] =
          row.split('\t');
        events.push({
          line: Number(line),
          second: Number(second),
          method: told(method),
          url: told(path) === null ? '' : `${origins[Number(origin)]}${path}`,
          status: number(status),
          bytes: number(bytes),
          referer: told(referer),
          agent: agents[Number(agent)] ?? null,
          address,
        });
      }
    },
  };
  const pieces = async function* (): AsyncGenerator<Buffer> {
    yield text;
  };
  await readAccessLog(pieces(), reading, signal);
  return { format: format.name, events, rejects };
}
