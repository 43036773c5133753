import { z } from 'zod';
import { counted } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';
import type { Typed } from '../../../core/text/typed-rows.ts';
import { table } from '../../answers/presentation/html-table.ts';
import { statusMark, timeText } from '../../answers/presentation/marks.ts';
import { AuditEntry } from '../access/audit-log.ts';
import type { Actions } from '../actions/actions.ts';
import { runLink } from '../layout/addresses.ts';
import { drawPaging, Paging, pagingOf } from '../layout/paging.ts';
import { NotFound, page } from '../page-parts/console-page.ts';

const SIZE = 50;

/** `unknown`: it runs in another console, or the console was killed before it ended. */
export const AuditLine = AuditEntry.extend({ status: z.enum(['running', 'done', 'failed', 'unknown']) });
export type AuditLine = Typed<typeof AuditLine>;

const AuditPage = z.strictObject({ entries: z.array(AuditLine), paging: Paging });

export const AUDIT = page<Typed<typeof AuditPage>>({
  path: '/audit',
  summary: 'The commands that people started in the console, newest first.',
  query: { page: 'The page, from 1.' },
  schema: AuditPage,
  async read(request) {
    const { actions, query } = request;
    const { from, ...paging } = pagingOf(query.get('page'), actions.audit.count(), SIZE);
    return { entries: actions.audit.list(SIZE, from).map((entry) => auditLine(entry, actions)), paging };
  },
  draw({ entries, paging }, { query }) {
    return {
      title: 'Audit',
      body: html`<h1>Audit</h1>
<p class="facts">The console writes each action here before it starts and after it ends.</p>
${auditTable(entries)}
<p class="facts">${counted(paging.total, 'action')}</p>
${drawPaging(paging, { path: '/audit', query })}`,
    };
  },
});

export function auditLine(entry: AuditEntry, actions: Actions): AuditLine {
  if (entry.ended_at !== null) return { ...entry, status: entry.outcome === '0' ? 'done' : 'failed' };
  return {
    ...entry,
    run_id: actions.runOf(entry.id),
    status: actions.isGoing(entry.id) ? 'running' : 'unknown',
  };
}

export function auditTable(entries: readonly AuditLine[]): Html {
  return table(
    'Actions',
    [
      {
        name: 'action',
        cell: ({ id, command }) => html`<a href="/do/actions/${id}"><code>${command}</code></a>`,
      },
      { name: 'status', cell: ({ status }) => statusMark(status) },
      { name: 'began (UTC)', cell: ({ began_at }) => timeText(began_at) },
      { name: 'ended (UTC)', cell: ({ ended_at }) => timeText(ended_at) },
      { name: 'by', cell: ({ subject }) => subject },
      { name: 'exit code', isNumber: true, cell: ({ outcome }) => outcome },
      { name: 'run', cell: ({ run_id }) => run_id && runLink(run_id) },
      { name: 'message', cell: ({ message }) => message },
    ],
    entries,
    'No commands yet. Operators start commands on the Do page.',
  );
}

export const DO_ACTION = page<AuditLine>({
  path: '/do/actions/:action_id',
  summary: 'One action and its progress.',
  schema: AuditLine,
  async read(request) {
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
${isStarting ? html`<p>It has no run yet. <a href="/do/actions/${id}">Reload</a></p>` : null}
${status === 'unknown' ? html`<p class="notice">Its result is unknown: another console runs it, or this console was killed before it ended. <a href="/runs">Runs</a> shows what it did.</p>` : null}
${run_id === null ? null : html`<p>Run ${runLink(run_id)}</p>`}
<p><a href="/audit">All actions</a></p>`,
    };
  },
});
