import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { statementOf } from '../readers/statement.ts';
import type { ConsoleForm } from './console-form.ts';

const LONGEST_TITLE = 100;

const titleOf = (form: URLSearchParams): string => (form.get('title') ?? '').trim().slice(0, LONGEST_TITLE);

/** Makes a link to the rows of a saved question or an SQL text, and shows its address. */
export const SHARE_FORM: ConsoleForm = {
  path: '/links',
  failed: 'The link was not made',
  audit: ({ form }) => `make link ${JSON.stringify(titleOf(form))} to ${form.get('question') ?? 'SQL'}`,
  async act({ form, session }, { settings, readers, shared }) {
    const title = titleOf(form);
    if (title === '')
      throw new CrawlhouseError('usage', 'the link has no title', { hint: 'go back and type a title' });
    const texts = { kept: readers.texts, subject: session.subject };
    const { question, sql, parameters } = statementOf(form, await readers.questions(), texts);
    if (sql.trim() === '') throw new CrawlhouseError('usage', 'the link has no SQL', { hint: 'go back' });
    const query = new URLSearchParams(question === null ? { sql } : { question: question.name });
    for (const { name, value } of parameters) if (value !== null) query.set(`param.${name}`, value);
    const key = shared.make(session.subject, { title, query: String(query) });
    const address = `${settings.console_url?.replace(/\/$/, '') ?? ''}/shared/${key}.csv`;
    // The address exists nowhere else: it is not in the address of the next page.
    return `/links?made=${readers.texts.keep(session.subject, address)}`;
  },
};
