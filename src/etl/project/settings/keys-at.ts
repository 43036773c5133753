import type { z } from 'zod';

/** Returns the keys of the object at `path` of a schema. */
export function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let current: unknown = schema;
  for (const key of path) {
    // The items of a list all have one schema, which the list unwraps to.
    if (typeof key === 'number') continue;
    const { shape, valueType } = objectOf(current);
    current = (shape && Object.hasOwn(shape, key) ? shape[String(key)] : undefined) ?? valueType;
    if (!current) return [];
  }
  return Object.keys(objectOf(current).shape ?? {});
}

interface ObjectSchema {
  readonly shape?: Readonly<Record<string, unknown>>;
  readonly valueType?: unknown;
}

/** A union, a preprocessed value, or a default, null or list. */
interface SchemaOfOthers {
  readonly options?: readonly unknown[];
  readonly out?: unknown;
  unwrap?(): unknown;
}

/** Returns the object or record of a schema, inside its wrappers and preprocessing; for a union, its object. */
function objectOf(schema: unknown): ObjectSchema {
  const it = schema as (ObjectSchema & SchemaOfOthers) | undefined;
  if (!it || it.shape || it.valueType) return it ?? {};
  if (Array.isArray(it.options)) return it.options.map(objectOf).find((schema) => schema.shape) ?? {};
  if (it.out !== undefined) return objectOf(it.out);
  return typeof it.unwrap === 'function' ? objectOf(it.unwrap()) : {};
}
