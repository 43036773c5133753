import { resolve } from 'node:path';
import { z } from 'zod';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { lookUp } from '../../../core/text/look-up.ts';
import { shellWord } from '../../../core/text/shell-word.ts';
import { checkYaml, readYaml } from '../../../project/settings/yaml-file.ts';
import { CrawlConfigInput } from '../../../service/api/resources/crawl-configs.ts';
import { DEFAULT_RECHECK } from '../../../service/site/crawler/crawl.ts';
import { readCustomFields } from '../../../service/site/crawler/custom-fields/custom-field.ts';
import { tryStart } from '../../../service/site/crawler/try-start.ts';
import type { PagesPerTemplate } from '../../../service/site/crawler/vitals/vitals.ts';
import type { Flag, Invocation } from '../command.ts';
import { type ChosenConfig, LIST_CONFIG_NAME } from './local-service.ts';

/** Each start URL has one configuration in the local service, so that its crawls can be compared. */
const CONFIG_NAME = 'crawlhouse crawl';
/** URLs per second: of a site elsewhere, and of one on this machine. */
const SPEED = 5;
const LOOPBACK_SPEED = 1000;

export const CRAWL_FLAGS: Readonly<Record<string, Flag>> = {
  list: {
    value: 'FILE',
    help: 'fetch the URLs of this file, one a line, and their redirects',
  },
  site: {
    multiple: true,
    value: 'URL',
    help: 'a further start URL, such as a country domain, of the same project',
  },
  'max-urls': { value: 'N', help: 'the most URLs to fetch' },
  'max-depth': { value: 'N', help: 'the most clicks from the start URL' },
  speed: { value: 'N', help: `URLs per second; default ${SPEED}` },
  subdomains: { help: 'crawl the subdomains too' },
  'user-agent': { value: 'NAME', help: 'the name that robots.txt and servers see' },
  render: { help: 'render pages in Chromium: what scripts show counts' },
  vitals: { value: 'N', help: 'measure the web vitals of N pages of each template by Lighthouse, or of all' },
  recheck: {
    value: 'N',
    help: `at the end, request at most N URLs that the crawl did not meet; default ${DEFAULT_RECHECK}`,
  },
  'no-recheck': { help: 'request none of these URLs' },
  extract: {
    multiple: true,
    value: 'RULE',
    help: 'scrape a field of each page, as in price:number=css:.price (docs/crawler.md: scraped fields)',
  },
  config: { value: 'FILE', help: 'a crawl configuration as YAML or JSON; flags replace its keys' },
  'i-own-this-site': { help: `allow more than ${SPEED} URLs per second` },
  'allow-private': { help: 'fetch private addresses, whatever the start URL' },
};

/**
 * The configuration of a crawl: the flags, then the file, then our defaults. A start URL that redirects to another host
 * is replaced by what it leads to.
 *
 * @param onFailed is told of a start URL that can't be crawled
 * @param list the URLs that are to be crawled alone, whose first one names the project
 * @throws CrawlhouseError `usage`, `start_unreachable`, `start_refused`, `bad_settings`, `missing_feature`
 */
