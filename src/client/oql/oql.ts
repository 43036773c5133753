import { z } from 'zod';

/** Filter types of a leaf (api-spec.md §2.1). */
export const FILTER_TYPES = [
  'has_no_value',
  'has_value',
  'contains',
  'endswith',
  'startswith',
  'equals',
  'not_equals',
  'gt',
  'gte',
  'lt',
  'lte',
  'between',
] as const;
export type FilterType = (typeof FILTER_TYPES)[number];

/** Filter types with options (spec-notes.md 14). */
export const FILTERS_WITH_OPTIONS = ['equals', 'contains', 'startswith', 'endswith'] as const;

export type OqlValue = string | number | bigint | boolean | readonly (string | number | bigint)[];

/** The fourth value of a leaf; only for `equals`, `contains`, `startswith`, `endswith` (spec-notes.md 14). */
export const OqlOptions = z.strictObject({ ci: z.boolean().optional(), regex: z.boolean().optional() });
export type OqlOptions = z.infer<typeof OqlOptions>;

export type OqlLeaf = readonly [field: string, filter: FilterType, value: OqlValue, options?: OqlOptions];

/** An OQL tree: one root node, a leaf or a compound (api-spec.md §2.1). */
export type Oql =
  | { readonly field: OqlLeaf }
  | { readonly and: readonly Oql[] }
  | { readonly or: readonly Oql[] };

const name = z.string();
const bound = z.union([z.string(), z.number(), z.bigint()]);
const scalar = z.union([bound, z.boolean()]);
const leaf = z.union([
  z.tuple([name, z.literal('has_value'), scalar]),
  z.tuple([name, z.literal('has_no_value'), z.literal('')]),
  z.tuple([name, z.literal(['equals', 'not_equals']), scalar]),
  z.tuple([name, z.literal('equals'), scalar, OqlOptions]),
  z.tuple([name, z.literal(['contains', 'startswith', 'endswith']), z.string()]),
  z.tuple([name, z.literal(['contains', 'startswith', 'endswith']), z.string(), OqlOptions]),
  z.tuple([name, z.literal(['gt', 'gte', 'lt', 'lte']), bound]),
  z.tuple([name, z.literal('between'), z.tuple([bound, bound])]),
]);

/** The tree as a schema, for the contract; `parseOql` accepts the same trees and has better error messages. */
export const Oql: z.ZodType<Oql> = (
  z.lazy(() =>
    z.union([
      z.strictObject({ field: leaf }),
      z.strictObject({ and: z.array(Oql) }),
      z.strictObject({ or: z.array(Oql) }),
    ]),
  ) as z.ZodType<Oql>
).meta({ id: 'Oql' });

/** A tree in a request's body. It is typed here; the service knows the fields and checks it. */
export const OqlTree = z.custom<Oql>().meta({ wire: { $ref: '#/components/schemas/Oql' } });
