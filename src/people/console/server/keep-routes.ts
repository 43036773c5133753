import type { FastifyInstance } from 'fastify';
import { toCrawlhouseError } from '../../../core/errors/errors.ts';
import { html } from '../../../core/text/html.ts';
import type { QuestionSettings } from '../../../pipeline/transform/questions/compile-questions.ts';
import { keepQuestion } from '../../../pipeline/transform/questions/keep-question.ts';
import { parametersOf } from '../../../pipeline/transform/questions/question-parameters.ts';
import type { Audit } from '../access/audit.ts';
import { notice } from '../layout/shell.ts';
import { keepForm } from '../pages/keep-form.ts';
import { formOf } from './form-of.ts';
import { sessionOf } from './guard.ts';
import { actingRefusal } from './may-act.ts';
import { refuse, sendPage } from './refuse.ts';

const TITLE = 'The question was not kept';

interface KeepSettings extends QuestionSettings {
  readonly console_actions: boolean;
}

/** `POST /ask/keep`: writes SQL as a question of the project, and leads to it. */
export function keepRoutes(app: FastifyInstance, audit: Audit, settings: KeepSettings): void {
  app.post('/ask/keep', async (request, reply) => {
    const session = sessionOf(request);
    const refusal = actingRefusal(session, settings.console_actions);
    if (refusal !== null) return refuse(request, reply, refusal);
    const form = formOf(request);
    const text = (key: string): string => form.get(key) ?? '';
    const sql = text('sql');
    const name = text('name').trim();
    const parameters = new Map(
      parametersOf(sql).map((one) => [one, { type: text(`type.${one}`), description: text(`about.${one}`) }]),
    );
    const draft = { name, title: text('title'), description: text('description'), sql, parameters };
    const entry = audit.begin(session.subject, `keep question ${name}`);
    try {
      await keepQuestion(settings, draft);
      audit.end(entry, { outcome: '0', message: null, run_id: null });
      return reply.redirect(`/ask?question=${encodeURIComponent(name)}`, 303);
    } catch (thrown) {
      const { exitCode, kind, code, message, hint } = toCrawlhouseError(thrown);
      audit.end(entry, { outcome: String(exitCode), message, run_id: null });
      reply.code(kind === 'usage' || code === 'bad_model' ? 400 : 500);
      const body = html`${notice(TITLE, message, hint)}${keepForm(sql, session.csrf, form)}
<details open><summary>Its SQL</summary><pre tabindex="0"><code>${sql}</code></pre></details>`;
      return sendPage(reply, TITLE, body.text, request);
    }
  });
}
