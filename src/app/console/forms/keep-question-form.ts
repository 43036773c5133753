import { html } from '../../../core/text/html.ts';
import { parametersOf } from '../../../etl/project/sql/questions/question-parameters.ts';
import { keepQuestion } from '../../answers/questions/keep-question.ts';
import { keepForm } from '../page-parts/keep-form.ts';
import type { ConsoleForm } from './console-form.ts';

const nameOf = (form: URLSearchParams): string => (form.get('name') ?? '').trim();

/** Saves SQL as a question of the project, and continues at the question. */
export const KEEP_QUESTION_FORM: ConsoleForm = {
  path: '/ask/keep',
  failed: 'The question was not kept',
  audit: ({ form }) => `keep question ${nameOf(form)}`,
  async act({ form }, { settings }) {
    const text = (key: string): string => form.get(key) ?? '';
    const sql = text('sql');
    const name = nameOf(form);
    const parameters = new Map(
      parametersOf(sql).map((parameter) => [
        parameter,
        { type: text(`type.${parameter}`), description: text(`about.${parameter}`) },
      ]),
    );
    const [title, description] = [text('title'), text('description')];
    await keepQuestion(settings, { name, title, description, sql, parameters });
    return `/ask?question=${encodeURIComponent(name)}`;
  },
  again({ form, session }) {
    const sql = form.get('sql') ?? '';
    return html`${keepForm(sql, session.csrf, form)}
<details open><summary>Its SQL</summary><pre tabindex="0"><code>${sql}</code></pre></details>`;
  },
};
