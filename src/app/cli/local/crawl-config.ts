import { resolve } from 'node:path';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { readText } from '../../../core/files/read-text.ts';
import { lookUp } from '../../../core/text/look-up.ts';
import { shellWord } from '../../../core/text/shell-word.ts';
import {
  CrawlFile,
  type CrawlFileContent,
  checkCrawlText,
  withScheme,
} from '../../../etl/project/settings/crawls/crawl-file.ts';
import { DEFAULT_RECHECK } from '../../../site/crawler/crawl-settings.ts';
import { readCustomFields } from '../../../site/crawler/custom-fields/custom-field.ts';
import { tryStart } from '../../../site/crawler/try-start.ts';
import type { PagesPerTemplate } from '../../../site/crawler/vitals/vitals.ts';
import {
  type ChosenConfig,
  readSiteSettings,
  SPEED,
  siteConfig,
  speedOf,
} from '../../operations/crawls/site-settings.ts';
import type { Flag, Invocation } from '../command.ts';
import { LIST_CONFIG_NAME } from './local-service.ts';

export const CRAWL_FLAGS: Readonly<Record<string, Flag>> = {
  list: { value: 'FILE', help: 'fetch the URLs in this file, one per line, and follow their redirects' },
  site: {
    multiple: true,
    value: 'URL',
    help: 'another start URL of the same project, such as a country domain',
  },
  'max-urls': { value: 'N', help: 'the maximum number of URLs to fetch' },
  'max-depth': { value: 'N', help: 'the maximum depth, in clicks from the start URL' },
  speed: { value: 'N', help: `URLs per second; default ${SPEED}` },
  subdomains: { help: 'crawl the subdomains too' },
  'user-agent': {
    value: 'NAME',
    help: 'the user agent that is sent to servers and matched against robots.txt',
  },
  render: { help: 'render pages in Chromium, including content that scripts add' },
  vitals: {
    value: 'N',
    help: 'measure the web vitals of N pages of each template, or of all pages, with Lighthouse',
  },
  recheck: {
    value: 'N',
    help: `at the end, request at most N known URLs that the crawl did not find; default ${DEFAULT_RECHECK}`,
  },
  'no-recheck': { help: 'skip the recheck' },
  extract: {
    multiple: true,
    value: 'RULE',
    help: 'scrape a field from each page, such as price:number=css:.price (docs/crawler.md: scraped fields)',
  },
  config: { value: 'FILE', help: 'a crawl configuration as YAML or JSON; flags override its keys' },
  'i-own-this-site': { help: `allow more than ${SPEED} URLs per second` },
  'allow-private': { help: 'fetch private addresses, even if the start URL is public' },
  'public-only': { help: 'refuse private addresses, even as the start URL' },
};

/**
 * Returns the configuration of a crawl: from the flags, then the file of `--config`, then the website's own file, then
 * the defaults. A start URL that redirects to another host is replaced by its target.
 *
 * @param onFailed called for a start URL that cannot be crawled
 * @param list the only URLs to crawl; the first one determines the project
 * @throws CrawlhouseError `usage`, `start_unreachable`, `start_refused`, `bad_settings`, `missing_feature`
 */
export async function crawlConfig(
  invocation: Invocation,
  onFailed: (startUrl: string, error: CrawlhouseError) => Promise<void>,
  list: readonly string[] | null = null,
): Promise<ChosenConfig> {
  const file = invocation.text('config');
  const fromFile =
    file === undefined ? null : await readConfig(resolve(invocation.workingDirectory, file), file);
  const sites = sitesOf(invocation.texts('site'), fromFile?.keys.sites, list !== null);
  const first = list?.[0] === undefined ? undefined : new URL('/', list[0]).href;
  const url = invocation.positionals[0] ?? first ?? fromFile?.keys.start_url ?? sites[0];
  if (url === undefined)
    throw new CrawlhouseError('usage', 'a URL is needed', {
      hint: 'crawlhouse crawl https://www.example.com/',
    });
  const given = { fromFile, sites, list };
  const chosen = await choose(invocation, withScheme(url), given);
  const tried = await tryAll(invocation, chosen, list, onFailed);
  if (chosen.file !== null) return tried;
  // The file is named after the host that is crawled.
  const moved = await choose(invocation, tried.config.start_url, given);
  return moved.file === null ? tried : tryAll(invocation, moved, list, onFailed);
}

