const AGENTS = {
  google: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  openai: 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)',
  person: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
} as const;
/** Of the ranges that Google and OpenAI publish (sql/seeds/bot_ranges.csv), and of nobody. */
const ADDRESSES = { google: '66.249.66.1', openai: '20.171.206.10', nobody: '203.0.113.' };

type Visitor = 'google' | 'fake' | 'openai' | 'person';

/** What the site answers before it changes, and how often each visitor asks for it in a day. */
const ASKED: readonly (readonly [path: string, status: number, Partial<Record<Visitor, number>>])[] = [
  ['/', 200, { google: 12, fake: 3, openai: 4, person: 30 }],
  ['/en/query', 200, { google: 6, fake: 2, openai: 3, person: 20 }],
  ['/en/ledger/discovery', 200, { google: 5, openai: 2, person: 15 }],
  ['/en/settings', 200, { google: 3, person: 6 }],
  ['/en/errors', 200, { google: 4, openai: 1, person: 8 }],
  ['/en/logs', 200, { google: 7, openai: 3, person: 9 }],
  ['/en-cyrl/logs', 200, { google: 2, person: 3 }],
  // Budget that is spent for nothing: a redirect, errors, and a page that no link leads to.
  ['/en/tour', 301, { google: 8, person: 2 }],
  ['/en/gone', 404, { google: 9, fake: 1, openai: 2, person: 4 }],
  ['/en/broken', 500, { google: 3 }],
  ['/en/only-in-search', 404, { google: 2 }],
  ['/en/decisions/ledger/the-shared-ledger', 200, { google: 5, openai: 1 }],
];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAY = 86_400_000;

/**
 * The access log of the demo's site for the day (UTC) before `now`, as Apache and nginx write it: a day is loaded once it
 * has ended. Its last line is cut off. The same for the same day.
 */
export function accessLog(now: Date): string {
  const day = Math.floor(now.getTime() / DAY) * DAY - DAY;
  const visits = ASKED.flatMap(([path, status, counts]) =>
    Object.entries(counts).flatMap(([visitor, count]) =>
      Array.from({ length: count }, (_, index) => ({
        path,
        status,
        visitor: visitor as Visitor,
        // Each visitor asks again after the same time.
        time: day + Math.floor((DAY * (index + 0.5)) / count),
      })),
    ),
  ).sort((a, b) => a.time - b.time);
  const lines = visits.map(({ path, status, visitor, time }, index) => {
    const agent = AGENTS[visitor === 'fake' ? 'google' : visitor];
    const address =
      visitor === 'google' || visitor === 'openai' ? ADDRESSES[visitor] : `${ADDRESSES.nobody}${index % 200}`;
    return `${address} - - [${timeOf(time)}] "GET ${path} HTTP/1.1" ${status} 5120 "-" "${agent}"`;
  });
  return `${lines.join('\n')}\n${ADDRESSES.google} - - [${timeOf(day).slice(0, 11)}\n`;
}

/** `25/Nov/2026:12:00:00 +0000` */
function timeOf(milliseconds: number): string {
  const [date = '', clock = ''] = new Date(milliseconds).toISOString().split(/[T.]/);
  const [year, month, day] = date.split('-');
  return `${day}/${MONTHS[Number(month) - 1]}/${year}:${clock} +0000`;
}
