import type { FIELD_TYPES } from '../resources/fields.ts';
import type { FilterType, Oql, OqlOptions, OqlValue } from './oql.ts';

/** The type of each field by name, as `{ url: 'string'; status_code: 'natural' }`. */
export type FieldTypes = Readonly<Record<string, (typeof FIELD_TYPES)[number]>>;

type NumberValue = number | bigint;
type Pair<Value> = readonly [from: Value, to: Value];

interface Presence {
  hasValue(): Oql;
  hasNoValue(): Oql;
}
interface Equality<Value> extends Presence {
  equals(value: Value): Oql;
  notEquals(value: Value): Oql;
}
interface TextEquality extends Presence {
  equals(value: string, options?: OqlOptions): Oql;
  notEquals(value: string): Oql;
}
interface TextFilters extends TextEquality {
  contains(value: string, options?: OqlOptions): Oql;
  startsWith(value: string, options?: OqlOptions): Oql;
  endsWith(value: string, options?: OqlOptions): Oql;
}
interface OrderedFilters<Value> extends Equality<Value> {
  gt(value: Value): Oql;
  gte(value: Value): Oql;
  lt(value: Value): Oql;
  lte(value: Value): Oql;
  /** `from` inclusive, `to` exclusive. */
  between(pair: Pair<Value>): Oql;
}

/** The filters for a field's type (api-spec.md §2.1). */
export type FiltersOf<Type> = Type extends 'string'
  ? TextFilters
  : Type extends 'enum' | 'hash'
    ? TextEquality
    : Type extends 'natural' | 'integer' | 'float' | 'percentage' | 'ratio'
      ? OrderedFilters<NumberValue>
      : Type extends 'date' | 'datetime'
        ? OrderedFilters<string>
        : Type extends 'bool'
          ? Equality<boolean | 'true' | 'false'>
          : Presence;

/** The filters of a field with an unknown type: all, each with its possible values. */
export interface AnyFilters extends Presence {
  equals(value: string, options?: OqlOptions): Oql;
  equals(value: NumberValue | boolean): Oql;
  notEquals(value: string | NumberValue | boolean): Oql;
  contains(value: string, options?: OqlOptions): Oql;
  startsWith(value: string, options?: OqlOptions): Oql;
  endsWith(value: string, options?: OqlOptions): Oql;
  gt(value: NumberValue | string): Oql;
  gte(value: NumberValue | string): Oql;
  lt(value: NumberValue | string): Oql;
  lte(value: NumberValue | string): Oql;
  /** `from` inclusive, `to` exclusive. */
  between(pair: Pair<NumberValue> | Pair<string>): Oql;
}

export type Where<Fields extends FieldTypes> = <Name extends keyof Fields & string>(
  name: Name,
) => FiltersOf<Fields[Name]>;

/** Begins a leaf on a field of any type, as `where('status_code').gte(400)`. */
export function where(name: string): AnyFilters {
  const leaf =
    (filter: FilterType) =>
    (value: OqlValue, options?: OqlOptions): Oql => ({
      field: options === undefined ? [name, filter, value] : [name, filter, value, options],
    });
  return {
    hasValue: () => leaf('has_value')(''),
    hasNoValue: () => leaf('has_no_value')(''),
    equals: leaf('equals'),
    notEquals: leaf('not_equals'),
    contains: leaf('contains'),
    startsWith: leaf('startswith'),
    endsWith: leaf('endswith'),
    gt: leaf('gt'),
    gte: leaf('gte'),
    lt: leaf('lt'),
    lte: leaf('lte'),
    between: leaf('between'),
  };
}

/** `where` for known fields: other names, and filters that do not fit a field's type, do not compile. */
export function whereOf<Fields extends FieldTypes>(): Where<Fields>;
export function whereOf(): typeof where {
  return where;
}

/** Returns a tree whose conditions must all hold. Without conditions, every row matches. */
export function and(...nodes: readonly Oql[]): Oql {
  return { and: nodes };
}

/** Returns a tree of which at least one condition must hold. Without conditions, no row matches. */
export function or(...nodes: readonly Oql[]): Oql {
  return { or: nodes };
}
