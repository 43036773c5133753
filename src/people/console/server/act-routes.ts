import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';
import { html } from '../../../core/text/html.ts';
import type { QuestionSettings } from '../../../pipeline/transform/questions/compile-questions.ts';
import { keepQuestion } from '../../../pipeline/transform/questions/keep-question.ts';
import { parametersOf } from '../../../pipeline/transform/questions/question-parameters.ts';
import { changeNotes } from '../../../project/settings/notes.ts';
import type { Audit } from '../access/audit.ts';
import type { SignedIn } from '../access/sessions.ts';
import { readAction } from '../actions/action.ts';
import type { Actions } from '../actions/actions.ts';
import { projectPath } from '../layout/addresses.ts';
import { notice } from '../layout/shell.ts';
import { keepForm } from '../page-parts/keep-form.ts';
import { formOf, sessionOf } from './guard.ts';
import { type Refused, refuse, sendPage } from './refuse.ts';

/** A command has its run within this time, unless it waits for the state lock. */
const PATIENCE_MS = 5000;
const NOTE_FIELDS = ['date', 'project', 'kind', 'text'];
const NOT_KEPT = 'The question was not kept';

interface ActSettings extends QuestionSettings {
  readonly console_actions: boolean;
}

interface Sent {
  readonly form: URLSearchParams;
  readonly session: SignedIn;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** What people change here: actions that they start, questions that they keep, notes. */
export function actRoutes(
  app: FastifyInstance,
  { actions, audit }: { readonly actions: Actions; readonly audit: Audit },
  settings: ActSettings,
): void {
  const post = (path: string, act: (sent: Sent) => Promise<FastifyReply>): void => {
    app.post(path, async (request, reply) => {
      const session = sessionOf(request);
      const refusal = actingRefusal(session, settings.console_actions);
      if (refusal !== null) return refuse(request, reply, refusal);
      return await act({ form: formOf(request), session, request, reply });
    });
  };
  post('/do/start', (sent) => startAction(sent, actions));
  post('/ask/keep', (sent) => keepAsked(sent, audit, settings));
  post('/projects/:project_id/notes', (sent) => changeNote(sent, audit, settings.projectDir));
}

/** Why a person may not change anything here; null: they may. */
function actingRefusal({ role }: SignedIn, isOn: boolean): Refused | null {
  if (isOn && role === 'operator') return null;
  return {
    status: 403,
    code: 'forbidden',
    title: 'Refused',
    message: isOn ? 'Only operators start anything here.' : 'This console only reads.',
    hint: isOn ? 'console_oidc.operators names them' : 'set console_actions: true, and start it again',
  };
}

/** Starts an action whose plan was confirmed, and leads to its run. */
async function startAction({ form, session, request, reply }: Sent, actions: Actions): Promise<FastifyReply> {
  try {
    const action = readAction(form);
    if (action.action === 'drop' && form.get('confirm')?.trim() !== action.name)
      throw new CrawlhouseError('usage', `to confirm, type ${action.name}`, {
        hint: 'go back, and type it into the field above the button',
      });
    const id = actions.start(action, session.subject);
    const run = await actions.runSoon(id, PATIENCE_MS);
    return reply.redirect(run === null ? `/do/actions/${id}` : `/runs/${encodeURIComponent(run)}`, 303);
  } catch (thrown) {
    const { kind, code, message, hint } = toCrawlhouseError(thrown);
    const status = code === 'locked' ? 409 : kind === 'usage' ? 400 : 500;
    return refuse(request, reply, { status, code, title: 'Nothing was started', message, hint });
  }
}

/** Writes SQL as a question of the project, and leads to it. */
async function keepAsked(sent: Sent, audit: Audit, settings: ActSettings): Promise<FastifyReply> {
  const { form, session, request, reply } = sent;
  const text = (key: string): string => form.get(key) ?? '';
  const sql = text('sql');
  const name = text('name').trim();
  const parameters = new Map(
    parametersOf(sql).map((one) => [one, { type: text(`type.${one}`), description: text(`about.${one}`) }]),
  );
  const draft = { name, title: text('title'), description: text('description'), sql, parameters };
  const error = await audited(audit, session, `keep question ${name}`, () => keepQuestion(settings, draft));
  if (error === null) return reply.redirect(`/ask?question=${encodeURIComponent(name)}`, 303);
  reply.code(error.kind === 'usage' || error.code === 'bad_model' ? 400 : 500);
  const said = notice(NOT_KEPT, error.message, error.hint);
  const body = html`${said}${keepForm(sql, session.csrf, form)}
<details open><summary>Its SQL</summary><pre tabindex="0"><code>${sql}</code></pre></details>`;
  return sendPage(reply, NOT_KEPT, body.text, request);
}

/** Adds a note to notes.yaml or removes it, and leads back to the project. */
async function changeNote(sent: Sent, audit: Audit, projectDir: string): Promise<FastifyReply> {
  const { form, session, request, reply } = sent;
  const change = form.get('change') === 'remove' ? 'remove' : 'add';
  const note = Object.fromEntries([...form].filter(([name]) => NOTE_FIELDS.includes(name)));
  const error = await audited(audit, session, `${change} note ${JSON.stringify(note)}`, () =>
    changeNotes(projectDir, change, note),
  );
  const { project_id } = request.params as { project_id: string };
  if (error === null) return reply.redirect(projectPath(project_id), 303);
  const { kind, code, message, hint } = error;
  const status = kind === 'usage' ? 400 : 500;
  return refuse(request, reply, { status, code, title: 'The note was not written', message, hint });
}

/** Does something that the audit has, with its end; the error that ended it, if one did. */
async function audited(
  audit: Audit,
  { subject }: SignedIn,
  what: string,
  work: () => Promise<unknown>,
): Promise<CrawlhouseError | null> {
  const entry = audit.begin(subject, what);
  try {
    await work();
    audit.end(entry, { outcome: '0', message: null, run_id: null });
    return null;
  } catch (thrown) {
    const error = toCrawlhouseError(thrown);
    audit.end(entry, { outcome: String(error.exitCode), message: error.message, run_id: null });
    return error;
  }
}
