import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { reportFault } from '../../../core/logs/report-fault.ts';
import { redact } from '../../../core/secrets/redact.ts';
import { type Html, html } from '../../../core/text/html.ts';
import { stringifyJson } from '../../../core/text/json.ts';
import { lookUp } from '../../../core/text/look-up.ts';
import { visible } from '../../../core/text/visible.ts';
import type { Readers } from '../desk/desk.ts';
import { notice, type Shell, shellEnd, shellStart } from '../layout/shell.ts';
import { NotFound, type Page, type PageRequest } from '../pages/page.ts';

/** A page that is not read by then says so, and goes on. */
const PATIENCE_MS = 1500;

interface PageAnswer {
  readonly status: number;
  readonly title: string;
  readonly body: Html;
}

export async function answerJson(
  page: Page<unknown>,
  request: PageRequest,
  desk: Readers,
  reply: FastifyReply,
  signal: AbortSignal,
): Promise<FastifyReply> {
  reply.type('application/json; charset=utf-8');
  try {
    const document = await documentOf(page, request, desk, signal);
    return reply.send(visible(redact(`${stringifyJson(document, 1)}\n`)));
  } catch (thrown) {
    const { status, error } = failure(thrown, page, desk);
    return reply.code(status).send(visible(redact(`${stringifyJson({ error })}\n`)));
  }
}

/** The page as HTML. A slow page is sent after its beginning, with a line between that says so. */
export async function answerHtml(
  page: Page<unknown>,
  { request, shell }: { readonly request: PageRequest; readonly shell: Shell },
  desk: Readers,
  reply: FastifyReply,
  signal: AbortSignal,
): Promise<FastifyReply> {
  reply.type('text/html; charset=utf-8');
  const read = drawn(page, request, desk, signal);
  const early = await Promise.race([read, sleep(PATIENCE_MS, null, { ref: false })]);
  if (early !== null) {
    return reply
      .code(early.status)
      .send(redact(shellStart(shell, early.title) + early.body.text + shellEnd()));
  }
  reply.hijack();
  reply.raw.writeHead(200, { ...reply.getHeaders() } as Record<string, string>);
  reply.raw.write(shellStart(shell, 'Reading') + WAITING.text);
  const late = await read;
  reply.raw.end(redact(`<div class="late">${late.body.text}</div>${shellEnd()}`));
  return reply;
}

const WAITING = html`<p class="waiting" role="status">What this page shows is being read. That takes longer than two seconds.</p>
`;

async function drawn(
  page: Page<unknown>,
  request: PageRequest,
  desk: Readers,
  signal: AbortSignal,
): Promise<PageAnswer> {
  try {
    const document = await documentOf(page, request, desk, signal);
    return { status: 200, ...page.draw(document, request) };
  } catch (thrown) {
    const { status, error } = failure(thrown, page, desk);
    const title = status === 404 ? 'Not found' : 'This page could not be read';
    return { status, title, body: notice(title, error.message, error.hint) };
  }
}

/** What a page has read. That it fits its schema is our promise, which tests hold (test/support/checked-pages.ts). */
function documentOf(
  page: Page<unknown>,
  request: PageRequest,
  desk: Readers,
  signal: AbortSignal,
): Promise<unknown> {
  return desk.lanes.of(request.session, () => page.read(request, desk, signal));
}

/** The status of an answer, and the error as every document has it (docs/errors.md). */
function failure(thrown: unknown, { path }: Page<unknown>, { logger }: Readers) {
  if (thrown instanceof NotFound)
    return { status: 404, error: { code: 'usage', message: thrown.message, hint: null } };
  const { code, message, hint, kind } = reportFault(thrown, logger, { door: 'console', path });
  const known: Readonly<Record<string, number>> = { nothing_published: 404, forbidden: 403 };
  const status = lookUp(known, code) ?? (kind === 'usage' ? 400 : 500);
  return { status, error: { code, message, hint } };
}
