import type { CrawlConfigInput } from '../../../client/resources/crawl-configs.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import {
  type CrawlFileContent,
  type CrawlFileKeys,
  checkCrawlText,
  crawlFileOf,
  crawlFileText,
  withScheme,
} from '../../../etl/project/settings/crawls/crawl-file.ts';
import { configFault, readCrawlSettings } from '../../../site/crawler/crawl-settings.ts';
import type { PagesPerTemplate } from '../../../site/crawler/vitals/vitals.ts';

/** Default URLs per second for remote sites; the next constant is for sites on this machine. */
export const SPEED = 5;
const LOOPBACK_SPEED = 1000;
/** Keys that the service requires. Each start URL has one configuration, which makes its crawls comparable. */
export const CRAWL_DEFAULTS = { name: 'crawlhouse crawl', user_agent: 'crawlhouse' } as const;

/** Keys of a configuration that the service does not have; null: the default. */
interface OwnConfig {
  /** Number of pages of each template to measure web vitals of. */
  readonly vitals: PagesPerTemplate | null;
  /** Maximum number of URLs that the crawl did not find and requests at its end. */
  readonly recheck: number | null;
  /** Further start URLs. */
  readonly sites: readonly string[];
}

export interface ChosenConfig {
  readonly config: CrawlConfigInput;
  readonly own: OwnConfig;
}

/** @param isLoopback whether the whole site is on this machine */
export function speedOf({ max_speed }: Pick<CrawlFileKeys, 'max_speed'>, isLoopback: boolean): number {
  return max_speed ?? (isLoopback ? LOOPBACK_SPEED : SPEED);
}

/** Returns the configuration of a website with these keys. */
export function siteConfig(startUrl: string, keys: CrawlFileKeys): ChosenConfig {
  const { vitals = null, recheck = null, sites = [], ...given } = keys;
  const { name = CRAWL_DEFAULTS.name, user_agent = CRAWL_DEFAULTS.user_agent } = given;
  return {
    config: { ...given, name, user_agent, start_url: startUrl, max_speed: speedOf(keys, false) },
    own: { vitals, recheck, sites: sites.map(withScheme) },
  };
}

/**
 * Checks what a schema cannot check: rules for scraped fields, hosts, and keys that require other keys.
 *
 * @throws CrawlhouseError `bad_settings` naming file, line and key
 */
function checkSite({ keys, source }: CrawlFileContent, startUrl: string): void {
  const { config, own } = siteConfig(startUrl, keys);
  try {
    readCrawlSettings(config, own);
  } catch (cause) {
    const fault = configFault(cause);
    if (fault === null || !(cause instanceof CrawlhouseError)) throw cause;
    const { path, problem } = fault;
    const place = `${source.file}:${source.lineOf(path)}: ${path.join('.')}`;
    throw new CrawlhouseError('bad_settings', `${place}: ${problem}`, {
      hint: cause.hint,
      cause: cause.cause,
    });
  }
}

/**
 * Reads the settings of a website in `crawls/`. Returns null if there is no file.
 *
 * @throws CrawlhouseError `bad_settings` naming file, line, key and valid values
 */
export async function readSiteSettings(
  projectDir: string,
  startUrl: string,
): Promise<CrawlFileContent | null> {
  const text = await crawlFileText(projectDir, startUrl);
  if (text === null) return null;
  const content = checkCrawlText(text, crawlFileOf(startUrl));
  checkSite(content, startUrl);
  return content;
}
