import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { html } from '../../../core/text/html.ts';
import { drawTest } from '../crawl-settings/draw-test.ts';
import { changedBy } from '../crawl-settings/site-form.ts';
import { TestedUrl, testedUrl, testUrl } from '../crawl-settings/test-url.ts';
import type { ConsoleForm } from './console-form.ts';
import { formAgain, siteOf } from './settings-form.ts';

/** Fetches one URL with settings that are not saved, and shows the result above the form. */
export const SETTINGS_TEST_FORM: ConsoleForm = {
  path: '/projects/:project_id/settings/test',
  failed: 'The URL was not tested',
  audit: ({ form, path }) =>
    `test ${TestedUrl.safeParse(form.get('test')).data ?? 'no valid URL'} with unsaved crawl settings of ${path.project_id}`,
  async act(sent, context) {
    const url = testedUrl(sent.form) ?? '';
    const { site } = await siteOf(sent, context);
    const { keys, faults } = changedBy(sent.form, site);
    const [first] = faults;
    if (keys === null || first !== undefined)
      throw new CrawlhouseError('usage', `${first?.name}: ${first?.message}`, {
        hint: 'correct the marked fields',
      });
    const tested = { ...site, keys, publicOnly: !context.isOwners };
    const test = await testUrl(url, tested, context.readers.settings, sent.left);
    return {
      title: 'Test of one URL',
      content: html`<h1>Test of one URL</h1>
<p class="notice">The settings below are not saved.</p>
${drawTest(test)}
${await formAgain(sent, null, context)}`,
    };
  },
  again: formAgain,
};
