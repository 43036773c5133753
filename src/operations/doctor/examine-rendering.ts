import { type Check, look } from '../../core/duckdb/check.ts';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import type { Settings } from '../../project/settings/settings.ts';
import { findBrowser } from '../../service/crawler/render/find-browser.ts';
import { findLighthouse } from '../../service/crawler/vitals/find-lighthouse.ts';

/**
 * The browser that crawls render pages in, and what measures web vitals. Only `crawl --render` and `--vitals` need them, so
 * it fails only where the settings ask for them.
 */
export function examineRendering({ rendering, vitals }: Settings, signal: AbortSignal): Promise<Check> {
  const isBrowserSet = rendering.browser !== undefined;
  return look(
    'rendering',
    async () => {
      const browser = await found('crawl --render', isBrowserSet, async () => {
        return `in ${(await findBrowser(rendering.browser)).path}`;
      });
      const meter = await found('crawl --vitals', vitals.pages_per_template !== 0, async () => {
        return `web vitals by Lighthouse ${(await findLighthouse(rendering.browser)).version}`;
      });
      return { message: `${browser}; ${meter}` };
    },
    signal,
  );
}

/** What is there, else what lacks and how to get it. */
async function found(purpose: string, isAsked: boolean, find: () => Promise<string>): Promise<string> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof CrawlhouseError) || isAsked) throw error;
    return `${error.message}; ${purpose} needs it: ${error.hint}`;
  }
}
