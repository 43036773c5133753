import { type Html, html } from '../../../../core/text/html.ts';
import type { JsonObject } from '../../../api/openapi/openapi-schemas.ts';

/** A table of an object's properties; nothing for what has none. */
export function propertyTable(schema: JsonObject): Html | undefined {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonObject>);
  if (properties.length === 0) return undefined;
  const required = (schema.required ?? []) as readonly string[];
  const rows = properties.map(
    ([name, property]) => html`<tr>
<td><code>${name}</code>${required.includes(name) ? html` <span class="must">required</span>` : undefined}</td>
<td>${typeText(property)}</td>
<td>${String(property.description ?? '')}</td>
</tr>
`,
  );
  return html`<div class="wide"><table><tbody>
${rows}</tbody></table></div>`;
}

/** An object's properties in one line, as `{name: type}`; else what the schema takes. */
export function shapeText(schema: JsonObject): Html {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonObject>);
  if (schema.$ref !== undefined || properties.length === 0) return typeText(schema);
  const parts = properties.map(
    ([name, property], index) => html`${index > 0 ? ', ' : ''}<code>${name}</code>: ${typeText(property)}`,
  );
  return html`{${parts}}`;
}

/** A short description of a schema; a named component is linked. */
export function typeText(schema: JsonObject): Html {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (Array.isArray(schema.enum)) return html`${schema.enum.map(wordOf).join(' · ')}`;
  if ('const' in schema) return html`${wordOf(schema.const)}`;
  const choices = (schema.anyOf ?? schema.oneOf) as readonly JsonObject[] | undefined;
  if (choices !== undefined && typeof schema.type !== 'string') return oneOf(choices);
  if (schema.type === 'array' && schema.items !== undefined && typeof schema.items === 'object')
    return html`array of ${typeText(schema.items as JsonObject)}`;
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object' && !schema.properties)
    return html`object`;
  if (schema.type === undefined) return html`anything`;
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : String(schema.type);
  return html`${[type, ...limits(schema)].join(', ')}`;
}

/** A value without quotes, where it can be told without. */
function wordOf(value: unknown): string {
  return typeof value === 'string' && /^[\w.:-]+$/.test(value) ? value : JSON.stringify(value);
}

function oneOf(choices: readonly JsonObject[]): Html {
  return html`${choices.map((choice, index) => html`${index > 0 ? ' or ' : ''}${typeText(choice)}`)}`;
}

const LIMITS: Readonly<Record<string, string>> = {
  format: '',
  minimum: 'from ',
  maximum: 'to ',
  minLength: 'at least characters: ',
  maxLength: 'at most characters: ',
  minItems: 'at least items: ',
  maxItems: 'at most items: ',
  default: 'default ',
};

function limits(schema: JsonObject): string[] {
  return Object.entries(LIMITS).flatMap(([key, words]) =>
    Object.hasOwn(schema, key) ? [`${words}${schema[key]}`] : [],
  );
}
