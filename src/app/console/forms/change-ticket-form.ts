import { CrawlhouseError } from '../../../core/errors/errors.ts';
import {
  addTicket,
  changeTicket,
  MOST_TICKET_URLS,
  type Ticket,
} from '../../../etl/project/settings/tickets/tickets.ts';
import { asking } from '../../answers/explore/chosen-crawls.ts';
import { segmentOf, WHOLE_SITE } from '../../answers/explore/page-segments.ts';
import { filterOfQuery } from '../../answers/explore/pages/page-filter.ts';
import { pageStatement } from '../../answers/explore/pages/page-statement.ts';
import { sendTicket } from '../../operations/alert/send-ticket.ts';
import { ticketsPath } from '../layout/addresses.ts';
import { calledProject } from '../page-parts/called-project.ts';
import { DIRECTORY } from '../page-parts/chosen-segment.ts';
import { ticketForm } from '../page-parts/tickets/ticket-form.ts';
import type { Readers } from '../readers/readers.ts';
import type { ConsoleForm, SentForm } from './console-form.ts';

const FIELDS = ['owner', 'state', 'note', 'due', 'until'] as const;
/** Hidden fields that the form of a new or changed ticket sends unchanged. */
const HIDDEN = ['issue', 'filter', 'id', 'seen'] as const;

/** Adds or changes a ticket of `tickets.yaml`, and continues at the tickets of the project. */
export const TICKET_FORM: ConsoleForm = {
  path: '/projects/:project_id/tickets',
  failed: 'The ticket was not written',
  audit(sent) {
    const id = sent.form.get('id');
    const what = JSON.stringify({ ...given(sent, HIDDEN), ...given(sent, FIELDS) });
    return id === null ? `make ticket ${what}` : `change ticket ${what}`;
  },
  async act(sent, { settings, readers }, signal) {
    const { project_id } = await calledProject(readers, String(sent.path.project_id));
    const ticket = await write(sent, settings.projectDir, { project_id, readers }, signal);
    await sendTicket(settings, { ticket, isNew: !sent.form.has('id') }, readers.logger, signal);
    return ticketsPath(project_id);
  },
  again({ form, path, session }) {
    const hidden = Object.fromEntries(
      HIDDEN.flatMap((name) => (form.has(name) ? [[name, form.get(name) ?? '']] : [])),
    );
    const button = form.has('id') ? 'Change the ticket' : 'Make the ticket';
    return ticketForm({ project: String(path.project_id), csrf: session.csrf, hidden, typed: form, button });
  },
};

/** Returns the fields with a value. */
function given({ form }: SentForm, names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = form.get(name)?.trim() ?? '';
      return value === '' ? [] : [[name, value]];
    }),
  );
}

async function write(
  sent: SentForm,
  projectDir: string,
  { project_id, readers }: { readonly project_id: string; readonly readers: Readers },
  signal: AbortSignal,
): Promise<Ticket> {
  const { form } = sent;
  const fields = given(sent, FIELDS);
  const id = form.get('id');
  if (id !== null) return await changeTicket(projectDir, { id, seen: form.get('seen') ?? '' }, fields);
  const pages = await pagesOf(project_id, form, readers, signal);
  return await addTicket(projectDir, { project: project_id, ...pages, ...fields });
}

/**
 * Returns the keys of a ticket that name its pages: all pages with the issue, the pages of a first directory, or a list
 * of URLs. Other segments become lists of URLs, because a change to segments.yaml also changes the segments of earlier
 * crawls.
 */
async function pagesOf(
  project_id: string,
  form: URLSearchParams,
  readers: Readers,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const query = new URLSearchParams(form.get('filter') ?? '');
  const filter = filterOfQuery(project_id, query);
  const issue = form.get('issue') || filter.issue;
  if (issue === undefined) throw new CrawlhouseError('usage', 'choose the issue of the ticket');
  if (filter.change !== undefined)
    throw new CrawlhouseError('usage', 'a ticket cannot be limited to changed pages', {
      hint: 'remove the change from the filter',
    });
  return await readers.warehouse.use(async (warehouse) => {
    const { crawl, sql, parameters } = await pageStatement(warehouse, { ...filter, issue }, signal);
    const own = { issue, crawl: crawl.crawl_id };
    if (filter.conditions.length + filter.where.length === 0) {
      const segment = await segmentOf(asking(warehouse, signal), filter, [crawl.crawl_id, null]);
      if (segment.segmentation === WHOLE_SITE.segmentation) return own;
      if (segment.segmentation === DIRECTORY) return { ...own, ...segment };
    }
    const rows = await warehouse.rows(sql, signal, parameters, MOST_TICKET_URLS + 1);
    if (rows.length > MOST_TICKET_URLS)
      throw new CrawlhouseError('usage', `more than ${MOST_TICKET_URLS} pages match the filter`, {
        hint: 'filter only by a first directory, which has no limit (docs/explore.md#tickets)',
      });
    if (rows.length === 0) throw new CrawlhouseError('usage', 'no page matches the filter');
    query.delete('page');
    return { ...own, urls: rows.map(({ url }) => url), filter: String(query) };
  });
}
