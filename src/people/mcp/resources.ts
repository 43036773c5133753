import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { McpServer } from '@modelcontextprotocol/server';
import { lookUp } from '../../core/text/look-up.ts';
import { markdownProse, markdownText } from '../../core/text/markdown.ts';
import { nearNames } from '../../core/text/nearest-name.ts';
import {
  type Parameter,
  STANDARD_PARAMETERS,
} from '../../pipeline/transform/questions/question-parameters.ts';
import type { Question } from '../../pipeline/transform/questions/questions.ts';
import type { Catalog } from '../../state/catalogue/catalog.ts';

const DEFINITIONS = join(import.meta.dirname, '..', '..', '..', 'docs', 'definitions.md');
/** In which a name without one is looked for, in this order. */
const SCHEMAS = ['mart', 'raw', 'ops'];

/** What an assistant may read without a question: what words mean here, and every column. */
export function registerResources(
  server: McpServer,
  catalog: (signal: AbortSignal) => Promise<Catalog>,
): void {
  server.registerResource(
    'definitions',
    'crawlhouse://definitions',
    {
      title: 'Definitions',
      description: 'What orphan, indexable, duplicate and the like mean here.',
      mimeType: 'text/markdown',
    },
    async (uri) => ({ contents: [{ uri: uri.href, text: await readFile(DEFINITIONS, 'utf8') }] }),
  );
  server.registerResource(
    'dictionary',
    'crawlhouse://dictionary',
    {
      title: 'Dictionary',
      description: 'The tables of mart in this warehouse, with the meaning of every column.',
      mimeType: 'text/markdown',
    },
    async (uri, context) => ({
      contents: [{ uri: uri.href, text: dictionary(await catalog(context.mcpReq.signal)) }],
    }),
  );
}

function dictionary(catalog: Catalog): string {
  return catalog
    .filter(({ name }) => name.startsWith('mart.'))
    .map(({ name, comment, columns }) => {
      const lines = columns.map((column) =>
        `- ${markdownText(column.name)} (${column.type}): ${markdownProse(column.comment ?? '')}`.trimEnd(),
      );
      return `## ${name}\n\n${markdownProse(comment ?? '')}\n\n${lines.join('\n')}\n`;
    })
    .join('\n');
}

/** A table by its name, also without its schema; else the nearest names. */
export function describeTable(catalog: Catalog, table: string): object | string {
  const names = [table, ...SCHEMAS.map((schema) => `${schema}.${table}`)];
  const found = names.map((one) => catalog.find(({ name }) => name === one)).find((one) => one !== undefined);
  if (found !== undefined) return found;
  const known = catalog.map(({ name }) => name);
  const near = nearNames(table.includes('.') ? table : `mart.${table}`, known);
  const meant = near.length === 0 ? '' : `did you mean ${near.join(', ')}? `;
  return `there is no table ${table}: ${meant}list_tables has all`;
}

/** Parameters that mean the same in each question are told once; a question tells those of its own. */
export function listQuestions(questions: readonly Question[]): object {
  return {
    parameters: STANDARD_PARAMETERS,
    questions: questions.map(({ name, title, description, parameters }) => {
      return { name, title, description: description.trim(), parameters: parameters.map(shortParameter) };
    }),
  };
}

function shortParameter(parameter: Parameter): object | string {
  const standard = lookUp(STANDARD_PARAMETERS, parameter.name);
  if (standard?.description !== parameter.description) return parameter;
  return parameter.default === null ? parameter.name : { name: parameter.name, default: parameter.default };
}
