import { z } from 'zod';
import { isCode, nameOf, type SqlToken, sqlTokens, textOf } from '../../../../core/duckdb/sql-tokens.ts';
import { ownUrl, spellUrl, webUrl } from '../../../../core/net/web-url.ts';
import { lookUp } from '../../../../core/text/look-up.ts';
import { didYouMean } from '../../../../core/text/nearest-name.ts';
import { calendarDay } from '../../../../core/time/calendar-day.ts';
import { badModel } from '../text/bad-model.ts';
import type { SqlFile } from '../text/sql-file.ts';

/** The pattern of the values of each type. */
const TYPES = {
  VARCHAR: { fits: () => true, example: 'a text' },
  BIGINT: { fits: isWholeNumber, example: 'a whole number, as in 20' },
  DOUBLE: {
    fits: (text: string) => /^-?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text),
    example: 'a number, as in 0.5',
  },
  BOOLEAN: { fits: (text: string) => /^(true|false)$/i.test(text), example: 'true or false' },
  DATE: { fits: isDay, example: 'a day, as in 2026-01-31' },
  URLS: { fits: areUrls, example: 'as URLs of http or https, one per line' },
} as const;
type ParameterType = keyof typeof TYPES;
export const PARAMETER_TYPES = Object.keys(TYPES);

/** A parameter of a question; `$name` in its SQL. */
export interface Parameter {
  readonly name: string;
  readonly type: ParameterType;
  /** As a text. If null, the parameter is NULL without a value. */
  readonly default: string | null;
  readonly description: string;
}

/** Parameters with the same meaning in every question. A header only names them. */
export const STANDARD_PARAMETERS: Readonly<Record<string, Omit<Parameter, 'name' | 'default'>>> = {
  project: { type: 'VARCHAR', description: 'Only this project, by its name or identifier.' },
  crawl: {
    type: 'VARCHAR',
    description: 'Only this crawl: its identifier, latest, previous, -N or the day on which it ended.',
  },
  segmentation: {
    type: 'VARCHAR',
    description: 'Groups rows by segments of this segmentation (default: by first directory).',
  },
  segment: {
    type: 'VARCHAR',
    description:
      'Only this segment, such as template:other; the segment name is enough if only one segmentation contains it.',
  },
  from: { type: 'DATE', description: 'The first day, in UTC.' },
  to: { type: 'DATE', description: 'The day after the last day, in UTC.' },
  limit: { type: 'BIGINT', description: 'Maximum number of rows per project.' },
  urls: { type: 'URLS', description: 'These URLs, one per line; query --from FILE reads them from a file.' },
};
const STANDARD = Object.keys(STANDARD_PARAMETERS);

const Scalar = z.union([z.string(), z.number(), z.boolean()]);

const Declared = z
  .strictObject(
    {
      type: z.enum(Object.keys(TYPES) as [ParameterType, ...ParameterType[]]),
      default: Scalar.nullable().default(null),
      description: z.string().min(1),
    },
    {
      error: ({ input }) =>
        typeof input === 'object' && input !== null
          ? undefined
          : `is none of ${STANDARD.join(', ')}: give it a type and a description`,
    },
  )
  .superRefine((parameter, context) => {
    const { type, default: value } = parameter;
    if (value !== null && !TYPES[type].fits(String(value)))
      context.addIssue({ code: 'custom', path: ['default'], message: `is not ${TYPES[type].example}` });
  });

/** Names of standard parameters; or by name: nothing or the default of a standard one, or a declaration. */
export const ParametersHeader = z
  .preprocess(
    (value) => byName(value, withStandard),
    z.record(z.string().regex(/^[a-z][a-z0-9_]*$/, 'a parameter is named in lower case'), Declared),
  )
  .default({});

/** Returns a header's entries by name, also from a plain list. Other values stay unchanged. */
export function byName(value: unknown, read: (name: string, said: unknown) => unknown): unknown {
  const named = Array.isArray(value) ? Object.fromEntries(value.map((name) => [name, null])) : value;
  if (typeof named !== 'object' || named === null) return named;
  return Object.fromEntries(Object.entries(named).map(([name, said]) => [name, read(name, said)]));
}

