import { once } from 'node:events';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { Settings } from '../../../etl/project/settings/settings.ts';
import type { Command, Invocation } from '../command.ts';
import { consoleAddress, openBrowser } from '../console-address.ts';
import { wholeNumber } from '../flag-values.ts';
import { writeProjectIfEmpty } from '../project/write-project.ts';

const PORT = 8092;

export const console: Command = {
  name: 'console',
  summary: 'serve the console, a website on this machine: issues, projects, questions and charts',
  flags: {
    port: { value: 'N', help: `the port on 127.0.0.1 (${PORT}; 0: a free one)` },
    open: { help: 'open it in the browser' },
    link: { help: 'only print a new sign-in link to the running console' },
  },
  async run(invocation) {
    if (!invocation.has('link')) await writeProjectIfEmpty(invocation);
    const settings = await invocation.settings();
    if (invocation.has('link')) return await printLink(invocation, settings);
    const { logger, signal } = invocation;
    const address = invocation.text('port') === undefined ? settings.console_listen : undefined;
    const { serveConsole } = await import('../../console/server/serve-console.ts');
    await using served = await serveConsole(
      settings,
      address ?? `127.0.0.1:${wholeNumber(invocation, 'port', 0, 65_535) ?? PORT}`,
      logger,
      signal,
    );
    void served.preparePages();
    const url = served.newLink() ?? settings.console_url ?? served.url;
    await invocation.write(`${url}\n`);
    if (invocation.has('open')) openBrowser(url);
    if (!signal.aborted) await once(signal, 'abort');
    return 0;
  },
};

/** @throws CrawlhouseError `usage` if no console accepts a link */
async function printLink(invocation: Invocation, settings: Settings): Promise<number> {
  const { url, signsIn } = await consoleAddress(settings, '/');
  if (!signsIn)
    throw new CrawlhouseError('usage', `the console on ${url} accepts no sign-in links`, {
      hint: `sign in by OIDC at ${url}`,
    });
  await invocation.write(`${url}\n`);
  return 0;
}
