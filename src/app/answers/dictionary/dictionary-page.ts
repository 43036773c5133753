import { markdownProse, markdownTable } from '../presentation/markdown.ts';
import type { Dictionary, DictionaryTable } from './dictionary.ts';

/** Renders the models as a Markdown page. It uses only their files, so it is the same on every machine. */
export function renderDictionaryPage(dictionary: Dictionary): string {
  const models = dictionary.tables.filter((table) => table.name.startsWith('mart.'));
  return [HEAD, contents(models), ...models.map(section)].join('\n');
}

const HEAD = `# Data dictionary

Every shipped model with its columns, their units and sources, its grain and its tests. \`crawlhouse docs\` writes the same
for a warehouse as a site, with types, rows, lineage and the last results of its tests.
`;

function contents(models: readonly DictionaryTable[]): string {
  return `${models.map(({ name }) => `[${name}](#${name.replace('.', '')})`).join(' · ')}\n`;
}

function section({ name, kind, description, grain, reads, columns, tests, file }: DictionaryTable): string {
  const lines = [
    `## ${name}\n`,
    `${markdownProse(description ?? '')}\n`,
    `A ${kind}; ${grain ? `a row for each ${grain.map((column) => `\`${column}\``).join(', ')}` : 'rows may repeat'}. ` +
      `Built ${reads.length > 0 ? `from ${reads.map((read) => `\`${read}\``).join(', ')} ` : ''}by [${file}](../${file}).\n`,
    ...markdownTable([
      ['column', 'description'],
      ...columns.map((column) => [`\`${column.name}\``, markdownProse(column.description ?? '')]),
    ]),
    '',
  ];
  if (tests.length > 0) lines.push(`Tests: ${tests.map(testText).join('; ')}.\n`);
  return lines.join('\n');
}

const testText = ({ name, severity }: DictionaryTable['tests'][number]): string =>
  severity === 'error' ? name : `${name} (${severity})`;
