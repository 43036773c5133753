import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';
import { reportFault } from '../../../core/logs/report-fault.ts';
import { html } from '../../../core/text/html.ts';
import { hasRole } from '../access/sessions.ts';
import { FORMS } from '../forms/all-forms.ts';
import type { ConsoleForm, FormContext, FormPage, SentForm } from '../forms/console-form.ts';
import { notice } from '../layout/shell.ts';
import { NotFound } from '../page-parts/console-page.ts';
import { fileForm, filesOf } from './file-form.ts';
import { formOf, sessionOf } from './guard.ts';
import { leaving } from './leaving.ts';
import { refuse, sendPage } from './refuse.ts';

/**
 * Registers the forms that change something. Each submitted form is written to the audit log, and answered with the
 * next page.
 */
export function formRoutes(app: FastifyInstance, context: FormContext, signal: AbortSignal): void {
  for (const form of FORMS) {
    const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const session = sessionOf(request);
      const actor = { person: session, canAct: hasRole(session, 'operator') };
      const path = request.params as Record<string, string>;
      const left = leaving(reply, signal);
      const sent = { form: formOf(request), path, session, files: filesOf(request), left };
      const done = await changed(form, sent, context, signal);
      if (typeof done === 'string') return reply.redirect(done, 303);
      if (!(done instanceof CrawlhouseError)) return sendPage(reply, done.title, done.content.text, actor);
      const { code, message, hint } = done;
      const status = statusOf(done);
      const again = status === 404 ? null : ((await form.again?.(sent, done, context)) ?? null);
      if (again === null) return refuse(request, reply, { status, code, title: form.failed, message, hint });
      const body = html`${notice(form.failed, message, hint)}${again}`;
      return sendPage(reply.code(status), form.failed, body.text, actor);
    };
    if (form.fileBytes === undefined) app.post(form.path, answer);
    else fileForm(app, { path: form.path, mostBytes: form.fileBytes }, answer);
  }
}

/** Makes a change and writes its start and end to the audit. @returns the next page or its address, or the error */
async function changed(
  { path, audit, act }: ConsoleForm,
  sent: SentForm,
  context: FormContext,
  signal: AbortSignal,
): Promise<string | FormPage | CrawlhouseError> {
  const log = context.actions.audit;
  const entry = audit === null ? null : log.begin(sent.session.subject, audit(sent));
  const end = (outcome: string, message: string | null): void => {
    if (entry !== null) log.end(entry, { outcome, message, run_id: null });
  };
  try {
    const next = await act(sent, context, signal);
    end('0', null);
    return next;
  } catch (thrown) {
    const expected =
      thrown instanceof NotFound
        ? new CrawlhouseError('usage', thrown.message, { cause: thrown })
        : toCrawlhouseError(thrown);
    const isFault = statusOf(expected) === 500;
    const error = isFault ? reportFault(thrown, context.readers.logger, { door: 'console', path }) : expected;
    end(String(error.exitCode), error.message);
    return error;
  }
}

function statusOf({ code, kind, cause }: CrawlhouseError): number {
  if (cause instanceof NotFound) return 404;
  if (code === 'locked') return 409;
  return kind === 'usage' || code === 'bad_model' ? 400 : 500;
}
