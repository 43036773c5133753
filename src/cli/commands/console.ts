import { once } from 'node:events';
import { CrawlhouseError } from '../../core/errors.ts';
import type { Command, Invocation } from '../command.ts';
import { openBrowser } from '../sign-in.ts';

const PORT = 8092;

export const console: Command = {
  name: 'console',
  summary: 'a web page on this machine: what is wrong, how each project goes, questions and charts',
  positionals: { shown: '', most: 0 },
  flags: {
    port: { type: 'string', value: 'N', help: `the port (${PORT}; 0: a free one)` },
    open: { type: 'boolean', help: 'open it in the browser' },
  },
  async run(invocation) {
    const settings = await invocation.settings();
    const { logger, signal } = invocation;
    const { serveConsole } = await import('../../console/server/serve-console.ts');
    await using served = await serveConsole(settings, `127.0.0.1:${portOf(invocation)}`, logger, signal);
    await invocation.write(`${served.link}\n`);
    if (invocation.has('open')) openBrowser(served.link);
    if (!signal.aborted) await once(signal, 'abort');
    return 0;
  },
};

/** @throws CrawlhouseError `usage` */
function portOf(invocation: Invocation): number {
  const text = invocation.text('port');
  if (text === undefined) return PORT;
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new CrawlhouseError('usage', `--port ${text}: not a port`, { hint: '--port 8092' });
}
