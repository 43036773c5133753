import { hostname } from 'node:os';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { html } from '../../../core/text/html.ts';
import { writeWebhook } from '../../../etl/project/settings/account/write-webhook.ts';
import { keepSecrets } from '../../../etl/project/settings/keep-secrets.ts';
import { projectSchedules } from '../../../etl/project/settings/schedules.ts';
import { table } from '../../answers/presentation/html-table.ts';
import { statusMark } from '../../answers/presentation/marks.ts';
import { testTargets } from '../../operations/alert/test-targets.ts';
import { webhookForm } from '../page-parts/schedules/alert-targets.ts';
import type { ConsoleForm, SentForm } from './console-form.ts';

const text = ({ form }: SentForm, field: string): string => (form.get(field) ?? '').trim();

/**
 * Adds, changes or removes the webhook of alerts, and continues at the schedules. Only the machine's owner can: a
 * webhook may be at a private address, and each alert requests it.
 */
const WEBHOOK_FORM: ConsoleForm = {
  path: '/schedules/alerts',
  failed: 'The webhook was not written',
  // Its path is often a secret.
  audit(sent) {
    const host = URL.parse(text(sent, 'webhook'))?.host;
    return `${text(sent, 'change')} webhook of alerts${host === undefined ? '' : ` at ${host}`}`;
  },
  async act(sent, { settings }) {
    const address = text(sent, 'webhook');
    keepSecrets({ webhook: address });
    const change = text(sent, 'change');
    if (change !== 'save' && change !== 'remove')
      throw new CrawlhouseError('usage', `change ${change}: save or remove is expected`);
    if (/[\s\p{Cc}]/u.test(address))
      throw new CrawlhouseError('usage', 'webhook: an address has no white space');
    if (change === 'save' && address === '' && settings.alerts.webhook === undefined)
      throw new CrawlhouseError('usage', 'webhook: an address is expected');
    const { format, timeout } = settings.alerts;
    const written =
      change === 'remove'
        ? { webhook: null, format, timeout }
        : {
            webhook: address === '' ? undefined : address,
            format: text(sent, 'format'),
            timeout: Number(text(sent, 'timeout')),
          };
    const changed = await writeWebhook(settings.projectDir, written);
    // The pages of this console, and the schedules that it serves, use them without a restart.
    Object.assign(settings, { alerts: { ...settings.alerts, ...changed } });
    return '/schedules';
  },
  again: async ({ form, session }, _error, { settings }) =>
    form.get('change') === 'save'
      ? webhookForm(
          {
            is_set: settings.alerts.webhook !== undefined,
            format: form.get('format') === 'slack' ? 'slack' : 'json',
            timeout: Number(form.get('timeout')) || settings.alerts.timeout,
          },
          session.csrf,
        )
      : null,
};

/** Sends a test alert to each target, and shows the answers. */
const TEST_FORM: ConsoleForm = {
  path: '/schedules/alerts/test',
  failed: 'No test alert was sent',
  audit: () => 'send a test alert',
  async act({ left }, { settings: { alerts, projectDir } }) {
    const tested = await testTargets(alerts, await projectSchedules(projectDir), hostname(), left);
    if (tested.length === 0)
      throw new CrawlhouseError('usage', 'there is no target for alerts', {
        hint: 'set alerts in crawlhouse.yaml, or add a webhook at /schedules',
      });
    return {
      title: 'Test alert',
      content: html`<h1>Test alert</h1>
${table(
  'Answers',
  [
    { name: '', cell: ({ error }) => statusMark(error === null ? 'done' : 'failed') },
    { name: 'target', cell: ({ target }) => target },
    { name: 'used by', cell: ({ users }) => users.join(', ') },
    { name: 'answer', cell: ({ answer, error }) => answer ?? error?.message ?? null },
  ],
  tested,
  '',
)}
<p><a class="button" href="/schedules">Schedules</a></p>`,
    };
  },
};

export const ALERT_FORMS: readonly ConsoleForm[] = [WEBHOOK_FORM, TEST_FORM];
