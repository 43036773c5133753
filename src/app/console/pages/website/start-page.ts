import { z } from 'zod';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { Semaphore } from '../../../../core/queue/semaphore.ts';
import { html } from '../../../../core/text/html.ts';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import type { StartStep, TryOptions } from '../../../../site/crawler/try-start.ts';
import { table } from '../../../answers/presentation/html-table.ts';
import { statusMark } from '../../../answers/presentation/marks.ts';
import { readLiveCrawl } from '../../../operations/status/live-crawl.ts';
import { readCrawl } from '../../actions/crawl-action.ts';
import { page } from '../../page-parts/console-page.ts';
import { checkForm, crawlForm } from '../../page-parts/website/website-forms.ts';

/** Time limits, shorter than those of a crawl because a person waits. */
const LIMITS = { connectTimeout: 4_000, headersTimeout: 6_000, bodyTimeout: 6_000, totalTimeout: 8_000 };
/** Time limit of all requests together. */
const LONGEST_MS = 30_000;

const checking = new Semaphore(1);

const STEPS: Readonly<Record<StartStep, string>> = {
  dns: 'DNS',
  connection: 'Connection, TLS',
  robots: 'robots.txt',
  redirects: 'Redirects',
  answer: 'Answer',
};

const Check = z.strictObject({
  check: z.string(),
  status: z.enum(['passed', 'failed', 'not reached']),
  result: z.string().nullable(),
});

const Checked = z.strictObject({
  checks: z.array(Check),
  /** The start URL of a crawl; null if a check failed. */
  start_url: z.string().nullable(),
  problem: z.strictObject({ message: z.string(), hint: z.string().nullable() }).nullable(),
});
type Checked = Typed<typeof Checked>;

const Start = z.strictObject({
  /** As typed. */
  url: z.string(),
  ...Checked.shape,
  /** The address of the service, if this project folder has an account. */
  account: z.string().nullable(),
  /** Whether a crawl is running. */
  is_crawling: z.boolean(),
});

export const START = page<Typed<typeof Start>>({
  path: '/start',
  summary: 'Checks a website, and offers to crawl it. Starts nothing.',
  query: { url: 'The address of the website; none: only the form.' },
  schema: Start,
  async read(request, { settings }, signal) {
    const { query, isOwn, isOwners } = request;
    const url = (query.get('url') ?? '').trim();
    const account = settings.base_url ?? null;
    // The checks send requests, so pages of other sites cannot start them.
    const isAsked = url !== '' && isOwn && account === null;
    const checked = isAsked
      ? await check(url, !isOwners, signal)
      : { checks: [], start_url: null, problem: null };
    return { url, ...checked, account, is_crawling: readLiveCrawl(settings)?.state === 'running' };
  },
  draw({ url, checks, start_url, problem, account, is_crawling }, { session }) {
    const body =
      account === null
        ? html`${checkForm(url)}
${checks.length === 0 ? null : table('Checks', COLUMNS, checks, '')}
${problem === null ? null : html`<p class="notice">${problem.message}</p>`}
${problem?.hint == null ? null : html`<p>To do: ${problem.hint}</p>`}
${start_url === null || is_crawling ? null : html`<h2>Crawl ${start_url}</h2>${crawlForm(start_url, session.csrf)}`}
${is_crawling ? html`<p class="notice">A crawl is running. <a href="/crawling">Its progress</a></p>` : null}`
        : html`<p class="notice">This project folder loads from ${account}. To crawl websites, make another folder: <code>crawlhouse init DIR</code></p>`;
    return { title: 'Crawl a website', body: html`<h1>Crawl a website</h1>\n${body}` };
  },
});

const COLUMNS = [
  { name: 'check', cell: (one: Typed<typeof Check>) => one.check },
  { name: 'status', cell: ({ status }: Typed<typeof Check>) => statusMark(status) },
  { name: 'result', cell: ({ result }: Typed<typeof Check>) => result },
];

/** Checks a website by the first requests of a crawl. */
async function check(url: string, publicOnly: boolean, signal: AbortSignal): Promise<Checked> {
  const results = new Map<string, string>();
  try {
    const { url: start_url } = readCrawl(new URLSearchParams({ url }));
    const onStep = (step: StartStep, result: string): void => void results.set(step, result);
    const tried = await checking.run(() => tryInTime(start_url, { publicOnly, onStep }, signal));
    return { checks: checksOf(results, null), start_url: tried.startUrl, problem: null };
  } catch (thrown) {
    if (!(thrown instanceof CrawlhouseError)) throw thrown;
    const { code, message, hint } = thrown;
    const checks = code === 'usage' ? [] : checksOf(results, message);
    return { checks, start_url: null, problem: { message, hint } };
  }
}

/** @throws CrawlhouseError `start_unreachable` after 30 s; like `tryStart` */
async function tryInTime(
  start_url: string,
  options: Pick<TryOptions, 'publicOnly' | 'onStep'>,
  signal: AbortSignal,
) {
  signal.throwIfAborted();
  const { tryStart } = await import('../../../../site/crawler/try-start.ts');
  const late = AbortSignal.timeout(LONGEST_MS);
  const config = { name: 'check', user_agent: 'crawlhouse', max_speed: 1, start_url };
  const stopping = AbortSignal.any([signal, late]);
  try {
    return await tryStart(config, { ...options, limits: LIMITS, robotsWaits: [], signal: stopping });
  } catch (cause) {
    if (!late.aborted || signal.aborted) throw cause;
    throw new CrawlhouseError('start_unreachable', `${start_url}: no complete response within 30 s`, {
      cause,
    });
  }
}

/** Returns the checks of a website. The first step without a result is the one that failed. */
function checksOf(results: ReadonlyMap<string, string>, failure: string | null): Typed<typeof Check>[] {
  let isFailed = false;
  return Object.entries(STEPS).map(([step, check]) => {
    const result = results.get(step);
    if (result !== undefined) return { check, status: 'passed', result };
    const isFirst = !isFailed;
    isFailed = true;
    return isFirst
      ? { check, status: 'failed', result: failure }
      : { check, status: 'not reached', result: null };
  });
}
