import { type Check, look } from '../../core/check.ts';
import { CrawlhouseError } from '../../core/errors.ts';
import type { Settings } from '../../project/settings/settings.ts';
import { findBrowser } from '../../service/crawler/render/find-browser.ts';

/** The browser that crawls render pages in. Only `crawl --render` needs one, so it fails only where the setting names one. */
export function examineRendering({ rendering }: Settings, signal: AbortSignal): Promise<Check> {
  return look(
    'rendering',
    async () => {
      try {
        return { message: `in ${(await findBrowser(rendering.browser)).path}` };
      } catch (error) {
        if (!(error instanceof CrawlhouseError) || rendering.browser !== undefined) throw error;
        return { message: `${error.message}; crawl --render needs it: ${error.hint}` };
      }
    },
    signal,
  );
}
