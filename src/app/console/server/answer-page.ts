import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { reportFault } from '../../../core/logs/report-fault.ts';
import { redact } from '../../../core/secrets/redact.ts';
import { type Html, html } from '../../../core/text/html.ts';
import { stringifyJson } from '../../../core/text/json.ts';
import { lookUp } from '../../../core/text/look-up.ts';
import { visible } from '../../../core/text/visible.ts';
import { crawlName } from '../../answers/presentation/value-text.ts';
import { tabName } from '../layout/project-tabs.ts';
import { notice, type Shell, shellEnd, shellStart } from '../layout/shell.ts';
import { calledProject } from '../page-parts/called-project.ts';
import { NotFound, type Page, type PageRequest } from '../page-parts/console-page.ts';
import { recordOf } from '../pages/crawl-page.ts';
import type { Readers } from '../readers/readers.ts';

/** A page that takes longer shows that it is still being read. */
const PATIENCE_MS = 1500;

interface PageAnswer {
  readonly status: number;
  readonly title: string;
  readonly body: Html;
  readonly location?: string | null;
}

export async function answerJson(
  page: Page<unknown>,
  request: PageRequest,
  readers: Readers,
  reply: FastifyReply,
  signal: AbortSignal,
): Promise<FastifyReply> {
  reply.type('application/json; charset=utf-8');
  try {
    const document = await documentOf(page, request, readers, signal);
    return reply.send(visible(redact(`${stringifyJson(document, 1)}\n`)));
  } catch (thrown) {
    const { status, error } = failure(thrown, page, readers);
    return reply.code(status).send(visible(redact(`${stringifyJson({ error })}\n`)));
  }
}

/** Sends the page as HTML. For a slow page, its beginning is sent first, with a line that it is being read. */
export async function answerHtml(
  page: Page<unknown>,
  { request, shell }: { readonly request: PageRequest; readonly shell: Shell },
  readers: Readers,
  reply: FastifyReply,
  signal: AbortSignal,
): Promise<FastifyReply> {
  reply.type('text/html; charset=utf-8');
  const read = drawn(page, request, readers, signal);
  const quick = await Promise.race([read, waited()]);
  const known = quick ?? (await Promise.race([read, beginning(page, request, readers), waited()]));
  if (known !== null && known.status !== null) {
    if (known.location != null) return reply.redirect(known.location);
    return reply
      .code(known.status)
      .send(redact(shellStart(shell, known.title) + known.body.text + shellEnd()));
  }
  reply.hijack();
  reply.raw.writeHead(200, { ...reply.getHeaders() } as Record<string, string>);
  const { title, body } = known ?? { title: roomTitle(page.path), body: html`` };
  reply.raw.write(
    redact(`${shellStart(shell, title)}<div class="waiting">${body.text}${WAITING.text}</div>\n`),
  );
  const late = await read;
  // The status is already sent, so the page itself leads on.
  const lead =
    late.location == null ? html`` : html`<meta http-equiv="refresh" content="0; url=${late.location}">`;
  reply.raw.end(redact(`<div class="late">${lead.text}${late.body.text}</div>${shellEnd()}`));
  return reply;
}

const WAITING = html`<p role="status">Loading the data of this page takes longer than two seconds.</p>`;

/** Shown if nothing is published. The overview offers the ways to the first crawl. */
const NOTHING =
  'This page shows data once a crawl is published. The overview shows how to get the first one.';

const waited = (): Promise<null> => sleep(PATIENCE_MS, null, { ref: false });

/**
 * Returns the beginning of a page whose status is unknown yet, except for a missing one. Null if the page itself will
 * show the error.
 */
async function beginning(
  page: Page<unknown>,
  request: PageRequest,
  readers: Readers,
): Promise<PageAnswer | (Omit<PageAnswer, 'status'> & { readonly status: null }) | null> {
  try {
    const begun = await readers.lanes.of(request.session, () => pageBeginning(page.path, request, readers));
    return { ...begun, status: null };
  } catch (thrown) {
    return thrown instanceof NotFound ? notRead(thrown, page, readers) : null;
  }
}

async function drawn(
  page: Page<unknown>,
  request: PageRequest,
  readers: Readers,
  signal: AbortSignal,
): Promise<PageAnswer> {
  try {
    const document = await documentOf(page, request, readers, signal);
    return { status: 200, ...page.draw(document, request) };
  } catch (thrown) {
    return notRead(thrown, page, readers);
  }
}

function notRead(thrown: unknown, page: Page<unknown>, readers: Readers): PageAnswer {
  const { status, error } = failure(thrown, page, readers);
  if (error.code === 'nothing_published')
    return { status, title: 'Nothing is published yet', body: notice('Nothing is published yet', NOTHING) };
  const title = status === 404 ? 'Not found' : 'This page could not be read';
  return { status, title, body: notice(title, error.message, error.hint) };
}

/** Returns the document of a page. Tests ensure that it fits its schema (test/support/checked-pages.ts). */
async function documentOf(
  page: Page<unknown>,
  request: PageRequest,
  readers: Readers,
  signal: AbortSignal,
): Promise<unknown> {
  return await readers.lanes.of(request.session, () => page.read(request, readers, signal));
}

/** Returns the status of an answer, and the error as in every document (docs/errors.md). */
function failure(thrown: unknown, { path }: Page<unknown>, { logger }: Readers) {
  if (thrown instanceof NotFound)
    return { status: 404, error: { code: 'usage', message: thrown.message, hint: null } };
  const { code, message, hint, kind } = reportFault(thrown, logger, { door: 'console', path });
  const known: Readonly<Record<string, number>> = { nothing_published: 404, forbidden: 403 };
  const status = lookUp(known, code) ?? (kind === 'usage' ? 400 : 500);
  return { status, error: { code, message, hint } };
}

/**
 * Returns the first part of a slow page: its title and heading, as far as the URL determines them.
 *
 * @param route in the syntax of fastify, such as `/projects/:project_id`
 * @throws NotFound for an unknown name
 */
async function pageBeginning(
  route: string,
  { path, query }: PageRequest,
  readers: Readers,
): Promise<{ readonly title: string; readonly body: Html }> {
  if (path.project_id !== undefined) {
    const { project_id, project_name } = await calledProject(readers, path.project_id);
    const name = project_name ?? project_id;
    const tab = tabName(route.replace('/projects/:project_id', ''));
    const title = query.get('url') ?? (tab === null ? name : `${tab} of ${name}`);
    return { title, body: html`<h1>${name}</h1>\n` };
  }
  const asked = query.get('question');
  const question = asked === null ? null : (await readers.questions()).find(({ name }) => name === asked);
  const crawl = path.crawl_id === undefined ? null : crawlName(await recordOf(path.crawl_id, readers));
  const title = crawl ?? question?.title ?? roomTitle(route);
  return { title, body: html`<h1>${title}</h1>\n` };
}

/** `/runs/:run_id` belongs to Runs. */
function roomTitle(route: string): string {
  const [, room = ''] = route.split('/');
  if (room === 'start') return 'Crawl a website';
  return room === '' ? 'Overview' : room.charAt(0).toUpperCase() + room.slice(1);
}
