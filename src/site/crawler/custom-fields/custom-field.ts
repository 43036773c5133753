import { z } from 'zod';
import { TimeLeft } from '../../../core/time/within-time.ts';
import { compileSelector, type SelectorLanguage } from './selector.ts';

/** Fields that a configuration may scrape. */
const MOST_FIELDS = 40;
const LANGUAGES: readonly SelectorLanguage[] = ['css', 'xpath', 'regex'];
/** Options of regular expressions, which do not match elements. */
const TAKEN_OF_TEXT = ['text', 'count', 'exists'];

/** A rule of data scraping in a crawl configuration (docs/sandbox.md, `custom_fields`). */
const CustomFieldInput = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,49}$/, 'must be a letter, then letters, digits or _, all lower case'),
  css: z.string().min(1).optional(),
  xpath: z.string().min(1).optional(),
  regex: z.string().min(1).optional(),
  take: z.enum(['text', 'html', 'attribute', 'count', 'exists']).optional(),
  attribute: z.string().min(1).optional(),
  type: z.enum(['string', 'number', 'date', 'boolean']).optional(),
  decimal: z.enum(['.', ',']).optional(),
  many: z.boolean().optional(),
  from: z.enum(['raw', 'rendered']).optional(),
});
/** The number of rules is checked before the rules. */
const Rules = z.array(z.unknown()).max(MOST_FIELDS).pipe(z.array(CustomFieldInput));
type CustomFieldInput = z.infer<typeof CustomFieldInput>;

/** A rule of data scraping, complete. */
export type CustomField = Readonly<ReturnType<typeof complete>>;

interface Problem {
  /** Such as `custom_fields[0].css`. */
  readonly place: string;
  /** The position of the rule in the list, and its key; null if the problem is not of one rule, or not of one key. */
  readonly index: number | null;
  readonly key: string | null;
  readonly problem: string;
}

/**
 * Returns the rules of a configuration, or the first problem in them.
 *
 * @param isRendering whether the crawl renders its pages
 */
export function readCustomFields(
  input: unknown,
  isRendering: boolean,
): { readonly fields: readonly CustomField[] } | Problem {
  const { data, error } = Rules.safeParse(input);
  const [issue] = error?.issues ?? [];
  if (data === undefined) return problemAt(issue?.path ?? [], issue?.message ?? 'is not a list of rules');
  const names = data.map(({ name }) => name);
  const left = new TimeLeft();
  for (const [index, rule] of data.entries()) {
    if (names.indexOf(rule.name) < index) return problemAt([index, 'name'], 'appears twice');
    const [key, problem] = problemOf(rule, isRendering, left) ?? [];
    if (problem !== undefined) return problemAt([index, key], problem);
  }
  return { fields: data.map(complete) };
}

function problemAt([index, key]: readonly (PropertyKey | undefined)[], problem: string): Problem {
  const place = `custom_fields${index === undefined ? '' : `[${String(index)}]`}${key ? `.${String(key)}` : ''}`;
  return { place, index: typeof index === 'number' ? index : null, key: key ? String(key) : null, problem };
}

/** Returns the problem of a rule: the key, if it is of one key, and a message. */
function problemOf(
  rule: CustomFieldInput,
  isRendering: boolean,
  left: TimeLeft,
): readonly [key: string, problem: string] | null {
  const given = LANGUAGES.filter((language) => rule[language] !== undefined);
  if (given.length !== 1) return ['', 'needs one of css, xpath and regex'];
  const { language, selector, take, attribute } = complete(rule);
  if ((take === 'attribute') !== (attribute !== null))
    return ['attribute', 'needs take: attribute, and take: attribute needs it'];
  if (language === 'regex' && !TAKEN_OF_TEXT.includes(take))
    return ['take', `of a regex is one of ${TAKEN_OF_TEXT.join(', ')}`];
  const isCounted = take === 'count' || take === 'exists';
  if (isCounted && (rule.type !== undefined || rule.many !== undefined))
    return ['take', `${take} does not work with type and many`];
  if (rule.from === 'rendered' && !isRendering) return ['from', 'rendered needs js_rendering'];
  if (rule.decimal !== undefined && rule.type !== 'number') return ['decimal', 'needs type: number'];
  try {
    compileSelector(language, selector, left);
    return null;
  } catch (error) {
    return [language, `is not valid: ${(error as Error).message}`];
  }
}

function complete(rule: CustomFieldInput) {
  const language = LANGUAGES.find((language) => rule[language] !== undefined) ?? 'css';
  return {
    /** Of the page field. */
    field: `custom_${rule.name}`,
    language,
    selector: rule[language] ?? '',
    take: rule.take ?? (rule.attribute === undefined ? ('text' as const) : ('attribute' as const)),
    attribute: rule.attribute ?? null,
    type: rule.type ?? ('string' as const),
    /** The decimal sign of numbers. */
    decimal: rule.decimal ?? ('.' as const),
    isMany: rule.many ?? false,
    /** The source: the page as it counts, its HTML before scripts ran, or only the page after they ran. */
    from: rule.from ?? ('page' as const),
  };
}