interface Given {
  readonly fromFile: CrawlFileContent | null;
  /** Further start URLs of the flags or of the file of `--config`. */
  readonly sites: readonly string[];
  readonly list: readonly string[] | null;
}

/** Merges the sources of a configuration. */
async function choose(invocation: Invocation, startUrl: string, { fromFile, sites, list }: Given) {
  const flags = defined({
    start_url: startUrl,
    max_url: numberOf(invocation, 'max-urls'),
    max_depth: numberOf(invocation, 'max-depth'),
    max_speed: numberOf(invocation, 'speed'),
    user_agent: invocation.text('user-agent'),
    crawl_subdomains: invocation.has('subdomains') || undefined,
    js_rendering: invocation.has('render') || undefined,
    vitals: measuredPages(invocation),
    recheck: recheckedUrls(invocation),
  });
  checkFlags(flags);
  const { projectDir } = await invocation.settings();
  const site = await readSiteSettings(projectDir, startUrl);
  if (site !== null) invocation.say(`The settings in ${site.source.file} apply.\n`);
  const files = { ...site?.keys, ...fromFile?.keys };
  const rules = extractFlag(
    invocation.texts('extract'),
    invocation.has('render') || files.js_rendering === true,
  );
  // A name in a file is that of the crawls of the whole site.
  const name = list === null ? {} : { name: LIST_CONFIG_NAME };
  const further = sites.length > 0 ? sites : list === null ? site?.keys.sites : [];
  const keys = CrawlFile.parse({
    ...files,
    ...name,
    ...flags,
    ...defined({ custom_fields: rules, sites: further }),
  });
  return { ...siteConfig(startUrl, keys), keys, file: site };
}

/** Tries each start URL, and replaces those that redirect to another host. */
async function tryAll(
  invocation: Invocation,
  { config, own, keys }: Awaited<ReturnType<typeof choose>>,
  list: readonly string[] | null,
  onFailed: (startUrl: string, error: CrawlhouseError) => Promise<void>,
): Promise<ChosenConfig> {
  const owner = {
    iOwnThisSite: invocation.has('i-own-this-site'),
    allowPrivate: invocation.has('allow-private'),
    publicOnly: invocation.has('public-only'),
  };
  const { rendering, vitals, crawl_proxy: proxy } = await invocation.settings();
  const onWait = (words: string): void => invocation.say(`${words}\n`);
  const hasVitals = (own.vitals ?? vitals.pages_per_template) !== 0;
  const others = [config.start_url, ...own.sites];
  const trial = { ...owner, rendering, proxy, hasVitals, onWait, list, others };
  const tried: Awaited<ReturnType<typeof tryStart>>[] = [];
  for (const asked of new Set(others.map((other) => new URL(other).href))) {
    const one = await tryStart({ ...config, start_url: asked }, trial).catch(async (error: unknown) => {
      if (error instanceof CrawlhouseError) await onFailed(asked, error);
      throw error;
    });
    if (one.startUrl !== asked) invocation.say(`${asked} redirects to ${one.startUrl}, which is crawled.\n`);
    tried.push(one);
  }
  const [start_url = config.start_url, ...further] = new Set(tried.map(({ startUrl }) => startUrl));
  const max_speed = speedOf(
    keys,
    tried.every((one) => one.isLoopback),
  );
  return { config: { ...config, start_url, max_speed }, own: { ...own, sites: further } };
}

