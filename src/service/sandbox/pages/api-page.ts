import type { OpenApiDocument } from '../../../client/openapi/openapi.ts';
import type { Operation } from '../../../client/openapi/openapi-operation.ts';
import type { JsonObject } from '../../../client/openapi/openapi-schemas.ts';
import { type Html, html } from '../../../core/text/html.ts';
import { curlLine, type Entry, type ExampleValues } from './curl-line.ts';
import { page } from './page.ts';

/** The values in the curl lines, for parameters that have one in the sandbox. */
export type ValuesOf = (entry: Entry) => ExampleValues;

/** Returns the service as an HTML page: its operations by section, from the OpenAPI document. */
export function apiPage(document: OpenApiDocument, valuesOf: ValuesOf): string {
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Entry => ({ method, path, operation })),
  );
  const sections = document.tags.map((tag) => ({
    ...tag,
    id: `section-${tag.name.toLowerCase().replaceAll(' ', '-')}`,
    entries: entries.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  const schemas = Object.entries(document.components.schemas) as [string, JsonObject][];
  const url = document.servers[0]?.url;
  return page({
    title: document.info.title,
    style: API_PAGE_STYLE,
    script: API_PAGE_SCRIPT,
    body: html`<div class="shell">
<nav aria-label="Sections">
${sections.map(({ id, name, entries: of }) => html`<a href="#${id}">${name} <span class="count">${operationsIn(of)}</span></a>\n`)}<a href="#schemas">Schemas <span class="count">${schemas.length}</span></a>
</nav>
<main>
<h1>${document.info.title}</h1>
<p class="lead">The sandbox is the service on this machine. Every request needs a token. The sandbox printed one when it started, as <code>CRAWLHOUSE_ACCESS_TOKEN</code>. The curl commands contain ids of this sandbox, and variables for what it does not contain.</p>
<dl class="facts">
<dt>Address</dt><dd><code>${url}</code></dd>
<dt>OpenAPI 3.1</dt><dd><a href="/openapi.json">/openapi.json</a></dd>
<dt>OAuth2</dt><dd><code>/oauth/authorize</code>, <code>/oauth/token</code></dd>
</dl>
<input type="search" placeholder="Search operations and schemas" aria-label="Search operations and schemas">
<p class="none">No operation or schema matches.</p>
${sections.map(
  ({ id, name, description, entries: of }) => html`<section>
<h2 id="${id}">${name}</h2>
<p>${description}</p>
${of.map((entry) => operationView(document, entry, valuesOf(entry)))}</section>
`,
)}<section>
<h2 id="schemas">Schemas</h2>
<p>The schemas of requests and responses</p>
${schemas.map(([name, schema]) => schemaView(name, schema))}</section>
</main>
</div>`,
  });
}

function operationsIn(entries: readonly Entry[]): number {
  return entries.reduce((sum, { operation }) => sum + operation['x-operations'].length, 0);
}

function operationView(document: OpenApiDocument, entry: Entry, values: ExampleValues): Html {
  const { method, path, operation } = entry;
  const scope = String((operation.security[0]?.bearerAuth as readonly string[] | undefined)?.[0]);
  const ids = operation['x-operations'].join(', ');
  const text = `${method} ${path} ${operation.summary} ${ids} ${scope}`.toLowerCase();
  return html`<details id="${operation.operationId}" data-text="${text}">
<summary><span class="method ${method}">${method.toUpperCase()}</span><code class="path">${breakable(path)}</code><span class="scope">${scope}</span><span class="about">${plain(operation.summary)}</span></summary>
<div class="inside">
<h3>Client method</h3>
<code>${ids}</code>, specification ${operation['x-source']}
${parametersView(operation)}${bodyView(operation)}<h3>Answers</h3>
${answersView(document, operation)}<h3>Try it</h3>
<pre>${curlLine(document, entry, values)}</pre>
</div>
</details>
`;
}

function parametersView({ parameters }: Operation): Html | undefined {
  if (parameters.length === 0) return undefined;
  const properties = parameters.map(({ name, schema, description, ...parameter }) => {
    return [name, { ...schema, description: [parameter.in, description].filter(Boolean).join(': ') }];
  });
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  return html`<h3>Parameters</h3>
${propertyTable({ properties: Object.fromEntries(properties), required })}
`;
}

function bodyView({ requestBody }: Operation): Html | undefined {
  const [[type, media] = []] = Object.entries(requestBody?.content ?? {});
  if (type === undefined) return undefined;
  const { schema } = media as { schema: JsonObject };
  return html`<h3>Body, ${type}</h3>
${propertyTable(schema) ?? typeText(schema)}
`;
}

function answersView(document: OpenApiDocument, { responses }: Operation): Html {
  const rows = Object.entries(responses as Record<string, JsonObject>).map(([status, response]) => {
    const known = typeof response.$ref === 'string' ? response.$ref.split('/').at(-1) : undefined;
    const { description, content } = (
      known === undefined ? response : document.components.responses[known]
    ) as { description: string; content?: Record<string, { schema: JsonObject }> };
    const json = known === undefined ? content?.['application/json']?.schema : undefined;
    const files = Object.keys(content ?? {}).filter((type) => type !== 'application/json');
    return html`<tr><td class="status"><code>${status}</code></td><td>${plain(description)}</td><td>${json && shapeText(json)}${files.length > 0 ? `, or a file: ${files.join(', ')}` : ''}</td></tr>
`;
  });
  return html`<div class="wide"><table><tbody>
${rows}</tbody></table></div>
`;
}

/** Returns a path that breaks before its slashes where it must. */
function breakable(path: string): Html {
  return html`${path.split('/').map((part, index) => (index === 0 ? html`${part}` : html`<wbr>/${part}`))}`;
}

/** Returns a text without Markdown marks. */
function plain(text: string): string {
  return text.replaceAll('`', '');
}

function schemaView(name: string, schema: JsonObject): Html {
  return html`<details id="schema-${name}" data-text="${name.toLowerCase()}">
<summary><span></span><code class="path">${name}</code></summary>
<div class="inside">${propertyTable(schema) ?? typeText(schema)}</div>
</details>
`;
}

const API_PAGE_STYLE = `
.shell{display:grid;grid-template-columns:15rem minmax(0,1fr);max-width:76rem;margin:0 auto;gap:2.5rem;padding:0 1.5rem}
nav{position:sticky;top:0;align-self:start;height:100vh;overflow:auto;padding:2rem 0;font-size:.9rem}
nav a{display:flex;justify-content:space-between;gap:.5rem;padding:.3rem .6rem;border-radius:.4rem;color:var(--ink);text-decoration:none}
nav a:hover{background:var(--code)}
nav .count{color:var(--soft)}
main{padding:2rem 0 6rem}
.lead{color:var(--soft);max-width:44rem;margin:.25rem 0 1.25rem}
.facts{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem;margin:0 0 1.5rem;font-size:.9rem}
.facts dt{color:var(--soft)}
.facts dd{margin:0;overflow-wrap:anywhere}
input[type=search]{width:100%;padding:.6rem .8rem;border:1px solid var(--line);border-radius:.5rem;background:var(--card)}
h2{font-size:1.15rem;margin:2.25rem 0 .1rem;scroll-margin-top:1rem}
h3{font-size:.8rem;letter-spacing:.02em;color:var(--soft);font-weight:600;margin:1.1rem 0 .35rem}
h2+p{margin:0 0 .75rem;color:var(--soft);font-size:.9rem}
details{background:var(--card);border:1px solid var(--line);border-radius:.5rem;margin:.4rem 0;scroll-margin-top:1rem}
summary{display:grid;grid-template-columns:4rem minmax(0,1fr) auto;gap:.15rem .75rem;align-items:baseline;padding:.55rem .8rem;cursor:pointer;list-style:none}
summary::-webkit-details-marker{display:none}
summary .path{overflow-wrap:anywhere;font-size:.85rem}
summary .about{grid-column:2 / span 2;color:var(--soft);font-size:.85rem}
summary .scope{font-size:.75rem;color:var(--soft)}
.method{font:600 .75rem ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.get{color:#2a6db0}.post{color:#2b7a3d}.put{color:#94620a}.delete{color:#b23b2e}
@media (prefers-color-scheme:dark){.get{color:#83b8ee}.post{color:#86cf95}.put{color:#e2b15c}.delete{color:#f0907f}}
.inside{border-top:1px solid var(--line);padding:.25rem 1rem 1rem;font-size:.9rem}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%}
td{border-top:1px solid var(--line);padding:.35rem .75rem .35rem 0;vertical-align:top}
tr:first-child td{border-top:0}
td:first-child{white-space:nowrap;width:15rem}
td.status{width:3.5rem}
td.status+td{width:20rem}
.must{color:var(--warn);font-size:.75rem}
pre{background:var(--code);border-radius:.4rem;padding:.7rem .8rem;margin:.25rem 0;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere}
.none{display:none;color:var(--soft)}
@media (max-width:52rem){.shell{grid-template-columns:minmax(0,1fr);gap:0}nav{position:static;height:auto;padding:1rem 0 0;display:flex;flex-wrap:wrap}main{padding-top:1rem}}
`;

/** Hides entries that do not match the search, and sections without a match. */
const API_PAGE_SCRIPT = `
const search = document.querySelector('input[type=search]');
const show = () => {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let any = false;
  for (const section of document.querySelectorAll('section')) {
    let found = false;
    for (const item of section.querySelectorAll('details')) {
      const text = item.dataset.text;
      item.hidden = !words.every((word) => text.includes(word));
      found ||= !item.hidden;
    }
    section.hidden = !found;
    any ||= found;
  }
  document.querySelector('.none').style.display = any ? 'none' : 'block';
};
search.addEventListener('input', show);
const open = () => {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  if (target && target.tagName === 'DETAILS') { search.value = ''; show(); target.open = true; target.scrollIntoView(); }
};
addEventListener('hashchange', open);
open();
`;

/** Returns a table of an object's properties; undefined if it has none. */
function propertyTable(schema: JsonObject): Html | undefined {
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

/** Returns an object's properties in one line, as `{name: type}`; else the values that the schema accepts. */
function shapeText(schema: JsonObject): Html {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonObject>);
  if (schema.$ref !== undefined || properties.length === 0) return typeText(schema);
  const parts = properties.map(
    ([name, property], index) => html`${index > 0 ? ', ' : ''}<code>${name}</code>: ${typeText(property)}`,
  );
  return html`{${parts}}`;
}

/** Returns a short description of a schema; a named component is linked. */
function typeText(schema: JsonObject): Html {
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

/** Returns a value, without quotes if it is unambiguous. */
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