export async function crawlConfig(
  invocation: Invocation,
  onFailed: (startUrl: string, error: CrawlhouseError) => Promise<void>,
  list: readonly string[] | null = null,
): Promise<ChosenConfig> {
  const file = invocation.text('config');
  const { sites: listed, ...fromFile } =
    file === undefined ? {} : await readConfig(resolve(invocation.workingDirectory, file), file);
  const sites = sitesOf(invocation.texts('site'), listed, list !== null);
  const first = list?.[0] === undefined ? undefined : new URL('/', list[0]).href;
  const url = invocation.positionals[0] ?? first ?? (fromFile.start_url === undefined ? sites[0] : undefined);
  if (url === undefined && file === undefined)
    throw new CrawlhouseError('usage', 'a URL is needed', {
      hint: 'crawlhouse crawl https://www.example.com/',
    });
  const flags = defined({
    start_url: url === undefined ? undefined : httpUrl(url),
    max_url: numberOf(invocation, 'max-urls'),
    max_depth: numberOf(invocation, 'max-depth'),
    max_speed: numberOf(invocation, 'speed'),
    user_agent: invocation.text('user-agent'),
    crawl_subdomains: invocation.has('subdomains') || undefined,
    js_rendering: invocation.has('render') || undefined,
    custom_fields: extractFlag(
      invocation.texts('extract'),
      invocation.has('render') || fromFile.js_rendering === true,
    ),
  });
  checkFlags(flags);
  const name = list === null ? CONFIG_NAME : LIST_CONFIG_NAME;
  const given = { name, user_agent: 'crawlhouse', max_speed: SPEED, ...fromFile, ...flags };
  const config = checkYaml(
    CrawlConfigInput,
    { file: file ?? 'crawl', value: given, lineOf: () => 1 },
    'usage',
  );
  const owner = {
    iOwnThisSite: invocation.has('i-own-this-site'),
    allowPrivate: invocation.has('allow-private'),
  };
  const { rendering, vitals, crawl_proxy: proxy } = await invocation.settings();
  const onWait = (words: string): void => invocation.say(`${words}\n`);
  const hasVitals = (measuredPages(invocation) ?? vitals.pages_per_template) !== 0;
  const others = [config.start_url, ...sites];
  const trial = { ...owner, rendering, proxy, hasVitals, onWait, list, others };
  const recheck = recheckedUrls(invocation);
  const tried: Awaited<ReturnType<typeof tryStart>>[] = [];
  for (const asked of new Set(others.map((one) => new URL(one).href))) {
    const one = await tryStart({ ...config, start_url: asked }, trial).catch(async (error: unknown) => {
      if (error instanceof CrawlhouseError) await onFailed(asked, error);
      throw error;
    });
    if (one.startUrl !== asked) invocation.say(`${asked} redirects to ${one.startUrl}, which is crawled.\n`);
    tried.push(one);
  }
  const [start_url = config.start_url, ...further] = new Set(tried.map(({ startUrl }) => startUrl));
  const isAsked = 'max_speed' in fromFile || invocation.text('speed') !== undefined;
  const isLoopback = tried.every((one) => one.isLoopback);
  const max_speed = isLoopback && !isAsked ? LOOPBACK_SPEED : config.max_speed;
  const own = { vitals: measuredPages(invocation), recheck, sites: further };
  return { config: { ...config, start_url, max_speed }, own };
}

/** The start URLs of `--site`, else of the key `sites` of the file of `--config`. */
function sitesOf(flags: readonly string[], listed: unknown, isList: boolean): string[] {
  const { data = [], error } = z.array(z.string()).optional().safeParse(listed);
  const texts = flags.length > 0 ? flags : data;
  const wrong = texts.find((text) => !/^https?:$/.test(URL.parse(httpUrl(text))?.protocol ?? ''));
  const hint = 'crawlhouse crawl --site https://www.example.com/ --site https://www.example.de/';
  if (error !== undefined || wrong !== undefined)
    throw new CrawlhouseError(
      'usage',
      flags.length > 0 ? `--site ${wrong}: no URL` : `sites: ${wrong ?? 'no list of URLs'}`,
      { hint },
    );
  if (isList && texts.length > 0)
    throw new CrawlhouseError('usage', '--site: it does not go with --list', {
      hint: 'a list may have URLs of any host',
    });
  return texts.map(httpUrl);
}

/** @throws CrawlhouseError `usage` */
function recheckedUrls(invocation: Invocation): number | null {
  const text = invocation.text('recheck');
  if (invocation.has('no-recheck')) {
    if (text === undefined) return 0;
    throw new CrawlhouseError('usage', `--recheck ${text}: it does not go with --no-recheck`);
  }
  if (text === undefined || /^\d{1,9}$/.test(text)) return text === undefined ? null : Number(text);
  throw new CrawlhouseError('usage', `--recheck ${text}: a number of URLs is expected`);
}

/**
 * The pages of each template whose web vitals are measured; null: as the settings say.
 *
 * @throws CrawlhouseError `usage`
 */
function measuredPages(invocation: Invocation): PagesPerTemplate | null {
  const text = invocation.text('vitals');
  if (text === undefined) return null;
  if (text === 'all') return text;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new CrawlhouseError(
    'usage',
    `--vitals ${text}: a number of pages of each template, or all, is expected`,
  );
}

/** The flag, or `the URL`, that gives each key of a configuration. */
const FLAG_OF: Readonly<Record<string, string>> = {
  start_url: 'the URL',
  max_url: '--max-urls',
  max_depth: '--max-depth',
  max_speed: '--speed',
  user_agent: '--user-agent',
};

