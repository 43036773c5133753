import { html } from '../../../core/text/html.ts';
import { readCrawl } from '../actions/crawl-action.ts';
import { checkForm, crawlForm } from '../page-parts/website/website-forms.ts';
import { asUsage } from './as-usage.ts';
import type { ConsoleForm } from './console-form.ts';

/** A crawl begins within this time, or its start URL does not answer. */
export const CRAWL_PATIENCE_MS = 15_000;

/** Starts a crawl of a website, and continues at its progress. */
export const CRAWL_FORM: ConsoleForm = {
  path: '/start',
  failed: 'The crawl was not started',
  audit: null,
  async act({ form, session }, { actions }) {
    const action = readCrawl(form);
    await actions.startCrawl(action, session.subject, CRAWL_PATIENCE_MS).catch((error: unknown) => {
      throw asUsage(error);
    });
    return '/crawling';
  },
  again({ form, session }) {
    const url = form.get('url') ?? '';
    return html`${checkForm(url)}${crawlForm(url, session.csrf, form)}`;
  },
};
