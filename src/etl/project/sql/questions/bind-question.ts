import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { didYouMean } from '../../../../core/text/nearest-name.ts';
import type { Needs } from './question-needs.ts';
import {
  boundText,
  misfit,
  misfitPart,
  type Parameter,
  replaceParameters,
  sqlType,
} from './question-parameters.ts';
import type { Question } from './questions.ts';

/** A question ready to run: each `$name` of its SQL has its declared type, and a text or NULL. */
export interface BoundQuestion {
  readonly sql: string;
  readonly parameters: ReadonlyMap<string, string | null>;
  /** Explains why it may have no rows. */
  readonly needs: Needs;
}

/** The bound parts of a question. */
type Asked = Pick<Question, 'name' | 'sql' | 'parameters'> & Partial<Pick<Question, 'needs' | 'sqlLine'>>;

/**
 * Assigns values or defaults to the parameters of a question. Its SQL begins on the line of its file, so errors name
 * the lines of the file.
 *
 * @throws CrawlhouseError `usage` for a value that the question does not accept
 */
export function bindQuestion(question: Asked, given: ReadonlyMap<string, string> = new Map()): BoundQuestion {
  const byName = new Map(question.parameters.map((parameter) => [parameter.name, parameter]));
  for (const [name, text] of given) {
    const parameter = byName.get(name);
    if (parameter === undefined) {
      const names = [...byName.keys()];
      const takes = names.length > 0 ? `its parameters: ${names.join(', ')}` : 'it has no parameters';
      throw new CrawlhouseError('usage', `${question.name} has no parameter ${name}`, {
        hint: `${didYouMean(name, names)}${takes}`,
      });
    }
    const wanted = misfit(parameter, text);
    if (wanted === undefined) continue;
    throw new CrawlhouseError(
      'usage',
      `${question.name}: ${name}=${misfitPart(parameter, text)} is not a ${parameter.type.replace(/S$/, '')}`,
      { hint: `give ${name} ${wanted}` },
    );
  }
  const [from, to] = [given.get('from'), given.get('to')];
  if (from !== undefined && to !== undefined && from >= to) {
    throw new CrawlhouseError('usage', `${question.name}: from=${from} is not before to=${to}`, {
      hint: 'the parameter "to" is the day after the last day',
    });
  }
  const typeOf = (name: string): string => sqlType(byName.get(name)?.type ?? 'VARCHAR');
  const sql = replaceParameters(question.sql, (name) => `CAST($${name} AS ${typeOf(name)})`);
  const textOf = (parameter: Parameter): string | null => {
    const text = given.get(parameter.name) ?? parameter.default;
    return text === null ? null : boundText(parameter, text);
  };
  return {
    sql: '\n'.repeat((question.sqlLine ?? 1) - 1) + sql,
    parameters: new Map(question.parameters.map((parameter) => [parameter.name, textOf(parameter)])),
    needs: question.needs ?? {},
  };
}