/** @throws CrawlhouseError `usage` that names the flag, its value and what would be right */
function checkFlags(flags: Readonly<Record<string, unknown>>): void {
  const { error } = CrawlConfigInput.safeParse({
    name: CONFIG_NAME,
    user_agent: 'crawlhouse',
    max_speed: SPEED,
    start_url: 'https://www.example.com/',
    ...flags,
  });
  const [issue] = error?.issues ?? [];
  if (issue === undefined) return;
  const key = String(issue.path[0]);
  throw new CrawlhouseError(
    'usage',
    `${lookUp(FLAG_OF, key) ?? key} ${lookUp(flags, key)}: ${issue.message}`,
    {
      ...(key === 'start_url' ? { hint: 'crawlhouse crawl https://www.example.com/' } : {}),
    },
  );
}

async function readConfig(path: string, shownAs: string): Promise<Record<string, unknown>> {
  try {
    return (await readYaml(path, shownAs, 'usage')).value as Record<string, unknown>;
  } catch (cause) {
    if (cause instanceof CrawlhouseError) throw cause;
    throw new CrawlhouseError('usage', `--config: ${shownAs} cannot be read`, { cause });
  }
}

/** A person may leave out the scheme. */
function httpUrl(text: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
}

function numberOf(invocation: Invocation, flag: string): number | undefined {
  const text = invocation.text(flag);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== '' && value > 0) return value;
  throw new CrawlhouseError('usage', `--${flag} ${text}: a number above 0 is expected`);
}

function defined(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** Keys of a rule of data scraping. */
type Rule = Readonly<Record<string, string | boolean>>;

/** What may stand behind a name, as in `price:number,many=css:.price`, with the key of the rule that it sets. */
const WORDS: Readonly<Record<string, Rule>> = {
  ...Object.fromEntries(['string', 'number', 'date', 'boolean'].map((type) => [type, { type }])),
  ...Object.fromEntries(['text', 'html', 'count', 'exists'].map((take) => [take, { take }])),
  many: { many: true },
  comma: { decimal: ',' },
  raw: { from: 'raw' },
  rendered: { from: 'rendered' },
};
/** `NAME:WORDS=LANGUAGE:SELECTOR`; the colon and the words may be left out. */
const RULE = /^([^=:]*)(?::([^=]*))?=(css|xpath|regex):(.+)$/s;

/**
 * The rules that `--extract` spells; undefined without any.
 *
 * @throws CrawlhouseError `usage`
 */
function extractFlag(texts: readonly string[], isRendering: boolean): readonly Rule[] | undefined {
  if (texts.length === 0) return undefined;
  const rules = texts.map(ruleOf);
  const read = readCustomFields(rules, isRendering);
  if ('fields' in read) return rules;
  const { index, key, problem } = read;
  const text = index === null ? undefined : texts[index];
  throw wrong(
    text,
    key === null ? problem : `${key} ${problem}`,
    key === 'from' && text !== undefined ? `--render --extract ${shellWord(text)}` : undefined,
  );
}

function ruleOf(text: string): Rule {
  const [, name = '', words, language, selector = ''] = RULE.exec(text) ?? [];
  if (language === undefined)
    throw wrong(text, 'no css:, xpath: or regex: behind a name', "--extract 'price=css:.price'");
  let rule: Rule = { name, [language]: selector };
  for (const word of words?.split(',') ?? []) {
    const said = word.startsWith('@') ? { take: 'attribute', attribute: word.slice(1) } : lookUp(WORDS, word);
    if (said === undefined)
      throw wrong(
        text,
        `${word === '' ? 'an empty word' : word} is none of ${Object.keys(WORDS).join(', ')}, @ATTRIBUTE`,
        "--extract 'price:number,many=css:.price'",
      );
    const twice = Object.keys(said).find((key) => Object.hasOwn(rule, key));
    if (twice !== undefined) throw wrong(text, `${twice} is said twice, the second time by ${word}`);
    rule = { ...rule, ...said };
  }
  return rule;
}

function wrong(text: string | undefined, problem: string, flags?: string): CrawlhouseError {
  const hint = flags === undefined ? {} : { hint: `crawlhouse crawl https://www.example.com/ ${flags}` };
  return new CrawlhouseError('usage', `--extract${text === undefined ? '' : ` ${text}`}: ${problem}`, hint);
}
