import { readLiveCrawl } from '../../operations/status/live-crawl.ts';
import { asUsage } from './as-usage.ts';
import type { ConsoleForm, FormContext, SentForm } from './console-form.ts';
import { CRAWL_PATIENCE_MS } from './crawl-form.ts';

const PROGRESS = '/crawling';

async function resume({ session }: SentForm, { actions }: FormContext, finish: boolean): Promise<string> {
  const action = { action: 'resume', finish } as const;
  await actions.startCrawl(action, session.subject, CRAWL_PATIENCE_MS).catch((error: unknown) => {
    throw asUsage(error);
  });
  return PROGRESS;
}

/** The changes of a crawl in progress. */
export const CRAWLING_FORMS: readonly ConsoleForm[] = [
  {
    path: '/crawling/pause',
    failed: 'The crawl was not paused',
    audit: () => 'pause the crawl',
    async act(_sent, { actions }) {
      await actions.pauseCrawl();
      return PROGRESS;
    },
  },
  {
    path: '/crawling/resume',
    failed: 'The crawl was not resumed',
    audit: null,
    act: (sent, context) => resume(sent, context, false),
  },
  {
    path: '/crawling/stop',
    failed: 'The crawl was not stopped',
    audit: null,
    async act(sent, context) {
      await context.actions.pauseCrawl();
      // It may have ended before it could be paused.
      if (readLiveCrawl(context.settings)?.state === 'ended') return PROGRESS;
      return await resume(sent, context, true);
    },
  },
];
