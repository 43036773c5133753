import { html } from '../../../core/text/html.ts';
import { runLink } from '../layout/addresses.ts';
import { statusMark, timeText } from '../../../answers/report/marks.ts';
import { requireOperator } from './acting.ts';
import { AuditLine, auditLine } from './audit.ts';
import { NotFound, page } from './page.ts';

export const DO_ACTION = page<AuditLine>({
  path: '/do/actions/:action_id',
  summary: 'One action, and how far it is.',
  schema: AuditLine,
  async read(request) {
    requireOperator(request);
    const { actions, path } = request;
    const entry = actions.audit.find(Number(path.action_id));
    if (entry === null) throw new NotFound(`There is no action ${path.action_id}.`);
    return auditLine(entry, actions);
  },
  draw({ id, command, subject, began_at, ended_at, status, outcome, message, run_id }) {
    const isStarting = status === 'running' && run_id === null;
    return {
      title: `Action ${id}`,
      body: html`<h1>Action ${id}: ${isStarting ? 'starting' : statusMark(status)}</h1>
<pre tabindex="0"><code>${command}</code></pre>
<p class="facts">By ${subject}, began ${timeText(began_at)} UTC, ended ${timeText(ended_at)}${outcome === null ? null : html`, exit code ${outcome}`}</p>
${message === null ? null : html`<p class="notice">${message}</p>`}
${isStarting ? html`<p>It has no run yet. <a href="/do/actions/${id}">Look again</a></p>` : null}
${status === 'unknown' ? html`<p class="notice">Its end is not known: another console has it, or this one was killed before it ended. <a href="/runs">Runs</a> shows what it did.</p>` : null}
${run_id === null ? null : html`<p>Run ${runLink(run_id)}</p>`}
<p><a href="/audit">All actions</a></p>`,
    };
  },
});
