import { lookUp } from '../../../../core/text/look-up.ts';
import type { JsonObject } from '../../../api/openapi/openapi-schemas.ts';

/** Values that say more than their type does. */
const KNOWN: Readonly<Record<string, unknown>> = {
  Oql: { field: ['status_code', 'gte', 400] },
  RankingQuery: {
    fields: ['query'],
    oql: { field: ['date', 'gte', '2026-11-01'] },
    value: [{ field: 'clicks', method: 'sum', alias: 'clicks' }],
  },
};
const BY_NAME: Readonly<Record<string, unknown>> = {
  start_url: 'https://www.example.com/',
  max_speed: 1,
  user_agent: 'ExampleBot',
  command: 'pause',
  value: 'e30=',
  name: 'example',
  // The year 2100: a crawl can't be scheduled for the past.
  start_date: 4_102_444_800_000,
};

/** Values by the name of their parameter. */
export type ExampleValues = Readonly<Record<string, unknown>>;

/** An example of what a schema takes: only what must be there, with the values that are known by name. */
export function exampleOf(
  schema: JsonObject,
  components: JsonObject,
  values: ExampleValues,
  name = '',
): unknown {
  if (typeof schema.$ref === 'string') {
    const id = schema.$ref.split('/').at(-1) ?? '';
    return lookUp(KNOWN, id) ?? exampleOf(components[id] as JsonObject, components, values, name);
  }
  if (Object.hasOwn(values, name)) return values[name];
  if (Object.hasOwn(BY_NAME, name)) return lookUp(BY_NAME, name);
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if ('const' in schema) return schema.const;
  const [choice] = ((schema.anyOf ?? schema.oneOf ?? []) as readonly JsonObject[]).slice(0, 1);
  if (choice !== undefined && schema.properties === undefined)
    return exampleOf(choice, components, values, name);
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object': {
      const properties = (schema.properties ?? {}) as Record<string, JsonObject>;
      const required = (schema.required ?? []) as readonly string[];
      return Object.fromEntries(
        required.map((key) => [key, exampleOf(properties[key] ?? {}, components, values, key)]),
      );
    }
    case 'array':
      return [exampleOf((schema.items ?? {}) as JsonObject, components, values)];
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    default:
      return `<${name || 'text'}>`;
  }
}
