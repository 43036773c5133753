import { CrawlhouseError } from '../../core/errors/errors.ts';
import type { Settings } from '../../project/settings/settings.ts';
import type { Invocation } from './command.ts';
import { openBrowser } from './sign-in.ts';

/**
 * A link to a page of the console that is running. It signs in, where the console takes links.
 *
 * @throws CrawlhouseError `usage` where no console is running
 */
export async function consoleAddress(
  settings: Settings,
  path: string,
): Promise<{ readonly url: string; readonly signsIn: boolean }> {
  const { Access } = await import('../console/access/access.ts');
  using access = new Access(settings);
  const running = access.links.announced();
  if (running === null)
    throw new CrawlhouseError('usage', 'no console is running for this project folder', {
      hint: 'crawlhouse console',
    });
  if (!running.takesLinks)
    return { url: `${(settings.console_url ?? running.url).replace(/\/$/, '')}${path}`, signsIn: false };
  const to = path === '/' ? '' : `&to=${encodeURIComponent(path)}`;
  return { url: `${access.links.make(running.url)}${to}`, signsIn: true };
}

/** Opens a page of the console in the browser, and prints its address. */
export async function openInConsole(invocation: Invocation, settings: Settings, path: string): Promise<void> {
  const { url } = await consoleAddress(settings, path);
  await invocation.write(`${url}\n`);
  openBrowser(url);
}
