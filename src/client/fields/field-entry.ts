import type { FIELD_TYPES } from '../resources/fields.ts';

export type FieldType = (typeof FIELD_TYPES)[number] | 'nested';

/** The source of a field's values in the local service. */
export type FieldOrigin =
  /** The record that the parser makes from a response. */
  | 'page'
  /** Facts of the crawler about the URL, in the same record. */
  | 'crawl'
  /** The measurement of web vitals. */
  | 'vitals'
  /** SQL over the whole crawl. */
  | 'jobs';

/** `type`, followed by `[]` for a field with several values. */
type Notation = FieldType | `${FieldType}[]`;

export interface FieldEntry<N extends Notation = Notation, O extends FieldOrigin = FieldOrigin> {
  readonly notation: N;
  readonly type: FieldType;
  readonly arity: 'one' | 'many';
  readonly from: O;
  readonly description: string;
  /** The values of an enum, if they are listed. */
  readonly values?: readonly string[];
  /** Whether each page has a value. */
  readonly isRequired?: boolean;
  /** Whether a crawl of a list lacks it, because links to its pages are on pages that it did not fetch. */
  readonly isOfLinks?: boolean;
}

function entryFrom<O extends FieldOrigin>(from: O) {
  return <N extends Notation>(
    notation: N,
    description: string,
    values?: readonly string[],
  ): FieldEntry<N, O> => {
    const type = notation.replace('[]', '') as FieldType;
    const arity = notation.endsWith('[]') ? 'many' : 'one';
    return { notation, type, arity, from, description, ...(values && { values }) };
  };
}

export const parsed = entryFrom('page');
export const crawled = entryFrom('crawl');
export const measured = entryFrom('vitals');
export const computed = entryFrom('jobs');

export function required<E extends FieldEntry>(entry: E) {
  return { ...entry, isRequired: true as const };
}

export function linked<E extends FieldEntry>(entry: E): E {
  return { ...entry, isOfLinks: true };
}

interface Scalars {
  readonly natural: number;
  readonly integer: number;
  readonly float: number;
  readonly percentage: number;
  readonly ratio: number;
  readonly bool: boolean;
  readonly object: unknown;
  readonly nested: unknown;
}
type Scalar<T extends string> = T extends keyof Scalars ? Scalars[T] : string;
type Value<N extends string> = N extends `${infer T}[]` ? readonly Scalar<T>[] : Scalar<N>;

/** The value of a field: null if it may be unknown. */
export type FieldValue<E extends FieldEntry> =
  | Value<E['notation']>
  | (E extends { readonly isRequired: true } ? never : null);
