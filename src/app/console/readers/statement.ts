import { hash } from 'node:crypto';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { lookUp } from '../../../core/text/look-up.ts';
import { bindQuestion } from '../../../etl/project/sql/questions/bind-question.ts';
import type { Needs } from '../../../etl/project/sql/questions/question-needs.ts';
import {
  type Parameter,
  parametersOf,
  replaceParameters,
  STANDARD_PARAMETERS,
  sqlType,
} from '../../../etl/project/sql/questions/question-parameters.ts';
import { type Question, questionNamed } from '../../../etl/project/sql/questions/questions.ts';
import type { CatalogReader } from '../../../etl/state/catalog/catalog.ts';
import { resolveParameters } from '../../../etl/state/catalog/resolve-parameters.ts';
import type { ParameterTexts } from '../../answers/query/parameters.ts';

/** A parameter with the text from a form. */
type GivenParameter = Omit<Parameter, 'type'> & { readonly type: string; readonly value: string | null };

/** A user's request: a saved question, or their own SQL. */
export interface Statement {
  readonly question: Question | null;
  /** As the user wrote it. */
  readonly sql: string;
  readonly parameters: readonly GivenParameter[];
}

interface BoundStatement {
  readonly sql: string;
  readonly parameters: ParameterTexts;
  readonly needs: Needs;
}

/** Returns the statement in an address. An empty text of a form is not a value. */
export function statementOf(
  query: URLSearchParams,
  questions: readonly Question[],
  texts: { readonly kept: KeptTexts; readonly subject: string },
): Statement {
  const edited = query.get('edit');
  const value = (name: string): string | null => query.get(`param.${name}`) || null;
  const name = query.get('question');
  if (name !== null) {
    const question = questionNamed(questions, name);
    const parameters = question.parameters.map((parameter) => ({
      ...parameter,
      value: value(parameter.name),
    }));
    return { question, sql: question.sql, parameters };
  }
  const sql =
    keptSql(query, texts) ?? query.get('sql') ?? (edited ? questionNamed(questions, edited).sql : '');
  const parameters = parametersOf(sql).map((parameter) => {
    const { type = 'text', description = '' } = lookUp(STANDARD_PARAMETERS, parameter) ?? {};
    return { name: parameter, type, default: null, description, value: value(parameter) };
  });
  return { question: null, sql, parameters };
}

function keptSql(
  query: URLSearchParams,
  { kept, subject }: { readonly kept: KeptTexts; readonly subject: string },
): string | undefined {
  const key = query.get('kept');
  if (key === null) return undefined;
  const text = kept.find(subject, key);
  if (text !== undefined) return text;
  throw new CrawlhouseError('usage', 'the SQL of this address is no longer stored', {
    hint: 'paste the SQL again; the console discards long SQL when it stops',
  });
}

/**
 * Resolves the parameters of a statement for DuckDB, replacing the crawl with its identifier.
 *
 * @throws CrawlhouseError `usage` for a value that a parameter does not accept, or that names nothing known
 */
export async function resolvedStatement(
  statement: Statement,
  warehouse: CatalogReader,
  signal: AbortSignal,
): Promise<BoundStatement> {
  const { sql, parameters, needs } = boundStatement(statement);
  const isQuestion = statement.question !== null;
  return { sql, needs, parameters: await resolveParameters({ parameters, isQuestion }, warehouse, signal) };
}

function boundStatement({ question, sql, parameters }: Statement): BoundStatement {
  const given = parameters.flatMap(({ name, value }): [string, string][] =>
    value === null ? [] : [[name, value]],
  );
  if (question !== null) return bindQuestion(question, new Map(given));
  const standard = parameters.flatMap(({ name, default: none, description }) => {
    const known = lookUp(STANDARD_PARAMETERS, name);
    return known === undefined ? [] : [{ name, default: none, description, type: known.type }];
  });
  const known = new Set(standard.map(({ name }) => name));
  // Standard parameters have fixed types; DuckDB infers those of the others.
  const bound = bindQuestion(
    { name: 'query', sql: '', parameters: standard },
    new Map(given.filter(([name]) => known.has(name))),
  );
  const typeOf = new Map(standard.map(({ name, type }) => [name, sqlType(type)]));
  return {
    sql: replaceParameters(sql, (name) =>
      typeOf.has(name) ? `CAST($${name} AS ${typeOf.get(name)})` : `$${name}`,
    ),
    parameters: new Map([
      ...parameters.map(({ name, value }) => [name, value] as const),
      ...bound.parameters,
    ]),
    needs: {},
  };
}

const MOST = 50;

/** SQL that is too long for an address, by its key there; the oldest is forgotten. */
export class KeptTexts {
  #texts = new Map<string, string>();

  keep(subject: string, text: string): string {
    const key = keyOf(subject, text);
    this.#texts.delete(key);
    this.#texts.set(key, text);
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > MOST && oldest !== undefined) this.#texts.delete(oldest);
    return key;
  }

  /** Finds only texts that the same person kept. */
  find(subject: string, key: string): string | undefined {
    const text = this.#texts.get(key);
    return text === undefined || keyOf(subject, text) !== key ? undefined : text;
  }
}

function keyOf(subject: string, text: string): string {
  return hash('sha256', JSON.stringify([subject, text]), 'base64url').slice(0, 22);
}
