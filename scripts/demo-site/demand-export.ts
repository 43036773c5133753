/** Pages of the demo's site, what they are found by, and how often a day; some of them are no good page. */
const FOUND: readonly (readonly [path: string, query: string, impressions: number, position: number])[] = [
  ['/', 'crawlhouse', 120, 1.2],
  ['/en/query', 'load old crawls', 60, 3.5],
  ['/en/ledger/discovery', 'find new crawls', 45, 4],
  // Two pages for one query.
  ['/en/settings', 'check settings', 40, 6],
  ['/en/errors', 'check settings', 35, 7],
  ['/en/logs', 'alert when a crawl fails', 90, 2.5],
  // A redirect, an error, and a page that the crawl does not find.
  ['/en/tour', 'tour of crawlhouse', 30, 5],
  ['/en/gone', 'old page', 25, 8],
  ['/en/only-in-search', 'forgotten page', 20, 9],
];
const DAYS = 14;
const DAY = 86_400_000;
const HEADER =
  'data_date,site_url,url,query,is_anonymized_query,country,search_type,device,impressions,clicks,sum_position';

/**
 * Search results of the demo's site: 14 days up to two days before `now`, as Search Console's bulk export has them, in
 * CSV. The same for the same day.
 *
 * @param origin where the site is, without a slash at the end
 */
export function demandExport(origin: string, now: Date): string {
  const last = Math.floor(now.getTime() / DAY) * DAY - 2 * DAY;
  const lines = Array.from({ length: DAYS }, (_, ago) => {
    const day = new Date(last - ago * DAY).toISOString().slice(0, 10);
    return FOUND.flatMap(([path, query, most, position], place) => {
      const impressions = most - ((ago * 7 + place * 3) % 10);
      const clicks = Math.floor((impressions * 0.35) / position);
      // Some searches are too rare to be named.
      const hidden = Math.floor(impressions / 5);
      const row = (text: string, isHidden: boolean, shown: number, clicked: number): string =>
        `${day},${origin}/,${origin}${path},${text},${isHidden},deu,WEB,DESKTOP,${shown},${clicked},${Math.round(shown * (position - 1))}`;
      return [row(query, false, impressions, clicks), row('', true, hidden, 0)];
    });
  });
  return `${[HEADER, ...lines.flat()].join('\n')}\n`;
}
