import { spawn } from 'node:child_process';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { commandEnvironment } from '../../etl/project/settings/command-environment.ts';
import type { Settings } from '../../etl/project/settings/settings.ts';
import type { Invocation } from './command.ts';

/**
 * Returns a link to a page of the running console. The link also signs the user in if the console accepts sign-in
 * links.
 *
 * @throws CrawlhouseError `usage` if no console is running
 */
export async function consoleAddress(
  settings: Settings,
  path: string,
): Promise<{ readonly url: string; readonly signsIn: boolean }> {
  const { openConsoleDatabase } = await import('../console/access/console-database.ts');
  const { Links } = await import('../console/access/links.ts');
  using database = openConsoleDatabase(settings.state_dir);
  const links = new Links(database, Date.now);
  const running = links.announced();
  if (running === null)
    throw new CrawlhouseError('usage', 'no console is running for this project folder', {
      hint: 'crawlhouse console',
    });
  if (!running.takesLinks)
    return { url: `${(settings.console_url ?? running.url).replace(/\/$/, '')}${path}`, signsIn: false };
  const to = path === '/' ? '' : `&to=${encodeURIComponent(path)}`;
  return { url: `${links.make(running.url)}${to}`, signsIn: true };
}

/** Opens a page of the console in the browser, and prints its address. */
export async function openInConsole(invocation: Invocation, settings: Settings, path: string): Promise<void> {
  const { url } = await consoleAddress(settings, path);
  await invocation.write(`${url}\n`);
  openBrowser(url);
}

export function openBrowser(url: string): void {
  const program =
    process.platform === 'darwin' ? 'open' : process.platform === 'win32' ? 'explorer' : 'xdg-open';
  const child = spawn(program, [url], { detached: true, stdio: 'ignore', env: commandEnvironment() });
  // Without a browser, the user opens the printed address.
  child.on('error', () => {});
  child.unref();
}