function withStandard(name: string, declared: unknown): unknown {
  const standard = lookUp(STANDARD_PARAMETERS, name);
  const isDeclared = typeof declared === 'object' && declared !== null;
  return standard && !isDeclared ? { ...standard, default: declared } : declared;
}

/** Returns the parameters that a checked header declares, in its order. */
export function declaredParameters(header: z.infer<typeof ParametersHeader>): Parameter[] {
  return Object.entries(header).map(([name, { type, default: value, description }]) => ({
    name,
    type,
    default: value === null ? null : String(value),
    description,
  }));
}

/** Returns the form that a text would need to be a value of the parameter; undefined if it is one. */
export function misfit({ type }: Parameter, text: string): string | undefined {
  return TYPES[type].fits(text) ? undefined : TYPES[type].example;
}

/** Returns the SQL type of its `$name`. */
export const sqlType = (type: ParameterType): string => (type === 'URLS' ? 'VARCHAR' : type);

/** Returns the text that is bound for a valid text. URLs are normalized, one per line. */
export const boundText = ({ type }: Parameter, text: string): string =>
  type === 'URLS'
    ? wordsOf(text)
        .map((word) => spellUrl(ownUrl(word)))
        .join('\n')
    : text;

/** Returns the part of a text that does not fit. */
export const misfitPart = ({ type }: Parameter, text: string): string =>
  type === 'URLS' ? (wordsOf(text).find((word) => webUrl(word) === null) ?? text) : text;

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

function areUrls(text: string): boolean {
  const words = wordsOf(text);
  return words.length > 0 && words.every((word) => webUrl(word) !== null);
}

interface ParameterUse {
  /** In lower case. */
  readonly name: string;
  /** The index of its first token, and of the one after it. */
  readonly from: number;
  readonly to: number;
}

/** Returns each `$name` among the tokens of SQL. */
function usesIn(tokens: readonly SqlToken[]): ParameterUse[] {
  return tokens.flatMap(({ kind, text }, from) => {
    if (kind !== 'sign' || !text.startsWith('$')) return [];
    if (text !== '$') return [{ name: text.slice(1), from, to: from + 1 }];
    let at = from + 1;
    for (let token = tokens[at]; token !== undefined && !isCode(token); token = tokens[at]) at++;
    const name = nameOf(tokens[at]);
    return name === undefined ? [] : [{ name: name.toLowerCase(), from, to: at + 1 }];
  });
}

/** Replaces each `$name` in SQL. */
export function replaceParameters(sql: string, by: (name: string) => string): string {
  const tokens = sqlTokens(sql);
  let result = '';
  let kept = 0;
  for (const { name, from, to } of usesIn(tokens)) {
    result += textOf(tokens.slice(kept, from)) + by(name);
    kept = to;
  }
  return result + textOf(tokens.slice(kept));
}

/** Returns the distinct `$name`s of SQL in their order. */
export function parametersOf(sql: string): string[] {
  return [...new Set(usesIn(sqlTokens(sql)).map(({ name }) => name))];
}

/**
 * Checks that the SQL and the header name the same parameters.
 *
 * @throws CrawlhouseError `bad_model`
 */
export function checkParameters(source: SqlFile, parameters: readonly Parameter[]): void {
  const { file, sql, sqlLine } = source;
  const names = parameters.map(({ name }) => name);
  const known = [...names, ...STANDARD].map((one) => `$${one}`);
  const used = new Set<string>();
  const tokens = sqlTokens(sql);
  for (const { name, from } of usesIn(tokens)) {
    used.add(name);
    if (names.includes(name)) continue;
    const line = sqlLine + textOf(tokens.slice(0, from)).split('\n').length - 1;
    throw badModel(
      { file, line },
      `$${name} is not declared`,
      `${didYouMean(`$${name}`, known)}declare it in the header, under parameters`,
    );
  }
  const unused = names.find((name) => !used.has(name));
  if (unused === undefined) return;
  const place = { file, line: source.lineOf(['parameters', unused]) };
  throw badModel(
    place,
    `the SQL does not use the parameter ${unused}`,
    `write $${unused} in the SQL, or remove it`,
  );
}

function isDay(text: string): boolean {
  return calendarDay(text) !== null;
}

function isWholeNumber(text: string): boolean {
  return /^-?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}
