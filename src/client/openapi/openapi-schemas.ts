import { z } from 'zod';

/** A JSON schema, or a part of the OpenAPI document. */
export type JsonObject = Readonly<Record<string, unknown>>;

const COMPONENTS = '#/components/schemas/';

/** JSON schemas of zod schemas. Those with an `id` are named components of the document. */
export class OpenApiSchemas {
  readonly #components = new Map<string, JsonObject>();

  /** Returns the schema of requests (`input`) or of responses (`output`). */
  of(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
    // Wrapped in an object, so that a schema with an id becomes a reference even if it is the whole.
    const whole = z.toJSONSchema(z.strictObject({ whole: schema }), {
      io,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => asOnTheWire(zodSchema, jsonSchema as Record<string, unknown>),
    });
    for (const [id, definition] of Object.entries(whole.$defs ?? {})) this.#keep(id, tidy(definition));
    return tidy(whole.properties?.whole) as JsonObject;
  }

  components(): JsonObject {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #keep(id: string, definition: unknown): void {
    const known = this.#components.get(id);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(definition))
      throw new Error(`two schemas are called ${id}`);
    this.#components.set(id, definition as JsonObject);
  }
}

/** Types without a JSON schema in zod give their wire form in `meta.wire`. */
function asOnTheWire(schema: z.core.$ZodType, json: Record<string, unknown>): void {
  const wire = z.globalRegistry.get(schema as z.ZodType)?.wire;
  if (wire !== undefined) {
    for (const key of Object.keys(json)) delete json[key];
    Object.assign(json, wire);
  } else if (schema._zod.def.type === 'bigint') json.type = 'integer';
}

/** Removes zod's own keys and the bounds of JavaScript's numbers, and converts references to OpenAPI. */
function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, item]): [string, unknown][] => {
    if (key === 'id' && typeof item === 'string') return [];
    if ((key === 'minimum' || key === 'maximum') && Math.abs(Number(item)) === Number.MAX_SAFE_INTEGER)
      return [];
    if (key === '$ref') return [[key, String(item).replace(/^#\/\$defs\//, COMPONENTS)]];
    return [[key, tidy(item)]];
  });
  return Object.fromEntries(entries);
}
