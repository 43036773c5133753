import { TookTooLong, withinTime } from '../../../../core/time/within-time.ts';
import { collapsed } from '../parse/text/text.ts';
import type { CustomField } from './custom-field.ts';
import { compileSelector, type Match, type SelectorPage } from './selector.ts';
import { typedValue } from './typed-value.ts';

/** Characters of one value, and values of one field. */
const LONGEST_VALUE = 10_000;
const MOST_VALUES = 1_000;

type Value = string | number | boolean;

export interface Extracted {
  /** By the field's name; without those that the page does not have. */
  readonly values: Readonly<Record<string, Value | readonly Value[]>>;
  /** Why a field that the page may have has no value, such as `custom_price: timeout`. */
  readonly problems: readonly string[];
}

/** Reads the fields of pages by rules that were checked. A rule that takes too long has no value, and the page a warning. */
export function extractor(fields: readonly CustomField[]): (page: SelectorPage) => Extracted {
  const rules = fields.map((field) => ({
    ...field,
    select: compileSelector(field.language, field.selector),
  }));
  return (page) => {
    const values: Record<string, Value | readonly Value[]> = {};
    const problems: string[] = [];
    for (const rule of rules) {
      const found = tried(() => taken(rule, rule.select(page)));
      if (typeof found === 'string') problems.push(`${rule.field}: ${found}`);
      else if (found.value !== null) values[rule.field] = found.value;
    }
    return { values, problems };
  };
}

type Taken = { readonly value: Value | readonly Value[] | null };

function taken(rule: CustomField, matches: Iterable<Match>): Taken {
  const { take, attribute, isMany } = rule;
  if (take === 'count') return { value: Iterator.from(matches).reduce((count) => count + 1, 0) };
  if (take === 'exists') return { value: Iterator.from(matches).some(() => true) };
  const values: Value[] = [];
  for (const match of matches) {
    const text =
      take === 'html' ? match.html() : take === 'attribute' ? match.attribute(attribute ?? '') : match.text();
    const said = take === 'html' ? text : collapsed(text ?? '');
    const value = said === null ? null : typedValue(said.slice(0, LONGEST_VALUE), rule);
    if (value !== null) values.push(value);
    // The first place counts, whether or not it has a value of the type.
    if (!isMany || values.length >= MOST_VALUES) break;
  }
  if (isMany) return { value: values.length === 0 ? null : values };
  return { value: values[0] ?? null };
}

/** The result, or in words why there is none. */
function tried(work: () => Taken): Taken | string {
  try {
    return withinTime(work);
  } catch (error) {
    return error instanceof TookTooLong ? 'timeout' : 'error';
  }
}
