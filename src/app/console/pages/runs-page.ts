import { z } from 'zod';
import { counted } from '../../../core/text/amounts.ts';
import { html } from '../../../core/text/html.ts';
import type { Typed } from '../../../core/text/typed-rows.ts';
import { readLastRuns } from '../../operations/status/remembered.ts';
import { RunLine, runLine, runsTable } from '../../operations/status/run-line.ts';
import { drawBlocks } from '../layout/addresses.ts';
import { filterForm } from '../layout/filter-form.ts';
import { drawPaging, Paging, pagingOf } from '../layout/paging.ts';
import { page } from '../page-parts/console-page.ts';

const SIZE = 50;

const Runs = z.strictObject({
  runs: z.array(RunLine),
  paging: Paging,
  /** The statuses to choose from. */
  statuses: z.array(z.string()),
  commands: z.array(z.string()),
});

export const RUNS = page<Typed<typeof Runs>>({
  path: '/runs',
  summary: 'The runs, newest first.',
  query: {
    status: 'Only runs with this status.',
    command: 'Only runs of this command.',
    page: 'The page, from 1.',
  },
  schema: Runs,
  async read({ query }, readers) {
    const all = await readLastRuns(readers.settings);
    const is = (name: string, value: string): boolean => (query.get(name) || value) === value;
    const found = all.filter((run) => is('status', run.status) && is('command', run.command));
    const { from, ...paging } = pagingOf(query.get('page'), found.length, SIZE);
    return {
      runs: found.slice(from, from + SIZE).map(runLine),
      paging,
      statuses: [...new Set(all.map(({ status }) => status))].sort(),
      commands: [...new Set(all.map(({ command }) => command))].sort(),
    };
  },
  draw({ runs, paging, statuses, commands }, { query }) {
    const isFiltered = Boolean(query.get('status') || query.get('command'));
    const form = filterForm('/runs', query, [
      { name: 'status', label: 'status', options: statuses },
      { name: 'command', label: 'command', options: commands },
    ]);
    return {
      title: 'Runs',
      body: html`<h1>Runs</h1>
${statuses.length === 0 ? null : form}
${isFiltered && runs.length === 0 ? html`<p class="empty">No run matches the filter. <a href="/runs">All runs</a></p>` : drawBlocks([runsTable(runs)])}
<p class="facts">${counted(paging.total, 'run')}</p>
${drawPaging(paging, { path: '/runs', query })}`,
    };
  },
});