/** Returns the start URLs of `--site`, or else of the `sites` key in the file of `--config`. */
function sitesOf(flags: readonly string[], listed: readonly string[] | undefined, isList: boolean): string[] {
  const texts = flags.length > 0 ? flags : (listed ?? []);
  const wrong = texts.find((text) => !/^https?:$/.test(URL.parse(withScheme(text))?.protocol ?? ''));
  if (wrong !== undefined)
    throw new CrawlhouseError('usage', `--site ${wrong}: not a URL`, {
      hint: 'crawlhouse crawl --site https://www.example.com/ --site https://www.example.de/',
    });
  if (isList && texts.length > 0)
    throw new CrawlhouseError('usage', '--site: not possible with --list', {
      hint: 'a list may contain URLs from any host',
    });
  return texts.map(withScheme);
}

/** @throws CrawlhouseError `usage` */
function recheckedUrls(invocation: Invocation): number | undefined {
  const text = invocation.text('recheck');
  if (invocation.has('no-recheck')) {
    if (text === undefined) return 0;
    throw new CrawlhouseError('usage', `--recheck ${text}: not possible with --no-recheck`);
  }
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new CrawlhouseError('usage', `--recheck ${text}: a number of URLs is expected`);
}

/**
 * Returns how many pages of each template to measure for web vitals, or undefined if the flag is not set.
 *
 * @throws CrawlhouseError `usage`
 */
function measuredPages(invocation: Invocation): PagesPerTemplate | undefined {
  const text = invocation.text('vitals');
  if (text === undefined || text === 'all') return text;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new CrawlhouseError(
    'usage',
    `--vitals ${text}: a number of pages of each template, or all, is expected`,
  );
}

/** The flag, or `the URL`, that sets each key of a configuration. */
const FLAG_OF: Readonly<Record<string, string>> = {
  start_url: 'the URL',
  max_url: '--max-urls',
  max_depth: '--max-depth',
  max_speed: '--speed',
  user_agent: '--user-agent',
};

/** @throws CrawlhouseError `usage` that names the flag, its value and valid values */
function checkFlags(flags: Readonly<Record<string, unknown>>): void {
  const { error } = CrawlFile.safeParse(flags);
  const [issue] = error?.issues ?? [];
  if (issue === undefined) return;
  const key = String(issue.path[0]);
  throw new CrawlhouseError(
    'usage',
    `${lookUp(FLAG_OF, key) ?? key} ${lookUp(flags, key)}: ${issue.message}`,
    { ...(key === 'start_url' ? { hint: 'crawlhouse crawl https://www.example.com/' } : {}) },
  );
}

async function readConfig(path: string, shownAs: string): Promise<CrawlFileContent> {
  try {
    return checkCrawlText(await readText(path), shownAs, 'usage');
  } catch (cause) {
    if (cause instanceof CrawlhouseError) throw cause;
    throw new CrawlhouseError('usage', `--config: ${shownAs} cannot be read`, { cause });
  }
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

/** Words after a name, as in `price:number,many=css:.price`, with the key of the rule that each sets. */
const WORDS: Readonly<Record<string, Rule>> = {
  ...Object.fromEntries(['string', 'number', 'date', 'boolean'].map((type) => [type, { type }])),
  ...Object.fromEntries(['text', 'html', 'count', 'exists'].map((take) => [take, { take }])),
  many: { many: true },
  comma: { decimal: ',' },
  raw: { from: 'raw' },
  rendered: { from: 'rendered' },
};
/** `NAME:WORDS=LANGUAGE:SELECTOR`; the colon and the words are optional. */
const RULE = /^([^=:]*)(?::([^=]*))?=(css|xpath|regex):(.+)$/s;

/**
 * Returns the rules of `--extract`, or undefined if the flag is not set.
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
    throw wrong(text, 'no css:, xpath: or regex: after a name', "--extract 'price=css:.price'");
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
    if (twice !== undefined) throw wrong(text, `${twice} is given twice, the second time by ${word}`);
    rule = { ...rule, ...said };
  }
  return rule;
}

function wrong(text: string | undefined, problem: string, flags?: string): CrawlhouseError {
  const hint = flags === undefined ? {} : { hint: `crawlhouse crawl https://www.example.com/ ${flags}` };
  return new CrawlhouseError('usage', `--extract${text === undefined ? '' : ` ${text}`}: ${problem}`, hint);
}
