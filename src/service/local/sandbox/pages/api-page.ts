import { type Html, html } from '../../../../core/text/html.ts';
import type { OpenApiDocument } from '../../../api/openapi/openapi.ts';
import type { Operation } from '../../../api/openapi/openapi-operation.ts';
import type { JsonObject } from '../../../api/openapi/openapi-schemas.ts';
import { API_PAGE_SCRIPT, API_PAGE_STYLE } from './api-page-style.ts';
import { curlLine, type Entry } from './curl-line.ts';
import type { ExampleValues } from './example-of.ts';
import { page } from './page.ts';
import { propertyTable, shapeText, typeText } from './schema-view.ts';

/** The values in the lines of curl, for parameters that have one in the sandbox. */
export type ValuesOf = (entry: Entry) => ExampleValues;

/** The service as a page to read: its operations by section, made from the OpenAPI document. */
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
<p class="lead">The sandbox: the service itself, locally. Every request needs a token; the sandbox named one when it started, as <code>CRAWLHOUSE_ACCESS_TOKEN</code>. The lines of curl name what is here; a variable in one stands for what is not.</p>
<dl class="facts">
<dt>Address</dt><dd><code>${url}</code></dd>
<dt>OpenAPI 3.1</dt><dd><a href="/openapi.json">/openapi.json</a></dd>
<dt>OAuth2</dt><dd><code>/oauth/authorize</code>, <code>/oauth/token</code></dd>
</dl>
<input type="search" placeholder="Search operations and schemas" aria-label="Search operations and schemas">
<p class="none">Nothing is called that.</p>
${sections.map(
  ({ id, name, description, entries: of }) => html`<section>
<h2 id="${id}">${name}</h2>
<p>${description}</p>
${of.map((entry) => operationView(document, entry, valuesOf(entry)))}</section>
`,
)}<section>
<h2 id="schemas">Schemas</h2>
<p>What requests and answers are made of</p>
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

/** A path that breaks before its slashes where it must. */
function breakable(path: string): Html {
  return html`${path.split('/').map((part, index) => (index === 0 ? html`${part}` : html`<wbr>/${part}`))}`;
}

/** Without the marks of Markdown. */
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
