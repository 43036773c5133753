import { CrawlhouseError } from '../core/errors.ts';
import { didYouMean } from '../core/nearest-name.ts';
import { misfit, type Parameter, replaceParameters } from './question-parameters.ts';

/** A question that can be run: each `$name` of its SQL has the declared type, and a text or NULL. */
export interface BoundQuestion {
  readonly sql: string;
  readonly parameters: ReadonlyMap<string, string | null>;
}

/**
 * Gives the parameters of a question their values, or else their defaults. Lines of the SQL stay.
 *
 * @throws CrawlhouseError `usage` for a value that the question does not take
 */
export function bindQuestion(
  question: { readonly name: string; readonly sql: string; readonly parameters: readonly Parameter[] },
  given: ReadonlyMap<string, string> = new Map(),
): BoundQuestion {
  const byName = new Map(question.parameters.map((one) => [one.name, one]));
  for (const [name, text] of given) {
    const parameter = byName.get(name);
    if (parameter === undefined) throw unknownParameter(question.name, name, [...byName.keys()]);
    const wanted = misfit(parameter, text);
    if (wanted === undefined) continue;
    throw new CrawlhouseError('usage', `${question.name}: ${name}=${text} is not a ${parameter.type}`, {
      hint: `give ${name} ${wanted}`,
    });
  }
  const [from, to] = [given.get('from'), given.get('to')];
  if (from !== undefined && to !== undefined && from >= to) {
    throw new CrawlhouseError('usage', `${question.name}: from=${from} is not before to=${to}`, {
      hint: 'to is the day after the last one',
    });
  }
  return {
    sql: replaceParameters(question.sql, (name) => `CAST($${name} AS ${byName.get(name)?.type})`),
    parameters: new Map(question.parameters.map((one) => [one.name, given.get(one.name) ?? one.default])),
  };
}

function unknownParameter(question: string, name: string, names: readonly string[]): CrawlhouseError {
  const takes = names.length > 0 ? `it takes ${names.join(', ')}` : 'it takes no parameters';
  return new CrawlhouseError('usage', `${question} has no parameter ${name}`, {
    hint: `${didYouMean(name, names)}${takes}`,
  });
}
